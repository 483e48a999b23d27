// A page of which films are made: the view alone, and pictures of its frames.
import {byId} from "./parts.js";

export class Film {
  constructor(stage, replay) { Object.assign(this, {stage, replay}); }

  begin(follows) {
    this.stage.viewer.set_3d_pane_size();
    this.stage.lookFirst();
    byId("follow").checked = follows;
  }

  // What is drawn of a frame, as a picture in an address.
  picture(frame) {
    this.replay.draw(frame);
    this.stage.viewer.render();
    return this.stage.canvas.toDataURL("image/jpeg", 0.97);
  }
}
