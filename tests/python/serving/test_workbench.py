"""The page of the server in a real browser: every path of a person, hostile text, phones, day and night."""

import fcntl
import json
import os
import shutil
import subprocess
import sys

import pytest
from support.page_looks import DESKTOP, PHONE

from tunesmith.io.folders import alone
from tunesmith.serving import Client
from tunesmith.tuning.runs.directory import LOCK
from tunesmith.weights import Weights

HOSTILE = "<img src=x onerror=document.title=1> <script>alert(1)</script> ' \" & 我"
HOSTILE_RUN = "<b>run&1"
ENTER, LEFT = "\ue007", "\ue012"


@pytest.fixture(scope="module")
def runs(model_folder, tmp_path_factory):
    """A folder with a finished run whose name is hostile, and one of another recipe."""
    folder = tmp_path_factory.mktemp("runs")
    corpus = model_folder.parent / "corpus"
    for recipe, name in (("mira", HOSTILE_RUN), ("pro", "other")):
        subprocess.run(
            [sys.executable, "-m", "tunesmith", "tune", "-m", str(model_folder), "--dev", str(corpus / "dev.zh"),
             "--refs", str(corpus / "dev.en.*"), "--recipe", recipe, "--rounds", "2", "--k", "5", "-q",
             "-o", str(folder / name)],
            check=True,
        )  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def page(serving, runs, model_folder, tmp_path_factory):
    other = tmp_path_factory.mktemp("weights") / "other.tsv"
    weights = dict(Weights.read(model_folder / "weights.tsv").items())
    Weights.from_mapping({**weights, "lm": 0.05, "word_penalty": -1.5}).write(other)
    return serving("-W", model_folder / "weights.tsv", "-W", other, "--runs", runs)[1]


@pytest.fixture
def opened(browser, page):
    browser.open(page, DESKTOP)
    browser.until("document.querySelector('#weights').options.length === 2")
    return browser


def translated(browser, sentence):
    browser.type("#sentence", sentence)
    browser.click("#sentence-form button.main")
    browser.until("!document.querySelector('#result').hidden || !document.querySelector('#problem').hidden")


def ranks(browser):
    rows = "[...document.querySelectorAll('#list tbody tr')]"
    return browser.measure(f"return {rows}.map(row => [...row.cells].map(each => each.textContent))")


def test_a_sentence_is_translated_explained_and_listed(opened, page, lines):
    translated(opened, lines[0])
    [expected] = Client(page).translate([lines[0]])
    assert opened.text("#translation") == expected
    assert opened.measure("return document.querySelectorAll('#alignment ul').length") == 2
    assert opened.measure("return document.querySelectorAll('#derivation li').length") > 1
    answer = Client(page).ask(
        "/translate", {"sentences": [lines[0]], "nbest": 20, "distinct": True, "features": True}
    )
    assert [row[3] for row in ranks(opened)] == [each["text"] for each in answer["translations"][0]["nbest"]]
    shown = [float(row[2]) for row in ranks(opened)]
    assert shown == pytest.approx([each["score"] for each in answer["translations"][0]["nbest"]], abs=1e-4)


def test_enter_translates_and_focus_shows_linked_words(opened, lines):
    opened.type("#sentence", lines[1] + ENTER)
    opened.until("!document.querySelector('#result').hidden")
    linked = opened.measure("""
        const word = [...document.querySelectorAll('#alignment ul:first-child li')]
            .find(each => !each.ariaLabel.endsWith('no word'));
        word.focus();
        return document.querySelectorAll('#alignment ul:last-child li.linked').length""")
    assert linked >= 1


def test_a_moved_weight_ranks_the_list_as_the_scores_say_and_a_new_search_uses_it(opened, page, lines):
    translated(opened, lines[2])
    before = ranks(opened)
    moved = opened.measure("""
        const slider = [...document.querySelectorAll('.slider')].find(each =>
            each.querySelector('label').textContent === 'lm').querySelector('input');
        slider.value = slider.min;
        slider.dispatchEvent(new Event('input'));
        return Number(slider.value)""")
    ask = {"sentences": [lines[2]], "nbest": 20, "distinct": True, "features": True}
    found = Client(page).ask("/translate", ask)["translations"][0]["nbest"]
    weight = next(each for each in Client(page).ask("/model")["weights"])["dense"]["lm"]
    scores = [each["score"] + (moved - weight) * each["features"]["lm"] for each in found]
    order = sorted(range(len(found)), key=lambda at: -scores[at])
    assert [row[3] for row in ranks(opened)] == [found[at]["text"] for at in order]
    assert ranks(opened) != before
    opened.click("#search-again")
    again = Client(page).ask("/translate", {**ask, "changes": {"lm": moved}})["translations"][0]
    opened.until(f"document.querySelector('#translation').textContent === {json.dumps(again['text'])}")
    opened.until(f"document.querySelectorAll('#list tbody tr').length === {len(again['nbest'])}")
    assert [row[3] for row in ranks(opened)] == [each["text"] for each in again["nbest"]]
    opened.click("#reset")
    opened.until(f"document.querySelector('#translation').textContent === {json.dumps(found[0]['text'])}")


