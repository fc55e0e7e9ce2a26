// Tuning runs and experiments of the folder that the server shows: a list, one of them, several side by side.
import { ask, at, doing, latest } from "/asking.js";
import { cells, curve, element, rounded, stacked, table } from "/views.js";

const last = latest();
let timer = 0;
let listed = "";
let opened = []; // names of the runs that are shown
let wasRunning = false; // whether the run that is shown was running when it was looked at last
let written = null; // when the report that is shown was written, of an experiment

export function showRuns() {
  doing(look)();
  clearInterval(timer);
  timer = setInterval(() => look().catch(() => null), Number(at("runs").dataset.every)); // what was said about something else stays
}

export function hideRuns() {
  clearInterval(timer);
}

async function look() {
  const { runs } = await ask("/runs");
  showList(runs);
  const run = opened.length === 1 ? runs.find((each) => each.name === opened[0]) : undefined;
  if (run) await (run.kind === "run" ? showProgress(run) : showStages(run));
}

function showList(runs) {
  if (JSON.stringify(runs) === listed) return; // what has the focus stays
  listed = JSON.stringify(runs);
  if (!runs.length) {
    at("run-list").replaceChildren(element("p", {}, "No runs here. Start the server with --runs FOLDER to see tuning runs and experiments."));
    return;
  }
  const focused = document.activeElement?.getAttribute("aria-label");
  const chosen = new Set(chosenRuns());
  at("run-list").replaceChildren(stacked(table(["compare", "run", "state", "recipe", "round", "best", "report"], runs.map((run) => row(run, chosen)))));
  if (focused) [...at("run-list").querySelectorAll("button, input")].find((each) => each.getAttribute("aria-label") === focused)?.focus();
  at("compare-runs").hidden = runs.filter((run) => run.kind === "run").length < 2;
}

function row(run, chosen) {
  const open = element("button", { type: "button", disabled: !run.report && run.state !== "running", "aria-label": `Open ${run.name}` }, "Open");
  open.addEventListener("click", doing(() => openRuns([run.name])));
  const choose = element("input", { type: "checkbox", value: run.name, checked: chosen.has(run.name), "aria-label": `Compare ${run.name}` });
  const best = run.best === null ? "" : `${run.metric} ${rounded(run.best, 2)} in round ${run.best_round}`;
  return cells(run.kind === "run" && run.report ? choose : "", element("bdi", {}, run.name), stateOf(run), run.recipe,
    run.rounds ? `${run.round}/${run.rounds}` : "", best, open);
}

const chosenRuns = () => [...at("run-list").querySelectorAll("input:checked")].map((each) => each.value);

at("compare-runs").addEventListener("click", doing(async () => {
  const names = chosenRuns();
  if (names.length < 2) throw new Error("Choose at least two runs in the first column.");
  await openRuns(names);
}));

// One run or experiment with its rounds and its report, or a comparison of several with their rounds in one chart.
async function openRuns(names) {
  opened = names;
  wasRunning = false;
  written = null;
  const title = element("h2", { tabIndex: -1 }, ...names.flatMap((name, place) => [place ? " · " : "", element("bdi", {}, name)]));
  const report = element("iframe", { id: "report", title: `Report of ${names.join(", ")}`, sandbox: "", hidden: true });
  at("run").replaceChildren(title, element("p", { id: "progress", className: "small", role: "status" }),
    element("div", { id: "rounds" }), report);
  title.focus();
  if (names.length > 1) await showRounds(names);
  else await look();
  if (written !== 0) await showReport(names);
}

async function showReport(names) {
  const text = await last(at("run"), ask(`/runs/report?${names.map((name) => `run=${encodeURIComponent(name)}`).join("&")}`));
  if (text === null) return;
  at("report").srcdoc = text;
  at("report").hidden = false;
}

const stateOf = (run) => (run.done ? `${run.state}, ${run.done} ${run.done === 1 ? "stage" : "stages"} done` : run.state);

// How an experiment stands. Whenever its report is written again, it is read again.
async function showStages(run) {
  const before = written;
  written = run.written;
  at("progress").textContent = stateOf(run) + (run.working ? `, at work on ${run.working}` : "");
  if (before !== null && before !== written) await showReport([run.name]);
}

async function showRounds(names) {
  const found = await Promise.all(names.map((name) => ask(`/runs/history?run=${encodeURIComponent(name)}`)));
  if (names !== opened) return;
  const drawn = found.filter((each) => each.rounds.length);
  at("rounds").replaceChildren(...(drawn.length ? [curve(drawn)] : []));
}

// How a run stands. While it is running its curve grows; when it ends its report is read again.
async function showProgress(run) {
  const names = opened;
  at("progress").textContent = run.rounds ? `${run.state}, round ${run.round} of at most ${run.rounds}` : run.state;
  const running = run.state === "running";
  if (running || wasRunning || !at("rounds").children.length) await showRounds(names);
  if (names !== opened) return;
  if (wasRunning && !running) await showReport(names);
  wasRunning = running;
}
