// Small parts of the page.
export const byId = id => document.getElementById(id);

// A number in three digits.
export function short(number) {
  if (number === null || Number.isNaN(number)) return "-";
  const size = Math.abs(number);
  if (size < 1e-6) return "0.00";
  if (size >= 1e5 || size < 1e-3) return number.toExponential(1);
  return size >= 999.5 ? number.toFixed() : number.toPrecision(3);
}

// The decimals that a range of values needs: a thousandth of it is seen.
export function decimals(range) {
  if (!(range > 0) || !isFinite(range)) return 3;
  return Math.min(Math.max(3 - Math.floor(Math.log10(range)), 0), 6);
}

// A number with so many decimals; a zero has no sign.
export function fixed(number, digits) {
  if (number === null || Number.isNaN(number)) return "-";
  return number.toFixed(digits).replace(/^-(0(\.0*)?)$/, "$1");
}

// An element with a class, and text that is never read as HTML.
export function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

// A folder below a box, by its name; made when it is asked for first.
export function folder(box, name) {
  let found = [...box.children].find(d => d.dataset.folder === name);
  if (!found) {
    found = element("details");
    found.open = true;
    found.dataset.folder = name;
    found.append(element("summary", "", name));
    box.append(found);
  }
  return found;
}
