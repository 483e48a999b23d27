// Begins a page that is one file: what a server would give is packed in it.
(async () => {
  const packed = async name => {
    const text = document.getElementById(`packed-${name}`).textContent;
    const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer();
  };
  const code = JSON.parse(new TextDecoder().decode(await packed("code")));
  const data = await packed("run"), view = new DataView(data), messages = [], before = {};
  for (let at = 0; at < data.byteLength;) {
    const length = view.getUint32(at + 1, true), bytes = data.slice(at + 5, at + 5 + length);
    const kind = view.getUint8(at);  // page.py says which there are
    if (kind === 2) {
      const own = new Uint8Array(bytes), last = new Uint8Array(before[length]);
      for (let i = 0; i < length; i++) own[i] ^= last[i];
    }
    if (kind !== 1) before[length] = bytes;
    messages.push(kind === 1 ? new TextDecoder().decode(bytes) : bytes);
    at += 5 + length;
  }
  window.webmotorRecorded = messages;
  const urls = {};
  const urlOf = name => {  // a module's, with those of what it imports in it
    const text = code[name].replace(/from "\.\/([\w.]+\.js)";/g,
      (whole, other) => code[other] ? `from "${urlOf(other)}";` : whole);
    urls[name] ??= URL.createObjectURL(new Blob([text], {type: "text/javascript"}));
    return urls[name];
  };
  for (const name of ["meshcat.js", "uPlot.js"].filter(name => code[name]))
    await new Promise(done => {
      const script = document.createElement("script");
      script.onload = done;
      script.src = urlOf(name);
      document.head.append(script);
    });
  await import(urlOf(messages.length ? "page.js" : "report.js"));
})();
