// Pulling: the pointer's ray meets a plane through the point that faces the camera.
import {send} from "./connection.js";
import {byId} from "./parts.js";

const THREE = MeshCat.THREE;

export class Puller {
  constructor(stage) {
    this.stage = stage;
    this.held = null;
    this.ray = new THREE.Raycaster();
    const view = stage.view;
    view.addEventListener("pointerdown", event => this.grab(event), true);
    view.addEventListener("pointermove", event => this.move(event), true);
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"])
      view.addEventListener(name, () => this.letGo(), true);
  }

  get holds() { return this.held !== null; }

  aim(event) {
    const area = this.stage.canvas.getBoundingClientRect();
    this.ray.setFromCamera(new THREE.Vector2(
      2 * (event.clientX - area.left) / area.width - 1,
      1 - 2 * (event.clientY - area.top) / area.height), this.stage.camera);
  }

  // The first body under the pointer, and where it was hit.
  pick(event) {
    this.aim(event);
    const bodies = this.stage.bodies();
    for (const hit of this.ray.intersectObjects([...bodies.keys()], true))
      for (let object = hit.object; object; object = object.parent)
        if (bodies.has(object)) return {point: hit.point, object, path: bodies.get(object)};
    return null;
  }

  grab(event) {
    if (!this.stage.pulls || !(event.altKey || event.shiftKey)) return;
    const found = this.pick(event);
    if (!found) return;
    event.stopPropagation();
    event.preventDefault();
    this.stage.view.setPointerCapture(event.pointerId);
    const facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.held = {
      ...found, point: found.object.worldToLocal(found.point.clone()),
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(facing, found.point)};
  }

  move(event) {
    if (!this.held) return;
    event.stopPropagation();
    this.aim(event);
    const target = this.ray.ray.intersectPlane(this.held.plane, new THREE.Vector3());
    if (!target) return;
    const {path, object, point} = this.held;
    const area = this.stage.view.getBoundingClientRect();
    byId("pull").style.translate =
      `${event.clientX - area.left + 14}px ${event.clientY - area.top + 10}px`;
    this.stage.showSpring(object, point, target);
    send({pull: {path, point: point.toArray(), target: this.stage.world(target)}});
  }

  letGo() {
    if (!this.held) return;
    send({pull: null});
    this.held = null;
    this.stage.showSpring(null);
  }
}
