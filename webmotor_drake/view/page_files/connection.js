// The WebSocket to the run: what it brings, told apart; what goes back, as JSON.
const FRAME = 0, PICTURE = 1, SAMPLES = 2;
let socket = null;

export function send(message) {
  if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

// Connects, and again when the connection was lost. In a page that is one file all
// messages are there already.
export function connect(take) {
  if (window.webmotorRecorded) {
    for (const message of window.webmotorRecorded.splice(0)) sort(message, take);
    return;
  }
  socket = new WebSocket(`ws://${location.host}/socket`);
  socket.binaryType = "arraybuffer";
  socket.onmessage = ({data}) => sort(data, take);
  socket.onclose = () => {
    take.lost();
    setTimeout(() => connect(take), 1000);
  };
}

function sort(data, take) {
  if (typeof data === "string") return take.told(JSON.parse(data));
  const bytes = new Uint8Array(data);
  if (bytes[0] !== 0xc1) return take.scene(bytes);
  if (bytes[1] === FRAME) take.frame(data);
  if (bytes[1] === SAMPLES) take.samples(new Float32Array(data, 4));
  if (bytes[1] === PICTURE) take.picture(data);
}