def test_two_weight_files_are_compared(opened, page, lines):
    opened.click("#tab-compare")
    opened.measure(f"document.querySelector('#compare-text').value = {json.dumps(chr(10).join(lines))}")
    opened.click("#compare-form button.main")
    opened.until("document.querySelector('#compared table')")
    names = [each["name"] for each in Client(page).ask("/model")["weights"]]
    sides = [Client(page).translate(lines, weights=name) for name in names]
    different = sum(a != b for a, b in zip(*sides, strict=True))
    assert opened.text("#compared p") == f"{different} of {len(lines)} translations differ."
    assert different > 0


def test_runs_are_listed_and_opened_with_their_report(opened):
    opened.measure("document.querySelector('#tab-translate').focus()")
    opened.type("#tab-translate", LEFT)  # from the first tab to the last
    opened.until("document.querySelector('#run-list table')")
    assert HOSTILE_RUN in opened.text("#run-list tr:nth-child(1) td:nth-child(2)")
    opened.click("#run-list button")
    opened.until("document.querySelector('#report')?.srcdoc")
    assert opened.measure("return document.querySelectorAll('#run svg circle').length") == 3
    assert opened.text("#progress") == "finished, round 2 of at most 2"
    assert "mira" in opened.measure("return document.querySelector('#report').srcdoc")
    assert opened.measure("return document.querySelector('#report').getAttribute('sandbox')") == ""


def test_chosen_runs_are_compared(opened, page):
    opened.click("#tab-runs")
    opened.until("document.querySelectorAll('#run-list input').length === 2")
    opened.click("#compare-runs")
    assert "at least two runs" in opened.text("#problem")
    for number in (1, 2):
        opened.click(f"#run-list tr:nth-child({number}) input")
    opened.click("#compare-runs")
    opened.until("document.querySelector('#report')?.srcdoc")
    assert opened.measure("return document.querySelectorAll('#run polyline').length") == 2
    report = opened.measure("return document.querySelector('#report').srcdoc")
    assert "tuning runs compared" in report
    assert "other" in report


