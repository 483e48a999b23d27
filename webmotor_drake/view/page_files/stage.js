// The 3D view: Meshcat's viewer with our light, ground and camera. Drake has z up,
// three.js y.
import {byId} from "./parts.js";

const THREE = MeshCat.THREE;
const up = ([x, y, z]) => new THREE.Vector3(x, z, -y);
const split = path => path.split("/").filter(Boolean);
const FROM = {all: [0.6, -1, 1.1], fit: [1, -1, 0.55], front: [1, 0, 0.05], side: [0, -1, 0.05],
  top: [0, -0.01, 1]};
// Of the view is what is looked at; robots that may go anywhere will stretch, too.
const MARGIN = 0.8, ROOMY = 0.65;
const FIELD = 45;  // degrees, from top to bottom
// A fixed box at least so wide is a ground: m, and seen from the robots.
const GROUND = 1.5, GROUND_SHARE = 3;
const SMALL = 25;  // times as large as the robots may be what is seen first
const REACH = 0.75;  // of an arm's size
const TURN = 0.3;  // rad/s of orbit
const FORCE = 0x2e7d32, SPRING = 0xd62728, GHOST = 0x6a3d9a, TARGETS = 0x3399ff;
// In a report ghosts have the colours of their curves.
const MODELS = [0xd55e00, 0x00806a, 0xb0448c, 0x8a6d00, 0x5a51c7, 0x5f6b00, 0xa8201a];
const FLOOR = 100, ABOVE = 1e-3;  // m: the side of our floor; how far above it all is
const THICK = 0.035;  // of an arrow's head, in radii of the robots

export class Stage {
  constructor(view) {
    this.view = view;
    this.viewer = new MeshCat.Viewer(view, false);
    this.viewer.gui.domElement.style.display = "none";
    this.camera.fov = FIELD;
    this.camera.updateProjectionMatrix();
    new ResizeObserver(() => this.viewer.set_3d_pane_size()).observe(view);
    // The scene itself is turned; what is ours has y up.
    this.overlay = new THREE.Group();
    this.overlay.quaternion.copy(this.viewer.scene.quaternion).invert();
    this.viewer.scene.add(this.overlay);
    this.addLights();
    this.arrows = [];
    this.thick = THICK;  // of arrows, m
    this.spring = new THREE.Mesh(new THREE.TubeGeometry(new Helix(), 120, 0.22, 6),
      new THREE.MeshBasicMaterial({color: SPRING, depthTest: false, transparent: true}));
    this.spring.visible = false;
    this.spring.frustumCulled = false;
    this.overlay.add(this.spring);
    // Else the camera's controls would take the pointer, and the click with it.
    byId("cameras").addEventListener("pointerdown", event => event.stopPropagation());
    for (const button of document.querySelectorAll("[data-view]"))
      button.onclick = () => this.lookFrom(button.dataset.view);
    byId("forces").onchange = () => this.viewer.set_dirty();
    this.turned = null;
    this.floor = this.marked = null;
  }

  get camera() { return this.viewer.camera; }
  get canvas() { return this.viewer.renderer.domElement; }

  addLights() {
    const viewer = this.viewer;
    viewer.set_property(["Lights"], "visible", false);
    viewer.set_property(["Axes"], "visible", false);
    viewer.set_property(["Background", "<object>"], "top_color", [0.62, 0.74, 0.86]);
    viewer.set_property(["Background", "<object>"], "bottom_color", [0.95, 0.96, 0.97]);
    this.overlay.add(new THREE.HemisphereLight(0xffffff, 0xb0aca4, 1.3));
    this.sun = new THREE.DirectionalLight(0xffffff, 2.6);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -5e-4;
    this.sun.shadow.normalBias = 0.01;
    this.overlay.add(this.sun, this.sun.target);
    viewer.renderer.shadowMap.enabled = true;
  }

