// What is not seen of a robot: frames, joints with their limits, collision shapes, inertia
// and devices, drawn over its bodies.
import {geometryOf} from "./imports.js";

const THREE = MeshCat.THREE;
export const KINDS = ["frames", "joints", "collision", "inertia", "devices"];
const SOFT = 0x2673d9, STOP = 0x5b4a6b, AXIS = 0x222222, TOUCH = 0xd81b60, MASS = 0x8e24aa;

export class Aids {
  constructor(stage) { this.stage = stage; }

  begin(bodies) {
    this.bodies = bodies;
    this.made = new Map();  // by kind, once they were asked for
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
      size / 40, size / 40, 2.4 * size, 8).rotateX(Math.PI / 2), AXIS);
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
