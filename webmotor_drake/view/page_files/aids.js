// What is not seen of a robot: frames, joints with their limits, collision shapes, inertia
// devices and efforts, drawn over its bodies.
import {geometryOf} from "./imports.js";

const THREE = MeshCat.THREE;
export const KINDS = ["frames", "joints", "collision", "inertia", "devices", "efforts"];
// Where --show begins with some.
export const MARKS = {limits: "joints", efforts: "efforts"};
// An arrow has one of so many lengths, and none below this share of the limit.
const LEVELS = 12, FAINT = 0.005, AT_LIMIT = 1 - 1e-6;
const SOFT = 0x2673d9, STOP = 0x5b4a6b, AXIS = 0x222222, TOUCH = 0xd81b60, MASS = 0x8e24aa;

export class Aids {
  constructor(stage) { this.stage = stage; }

  begin(bodies) {
    this.bodies = bodies;
    this.made = new Map();  // by kind, once they were asked for
    this.arrows = [];
    const robots = new THREE.Box3().setFromPoints(this.stage.points());
    this.size = 0.14 * robots.getSize(new THREE.Vector3()).length();
  }

  show(kind, isShown) {
    if (isShown && !this.made.has(kind)) this.made.set(kind, this.make(kind));
    for (const aid of this.made.get(kind) || []) aid.visible = isShown;
    this.stage.viewer.set_dirty();
  }

  make(kind) {
    const made = [];
    for (const body of this.bodies)
      for (const [path, aid] of this[kind](body)) {
        aid.userData.isAid = true;
        aid.traverse(part => {
          part.raycast = () => {};
          part.renderOrder = 2;
          if (part.material) Object.assign(part.material, {depthTest: false, transparent: true});
        });
        this.stage.object(path.split("/").filter(Boolean)).add(aid);
        made.push(aid);
      }
    return made;
  }

  frames({path}) { return [[path, new THREE.AxesHelper(this.size)]]; }

  devices({path, devices}) {
    return devices.map(({pose}) => {
      const axes = new THREE.AxesHelper(this.size / 2);
      axes.applyMatrix4(new THREE.Matrix4().fromArray(pose));
      return [path, axes];
    });
  }

  collision({path, collision}) {
    return collision.map(shape => {
      const geometry = geometryOf(shape, 12);
      const isRound = !["Box", "Hull"].includes(shape.kind);
      const lines = isRound ? new THREE.WireframeGeometry(geometry)
        : new THREE.EdgesGeometry(geometry);
      return [path, placed(new THREE.LineSegments(lines,
        new THREE.LineBasicMaterial({color: TOUCH, opacity: 0.7})), shape)];
    });
  }

  inertia({path, ellipsoid}) {
    if (!ellipsoid) return [];
    return [[path, placed(new THREE.Mesh(geometryOf(ellipsoid, 24),
      new THREE.MeshLambertMaterial({color: MASS, opacity: 0.45})), ellipsoid)]];
  }

