// The tree of models and bodies: opened, hidden, selected and centred.
import {byId, element, folder} from "./parts.js";

const THREE = MeshCat.THREE;

export class Tree {
  constructor(stage) {
    this.stage = stage;
    this.box = byId("bodies");
    this.frames = [];
    byId("frames").onchange = () => this.showFrames();
    stage.view.addEventListener("dblclick", event => this.centreAt(event));
  }

  // Lists the bodies, once they have their shapes.
  begin(pick) {
    this.pick = pick;
    this.box.replaceChildren();
    this.frames = [];
    this.select(null);
    for (const [object, path] of this.stage.bodies()) this.add(object, path);
    this.showFrames();
  }

  add(object, path) {
    const [, , model, ...names] = path.split("/").filter(Boolean);
    const name = names.join("/") || model;
    const row = element("div", "body"), shown = element("input"), button = element("button",
      "name", name);
    Object.assign(shown, {type: "checkbox", checked: true, title: "show it",
      ariaLabel: `show ${path}`});
    shown.onchange = () => {
      object.visible = shown.checked;
      this.stage.viewer.set_dirty();
    };
    button.type = "button";
    button.title = `${name}: select it, and centre the view on it`;
    button.onclick = () => {
      this.select(object, button);
      const {box} = this.stage.marked;
      this.stage.centre(box.isEmpty() ? object.getWorldPosition(new THREE.Vector3())
        : box.getCenter(new THREE.Vector3()));
    };
    row.append(shown, button);
    folder(this.box, names.length ? model : "world").append(row);
  }

  select(object, button = null) {
    this.stage.mark(object);
    for (const chosen of this.box.querySelectorAll("[aria-current]"))
      chosen.removeAttribute("aria-current");
    if (button) button.setAttribute("aria-current", "true");
  }

  // A double click on a body centres it.
  centreAt(event) {
    const found = this.pick(event);
    if (found) this.stage.centre(found.point);
  }

  showFrames() {
    for (const frame of this.frames.splice(0)) frame.removeFromParent();
    const robots = new THREE.Box3().setFromPoints(this.stage.points());
    const size = 0.2 * robots.getSize(new THREE.Vector3()).length();
    if (byId("frames").checked)
      for (const object of this.stage.bodies().keys()) {
        const frame = new THREE.AxesHelper(size);
        frame.material.depthTest = false;
        object.add(frame);
        this.frames.push(frame);
      }
    this.stage.viewer.set_dirty();
  }
}
