// The workbench: what a person does on the page, and the requests it sends.
import { ask, at, doing, latest, useToken } from "/asking.js";
import { hideRuns, showRuns } from "/runs.js";
import { alignment, cells, contributions, derivation, element, number, rounded, table } from "/views.js";

let served = null;
let shown = null; // the last answer: its sentence, its weights by name, its n-best list
const lastTranslation = latest();
const lastComparison = latest();

const begin = doing(async () => {
  served = await ask("/model");
  at("token-form").hidden = true;
  at("model").textContent = served.model;
  at("signature").textContent = served.signature;
  document.title = `${served.model}: TuneSMiTh workbench`;
  for (const id of ["weights", "first", "second"]) {
    at(id).replaceChildren(...served.weights.map((each) => element("option", { value: each.name }, each.name)));
  }
  if (served.weights.length > 1) at("second").selectedIndex = 1;
  at("tokens").hidden = served.raw_text;
  for (const id of ["domain", "compare-domain"]) {
    at(id).replaceChildren(...(served.domains ?? []).map((each) => element("option", { value: each }, each)));
    at(id).parentElement.hidden = !served.domains;
  }
});

at("token-form").addEventListener("submit", doing(async () => {
  useToken(at("token").value.trim());
  await begin();
}));

// Translate

async function translate(changes = {}) {
  const sentence = at("sentence").value.trim().replace(/\s+/g, " ");
  if (!sentence) throw new Error("Type a sentence.");
  const name = at("weights").value;
  const answer = await lastTranslation(at("result"), ask("/translate", { sentences: [sentence], nbest: Number(at("nbest").value) || 1,
    features: true, alignment: true, explain: true, distinct: true, weights: name, label: at("domain").value, changes }));
  if (answer === null) return;
  const found = answer.translations[0];
  const weights = new Map(Object.entries(served.weights.find((each) => each.name === name).dense));
  for (const row of found.explanation.contributions) weights.set(row.feature, row.weight);
  for (const [feature, value] of Object.entries(changes)) weights.set(feature, value);
  shown = { list: found.nbest.map((each, rank) => ({ ...each, rank })), weights, changed: new Map(Object.entries(changes)) };
  at("translation").textContent = found.text;
  at("limited").hidden = !found.limited;
  const told = found.explanation;
  at("alignment").replaceChildren(alignment(told.source, told.target, told.alignment));
  at("derivation").replaceChildren(derivation(told.derivation));
  at("contributions").replaceChildren(contributions(told.contributions));
  showSliders(name);
  showList();
  at("result").hidden = false;
}

function showSliders(name) {
  const dense = served.weights.find((each) => each.name === name).dense;
  const largest = Math.max(...Object.values(dense).map(Math.abs), 0.1) * 2;
  at("sliders").replaceChildren(...Object.keys(dense).map((feature, place) => {
    const value = shown.weights.get(feature) ?? 0;
    const output = element("output", {}, rounded(value));
    const slider = element("input", { id: `slider-${place}`, type: "range", min: -largest, max: largest, step: largest / 200 });
    slider.value = value;
    slider.addEventListener("input", () => {
      shown.changed.set(feature, Number(slider.value));
      output.textContent = rounded(slider.value);
      showList();
    });
    return element("div", { className: "slider" }, element("label", { htmlFor: slider.id }, feature), output, slider);
  }));
}

// The list ranked by the weights of the sliders: each score changes by (new - old weight) times the value.
function showList() {
  const moved = [...shown.changed].map(([feature, value]) => [feature, value - (shown.weights.get(feature) ?? 0)]);
  const scored = shown.list.map((each) => ({ ...each,
    now: each.score + moved.reduce((sum, [feature, change]) => sum + change * (each.features[feature] ?? 0), 0) }));
  scored.sort((a, b) => b.now - a.now || a.rank - b.rank);
  at("list").replaceChildren(table(["rank", "before", "score", "translation"], scored.map((each, rank) => {
    const row = cells(number(rank + 1), number(each.rank + 1), number(rounded(each.now)), element("bdi", {}, each.text));
    if (rank === 0) row.className = "now";
    return row;
  })));
  at("translation").textContent = scored[0].text;
}

at("sentence-form").addEventListener("submit", doing(() => translate()));
at("sentence").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey) return;
  event.preventDefault();
  at("sentence-form").requestSubmit(); // the form checks its fields first
});
at("search-again").addEventListener("click", doing(() => translate(Object.fromEntries(shown.changed))));
at("reset").addEventListener("click", doing(() => translate()));

// Compare

at("compare-form").addEventListener("submit", doing(async () => {
  const sentences = at("compare-text").value.split("\n").map((line) => line.trim()).filter((line) => line);
  if (!sentences.length) throw new Error("Type at least one sentence.");
  const names = [at("first").value, at("second").value];
  const label = at("compare-domain").value;
  const both = Promise.all(names.map((weights) => ask("/translate", { sentences, weights, label })));
  const answers = await lastComparison(at("compared"), both);
  if (answers === null) return;
  const rows = sentences.map((sentence, line) => {
    const [first, second] = answers.map((answer) => answer.translations[line].text);
    const row = cells(element("bdi", {}, sentence), element("bdi", {}, first), element("bdi", {}, second),
      element("td", { className: "text short" }, first === second ? "same" : "differ"));
    if (first !== second) row.className = "now";
    return row;
  });
  const differ = rows.filter((row) => row.className).length;
  at("compared").replaceChildren(element("p", {}, `${differ} of ${rows.length} translations differ.`),
    element("div", { className: "scroll" }, table(["sentence", ...names, ""], rows)));
}));

// Tabs, by mouse and by arrow keys.

const tabs = [...document.querySelectorAll("[role=tab]")];
function select(tab) {
  for (const each of tabs) {
    each.setAttribute("aria-selected", String(each === tab));
    each.tabIndex = each === tab ? 0 : -1;
    at(each.getAttribute("aria-controls")).hidden = each !== tab;
  }
  if (tab.id === "tab-runs") showRuns();
  else hideRuns();
}
tabs.forEach((tab, place) => {
  tab.addEventListener("click", () => select(tab));
  tab.addEventListener("keydown", (event) => {
    const last = tabs.length - 1;
    const target = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: last }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const next = tabs[(target + tabs.length) % tabs.length];
    select(next);
    next.focus();
  });
});

begin();