  begin(about) {
    for (const path of ["/drake", "/webmotor"])
      this.viewer.handle_command({type: "delete", path});
    // A world with another axis up is turned.
    const [a, b, c] = about.turn;
    this.turn = new THREE.Matrix3().set(...a, ...b, ...c);
    const turned = new THREE.Matrix4().setFromMatrix3(this.turn).toArray();
    for (const name of ["drake", "webmotor"]) this.viewer.set_transform([name], turned);
    this.nodes = about.paths.map(split);
    this.paths = about.paths;
    this.framed = about.framed;
    this.fixed = new Set(about.fixed);
    this.corners = about.corners;
    this.free = about.followed;
    this.number = about.bodies;
    this.pulls = about.pulls;
    this.scale = about.newtons_per_meter;
    this.ghosts = about.ghosts;  // bodies, of one ghost after the other
    this.runs = (about.beside || []).length;  // of these ghosts; another is at its targets
    this.goes = this.free.length > 0 && !about.whole;
    this.isLive = about.kind === "run";
    this.reaches = this.isLive && !this.free.length;
    this.showForces(new Float32Array(0));
    this.followed = null;
  }

  // From Drake's world to ours, and back.
  place(point) { return up(new THREE.Vector3(...point).applyMatrix3(this.turn)); }

  world({x, y, z}) {
    const back = this.turn.clone().transpose();
    return new THREE.Vector3(x, -z, y).applyMatrix3(back).toArray();
  }

  handle(bytes) { this.viewer.handle_command_bytearray(bytes); }

  change(path, name, value) {
    if (name === "color")  // as shapes have theirs
      value = [...new THREE.Color().setRGB(...value.slice(0, 3), THREE.SRGBColorSpace).toArray(),
        value[3]];
    this.viewer.set_property(split(path), name, value);
    this.viewer.set_dirty();
  }

  // The number of things in the scene, which grows while meshes are parsed.
  size() {
    let count = 0;
    this.viewer.scene.traverse(() => { count += 1; });
    return count;
  }

  object(path) { return this.viewer.scene_tree.find(path).object; }

  // The bodies that move, by their object in the scene.
  bodies() {
    return new Map(this.nodes.slice(0, this.number).map(
      (path, i) => [this.object(path), this.paths[i]]));
  }

  // Shadows for all, squares for grounds.
  dress() {
    const moving = new Set([...this.bodies().keys()].filter((_, i) => !this.fixed.has(i)));
    const shapes = this.object(["drake", "shapes"]);
    shapes.updateWorldMatrix(true, true);  // no frame may have been drawn yet
    const box = new THREE.Box3().setFromPoints(this.points());
    const size = box.isEmpty() ? 1 : box.getSize(new THREE.Vector3()).length();
    this.thick = THICK * size / 2;
    const least = Math.min(GROUND, GROUND_SHARE * size), side = squareOf(size);
    let hasGround = false;
    const visit = (object, moves) => {
      if (object.isMesh) {
        object.castShadow = object.receiveShadow = true;
        if (!moves && isGround(object, least)) {
          hasGround = true;
          object.castShadow = false;
          if (!object.material.map) object.material = squares(side);
        }
      }
      for (const child of object.children) visit(child, moves || moving.has(child));
    };
    visit(shapes, false);
    this.addGhosts();
    this.addFloor(shapes, !hasGround && !this.free.length, side);
    this.viewer.set_property(["Grid"], "visible", !hasGround && !this.floor);
    this.viewer.set_dirty();
  }

  // The robots once more, to be seen through.
  addGhosts() {
    const inReport = document.body.classList.contains("report");
    let which = -1, last = Infinity;
    this.ghosts.forEach((body, k) => {
      if (body <= last) which += 1;
      last = body;
      const ofRun = inReport ? MODELS[which % MODELS.length] : GHOST;
      const color = which < this.runs ? ofRun : TARGETS;
      const ghost = this.object(this.nodes[this.number + k]);
      for (const child of this.object(this.nodes[body]).children) ghost.add(child.clone(true));
      ghost.traverse(mesh => {
        if (!mesh.isMesh) return;
        mesh.castShadow = mesh.receiveShadow = false;
        mesh.material = new THREE.MeshPhongMaterial(
          {color, transparent: true, opacity: 0.25, depthWrite: false,
            // Where it is in the same place it does not tinge the robot.
            polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4});
      });
    });
  }

