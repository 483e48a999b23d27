// The ink of Pens: sheets on the faces of bodies, written again by the strokes of a run.
const THREE = MeshCat.THREE;
const STROKE = 8;  // numbers: time, row, column, radius, red, green, blue, density
const ABOVE = 2e-4;  // m: what ink is above its face
const ROUNDING = 1e-9;  // s
const FAINT = 1e-6;  // of what faded ink still covers

export class Ink {
  constructor(stage) {
    this.stage = stage;
    this.sheets = [];
  }

  // Takes these sheets and no others; some have only their strokes since one that is known.
  take(told) {
    this.sheets.splice(told.length).forEach(sheet => sheet.mesh.removeFromParent());
    told.forEach((about, k) => {
      const since = about.since || 0;  // replays have all
      if (!since) {
        if (this.sheets[k]) this.sheets[k].mesh.removeFromParent();
        this.sheets[k] = new Sheet(about);
      }
      this.sheets[k].strokes.splice(since, Infinity, ...about.strokes);
    });
  }

  // Shows the ink of a time on the bodies that are there: replays lack imported ones.
  show(time) {
    for (const sheet of this.sheets) {
      if (!sheet.mesh.parent && this.has(sheet.path))
        this.stage.object(sheet.path).add(sheet.mesh);
      if (sheet.mesh.parent) sheet.show(time);
    }
  }

  has(path) {
    let node = this.stage.viewer.scene_tree;
    for (const name of path) node = node && node.children[name];
    return Boolean(node);
  }
}

class Sheet {
  constructor({body, position, quaternion: [w, x, y, z], size, pixels, fading, end, begin}) {
    Object.assign(this, {pixels, fading, begin: begin || 0, path: ["drake", "shapes", ...body.split("::")]});
    this.strokes = [];
    this.end = end === null ? Infinity : end;
    this.data = new Uint8Array(4 * pixels * pixels);
    const map = this.texture = new THREE.DataTexture(this.data, pixels, pixels);
    Object.assign(map, {colorSpace: THREE.SRGBColorSpace, generateMipmaps: true, anisotropy: 8,
      magFilter: THREE.LinearFilter, minFilter: THREE.LinearMipmapLinearFilter});
    this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(...size).translate(0, 0, ABOVE),
      new THREE.MeshPhongMaterial({map, transparent: true, depthWrite: false,
        polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -1}));
    this.mesh.position.set(...position);
    this.mesh.quaternion.set(x, y, z, w);
    this.mesh.receiveShadow = true;
    this.mesh.userData.isAid = true;  // no part of the body's size
    this.clean();
  }

  clean() {
    this.cover = new Float64Array(this.pixels ** 2);  // times `share` it is the density
    this.colors = null;
    Object.assign(this, {share: 1, next: 0, time: -Infinity});
  }

  show(now) {
    const time = now + this.begin;  // of the run
    if (time < this.time) this.clean();
    const before = [this.next, this.share];
    while (this.next < this.strokes.length && this.strokes[this.next] <= time + ROUNDING) {
      const [at, ...stroke] = this.strokes.slice(this.next, this.next += STROKE);
      this.fade(at);
      this.stamp(...stroke);
    }
    this.fade(time);
    this.mesh.visible = this.next > 0 && time < this.end - ROUNDING;
    if (before[0] !== this.next || before[1] !== this.share) this.paint();
  }

  fade(time) {
    if (this.fading && time > this.time && this.next) {
      this.share *= Math.exp(-this.fading * (time - this.time));
      if (this.share < FAINT) {
        this.cover = this.cover.map(cover => cover * this.share);
        this.share = 1;
      }
    }
    this.time = Math.max(time, this.time);
  }

  // Adds a disc of ink (WbPaintTexture.cpp).
  stamp(row, column, radius, red, green, blue, density) {
    const {pixels, cover} = this, ink = [red, green, blue];
    // Where nothing is written edges blend with the first colour.
    this.colors ||= Float64Array.from({length: 3 * pixels ** 2}, (_, i) => ink[i % 3]);
    const first = Math.max(row - radius, 0), last = Math.min(row + radius, pixels - 1);
    for (let i = first; i <= last; i++) {
      const half = Math.floor(Math.sqrt(radius ** 2 - (i - row) ** 2));
      for (let j = Math.max(column - half, 0); j <= Math.min(column + half, pixels - 1); j++) {
        const at = i * pixels + j, before = cover[at] * this.share;
        const part = before / Math.max(before + density, 1e-15);
        for (let k = 0; k < 3; k++)
          this.colors[3 * at + k] = part * this.colors[3 * at + k] + (1 - part) * ink[k];
        cover[at] = Math.min(before + density, 1) / this.share;
      }
    }
  }

  // Textures begin with their lowest row.
  paint() {
    const {pixels, data, cover, colors, share} = this;
    for (let i = 0; i < pixels; i++)
      for (let j = 0; j < pixels; j++) {
        const from = i * pixels + j, to = 4 * ((pixels - 1 - i) * pixels + j);
        for (let k = 0; k < 3; k++) data[to + k] = colors ? 255 * colors[3 * from + k] : 0;
        data[to + 3] = Math.round(255 * cover[from] * share);
      }
    this.texture.needsUpdate = true;
  }
}
