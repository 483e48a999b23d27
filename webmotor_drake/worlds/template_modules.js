'use strict';
// What templates find beside `fields`: Webots' helper modules, written from the list of
// their functions in the reference manual, and a context without a clock or chance.
const __undefined = (value) => {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map(__undefined);
  if (typeof value === 'object') {
    const made = {};
    for (const key in value) made[key] = __undefined(value[key]);
    return made;
  }
  return value;
};
const {context: __context, fields: __fields, texts: __texts} = JSON.parse(__json);
const fields = __undefined(__fields), __out = [];
const context = {
  os: 'linux', world: '', proto: '', project_path: '', webots_home: '',
  temporary_files_path: '', id: '0', coordinate_system: 'ENU',
  webots_version: {major: 'R2025a', revision: '0'}, ...__context,
};
const __silent = () => {};
const console = {
  log: __silent, info: __silent, debug: __silent, warn: __silent, error: __silent,
};
const __file = (path) => __read(String(path));  // null: not there, or not below the project
const wbfile = {
  fileExists: (path) => __file(path) !== null,
  readTextFile: (path) => {
    const text = __file(path);
    if (text === null) throw new Error('no file below the project: ' + path);
    return text;
  },
  writeTextFile: () => { throw new Error('templates write no files here'); },
};

const wbrandom = (() => {
  const range = 16777216;
  let state = 0;
  const next = () => {
    state = (1140671485 * state + 12820163) % range;
    return state;
  };
  return {
    seed: (s) => { state = ((s % range) + range) % range; },
    real: (a, b) => {
      const [min, max] = a === undefined ? [0, 1] : b === undefined ? [0, a] : [a, b];
      return min + next() * (max - min) / (range - 1);
    },
    integer: (a, b) => {
      const [min, max] = a === undefined ? [0, range - 1] : b === undefined ? [1, a] : [a, b];
      return min + next() % (1 + max - min);
    },
  };
})();
Math.random = () => wbrandom.real();
Date.now = () => 0;

const wbvector2 = {
  equal: (a, b) => a.x === b.x && a.y === b.y,
  add: (a, b) => ({x: a.x + b.x, y: a.y + b.y}),
  minus: (a, b) => ({x: a.x - b.x, y: a.y - b.y}),
  multiply: (a, s) => ({x: a.x * s, y: a.y * s}),
  norm: (a) => Math.hypot(a.x, a.y),
  distance: (a, b) => Math.hypot(a.x - b.x, a.y - b.y),
  angle: (a, b) => Math.atan2(b.y, b.x) - Math.atan2(a.y, a.x),
  cross: (a, b) => a.x * b.y - a.y * b.x,
  dot: (a, b) => a.x * b.x + a.y * b.y,
  normalize: (a) => wbvector2.multiply(a, 1 / wbvector2.norm(a)),
  intersection: (p1, p2, p3, p4) => {
    const d = (p1.x - p2.x) * (p3.y - p4.y) - (p1.y - p2.y) * (p3.x - p4.x);
    if (d === 0) return undefined;
    const a = p1.x * p2.y - p1.y * p2.x, b = p3.x * p4.y - p3.y * p4.x;
    return {
      x: (a * (p3.x - p4.x) - (p1.x - p2.x) * b) / d,
      y: (a * (p3.y - p4.y) - (p1.y - p2.y) * b) / d,
    };
  },
};

const wbvector3 = {
  equal: (a, b) => a.x === b.x && a.y === b.y && a.z === b.z,
  add: (a, b) => ({x: a.x + b.x, y: a.y + b.y, z: a.z + b.z}),
  minus: (a, b) => ({x: a.x - b.x, y: a.y - b.y, z: a.z - b.z}),
  multiply: (a, s) => ({x: a.x * s, y: a.y * s, z: a.z * s}),
  norm: (a) => Math.hypot(a.x, a.y, a.z),
  distance: (a, b) => wbvector3.norm(wbvector3.minus(a, b)),
  cross: (a, b) => ({
    x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x,
  }),
  dot: (a, b) => a.x * b.x + a.y * b.y + a.z * b.z,
  normalize: (a) => wbvector3.multiply(a, 1 / wbvector3.norm(a)),
};