  // A box around an object, which goes along with it; null: none.
  mark(object) {
    if (this.marked) this.marked.removeFromParent();
    this.marked = object && new THREE.Box3Helper(new THREE.Box3(), SPRING);
    this.chosen = object;
    if (object) this.overlay.add(this.marked);
    this.fitMark();
    this.viewer.set_dirty();
  }

  fitMark() {
    if (this.marked) this.marked.box.setFromPoints(corners(this.chosen));
  }

  // Turns the view around a point from now on; what is seen moves there.
  centre(point) {
    const moved = point.clone().sub(this.viewer.controls.target);
    this.camera.position.add(moved);
    this.viewer.controls.target.copy(point);
    this.viewer.set_dirty();
  }

  // A floor at 0 for robots that are fixed to the world, or below what is below it.
  addFloor(shapes, isWanted, side) {
    if (this.floor) this.floor.removeFromParent();
    this.floor = null;
    if (!isWanted) return;
    const plane = new THREE.PlaneGeometry(FLOOR, FLOOR).rotateX(-Math.PI / 2);
    this.floor = new THREE.Mesh(plane, squares(side));
    this.floor.receiveShadow = true;
    this.boxes = [...this.bodies().keys()].map(object => [object, cornersIn(object)]);
    const lowest = new THREE.Box3().setFromObject(shapes).min.y;
    this.floor.position.y = Math.min(lowest, 0) - ABOVE;
    this.overlay.add(this.floor);
  }

  // What swings below the floor takes it along.
  lowerFloor() {
    if (!this.floor) return;
    const point = new THREE.Vector3();
    for (const [object, corners] of this.boxes) {
      object.updateWorldMatrix(true, false);
      for (const corner of corners) {
        const low = point.copy(corner).applyMatrix4(object.matrixWorld).y - ABOVE;
        this.floor.position.y = Math.min(this.floor.position.y, low);
      }
    }
  }

  pose(poses) {
    this.nodes.forEach((path, i) => this.viewer.set_transform(
      path, Array.from(poses.subarray(16 * i, 16 * i + 16))));
    this.lowerFloor();
    this.fitMark();
    this.follow(poses);
    this.viewer.set_dirty();
  }

  follow(poses) {
    if (!this.free.length) return;
    const place = [0, 1, 2].map(
      k => this.free.reduce((sum, i) => sum + poses[16 * i + 12 + k], 0) / this.free.length);
    const here = this.place(place);
    if (this.followed) {
      const moved = here.clone().sub(this.followed);
      this.sun.position.add(moved);
      this.sun.target.position.add(moved);
      if (byId("follow").checked) {
        this.camera.position.add(moved);
        this.viewer.controls.target.add(moved);
      }
    }
    this.followed = here;
  }

  // Corners of boxes around what is to be seen.
  points() {
    const points = this.framed.flatMap(i => corners(this.object(this.nodes[i])));
    // A base that is fixed to the world does not move; others take the corners along.
    const moved = new THREE.Vector3();
    if (this.goes && this.followed) moved.copy(this.followed).sub(this.start);
    return points.concat(this.corners.map(corner => this.place(corner).add(moved)));
  }

  // Corners of all that is no ground: a maze is seen as a maze.
  everything(besides = new Set()) {
    const points = [];
    const visit = mesh => {
      if (mesh.userData.isAid || besides.has(mesh)) return;
      mesh.children.forEach(visit);
      if (mesh.isMesh && !isGround(mesh, GROUND)) points.push(...corners(mesh));
    };
    visit(this.object(["drake", "shapes"]));
    return points;
  }