def test_a_run_that_is_running_is_followed(opened, runs):
    """The curve appears and grows, and the list keeps the focus, while rounds come in."""
    growing = runs / "growing"
    shutil.copytree(runs / "other", growing)
    history = (growing / "history.jsonl").read_text().splitlines(keepends=True)
    (growing / "history.jsonl").write_text("")
    try:
        with (growing / LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            opened.measure("document.querySelector('#runs').dataset.every = 50")
            opened.click("#tab-runs")
            opened.until("document.querySelector('[aria-label=\"Open growing\"]')")
            opened.click("[aria-label='Open growing']")
            opened.until("document.querySelector('#progress')?.textContent.startsWith('running')")
            assert opened.measure("return document.querySelectorAll('#run svg').length") == 0
            opened.measure("document.querySelector('[aria-label=\"Open other\"]').focus()")
            for known in (1, 2):
                (growing / "history.jsonl").write_text("".join(history[:known]))
                opened.until(f"document.querySelectorAll('#run svg circle').length === {known}")
            opened.until("document.activeElement.getAttribute('aria-label') === 'Open other'")
        (growing / "history.jsonl").write_text("".join(history))
        opened.until("document.querySelector('#progress').textContent.startsWith('finished')")
        opened.until("document.querySelectorAll('#run svg circle').length === 3")
    finally:
        shutil.rmtree(growing)


def test_an_experiment_that_is_running_is_followed(opened, runs):
    """Its stages are counted, and its report is read whenever it is written."""
    folder = runs / "table"
    (folder / "row" / "tune").mkdir(parents=True)
    (folder / "experiment.json").write_text("{}")
    (folder / "row" / "tune" / "stage.json").write_text('{"state": "begun"}')
    try:
        with alone(folder):
            opened.measure("document.querySelector('#runs').dataset.every = 50")
            opened.click("#tab-runs")
            opened.until("document.querySelector('[aria-label=\"Open table\"]')")
            opened.click("[aria-label='Open table']")
            opened.until("document.querySelector('#progress')?.textContent === 'running, at work on row/tune'")
            assert opened.measure("return document.querySelector('#report').hidden")
            for number, text in enumerate(("<p>one row</p>", "<p>two rows</p>")):
                (folder / "report.html").write_text(text)
                os.utime(folder / "report.html", (number + 1, number + 1))
                opened.until(f"document.querySelector('#report').srcdoc === {json.dumps(text)}")
            (folder / "row" / "tune" / "stage.json").write_text('{"state": "done"}')
            opened.until("document.querySelector('#progress').textContent === 'running, 1 stage done'")
        opened.until("document.querySelector('#progress').textContent === 'has a report'")
    finally:
        shutil.rmtree(folder)


def test_a_model_with_domains_is_asked_for_one(browser, serving, model_folder, tmp_path):
    corpus, model = model_folder.parent / "corpus", tmp_path / "model"
    for name in ("zh", "en"):
        text = (corpus / f"train.{name}").read_text(encoding="utf-8").splitlines(keepends=True)[:100]
        (tmp_path / f"train.{name}").write_text("".join(text), encoding="utf-8")
    (tmp_path / "labels").write_text("news\nweb\n" * 50)
    subprocess.run(
        [sys.executable, "-m", "tunesmith", "train", "--source", tmp_path / "train.zh",
         "--target", tmp_path / "train.en", "--labels", tmp_path / "labels", "--kind", "phrase",
         "--aligner", "hmm", "--order", "2", "-q", "-o", model,
         "--features", "small,unknown,lexical_rule:more_than=0,domains:templates=lexical_rule"],
        check=True,
    )  # fmt: skip
    weights = dict(Weights.read(model / "weights.tsv").items())
    index = {"lexical_rule@news:我|i": -50.0, "lexical_rule@web:我|i": 50.0}
    Weights.from_mapping({**weights, **index}).write(tmp_path / "learnt.tsv")
    _, address = serving("-W", tmp_path / "learnt.tsv", model=model)
    browser.open(address, DESKTOP)
    browser.until("document.querySelector('#domain').options.length === 2")
    found = []
    for domain in ("news", "web"):
        browser.measure(f"document.querySelector('#domain').value = '{domain}'")
        browser.measure("document.querySelector('#sentence').value = '我 要 茶 。'")
        browser.measure("document.querySelector('#translation').textContent = ''")
        browser.click("#sentence-form button.main")
        found.append(browser.until("document.querySelector('#translation').textContent"))
        assert found[-1] == Client(address).translate(["我 要 茶 。"], label=domain)[0]
    assert found[0] != found[1]
    browser.click("#tab-compare")
    browser.measure("document.querySelector('#compare-text').value = '我 要 茶 。'")
    browser.click("#compare-form button.main")
    browser.until("document.querySelector('#compared table')")


def test_hostile_text_stays_text(opened):
    translated(opened, HOSTILE)
    title = opened.measure("return document.title")
    assert title.endswith("TuneSMiTh workbench")
    assert opened.measure("return document.querySelectorAll('#result img, #result script').length") == 0
    assert "<img" in opened.text("#alignment")


def test_what_goes_wrong_is_said(opened):
    opened.click("#sentence-form button.main")
    assert opened.until("document.querySelector('#problem').textContent") == "Type a sentence."
    opened.measure("document.querySelector('#sentence').value = 'x '.repeat(600)")
    opened.click("#sentence-form button.main")
    assert "600 words" in opened.until(
        "document.querySelector('#problem').textContent.includes('600') && "
        "document.querySelector('#problem').textContent"
    )
    opened.measure("""document.querySelector('#nbest').value = '1.5';
        document.querySelector('#sentence').value = '';
        document.querySelector('#sentence').focus()""")
    opened.type("#sentence", "a" + ENTER)
    opened.until("document.activeElement.id === 'nbest'")  # where the browser says what is wrong
    assert opened.measure("return document.querySelector('#result').hidden")


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_wider_than_the_screen_and_everything_has_a_name(browser, page, lines, width, dark):
    browser.open(page, width, dark=dark)
    browser.until("document.querySelector('#weights').options.length === 2")
    translated(browser, f"{'a' * 300} {lines[0]}")
    cut = browser.measure("""return [...document.querySelectorAll('#result *')]
        .filter(each => each.getBoundingClientRect().right > innerWidth).map(each => each.textContent)""")
    assert cut == []
    browser.click("#tab-compare")
    browser.type("#compare-text", lines[0])
    browser.click("#compare-form button.main")
    browser.until("document.querySelector('#compared .short')")
    parts = browser.measure("""const range = document.createRange();
        range.selectNodeContents(document.querySelector('#compared .short'));
        return range.getClientRects().length""")
    assert parts == 1  # the word is not broken
    for tab in ("translate", "compare", "runs"):
        browser.click(f"#tab-{tab}")
        assert browser.measure("return document.documentElement.scrollWidth") <= width
    unnamed = browser.measure("""return [...document.querySelectorAll('input, select, textarea, button')]
        .filter(each => !each.labels?.length && !each.textContent.trim() && !each.ariaLabel)
        .map(each => each.id)""")
    assert unnamed == []


def test_a_page_with_a_token_asks_for_it(browser, serving, tmp_path):
    (tmp_path / "token").write_text("a-token-of-some-length\n")
    _, address = serving("--token-file", tmp_path / "token")
    browser.open(address, DESKTOP)
    browser.until("!document.querySelector('#token-form').hidden")
    browser.type("#token", "a-token-of-some-length")
    browser.click("#token-form button")
    browser.until("document.querySelector('#weights').options.length === 1")
