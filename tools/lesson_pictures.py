"""The pictures of the lessons, drawn from the numbers that the code of each page computes.

python tools/lesson_pictures.py    writes docs/pictures/lessons/*.svg
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1] / "docs"
WIDTH, HEIGHT, EDGE = 640, 320, 48
INK, SOFT, BLUE, ORANGE = "ink", "soft", "blue", "orange"
STYLE = """
.ground{fill:#fdfdfe}.ink{stroke:#1f2933;fill:#1f2933}.soft{stroke:#8a96a3;fill:#8a96a3}
.blue{stroke:#0b6bcb;fill:#0b6bcb}.orange{stroke:#c2410c;fill:#c2410c}
path{fill:none!important;stroke-width:2}.wide{stroke-width:5}.dashed{stroke-dasharray:4 4}
text{font:13px sans-serif;stroke:none!important}.cell{fill:none!important;stroke-width:1}.taken{fill-opacity:.18}
@media(prefers-color-scheme:dark){
.ground{fill:#11161d}.ink{stroke:#e8edf2;fill:#e8edf2}.soft{stroke:#9aa6b2;fill:#9aa6b2}
.blue{stroke:#5ab0ff;fill:#5ab0ff}.orange{stroke:#ff9a5c;fill:#ff9a5c}}
"""


class Canvas:
    """An SVG whose points are given in the units of the data, inside of margins."""

    def __init__(
        self, x: tuple[float, float], y: tuple[float, float], top: int = EDGE, bottom: int = HEIGHT - EDGE
    ) -> None:
        self._x, self._y, self._top, self._bottom = x, y, top, bottom
        self.parts: list[str] = []

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the place of a point in the picture."""
        (left, right), (low, high) = self._x, self._y
        across = EDGE + (x - left) / (right - left) * (WIDTH - 2 * EDGE)
        return round(across, 1), round(self._bottom - (y - low) / (high - low) * (self._bottom - self._top), 1)

    def path(self, points: list[tuple[float, float]], look: str) -> None:
        """Draw a line through points."""
        places = " L".join(f"{x} {y}" for x, y in (self.at(*each) for each in points))
        self.parts.append(f'<path class="{look}" d="M{places}"/>')

    def dot(self, x: float, y: float, look: str, radius: int = 5) -> None:
        """Draw a disc."""
        across, down = self.at(x, y)
        self.parts.append(f'<circle class="{look}" cx="{across}" cy="{down}" r="{radius}"/>')

    def text(self, x: float, y: float, words: str, look: str = INK, *, right: int = 0, down: int = 0) -> None:
        """Write words at a point, moved by `right` and `down` pixels."""
        across, height = self.at(x, y)
        self.parts.append(f'<text class="{look}" x="{across + right}" y="{height + down}">{escape(words)}</text>')

    def axes(self, across: str, up: str) -> None:
        """Draw the two axes with their names."""
        (left, right), (low, high) = self._x, self._y
        self.path([(left, high), (left, low), (right, low)], SOFT)
        self.text(right, low, across, SOFT, right=-8 * len(across), down=20)
        self.text(left, high, up, SOFT, right=-10, down=-10)


def picture(*canvases: Canvas) -> str:
    """Return the SVG file of drawings that share a ground."""
    body = "\n".join(part for canvas in canvases for part in canvas.parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">\n<style>{STYLE}</style>\n'
        f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}" rx="6"/>\n{body}\n</svg>\n'
    )


def envelope(names: dict[str, Any]) -> str:
    """Draw lines of candidates with their envelope above, the metric of the chosen one below."""
    a, b, on_top, start, bleu = (names[each] for each in ("a", "b", "on_top", "start", "bleu"))
    left, right = -1.0, 4.0
    lines = Canvas((left, right), (-5.5, 2.2), bottom=200)
    ends = [max(start[0], left), *start[1:], right]
    for number in range(len(a)):
        lines.path([(left, a[number] + b[number] * left), (right, a[number] + b[number] * right)], SOFT)
        lines.text(right, a[number] + b[number] * right, str(number), right=6, down=4)
    corners = [(ends[0], 0), *zip(ends[1:], range(len(on_top)), strict=True)]
    lines.path([(x, a[on_top[at]] + b[on_top[at]] * x) for x, at in corners], f"{BLUE} wide")
    lines.axes("", "score = a + γ b")
    steps = Canvas((left, right), (0, 110), top=225, bottom=HEIGHT - 35)
    for at, value in enumerate(bleu):
        steps.path([(ends[at], value), (ends[at + 1], value)], ORANGE)
        steps.text((ends[at] + ends[at + 1]) / 2, value, f"{value:.0f}", ORANGE, right=-10, down=16)
    for gamma in start[1:]:
        steps.path([(gamma, 0), (gamma, 110)], f"{SOFT} dashed")
    steps.axes("γ", "BLEU of the choice")
    return picture(lines, steps)


def hope_and_fear(names: dict[str, Any]) -> str:
    """Draw candidates by score and gain, with the two chosen ones."""
    score, gain, hope, fear = (names[each] for each in ("score", "gain", "hope", "fear"))
    canvas = Canvas((-0.3, 1.5), (0.0, 1.1))
    canvas.axes("model score", "gain")
    for number, point in enumerate(zip(score, gain, strict=True)):
        chosen = {hope: (BLUE, "hope"), fear: (ORANGE, "fear")}.get(number)
        canvas.dot(*point, chosen[0] if chosen else SOFT, 7 if chosen else 5)
        canvas.text(*point, chosen[1] if chosen else str(number), chosen[0] if chosen else SOFT, right=11, down=4)
    for number, sign, look in ((hope, -1, BLUE), (fear, 1, ORANGE)):  # equal score + gain, equal score - gain
        x, y = float(score[number]), float(gain[number])
        reach = 0.25
        canvas.path([(x - reach, y - sign * reach), (x + reach, y + sign * reach)], f"{look} dashed")
    return picture(canvas)


def cube_pruning(names: dict[str, Any]) -> str:
    """Draw the grid of combinations: taken ones numbered, made ones coloured."""
    taken, made, score = (names[each] for each in ("taken", "made", "score"))
    canvas = Canvas((-1.4, 6.6), (4.0, -0.6), top=20, bottom=HEIGHT - 10)
    for i in range(4):
        canvas.text(-1.3, i + 0.55, f"rule {i}: {names['rules'][i]}", SOFT)
        canvas.text(i + 0.15, -0.15, f"{names['hypotheses'][i]}", SOFT)
        for j in range(4):
            (left, top), (right, bottom) = canvas.at(j, i), canvas.at(j + 0.95, i + 0.9)
            look = f"{BLUE} taken" if (i, j) in taken else f"{ORANGE} taken" if (i, j) in made else f"{SOFT} cell"
            box = f'x="{left}" y="{top}" width="{right - left:.1f}" height="{bottom - top:.1f}"'
            canvas.parts.append(f'<rect class="{look}" {box}/>')
            if (i, j) in made:
                canvas.text(j + 0.12, i + 0.55, f"{score(i, j):.1f}")
            if (i, j) in taken:
                canvas.text(j + 0.66, i + 0.8, str(taken.index((i, j)) + 1), BLUE)
    for row, (look, words) in enumerate(((BLUE, "taken, in this order"), (ORANGE, "made, in the queue"))):
        canvas.text(4.4, row * 0.5 + 0.5, words, look)
    return picture(canvas)


def oscar_paths(names: dict[str, Any]) -> str:
    """Draw weights against the strength of the penalty."""
    strengths, paths = names["strengths"], names["paths"]
    canvas = Canvas((0.0, float(strengths[-1])), (-0.7, 1.05))
    canvas.axes("λ2", "weight")
    for number in range(paths.shape[1]):
        points = [(float(x), float(y)) for x, y in zip(strengths, paths[:, number], strict=True)]
        canvas.path(points, ORANGE if points[0][1] < 0 else BLUE)
        canvas.text(*points[0], f"{points[0][1]:g}", SOFT, right=-34, down=4)
    return picture(canvas)


LESSONS: dict[str, Callable[[dict[str, Any]], str]] = {
    "envelope": envelope,
    "hope-and-fear": hope_and_fear,
    "cube-pruning": cube_pruning,
    "oscar-paths": oscar_paths,
}


def drawn(lesson: str) -> str:
    """Draw the picture of a lesson, from what the Python blocks of its page compute."""
    page = (DOCS / "guides" / "lessons" / f"{lesson}.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE):
        exec(compile(block, f"{lesson}.md", "exec"), names)
    return LESSONS[lesson](names)


def place_of(lesson: str) -> Path:
    """Return the file of the picture."""
    return DOCS / "pictures" / "lessons" / f"{lesson}.svg"


if __name__ == "__main__":
    for each in LESSONS:
        place_of(each).write_text(drawn(each), encoding="utf-8")
