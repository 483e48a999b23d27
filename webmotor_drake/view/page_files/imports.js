// What a supervisor has imported: shapes on bodies that were in stock, or in the world.
const THREE = MeshCat.THREE;
// Round shapes have their axis along z in Drake, along y in three.js.
const FORMS = {
  Box: (x, y, z) => new THREE.BoxGeometry(x, y, z),
  Sphere: radius => new THREE.SphereGeometry(radius, 32, 16),
  Cylinder: (radius, length) =>
    new THREE.CylinderGeometry(radius, radius, length, 32).rotateX(Math.PI / 2),
  Capsule: (radius, length) =>
    new THREE.CapsuleGeometry(radius, length, 8, 32).rotateX(Math.PI / 2),
};

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

  mesh({kind, sizes, position, quaternion: [w, x, y, z], rgba: [r, g, b, a]}) {
    const color = new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace);
    const mesh = new THREE.Mesh(FORMS[kind](...sizes), new THREE.MeshPhongMaterial(
      {color, opacity: a, transparent: a < 1}));
    mesh.position.set(...position);
    mesh.quaternion.set(x, y, z, w);
    mesh.castShadow = mesh.receiveShadow = true;
    this.meshes.push(mesh);
    return mesh;
  }
}
