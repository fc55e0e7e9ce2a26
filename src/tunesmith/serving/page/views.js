// Pieces of the page, made of nodes: text is always set as text, so nothing in it is read as HTML.

export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made && key !== "list") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const NUMBERS = new Set(["value", "weight", "score", "rank", "before"]);

export function table(header, rows) {
  const head = element("tr", {}, ...header.map((text) =>
    element("th", { scope: "col", className: NUMBERS.has(text) ? "" : text ? "text" : "bars" }, text)));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
}

// The same table, whose rows are lists of their cells on a phone.
export function stacked(made) {
  const names = [...made.tHead.rows[0].cells].map((each) => each.textContent);
  made.className = "stack";
  for (const row of made.tBodies[0].rows) [...row.cells].forEach((each, at) => each.setAttribute("data-name", names[at]));
  for (const [selector, role] of [["table", "table"], ["thead, tbody", "rowgroup"], ["tr", "row"], ["th", "columnheader"], ["td", "cell"]]) {
    for (const each of [made, ...made.querySelectorAll("*")]) if (each.matches(selector)) each.setAttribute("role", role);
  }
  return made;
}

export function cells(...contents) {
  return element("tr", {}, ...contents.map((content) =>
    content instanceof HTMLTableCellElement ? content : element("td", { className: "text" }, content)));
}

export const number = (text) => element("td", { className: "number" }, String(text));

export const rounded = (value, digits = 4) => Number(value).toFixed(digits);

// Two rows of words; a word in focus shows the words it is linked to.
export function alignment(source, target, links) {
  const rows = [source, target].map((words, side) => {
    const items = words.map((word, at) => {
      const partners = links.filter((link) => link[side] === at).map((link) => link[1 - side]);
      const other = side === 0 ? target : source;
      const said = partners.length ? partners.map((each) => other[each]).join(" ") : "no word";
      return element("li", { tabIndex: 0, textContent: word, "aria-label": `${word}, linked to ${said}` });
    });
    return element("ul", { className: "words", "aria-label": side === 0 ? "Source words" : "Target words" }, ...items);
  });
  const mark = (side, at, on) => {
    rows[side].children[at].classList.toggle("linked", on);
    for (const link of links) if (link[side] === at) rows[1 - side].children[link[1 - side]].classList.toggle("linked", on);
  };
  rows.forEach((row, side) => [...row.children].forEach((item, at) => {
    for (const event of ["mouseenter", "focus"]) item.addEventListener(event, () => mark(side, at, true));
    for (const event of ["mouseleave", "blur"]) item.addEventListener(event, () => mark(side, at, false));
  }));
  return element("div", {}, ...rows);
}

// The rules of a derivation as a tree that can be folded.
export function derivation(steps) {
  const nodes = steps.map((step) => ({ step, parts: [] }));
  let root = null;
  for (const node of nodes) {
    if (node.step.parent < 0) root = node;
    else nodes[node.step.parent].parts.push(node);
  }
  const shown = (node) => {
    const text = element("span", {}, element("span", { className: "span" }, `${node.step.begin}–${node.step.end} `),
      element("bdi", {}, node.step.rule), element("span", { className: "span" }, ` ${rounded(node.step.score)}`));
    if (!node.parts.length) return element("li", {}, text);
    const details = element("details", { open: true }, element("summary", {}, text));
    details.append(element("ul", {}, ...node.parts.map(shown)));
    return element("li", {}, details);
  };
  return element("ul", { className: "tree", "aria-label": "Rules of the derivation" }, shown(root));
}

export function contributions(rows) {
  const largest = Math.max(...rows.map((row) => Math.abs(row.score)), 1e-9);
  return table(["feature", "value", "weight", "score", ""], rows.map((row) => {
    const bar = element("span", { className: row.score < 0 ? "bar minus" : "bar" });
    bar.style.width = `${(100 * Math.abs(row.score)) / largest}%`;
    return cells(element("bdi", {}, row.feature), number(rounded(row.value)), number(rounded(row.weight)), number(rounded(row.score)),
      element("td", { className: "bars", "aria-hidden": "true" }, bar));
  }));
}

// Curves of scores by round, one for each history.
export function curve(histories) {
  const width = 340, height = 190, left = 44, right = 12, bottom = 30, top = 10;
  const metric = histories[0].metric;
  const scores = histories.flatMap((each) => each.rounds.map((row) => row.score));
  const low = Math.min(...scores), high = Math.max(...scores, low + 1e-9);
  const last = Math.max(1, ...histories.flatMap((each) => each.rounds.map((row) => row.round)));
  const x = (round) => left + ((width - left - right) * round) / last;
  const y = (score) => top + (height - top - bottom) * (1 - (score - low) / (high - low));
  const svg = (name, properties, text = "") => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(properties)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  };
  const said = `${metric} by round, ${rounded(low, 2)} to ${rounded(high, 2)}`;
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": said });
  for (const score of rounded(low, 2) === rounded(high, 2) ? [low] : [low, high]) {
    drawing.append(svg("text", { x: left - 6, y: y(score) + 4, "text-anchor": "end", fill: "var(--soft)" }, rounded(score, 2)));
  }
  for (const round of [0, last]) {
    drawing.append(svg("text", { x: x(round), y: height - 8, "text-anchor": "middle", fill: "var(--soft)" }, String(round)));
  }
  const colour = (at) => `var(--c${1 + (at % 8)})`;
  histories.forEach(({ name, rounds }, at) => {
    const points = rounds.map((row) => `${x(row.round)},${y(row.score)}`).join(" ");
    drawing.append(svg("polyline", { points, fill: "none", stroke: colour(at), "stroke-width": 2 }));
    for (const row of rounds) {
      const dot = svg("circle", { cx: x(row.round), cy: y(row.score), r: 3, fill: colour(at) });
      dot.append(svg("title", {}, `${name}, round ${row.round}: ${rounded(row.score, 2)}`));
      drawing.append(dot);
    }
  });
  const legend = histories.map(({ name }, at) => {
    const mark = element("i");
    mark.style.background = colour(at);
    return element("span", {}, mark, element("bdi", {}, name));
  });
  return element("figure", {}, element("h3", {}, `${metric} by round`),
    histories.length > 1 ? element("div", { className: "legend" }, ...legend) : null, drawing);
}
