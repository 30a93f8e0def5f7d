// What pointer and keys do; the last part, it starts the page.
for (const drawn of sheets.values()) {
  for (const box of drawn.boxes) {
    box.title = box.el.querySelector(".title").textContent;
    box.text = all(box.el, "text").map((text) => text.textContent).join(" ");
    box.el.setAttribute("role", "button");
    box.el.setAttribute("aria-label", box.el.querySelector("title").textContent);
  }
  for (const frame of drawn.frames) {
    const title = frame.el.querySelector("text");
    frame.title = title.textContent;
    frame.least = frame.title.length * 6.8 + 40;
    frame.el.setAttribute("role", "button");
    frame.el.setAttribute("aria-label", `group ${frame.title}`);
    title.addEventListener("click", () => { if (dragged <= 4) toggle(frame); });
    frame.el.querySelector("rect").addEventListener("click", () => {
      if (dragged > 4) return;
      if (frame.folded) toggle(frame); else choose(frame);
    });
  }
  for (const item of drawn.items.values()) {
    item.el.tabIndex = 0;
    item.el.addEventListener("focus", () => { if (!isSeen(item) && !fingers.size) centre(item); });
    item.el.addEventListener("mouseenter", () => { if (item.el.classList.contains("box")) highlight(item.id); });
    item.el.addEventListener("mouseleave", () => highlight(null));
    item.el.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      if (item.folded !== undefined) toggle(item);
      else if (event.key === " " || !open(`sheet-${item.id}`)) choose(item);
    });
  }
  for (const box of drawn.boxes) {
    box.el.addEventListener("click", () => { if (dragged <= 4) choose(box); });
    box.el.addEventListener("dblclick", () => open(`sheet-${box.id}`));
  }
}
const buttons = {
  back: goBack, fit: () => fit(), closer: () => zoom(1.25), farther: () => zoom(0.8),
  fold: () => { fold(sheet.frames, true); fit(); }, unfold: () => { fold(sheet.frames, false); fit(); },
};
for (const [id, act] of Object.entries(buttons)) document.getElementById(id).onclick = act;
search.addEventListener("input", find);
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter") next(event.shiftKey ? -1 : 1);
  if (event.key === "Escape") { search.value = ""; find(); view.focus(); }
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target === search) return;
  const step = 60;
  const keys = {
    "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), 0: () => fit(), "/": () => search.focus(),
    ArrowLeft: () => { at.x += step; }, ArrowRight: () => { at.x -= step; },
    ArrowUp: () => { at.y += step; }, ArrowDown: () => { at.y -= step; },
    Escape: () => choose(null), Backspace: goBack,
  };
  if (!Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key]();
  move();
});
show("sheet-0", false);
let width = 0;
new ResizeObserver(() => {
  if (!width) fit(false); // the page was loaded out of sight
  [width] = size();
}).observe(view);
