// Folding groups: what is free inside a folded one is squeezed, lines are led to its box.
function holder(item) {
  let shown = item;
  for (let up = sheet.items.get(item.frame); up; up = sheet.items.get(up.frame)) if (up.folded) shown = up;
  return shown;
}
// Free stretches inside folded frames are squeezed; everything else keeps its place and order.
function squeeze(start, length) {
  const blocks = [];
  const folded = sheet.frames.filter((f) => f.folded && holder(f) === f);
  if (!folded.length) return (value) => value;
  for (const item of [...sheet.boxes, ...sheet.frames]) {
    if (holder(item) !== item) continue;
    if (item.folded) blocks.push([item.small[start], item.small[start] + item.small[length]]);
    else if (item.el.classList.contains("box")) blocks.push([item[start], item[start] + item[length]]);
    else blocks.push([item[start], item[start] + (start === "y" ? 20 : item.least)], [item[start] + item[length] - 4, item[start] + item[length]]);
  }
  for (const arrow of sheet.arrows) {
    if (!arrow.label || !shows(arrow)) continue;
    blocks.push([number(arrow.plate, start), number(arrow.plate, start) + number(arrow.plate, start === "x" ? "width" : "height")]);
  }
  blocks.sort((a, b) => a[0] - b[0]);
  const cuts = [];
  let end = -Infinity;
  for (const [low, high] of blocks) {
    if (low > end && end > -Infinity) {
      const inside = folded.filter((f) => f[start] < low && f[start] + f[length] > end);
      const from = Math.max(end, Math.min(...inside.map((f) => f[start])));
      const to = Math.min(low, Math.max(...inside.map((f) => f[start] + f[length])));
      if (inside.length && to - from > SQUEEZED) cuts.push([from, to, to - from - SQUEEZED]);
    }
    end = Math.max(end, high);
  }
  return (value) => {
    let shift = 0;
    for (const [low, high, cut] of cuts) {
      if (value >= high) shift += cut;
      else if (value > low) shift += (cut * (value - low)) / (high - low);
    }
    return value - shift;
  };
}
function ends(arrow) {
  return [holder(sheet.items.get(arrow.from)), holder(sheet.items.get(arrow.to))];
}
function shows(arrow) {
  const [from, to] = ends(arrow);
  return from !== to && from.id === arrow.from && to.id === arrow.to && !from.folded && !to.folded;
}
function rounded(points) {
  let text = `M${points[0]}`;
  for (let i = 1; i < points.length - 1; i += 1) {
    const step = (end) => {
      const [x, y] = points[i], [dx, dy] = [end[0] - x, end[1] - y];
      const length = Math.abs(dx) + Math.abs(dy) || 1, share = Math.min(6, length / 2) / length;
      return [x + dx * share, y + dy * share];
    };
    text += ` L${step(points[i - 1])} Q${points[i]} ${step(points[i + 1])}`;
  }
  return `${text} L${points[points.length - 1]}`;
}
function arrange() {
  for (const frame of sheet.frames) {
    const width = Math.min(frame.w, frame.least + 16);
    frame.small = { x: frame.x + (frame.w - width) / 2, y: frame.y, w: width, h: HEADER };
  }
  const mx = squeeze("x", "w"), my = squeeze("y", "h");
  for (const item of [...sheet.boxes, ...sheet.frames]) {
    item.el.classList.toggle("gone", holder(item) !== item);
    const base = item.folded ? item.small : item;
    const x = mx(base.x), y = my(base.y);
    const isBox = item.el.classList.contains("box");
    item.now = { x, y, w: isBox || item.folded ? base.w : mx(base.x + base.w) - x, h: isBox || item.folded ? base.h : my(base.y + base.h) - y };
    if (isBox) item.el.setAttribute("transform", `translate(${x - item.x} ${y - item.y})`);
    else placeFrame(item);
  }
  const drawn = new Set();
  for (const arrow of sheet.arrows) {
    const [from, to] = ends(arrow);
    const key = `${from.id} ${to.id}`;
    const isWhole = shows(arrow);
    const isGone = from === to || (!isWhole && drawn.has(key));
    arrow.el.classList.toggle("gone", isGone);
    if (isGone) continue;
    if (!isWhole) drawn.add(key);
    let points = arrow.points.map(([x, y]) => [mx(x), my(y)]);
    if (!isWhole) points = direct(from, to) || around(points, arrow, from, to);
    arrow.el.querySelector("path").setAttribute("d", rounded(points));
    if (!arrow.label) continue;
    arrow.label.classList.toggle("gone", !isWhole);
    arrow.plate.classList.toggle("gone", !isWhole);
    const cx = number(arrow.plate, "x") + number(arrow.plate, "width") / 2, cy = number(arrow.plate, "y") + 6.5;
    for (const part of [arrow.label, arrow.plate]) part.setAttribute("transform", `translate(${mx(cx) - cx} ${my(cy) - cy})`);
  }
  sheet.shownWidth = mx(sheet.width);
  sheet.shownHeight = my(sheet.height);
}
// A line between two items if nothing stands in its way.
function direct(from, to) {
  const start = [from.now.x + from.now.w / 2, from.now.y + from.now.h], end = [to.now.x + to.now.w / 2, to.now.y];
  if (end[1] < start[1] + 12) return null;
  const turn = end[1] - 12;
  const hits = (item) => {
    if (item.folded === false || item === from || item === to || holder(item) !== item) return false;
    const { x, y, w, h } = item.now;
    const isBeside = x > start[0] + 4 || x + w < start[0] - 4;
    const isAcross = y < turn + 4 && y + h > turn - 4 && x < Math.max(start[0], end[0]) && x + w > Math.min(start[0], end[0]);
    return (!isBeside && y < turn && y + h > start[1]) || isAcross;
  };
  if ([...sheet.items.values()].some(hits)) return null;
  return start[0] === end[0] ? [start, end] : [start, [start[0], turn], [end[0], turn], end];
}
function around(points, arrow, from, to) {
  let line = points;
  if (from.folded || from.id !== arrow.from) line = leave(line, from.now);
  if (to.folded || to.id !== arrow.to) line = leave(line.reverse(), to.now, true).reverse();
  return line;
}
// Points of a line from a folded frame: those inside it give way to a way out of its middle.
function leave(points, box, isEnd = false) {
  const middle = box.x + box.w / 2, edge = isEnd ? box.y : box.y + box.h;
  const outside = points.filter(([, y]) => (isEnd ? y < edge - 4 : y > edge + 4));
  const next = outside.length ? outside[0] : points[points.length - 1];
  if (next[0] === middle) return [[middle, edge], ...outside];
  const turn = isEnd ? edge - 10 : edge + 10;
  return [[middle, edge], [middle, turn], [next[0], turn], ...outside];
}
function placeFrame(frame) {
  const rect = frame.el.querySelector("rect"), title = frame.el.querySelector("text"), { x, y, w, h } = frame.now;
  for (const [name, value] of Object.entries({ x, y, width: w, height: h })) rect.setAttribute(name, value);
  title.setAttribute("x", x + 10);
  title.setAttribute("y", y + (frame.folded ? 19 : 15));
  title.textContent = `${frame.folded ? "▸" : "▾"} ${frame.title}`;
  frame.el.setAttribute("aria-expanded", String(!frame.folded));
}
function fold(frames, folded) {
  for (const frame of frames) frame.folded = folded;
  arrange();
}
function toggle(frame) {
  const { x, y } = frame.now;
  fold([frame], !frame.folded);
  at.x += (x - frame.now.x) * at.k;
  at.y += (y - frame.now.y) * at.k;
  move();
}
function reveal(item) {
  for (let up = sheet.items.get(item.frame); up; up = sheet.items.get(up.frame)) up.folded = false;
  arrange();
}
