// The view: zoom, drag, fit, and bringing an item into sight.
function move() {
  scene.setAttribute("transform", `translate(${at.x} ${at.y}) scale(${at.k})`);
}
function size() {
  const { width, height } = view.getBoundingClientRect();
  return [width, height];
}
function zoom(factor, cx = size()[0] / 2, cy = size()[1] / 2) {
  const k = Math.min(4, Math.max(0.02, at.k * factor));
  at.x = cx - (cx - at.x) * (k / at.k);
  at.y = cy - (cy - at.y) * (k / at.k);
  at.k = k;
  move();
}
function fit(whole = true) {
  const [w, h] = size();
  if (!w || !h) return; // not shown yet
  const across = w / sheet.shownWidth, down = h / sheet.shownHeight;
  at.k = Math.min(1.25, across, whole ? down : Math.max(down, 0.75));
  at.x = (w - sheet.shownWidth * at.k) / 2;
  at.y = Math.max(0, (h - sheet.shownHeight * at.k) / 2);
  move();
}
function centre(item) {
  if (at.k < 0.6) at.k = 0.9;
  const { x, y, w, h } = item.now;
  const [width, height] = size();
  at.x = width / 2 - (x + w / 2) * at.k;
  at.y = height / 2 - (y + h / 2) * at.k;
  move();
}
function isSeen(item) {
  const { x, y, w, h } = item.now;
  const left = x * at.k + at.x, top = y * at.k + at.y;
  const [width, height] = size();
  return left >= 0 && top >= 0 && left + w * at.k <= width && top + h * at.k <= height;
}

view.addEventListener("wheel", (event) => {
  event.preventDefault();
  const bounds = view.getBoundingClientRect();
  zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), event.clientX - bounds.left, event.clientY - bounds.top);
}, { passive: false });

const fingers = new Map();
let dragged = 0;
view.addEventListener("pointerdown", (event) => {
  fingers.set(event.pointerId, [event.clientX, event.clientY]);
  dragged = 0;
});
view.addEventListener("pointermove", (event) => {
  const before = fingers.get(event.pointerId);
  if (!before) return;
  const other = [...fingers].find(([id]) => id !== event.pointerId);
  if (other) {
    const far = (p) => Math.hypot(p[0] - other[1][0], p[1] - other[1][1]) || 1;
    const now = [event.clientX, event.clientY];
    const bounds = view.getBoundingClientRect();
    zoom(far(now) / far(before), (now[0] + other[1][0]) / 2 - bounds.left, (now[1] + other[1][1]) / 2 - bounds.top);
  } else {
    at.x += event.clientX - before[0];
    at.y += event.clientY - before[1];
    move();
  }
  dragged += Math.abs(event.clientX - before[0]) + Math.abs(event.clientY - before[1]);
  if (dragged > 4 && !view.classList.contains("dragging")) {
    view.classList.add("dragging");
    view.setPointerCapture(event.pointerId);
  }
  fingers.set(event.pointerId, [event.clientX, event.clientY]);
});
for (const end of ["pointerup", "pointercancel"]) {
  view.addEventListener(end, (event) => {
    fingers.delete(event.pointerId);
    view.classList.remove("dragging");
  });
}
