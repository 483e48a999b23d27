// Keys for controllers, with the numbers of Webots' Keyboard.
import {send} from "./connection.js";
import {byId} from "./parts.js";

const NAMED = {End: 312, Home: 313, ArrowLeft: 314, ArrowUp: 315, ArrowRight: 316,
  ArrowDown: 317, PageUp: 366, PageDown: 367};
const NUMPAD = {Home: 375, ArrowLeft: 376, ArrowUp: 377, ArrowRight: 378, ArrowDown: 379,
  End: 382};
const SHIFT = 0x10000, CONTROL = 0x20000, ALT = 0x40000;
const keys = new Map();

// The key itself, not what Shift makes of it: Shift+1 is 1 with SHIFT, as in Webots.
function keyOf(event) {
  const named = event.location === KeyboardEvent.DOM_KEY_LOCATION_NUMPAD
    ? NUMPAD[event.key] || NAMED[event.key] : NAMED[event.key];
  const plain = /^(?:Key|Digit)(.)$/.exec(event.code);
  const letter = event.key.length === 1 ? event.key.toUpperCase() : "";
  const isLatin = letter >= " " && letter <= "~";
  const code = named || (isLatin && event.shiftKey && plain && /\d/.test(plain[1])
    ? plain[1].charCodeAt(0) : letter ? letter.charCodeAt(0) : 0);
  return code && code + (event.shiftKey ? SHIFT : 0) + (event.ctrlKey ? CONTROL : 0)
    + (event.altKey ? ALT : 0);
}

// Keys of the page's own: alone where no controller takes them, with Alt everywhere.
const SHORTCUTS = {KeyP: "pause", Space: "pause", KeyS: "step", KeyR: "reset", KeyF: "follow"};
let isAlone = false;

export function takeKeys(byControllers) { isAlone = !byControllers; }

function pressed(event) {
  const button = byId(SHORTCUTS[event.code] || "");
  const isOurs = event.altKey || (isAlone && !event.shiftKey);
  if (!button || !isOurs || event.ctrlKey || event.metaKey) return false;
  if (!button.disabled && button.checkVisibility()) button.click();
  return true;
}

const CONTROLS = "input, button, summary, pre";
let clicked = null;  // the control that has the focus by the pointer
window.addEventListener("pointerdown", event => { clicked = event.target.closest(CONTROLS); },
  true);

const tellKeys = () => send({keys: [...keys.values()]});

export function releaseKeys() {
  if (!keys.size) return;
  keys.clear();
  tellKeys();
}

window.addEventListener("keydown", event => {
  if (event.repeat || event.target.matches("input[type=number], input[type=search]")) return;
  const key = keyOf(event);
  if (!key) return;
  // Who goes by keyboard presses what has the focus. After a click arrows would move the
  // slider that was used last, and space press a button.
  if (event.target.matches(CONTROLS)) {
    if (event.target !== clicked) return;
    event.target.blur();
  }
  if (pressed(event)) return event.preventDefault();
  if (event.code.startsWith("Arrow") || event.key === " ") event.preventDefault();
  keys.set(event.code, key);
  tellKeys();
});
window.addEventListener("keyup", event => {
  if (keys.delete(event.code)) tellKeys();
});