  efforts({path, joint}) {
    if (!joint || joint.motor === undefined || joint.motor === null) return [];
    const arrow = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial(
      {side: THREE.DoubleSide}));
    arrow.applyMatrix4(new THREE.Matrix4().fromArray(joint.on_child).multiply(
      basis(joint.axis)));
    this.arrows.push({joint, arrow, level: 0});
    return [[path, arrow]];
  }

  // Shows the efforts of a frame, which has so many numbers of each motor.
  showEfforts(numbers, size) {
    if (!this.arrows.length || !this.arrows[0].arrow.visible) return;
    for (const one of this.arrows) {
      const [effort, limit, , mode] = numbers.subarray(size * one.joint.motor + 2);
      const level = levelOf(effort, limit, mode === 2);
      if (level === one.level) continue;
      one.level = level;
      one.arrow.geometry.dispose();
      one.arrow.geometry = arrowOf(one.joint.type === "revolute", level / LEVELS, this.size);
      one.arrow.material.color = colorOf(Math.abs(level) / LEVELS);
    }
  }

  // The axis, its limits on the parent, and a needle on the child.
  joints({path, joint}) {
    if (!joint || !joint.axis) return [];
    const turns = joint.type === "revolute", {size} = this;
    const on = pose => new THREE.Matrix4().fromArray(pose).multiply(basis(joint.axis));
    const made = [];
    const add = (owner, pose, geometry, color) => {
      const mesh = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial(
        {color, opacity: 0.8, side: THREE.DoubleSide}));
      mesh.applyMatrix4(on(pose));
      made.push([owner, mesh]);
    };
    add(path, joint.on_child, new THREE.CylinderGeometry(
      size / 70, size / 70, 2.4 * size, 8).rotateX(Math.PI / 2), AXIS);
    const parent = joint.parent || "drake/shapes";
    joint.limits.forEach(([low, high], k) => {
      const isStop = k === joint.limits.length - 1, at = size * (isStop ? 1.12 : 0.98);
      add(parent, joint.on_parent, reach(turns, low, Math.min(high, low + 2 * Math.PI), at,
        0.14 * size), isStop ? STOP : SOFT);
    });
    if (joint.limits.length) add(path, joint.on_child,
      reach(turns, turns ? -0.04 : -size / 25, turns ? 0.04 : size / 25, 1.05 * size,
        0.4 * size), AXIS);
    return made;
  }
}

function placed(object, {position, quaternion: [w, x, y, z]}) {
  object.position.set(...position);
  object.quaternion.set(x, y, z, w);
  return object;
}

// x where a joint is at 0, z along its axis.
function basis(axis) {
  const z = new THREE.Vector3(...axis), sizes = axis.map(Math.abs);
  const least = [0, 0, 0];
  least[sizes.indexOf(Math.min(...sizes))] = 1;
  const x = z.clone().cross(new THREE.Vector3(...least)).normalize();
  return new THREE.Matrix4().makeBasis(x, z.clone().cross(x), z);
}

// A ribbon from one position to another: around the axis, or along it.
function reach(turns, low, high, at, width) {
  const inner = at - width / 2, outer = at + width / 2;
  if (turns) return new THREE.RingGeometry(inner, outer, 60, 1, low, high - low);
  return new THREE.PlaneGeometry(width, high - low).rotateX(Math.PI / 2)
    .translate(at, 0, (low + high) / 2);
}

// The level of an effort, with its sign; beyond the last one it is saturated.
export function levelOf(effort, limit, isDirect) {
  const share = Math.abs(effort) / limit;
  if (!(share >= FAINT) || !isFinite(share)) return 0;
  const isAtLimit = share >= AT_LIMIT && !isDirect;
  const level = isAtLimit ? LEVELS + 1 : Math.min(Math.ceil(share * LEVELS), LEVELS);
  return Math.sign(effort) * level;
}

// Green for little, by way of yellow to orange for much; red where saturated.
function colorOf(share) {
  const [r, g, b] = share > 1 ? [0.85, 0.05, 0.05]
    : [0.95 * Math.min(2 * share, 1), 0.35 + 0.4 * (1 - share), 0.1];
  return new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace);
}

// A flat arrow around the axis, or along it. A whole one is three quarters of a turn, or two
// sizes long.
function arrowOf(turns, share, size) {
  const whole = turns ? 1.5 * Math.PI : 2 * size, steps = turns ? 40 : 1;
  const end = whole * Math.max(-1, Math.min(share, 1));
  const neck = end - Math.sign(end) * Math.min(Math.abs(end) / 2, whole / 10);
  const point = (at, out) => turns
    ? new THREE.Vector3(out * size * Math.cos(at), out * size * Math.sin(at), 0)
    : new THREE.Vector3(out * size, 0, at);
  const points = [point(neck, 0.55), point(neck, 0.95), point(end, 0.75)];
  for (let k = 0; k < steps; k++) {
    const from = neck * k / steps, to = neck * (k + 1) / steps;
    points.push(point(from, 0.65), point(from, 0.85), point(to, 0.65),
      point(from, 0.85), point(to, 0.85), point(to, 0.65));
  }
  return new THREE.BufferGeometry().setFromPoints(points);
}
