// A run that is over: all its frames are here, and are played.
import {byId} from "./parts.js";

export class Replay {
  constructor(show, change) {
    Object.assign(this, {show, change});
    this.frames = [];
    byId("moment").oninput = event => {
      if (!this.frames.length) return;
      this.at = Number(event.target.value);
      this.shown = -1;
      this.seek();
    };
  }

  begin(about) {
    this.frames = [];
    this.changes = about.changes || [];
    this.rate = about.rate;
    this.plays = false;
    this.shown = -1;
    this.at = 0;
  }

  add(frame) {
    this.frames.push({data: frame, time: new DataView(frame).getFloat64(4, true)});
  }

  start() {
    const last = this.frames[this.frames.length - 1].time;
    byId("moment").max = last;
    this.last = last;
    this.plays = true;
    this.clock = performance.now();
    this.tell();
  }

  press(button) {
    if (button !== "pause" || !this.frames.length) return;
    if (!this.plays && this.at >= this.last) this.at = 0;
    this.plays = !this.plays;
    this.clock = performance.now();
    this.tell();
  }

  tell() { byId("pause").textContent = this.plays ? "pause" : "play"; }

  play() {
    if (!this.plays) return;
    const now = performance.now();
    // A rate of 0 is "as fast as it can", which nobody could look at.
    this.at = Math.min(this.at + (now - this.clock) / 1000 * (this.rate || 1), this.last);
    this.clock = now;
    this.seek();
    if (this.at < this.last) return;
    this.plays = false;
    this.tell();
  }

  // Shows the last frame that is not later.
  seek() {
    byId("moment").value = this.at;
    let low = 0, high = this.frames.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.frames[middle].time <= this.at + 1e-9) low = middle;
      else high = middle - 1;
    }
    if (low !== this.shown) this.draw(low);
  }

  draw(frame) {
    this.restyle(frame);
    this.shown = frame;
    this.show(this.frames[frame].data);
  }

  // Has marks look as they did in a frame: what changed on the way, else all of it.
  restyle(frame) {
    const from = frame > this.shown && this.shown >= 0 ? this.shown : -1;
    for (const [at, path, name, value] of this.changes)
      if (at > from && at <= frame) this.change(path, name, value);
  }
}
