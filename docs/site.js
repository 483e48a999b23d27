// A click on a picture of the gallery plays its run, in its place.
document.addEventListener("click", event => {
  const button = event.target.closest("button.replay");
  if (!button) return;
  const frame = document.createElement("iframe");
  Object.assign(frame, {src: button.dataset.page, title: button.ariaLabel, className: "replay"});
  button.replaceWith(frame);
});
