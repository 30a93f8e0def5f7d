// Asking: drawings inside folded boxes, details, neighbours, search.
function show(id, whole) {
  if (sheet) sheet.g.classList.remove("shown");
  sheet = sheets.get(id);
  sheet.g.classList.add("shown");
  back.disabled = !trail.length;
  document.getElementById("where").textContent = sheet.g.dataset.title;
  for (const button of all(document, ".folding")) button.hidden = !sheet.frames.length;
  arrange();
  fit(whole);
}
function open(id) {
  if (!sheets.has(id)) return false;
  trail.push([sheet.g.id, { ...at }]);
  show(id, false);
  return true;
}
function goBack() {
  if (!trail.length) return;
  const [id, place] = trail.pop();
  show(id, true);
  Object.assign(at, place);
  move();
}

function neighbours(id) {
  return sheet.arrows.filter((arrow) => arrow.from === id || arrow.to === id);
}
function element(name, text, parent) {
  const made = document.createElement(name);
  made.textContent = text;
  parent.append(made);
  return made;
}
function choose(item) {
  if (chosen) chosen.el.classList.remove("chosen");
  chosen = item;
  panel.hidden = !item;
  panel.textContent = "";
  if (!item) return;
  item.el.classList.add("chosen");
  const close = element("button", "×", panel);
  close.className = "close";
  close.setAttribute("aria-label", "Close details");
  close.onclick = () => { choose(null); view.focus(); };
  element("h2", item.title, panel);
  const list = element("dl", "", panel);
  for (const [name, text] of details[item.id] || []) {
    element("dt", name, list);
    element("dd", text, list);
  }
  if (sheets.has(`sheet-${item.id}`)) {
    element("button", "Open", panel).onclick = () => open(`sheet-${item.id}`);
  }
  for (const [label, end, other] of [["reads", "to", "from"], ["is read by", "from", "to"]]) {
    const links = new Set(sheet.arrows.filter((arrow) => arrow[end] === item.id).map((arrow) => arrow[other]));
    if (!links.size) continue;
    element("dt", label, list);
    const row = element("dd", "", list);
    row.className = "links";
    for (const id of links) {
      const target = sheet.items.get(id);
      element("button", target.title, row).onclick = () => { reveal(target); choose(target); centre(target); };
    }
  }
}
function highlight(id) {
  for (const near of all(scene, ".near")) near.classList.remove("near");
  view.classList.toggle("hovering", Boolean(id));
  if (!id) return;
  const arrows = neighbours(id);
  for (const arrow of arrows) arrow.el.classList.add("near");
  for (const near of [id, ...arrows.flatMap((arrow) => [arrow.from, arrow.to])]) sheet.items.get(near).el.classList.add("near");
}

function find() {
  const wanted = search.value.trim().toLowerCase();
  for (const old of all(scene, ".match")) old.classList.remove("match");
  view.classList.toggle("searching", Boolean(wanted));
  matches = [];
  match = -1;
  if (wanted) {
    for (const [id, drawn] of sheets) {
      for (const box of drawn.boxes) {
        const text = `${box.text} ${(details[box.id] || []).flat().join(" ")}`.toLowerCase();
        if (!text.includes(wanted)) continue;
        box.el.classList.add("match");
        matches.push([id, box]);
      }
    }
  }
  found.textContent = wanted ? `${matches.length} found` : "";
}
function next(step) {
  if (!matches.length) return;
  match = (match + step + matches.length) % matches.length;
  const [id, box] = matches[match];
  if (sheet.g.id !== id) open(id);
  reveal(box);
  choose(box);
  centre(box);
  found.textContent = `${match + 1} of ${matches.length}`;
}
