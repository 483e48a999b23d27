// What a supervisor has imported: shapes on bodies that were in stock, or in the world.
const THREE = MeshCat.THREE;
// Round shapes have their axis along z in Drake, along y in three.js.
const FORMS = {
  Box: (sides, x, y, z) => new THREE.BoxGeometry(x, y, z),
  Sphere: (sides, radius) => new THREE.SphereGeometry(radius, sides, sides / 2),
  Ellipsoid: (sides, a, b, c) => new THREE.SphereGeometry(1, sides, sides / 2).scale(a, b, c),
  Cylinder: (sides, radius, length) =>
    new THREE.CylinderGeometry(radius, radius, length, sides).rotateX(Math.PI / 2),
  Capsule: (sides, radius, length) =>
    new THREE.CapsuleGeometry(radius, length, 8, sides).rotateX(Math.PI / 2),
};

// The form of a shape, round ones with so many sides.
export function geometryOf({kind, sizes, vertices, faces}, sides = 32) {
  if (kind !== "Hull") return FORMS[kind](sides, ...sizes);
  const corners = faces.flatMap(([first, ...rest]) => rest.slice(1).flatMap(
    (corner, k) => [first, rest[k], corner]));
  return new THREE.BufferGeometry().setFromPoints(
    corners.map(corner => new THREE.Vector3(...vertices[corner])));
}

export class Imports {
  constructor(stage) {
    this.stage = stage;
    this.meshes = [];
  }

  // Shows these and no others: of each its model, "" for the world, and its shapes.
  show(imported) {
    for (const mesh of this.meshes.splice(0)) {
      mesh.removeFromParent();
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
    for (const [model, shapes] of imported) {
      const path = ["drake", "shapes", ...model ? [model, "solid"] : []];
      const object = this.stage.object(path);
      for (const shape of shapes) object.add(this.mesh(shape));
    }
    this.stage.viewer.set_dirty();
  }

  mesh(shape) {
    const {position, quaternion: [w, x, y, z], rgba: [r, g, b, a]} = shape;
    const color = new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace);
    const mesh = new THREE.Mesh(geometryOf(shape), new THREE.MeshPhongMaterial(
      {color, opacity: a, transparent: a < 1}));
    mesh.position.set(...position);
    mesh.quaternion.set(x, y, z, w);
    mesh.castShadow = mesh.receiveShadow = true;
    this.meshes.push(mesh);
    return mesh;
  }
}