  // The workspace, unless the robots would be too small in it.
  lookFirst() {
    const size = points => new THREE.Box3().setFromPoints(points).getSize(
      new THREE.Vector3()).length();
    const share = size(this.everything()) / size(this.points());
    this.lookFrom(share > 1.2 && share < SMALL ? "all" : "fit");
    // Within walls it stays in view by itself, and they would go.
    const robots = new Set(this.framed.map(i => this.object(this.nodes[i])));
    const walls = new THREE.Box3().setFromPoints(this.everything(robots));
    const middle = new THREE.Box3().setFromPoints(this.points()).getCenter(new THREE.Vector3());
    if (walls.containsPoint(middle)) byId("follow").checked = false;
    // From there on the camera goes along: the first frame that is drawn may be a late one.
    const places = this.free.map(i => this.object(this.nodes[i]).getWorldPosition(
      new THREE.Vector3()));
    if (!places.length) return;
    this.start = places.reduce((sum, place) => sum.add(place)).divideScalar(places.length);
    this.followed = this.start.clone();
  }

  lookFrom(name) {
    const points = name === "all" ? [...this.everything(), ...this.points()] : this.points();
    const box = new THREE.Box3().setFromPoints(points);
    if (box.isEmpty()) return;
    if (this.reaches) {  // a fixed arm may lean to any side
      const {x, y, z} = box.getCenter(new THREE.Vector3());
      const reach = REACH * box.getSize(new THREE.Vector3()).length();
      for (const way of [-reach, reach])
        points.push(new THREE.Vector3(x + way, y, z), new THREE.Vector3(x, y, z + way));
      box.setFromPoints(points);
    }
    const center = box.getCenter(new THREE.Vector3());
    const radius = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 0.05);
    const back = up(FROM[name]).normalize();
    const right = new THREE.Vector3(0, 1, 0).cross(back).normalize();
    const above = back.clone().cross(right);
    const margin = this.goes && this.isLive && name !== "all" ? ROOMY : MARGIN;
    const high = margin * Math.tan(this.camera.fov * Math.PI / 360);
    const wide = high * (this.camera.aspect || 1);
    let away = 0.1 * radius;
    for (const point of points) {
      const p = point.sub(center);
      away = Math.max(away, p.dot(back) + Math.max(
        Math.abs(p.dot(right)) / wide, Math.abs(p.dot(above)) / high));
    }
    this.camera.position.copy(center).addScaledVector(back, away);
    this.viewer.controls.target.copy(center);
    this.placeSun(center, radius);
    this.viewer.set_dirty();
  }

  placeSun(center, radius) {
    const wide = 4 * radius, camera = this.sun.shadow.camera;
    this.sun.position.copy(center).add(up([0.3, -0.25, 1]).multiplyScalar(5 * radius));
    this.sun.target.position.copy(center);
    Object.assign(camera, {left: -wide, right: wide, top: wide, bottom: -wide,
      near: 0.01 * radius, far: 20 * radius});
    camera.updateProjectionMatrix();
  }

  // Arrows of contact forces: points and vectors in Drake's world.
  showForces(numbers) {
    const shown = byId("forces").checked ? numbers.length / 6 : 0;
    while (this.arrows.length < shown) {
      const arrow = forceArrow();
      this.arrows.push(arrow);
      this.overlay.add(arrow);
    }
    this.arrows.forEach((arrow, k) => {
      arrow.visible = k < shown;
      if (!arrow.visible) return;
      const force = this.place(numbers.subarray(6 * k + 3, 6 * k + 6));
      const length = force.length() / this.scale, {thick} = this;
      arrow.position.copy(this.place(numbers.subarray(6 * k, 6 * k + 3)));
      arrow.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), force.normalize());
      arrow.scale.set(thick, length, thick);
    });
  }

  // The spring from where a body is held to the pointer.
  showSpring(object, point, target) {
    this.spring.visible = object !== null;
    if (object !== null) {
      const from = object.localToWorld(point.clone()), way = target.clone().sub(from);
      const length = way.length(), {thick} = this;
      this.spring.position.copy(from);
      this.spring.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), way.normalize());
      this.spring.scale.set(thick, Math.max(length, 1e-6), thick);
    }
    this.viewer.set_dirty();
  }

  render() {
    const now = performance.now() / 1000;
    if (byId("orbit").checked && this.turned !== null) {
      const target = this.viewer.controls.target;
      const out = this.camera.position.clone().sub(target);
      out.applyAxisAngle(new THREE.Vector3(0, 1, 0), TURN * Math.min(now - this.turned, 0.2));
      this.camera.position.copy(target).add(out);
      this.viewer.set_dirty();
    }
    this.turned = now;
    if (this.viewer.needs_render) this.viewer.render();
  }
}

