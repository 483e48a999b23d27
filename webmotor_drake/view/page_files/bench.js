// Parameters of motors: changed while they run, undone, copied as YAML and saved.
import {send} from "./connection.js";
import {byId, element} from "./parts.js";

export class Bench {
  constructor() {
    byId("undo").onclick = () => send({bench: "undo"});
    byId("save").onclick = () => send({bench: "save"});
    byId("copy").onclick = () => this.copy();
    this.begin([]);
  }

  begin(motors) {
    this.motors = motors;
    this.fields = new Map();  // of a motor that was opened: an input per parameter
    this.state = null;
    byId("bench").hidden = true;
  }

  // Opens or closes the parameters of a motor below its row.
  toggle(row) {
    const {index} = row, parameters = this.motors[index].parameters || [];
    if (!parameters.length) return;
    const open = this.fields.get(index);
    row.name.ariaExpanded = String(!open);
    if (open) {
      open.box.remove();
      this.fields.delete(index);
      return;
    }
    const box = element("div", "parameters");
    box.role = "group";
    box.ariaLabel = `parameters of ${row.motor.name}`;
    const folders = new Map([["", box]]);
    const fields = parameters.map((about, at) => this.field(about, index, at, box, folders));
    row.row.after(box);
    this.fields.set(index, {box, fields});
    if (this.state) this.show(this.state);
  }

  // An input in the folder of its part, such as "friction".
  field(about, index, at, box, folders) {
    const [part, inner] = about.name.includes(".") ? about.name.split(".") : ["", about.name];
    if (!folders.has(part)) {
      const folder = element("details");
      folder.append(element("summary", "", part));
      box.append(folder);
      folders.set(part, folder);
    }
    const label = element("label"), input = element("input"), note = element("small", "note");
    label.title = about.about;
    Object.assign(input, {type: "number", step: "any", placeholder: "default"});
    input.dataset.parameter = about.name;
    input.oninput = () => { input.dataset.typed = "1"; };
    input.onblur = () => this.refresh();
    input.onkeydown = event => { if (event.key === "Escape") input.blur(); };
    input.onchange = () => {
      const value = input.value === "" ? null : input.valueAsNumber;
      send({bench: [index, at, value]});
      delete input.dataset.typed;
    };
    label.append(element("span", "", inner), input, element("small", "unit", about.unit), note);
    folders.get(part).append(label);
    return {label, input, note};
  }

  refresh() {
    for (const {fields} of this.fields.values())
      for (const {input} of fields) delete input.dataset.typed;
    if (this.state) this.show(this.state);
  }

  show(state) {
    this.state = state;
    const saved = new Map(state.file.map(([motor, at, value]) => [`${motor} ${at}`, value]));
    for (const [index, {fields}] of this.fields)
      fields.forEach(({label, input, note}, at) => {
        const value = state.values[index][at], place = `${index} ${at}`;
        if (!input.dataset.typed) input.value = value === null ? "" : value;
        label.classList.toggle("changed", saved.has(place));
        const refused = state.told.motor === index && state.told.at === at;
        label.classList.toggle("refused", refused);
        if (refused) note.role = "alert";
        note.textContent = refused ? state.told.text
          : saved.has(place) ? `file: ${saved.get(place) ?? "default"}` : "";
      });
    const text = state.told.motor === undefined ? state.told.text || "" : "";
    byId("bench").hidden = !saved.size && !state.undo && !text;
    byId("changed").textContent = `${saved.size} changed`;
    byId("undo").disabled = !state.undo;
    byId("save").disabled = byId("copy").disabled = !saved.size;
    byId("bench-told").textContent = text;
    byId("yaml").textContent = state.yaml;
  }

  // To the clipboard, and where it can be selected.
  async copy() {
    byId("yaml").hidden = false;
    try {
      await navigator.clipboard.writeText(this.state.yaml);
      byId("bench-told").textContent = "copied; it is a file for --overlay, too";
    } catch {
      getSelection().selectAllChildren(byId("yaml"));
      byId("bench-told").textContent = "to be copied from here";
    }
  }
}
