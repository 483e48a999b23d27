// The bar between view and panel: dragged, or moved by arrows. The panel is beside the
// view, or below it in a narrow window.
import {byId} from "./parts.js";

const LEAST = 0.15, STEP = 0.03;  // shares of the window
const narrow = matchMedia("(max-width: 900px)");

export function addSplitter() {
  const bar = byId("splitter");
  let share = {};  // of the view, by orientation
  const name = () => narrow.matches ? "below" : "beside";
  const place = () => {
    const {left, top} = bar.getBoundingClientRect();
    return narrow.matches ? top / innerHeight : left / innerWidth;
  };
  const show = () => {
    bar.ariaOrientation = narrow.matches ? "horizontal" : "vertical";
    const own = share[name()];
    document.body.style.setProperty("--view", own === undefined ? "" : `${100 * own}%`);
    bar.ariaValueNow = Math.round(100 * place());
  };
  const move = to => {
    share = {...share, [name()]: Math.min(Math.max(to, LEAST), 1 - LEAST)};
    show();
  };
  bar.onpointerdown = event => {
    bar.setPointerCapture(event.pointerId);
    event.preventDefault();
  };
  bar.onpointermove = event => {
    if (bar.hasPointerCapture(event.pointerId))
      move(narrow.matches ? event.clientY / innerHeight : event.clientX / innerWidth);
  };
  bar.ondblclick = () => { share = {}; show(); };
  bar.onkeydown = event => {
    const way = {ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1}[event.key];
    if (!way) return;
    event.stopPropagation();
    event.preventDefault();
    move(place() + way * STEP);
  };
  narrow.onchange = show;
  show();
}
