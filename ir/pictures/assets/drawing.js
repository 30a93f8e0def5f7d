// What the page shows: its elements, and the drawings read back from the SVG.
const view = document.getElementById("view");
const scene = document.getElementById("scene");
const panel = document.getElementById("details");
const search = document.getElementById("search");
const found = document.getElementById("found");
const back = document.getElementById("back");
const details = JSON.parse(document.getElementById("data").textContent);
const HEADER = 30, SQUEEZED = 26;
const at = { x: 0, y: 0, k: 1 };
const trail = [];
let sheet, matches = [], match = -1, chosen = null;

const all = (root, what) => Array.from(root.querySelectorAll(what));
const number = (element, name) => Number(element.getAttribute(name));
const sheets = new Map(all(scene, ".sheet").map((g) => [g.id, read(g)]));

function read(g) {
  const place = (element) => {
    const rect = element.querySelector("rect");
    return { x: number(rect, "x"), y: number(rect, "y"), w: number(rect, "width"), h: number(rect, "height") };
  };
  const boxes = all(g, ".box").map((el) => ({ el, id: el.id, frame: el.dataset.frame, ...place(el) }));
  const frames = all(g, ".frame").map((el) => ({ el, id: el.id, frame: el.dataset.parent, folded: false, ...place(el) }));
  const arrows = all(g, ".arrow").map((el) => ({
    el, from: el.dataset.from, to: el.dataset.to,
    points: el.dataset.points.split(" ").map((pair) => pair.split(",").map(Number)),
    label: el.querySelector("text"), plate: el.querySelector("rect"),
  }));
  const items = new Map([...boxes, ...frames].map((item) => [item.id, item]));
  return { g, boxes, frames, arrows, items, width: number(g, "data-width"), height: number(g, "data-height") };
}
