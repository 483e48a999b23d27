// The tree of models: bodies with their joints, mass and devices, to be opened, hidden,
// selected and centred.
import {Aids, KINDS} from "./aids.js";
import {byId, element, folder, short} from "./parts.js";

const THREE = MeshCat.THREE;

export class Tree {
  constructor(stage) {
    this.stage = stage;
    this.box = byId("bodies");
    this.aids = new Aids(stage);
    for (const kind of KINDS)
      byId(kind).onchange = event => this.aids.show(kind, event.target.checked);
    stage.view.addEventListener("dblclick", event => this.centreAt(event));
  }

  // Lists the bodies, once they have their shapes.
  begin(bodies, pick) {
    this.pick = pick;
    this.box.replaceChildren();
    this.select(null);
    this.aids.begin(bodies);
    for (const body of bodies) this.add(body);
    for (const kind of KINDS) this.aids.show(kind, byId(kind).checked);
  }

  add(body) {
    const object = this.stage.object(body.path.split("/").filter(Boolean));
    const row = element("div", "body"), shown = element("input");
    Object.assign(shown, {type: "checkbox", checked: true, title: "show it",
      ariaLabel: `show ${body.model} ${body.name}`});
    shown.onchange = () => {
      object.visible = shown.checked;
      this.stage.viewer.set_dirty();
    };
    const name = this.button(body.name, "select it, and centre the view on it", () => {
      this.select(object, name);
      const {box} = this.stage.marked;
      this.stage.centre(box.isEmpty() ? object.getWorldPosition(new THREE.Vector3())
        : box.getCenter(new THREE.Vector3()));
    });
    const parts = element("div", "parts"), more = element("button", "more", "▸");
    parts.hidden = true;
    Object.assign(more, {type: "button", ariaExpanded: "false",
      ariaLabel: `parts of ${body.model} ${body.name}`});
    more.onclick = () => {
      parts.hidden = !parts.hidden;
      more.ariaExpanded = String(!parts.hidden);
      more.textContent = parts.hidden ? "▸" : "▾";
    };
    if (body.joint) parts.append(this.part(jointText(body.joint), body.joint.name, object,
      body.joint.on_child));
    if (body.ellipsoid) parts.append(element("div", "", `mass ${short(body.mass)} kg`));
    else parts.append(element("div", "", "fixed to the world, or without mass"));
    for (const {name: own, type, pose} of body.devices)
      parts.append(this.part(type, own, object, pose));
    row.append(more, shown, name);
    folder(this.box, body.model).append(row, parts);
  }

  // A joint or a device, which is centred by a click.
  part(text, name, object, pose) {
    const row = element("div");
    const button = this.button(name, "centre the view on it", () => {
      this.select(object, button);
      const place = pose ? new THREE.Vector3(...pose.slice(12, 15)) : new THREE.Vector3();
      this.stage.centre(object.localToWorld(place));
    });
    row.append(button, element("small", "", ` ${text}`));
    return row;
  }

  button(name, title, act) {
    const made = element("button", "name", name);
    Object.assign(made, {type: "button", title: `${name}: ${title}`, onclick: act});
    return made;
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
}

function jointText({type, limits}) {
  const unit = {revolute: "rad", prismatic: "m"}[type] || "";
  const told = (limits || []).map(ends => `${ends.map(short).join(" to ")} ${unit}`);
  return [type.replaceAll("_", " "), ...new Set(told)].join(", ");
}