// Ten turns around y, from 0 to 1.
class Helix extends THREE.Curve {
  getPoint(t, target = new THREE.Vector3()) {
    const angle = 20 * Math.PI * t;
    return target.set(Math.cos(angle), t, Math.sin(angle));
  }
}

// An arrow of length 1 along y, seen through what it stands in: a foot is around it.
function forceArrow() {
  const material = new THREE.MeshBasicMaterial(
    {color: FORCE, depthTest: false, transparent: true, opacity: 0.8});
  const shaft = new THREE.Mesh(
    new THREE.CylinderGeometry(0.35, 0.35, 0.75, 12).translate(0, 0.375, 0), material);
  const head = new THREE.Mesh(
    new THREE.ConeGeometry(1, 0.25, 16).translate(0, 0.875, 0), material);
  const arrow = new THREE.Group();
  arrow.add(shaft, head);
  return arrow;
}

// Corners of the boxes around an object's shapes, in the world of the view.
function corners(object) {
  const points = [];
  object.updateWorldMatrix(true, true);
  const visit = mesh => {
    if (mesh.userData.isAid) return;
    mesh.children.forEach(visit);
    if (!mesh.isMesh) return;
    mesh.geometry.computeBoundingBox();
    const {min, max} = mesh.geometry.boundingBox;
    for (let k = 0; k < 8; k++)
      points.push(new THREE.Vector3(k & 1 ? min.x : max.x, k & 2 ? min.y : max.y,
        k & 4 ? min.z : max.z).applyMatrix4(mesh.matrixWorld));
  };
  visit(object);
  return points;
}

// The same in the object itself: those of one box around all.
function cornersIn(object) {
  const box = new THREE.Box3().setFromPoints(corners(object).map(p => object.worldToLocal(p)));
  const {min, max} = box;
  return box.isEmpty() ? [] : [0, 1, 2, 3, 4, 5, 6, 7].map(k => new THREE.Vector3(
    k & 1 ? min.x : max.x, k & 2 ? min.y : max.y, k & 4 ? min.z : max.z));
}

function isGround(mesh, least) {
  if (mesh.geometry.type !== "BoxGeometry") return false;
  const size = new THREE.Box3().setFromObject(mesh).getSize(new THREE.Vector3());
  return Math.min(size.x, size.z) >= least && size.y < Math.min(size.x, size.z) / 2;
}

// The side of squares, m: some of them go along what is looked at.
function squareOf(size) {
  const power = 10 ** Math.floor(Math.log10(0.35 * size));
  return power * [5, 2.5, 1].find(step => step * power <= 0.35 * size);
}

// Squares show motion; far away they become one grey.
function squares(side) {
  const material = new THREE.MeshStandardMaterial({color: 0xd9d9d4, roughness: 1});
  material.onBeforeCompile = shader => {
    shader.uniforms.side = {value: side};
    shader.vertexShader = "varying vec3 vPlace;\n" + shader.vertexShader.replace(
      "#include <project_vertex>",
      "#include <project_vertex>\nvPlace = (modelMatrix * vec4(transformed, 1.0)).xyz;");
    shader.fragmentShader = "uniform float side;\nvarying vec3 vPlace;\n"
      + shader.fragmentShader.replace("#include <color_fragment>", `#include <color_fragment>
      vec2 at = vPlace.xz / side;
      vec2 cell = floor(at + 1e-4);
      float far = clamp(2.0 * max(fwidth(at.x), fwidth(at.y)) - 0.3, 0.0, 1.0);
      diffuseColor.rgb *= mix(mod(cell.x + cell.y, 2.0) < 0.5 ? 1.0 : 0.74, 0.87, far);`);
  };
  return material;
}