// Quaternions are {w, x, y, z}, matrices nine numbers, row by row.
const wbrotation = {
  equal: (a, b) => a.x === b.x && a.y === b.y && a.z === b.z && a.a === b.a,
  isIdentity: (r) => r.a === 0,
  normalize: (r) => {
    const n = Math.hypot(r.x, r.y, r.z);
    return n === 0 ? {x: 0, y: 0, z: 1, a: 0} : {x: r.x / n, y: r.y / n, z: r.z / n, a: r.a};
  },
  toQuaternion: (r) => {
    const u = wbrotation.normalize(r), s = Math.sin(u.a / 2);
    return {w: Math.cos(u.a / 2), x: u.x * s, y: u.y * s, z: u.z * s};
  },
  fromQuaternion: (q) => {
    const s = Math.hypot(q.x, q.y, q.z);
    if (s < 1e-15) return {x: 0, y: 0, z: 1, a: 0};
    return {x: q.x / s, y: q.y / s, z: q.z / s, a: 2 * Math.atan2(s, q.w)};
  },
  toMatrix3: (r) => {
    const {x, y, z, a} = wbrotation.normalize(r);
    const c = Math.cos(a), s = Math.sin(a), t = 1 - c;
    return [
      t * x * x + c, t * x * y - s * z, t * x * z + s * y,
      t * x * y + s * z, t * y * y + c, t * y * z - s * x,
      t * x * z - s * y, t * y * z + s * x, t * z * z + c,
    ];
  },
  fromMatrix3: (m) => {
    const cos = Math.min(1, Math.max(-1, (m[0] + m[4] + m[8] - 1) / 2));
    const v = {x: m[7] - m[5], y: m[2] - m[6], z: m[3] - m[1]};
    const n = wbvector3.norm(v);
    if (n < 1e-12) {
      if (cos > 0) return {x: 0, y: 0, z: 1, a: 0};
      const x = Math.sqrt(Math.max(0, (m[0] + 1) / 2));
      const y = Math.sqrt(Math.max(0, (m[4] + 1) / 2)) * (m[1] < 0 ? -1 : 1);
      const z = Math.sqrt(Math.max(0, (m[8] + 1) / 2)) * (m[2] < 0 ? -1 : 1);
      return {x: x, y: y, z: z, a: Math.PI};
    }
    return {x: v.x / n, y: v.y / n, z: v.z / n, a: Math.acos(cos)};
  },
  combine: (r1, r2) => {
    const p = wbrotation.toQuaternion(r1), q = wbrotation.toQuaternion(r2);
    return wbrotation.fromQuaternion({
      w: p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
      x: p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
      y: p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
      z: p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w,
    });
  },
  rotateVector3ByMatrix3: (m, v) => ({
    x: m[0] * v.x + m[1] * v.y + m[2] * v.z,
    y: m[3] * v.x + m[4] * v.y + m[5] * v.z,
    z: m[6] * v.x + m[7] * v.y + m[8] * v.z,
  }),
  rotateVector3ByRotation: (r, v) =>
    wbrotation.rotateVector3ByMatrix3(wbrotation.toMatrix3(r), v),
  rotateVector3ByQuaternion: (q, v) =>
    wbrotation.rotateVector3ByRotation(wbrotation.fromQuaternion(q), v),
};

// Points of a uniform cubic B-spline that starts and ends at the first and last point.
const __bSpline = (points, subdivision, add, multiply) => {
  if (points.length < 3) return points.slice();
  const p = [points[0], points[0], ...points, points[points.length - 1], points[points.length - 1]];
  const made = [];
  for (let i = 0; i + 3 < p.length; ++i) {
    for (let k = 0; k < subdivision; ++k) {
      const t = k / subdivision;
      const weights = [
        (1 - t) ** 3 / 6, (3 * t ** 3 - 6 * t ** 2 + 4) / 6,
        (-3 * t ** 3 + 3 * t ** 2 + 3 * t + 1) / 6, t ** 3 / 6,
      ];
      made.push(weights.map((w, j) => multiply(p[i + j], w)).reduce(add));
    }
  }
  made.push(points[points.length - 1]);
  return made;
};

const wbgeometry = {
  circle: (radius, subdivision, center, shift) => {
    const at = center || {x: 0, y: 0}, points = [];
    for (let i = 0; i < subdivision; ++i) {
      const angle = 2 * Math.PI * i / subdivision + (shift || 0);
      points.push({x: radius * Math.cos(angle) + at.x, y: radius * Math.sin(angle) + at.y});
    }
    return points;
  },
  isPoint2InPolygon: (point, polygon) => {
    let inside = false;
    for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
      const a = polygon[i], b = polygon[j];
      if ((a.y > point.y) !== (b.y > point.y) &&
          point.x < (b.x - a.x) * (point.y - a.y) / (b.y - a.y) + a.x)
        inside = !inside;
    }
    return inside;
  },
  findClosestPoint2InArray: (point, array) => {
    let best = 0;
    array.forEach((other, i) => {
      if (wbvector2.distance(point, other) < wbvector2.distance(point, array[best])) best = i;
    });
    return best;
  },
  isPoint2ArrayClockwise: (points) => {
    let sum = 0;
    points.forEach((a, i) => {
      const b = points[(i + 1) % points.length];
      sum += (b.x - a.x) * (b.y + a.y);
    });
    return sum > 0;
  },
  bSpline2: (points, subdivision) =>
    __bSpline(points, subdivision, wbvector2.add, wbvector2.multiply),
  bSpline3: (points, subdivision) =>
    __bSpline(points, subdivision, wbvector3.add, wbvector3.multiply),
};

const __number = (v) => typeof v === 'number';
const wbutility = {
  assert: (condition, text) => { if (!condition) throw new Error(text || 'assertion'); },
  error: __silent,
  info: __silent,
  deepCopy: (value) => JSON.parse(JSON.stringify(value)),
  degreesToRadians: (angle) => angle * Math.PI / 180,
  radiansToDegrees: (angle) => angle * 180 / Math.PI,
  isScalar: __number,
  isVector2: (v) => !!v && __number(v.x) && __number(v.y) && v.z === undefined,
  isVector3: (v) => !!v && __number(v.x) && __number(v.y) && __number(v.z) && v.a === undefined && v.w === undefined,
  isAxisAngle: (v) => !!v && __number(v.x) && __number(v.y) && __number(v.z) && __number(v.a),
  isQuaternion: (v) => !!v && __number(v.x) && __number(v.y) && __number(v.z) && __number(v.w),
  isMatrix3: (v) => Array.isArray(v) && v.length === 9,
  isArrayOfPoints: (v) => Array.isArray(v) && v.every((p) => !!p && __number(p.x) && __number(p.y)),
};
const __modules = {
  wbrandom, wbrotation, wbvector2, wbvector3, wbgeometry, wbutility, wbfile,
};
