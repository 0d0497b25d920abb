"""What the disagreement screen shows, as styled text: the list of episodes, the table of scores, reasons and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.content import Content

from trajview.annotation.rubric import written
from trajview.app.keys import key_of
from trajview.app.shared.cells import called, fit
from trajview.textsafe import one_line, safe_text

if TYPE_CHECKING:
    from trajview.annotation.disagreement import Comparison, Disagreement, Row
    from trajview.app.agreement.settling import Settling
    from trajview.corpus.info import RunInfo

__all__ = ["ScoreTable", "furthest_apart", "heading", "hidden_episode", "name_of", "queue_row", "reasons_of", "settling_status"]  # fmt: skip

_AGENT: Final = "bold $text-primary"
_HEADING: Final = "$foreground 55%"
_FAINT: Final = "$foreground 45%"
_NEAR: Final = "$text-warning"
_FAR: Final = "bold $text-error"
_GOLD: Final = "$text-success"
_CURSOR: Final = "bold $background on $success"
_BAD_AT_CURSOR: Final = "bold $background on $error"

_NEAR_FROM: Final = 0.15
_FAR_FROM: Final = 0.3
"""From this share of the scale on, a difference is far; from the other one on, it is worth a look."""

_NARROWEST: Final = 5
_WIDEST_NAME: Final = 12
_WIDEST_LABEL: Final = 31
_LEAST_ID: Final = 8
_LONGEST_REASON: Final = 20_000


def name_of(episode: str, info: RunInfo | None) -> str:
    """What an episode is called, empty where only its id is known."""
    name = called(info) if info is not None else ""
    return "" if name == one_line(episode) else name


def queue_row(found: Disagreement, width: int, name: str = "") -> Content:
    """An episode in the list, by its name if it is known: how far apart, which one, how many, and whether it is settled."""
    spread = "  – " if found.hidden else f"{found.spread:4.0%}"
    count = f"{len(found.annotators)}"
    room = max(4, width - len(spread) - len(count) - 6)
    id = one_line(found.episode, 200)
    shown = one_line(name or id, 200)
    shown = fit(shown, min(cell_len(shown), room))
    left = room - cell_len(shown)
    # Beside a name the id is a help: a few cells of it, or none.
    rest = fit(f"  {id}", left) if name and left >= _LEAST_ID else " " * left
    style = _FAINT if found.hidden or not found.spread else _FAR if found.spread >= _FAR_FROM else ""
    return Content.assemble(
        (spread, style),
        (f"  {shown}", _FAINT if found.hidden else ""),
        (f"{rest}  ", _FAINT),
        (count, _FAINT),
        (" ✓" if found.settled else "  ", _GOLD),
    )


class ScoreTable:
    """The scores of an episode in columns: a row for each agent and dimension, a column for each annotator, and gold's."""

    def __init__(
        self,
        comparison: Comparison,
        agents: Sequence[str],
        settling: Settling | None = None,
        *,
        room: int = 80,
        focused: bool = False,
    ) -> None:
        """`room`: cells; annotators' names are cut where all of them would be wider. `focused`: the gold column has the cursor."""
        self._rows = comparison.rows
        self._annotators = comparison.annotators
        self._agents = agents
        self._settling = settling
        self._cursor = settling.row if settling is not None and focused else None
        self._has_gold = settling is not None or any(row.gold is not None for row in self._rows)
        labels = [cell_len(one_line(row.dimension.label, 40)) for row in self._rows]
        self._label = min(max([len("agent 00"), *labels]), _WIDEST_LABEL, max(12, room // 3))
        room_for_scores = room - self._label - 8 - (9 if self._has_gold else 0)
        widest = min(_WIDEST_NAME, room_for_scores // max(1, len(self._annotators)) - 1)
        self._names = [one_line(annotator, 40) for annotator in self._annotators]
        self._widths = [max(_NARROWEST, min(cell_len(name), widest)) for name in self._names]

    def render(self) -> tuple[Content, int | None]:
        """The table, and the number of the line with the cursor where there is one."""
        lines: list[Content] = []
        cursor_line = None
        agent = None
        for row in self._rows:
            if row.agent != agent:
                agent = row.agent
                lines += [Content(), self._heading_of(agent)] if lines else [self._heading_of(agent)]
            if row == self._cursor:
                cursor_line = len(lines)
            lines.append(self._line_of(row))
        return Content("\n").join(lines), cursor_line

    def _heading_of(self, agent: int) -> Content:
        name = self._agents[agent] if agent < len(self._agents) else f"agent {agent + 1}"
        names = [
            (" " + fit(name, width, right=True), _HEADING)
            for name, width in zip(self._names, self._widths, strict=True)
        ]
        gold = [("     gold", _GOLD)] if self._has_gold else []
        return Content.assemble((fit(one_line(name, 60), self._label), _AGENT), *names, ("   apart", _HEADING), *gold)

    def _line_of(self, row: Row) -> Content:
        agreed = not row.spread
        scores = row.scores.values()
        extremes = () if agreed or not scores else (min(scores), max(scores))
        difference = _FAINT if agreed else _style_of(row.spread or 0)
        pieces = [(fit(one_line(row.dimension.label, 40), self._label), _FAINT if agreed else "")]
        for annotator, width in zip(self._annotators, self._widths, strict=True):
            score = row.scores.get(annotator)
            text = "·" if score is None else written(round(score, 2))
            style = _FAINT if agreed or score is None else difference if score in extremes else ""
            pieces.append((" " + fit(text, width, right=True), style))
        apart = written(round(max(scores) - min(scores), 2)) if len(scores) > 1 else "–"
        pieces.append((f"{apart:>8}", difference))
        if self._has_gold:
            pieces += self._gold_of(row)
        return Content.assemble(*pieces)

    def _gold_of(self, row: Row) -> list[tuple[str, str]]:
        settling = self._settling
        if settling is None or row not in settling.rows:
            return [(f"{'' if row.gold is None else written(round(row.gold, 2)):>9}", _GOLD)]
        text, bad = settling.text(row), settling.bad(row)
        if row == self._cursor:
            return [("   ", ""), (f"{text:>6}", _BAD_AT_CURSOR if bad else _CURSOR)]
        return [(f"{text or '·':>9}", _BAD_AT_CURSOR if bad else _GOLD if text else _FAINT)]


def _style_of(spread: float) -> str:
    return _FAR if spread >= _FAR_FROM else _NEAR if spread >= _NEAR_FROM else ""


def heading(episode: str, info: RunInfo | None) -> Content:
    """What an episode is called, and its id."""
    name, id = name_of(episode, info), one_line(episode)
    pieces = [(f"{name}  ", "bold"), (id, "$foreground 50%")] if name else [(id, "bold")]
    return Content.assemble(*pieces, "\n\n")


def hidden_episode(episode: str, info: RunInfo | None) -> Content:
    """What stands where others' scores would, for an episode that the annotator has not submitted."""
    return Content.assemble(
        heading(episode, info),
        "You have not submitted this episode yet, so what others gave is hidden.\n",
        (
            f"{key_of('open', begins=True)} opens it; {key_of('agreement.reveal')} reveals it, which is kept in "
            "your journal.",
            "$foreground 60%",
        ),
    )


def reasons_of(reasons: Mapping[str, str], gold: str) -> Content:
    """What each annotator has written, below the name; the name of `gold` stands out."""
    parts: list[str | tuple[str, str]] = []
    for annotator, reason in reasons.items():
        style = "bold $text-success" if annotator == gold else "bold"
        parts += [(f"{one_line(annotator, 60)}\n", style), f"{safe_text(reason[:_LONGEST_REASON]).strip()}\n\n"]
    return Content.assemble(*parts).rstrip()


def furthest_apart(row: Row, info: RunInfo | None) -> str:
    """The agent and the dimension on which the annotators of an episode are furthest apart."""
    known = info is not None and row.agent < len(info.agents)
    agent = one_line(info.agents[row.agent], 60) if info is not None and known else f"agent {row.agent + 1}"
    return f"furthest apart: {one_line(row.dimension.label, 40)}, {agent}"


def settling_status(settling: Settling, row: Row, state: str) -> tuple[str, bool]:
    """The gold score under the cursor, what is wrong with it, and `state`; and whether something is wrong."""
    bad = settling.bad(row)
    dimension = row.dimension
    range_text = f" {dimension.range_text}" if dimension.high != float("inf") else ""
    problem = f": {bad or settling.grid.notice}" if bad or settling.grid.notice else ""
    return f"gold · {one_line(dimension.label, 40)}{range_text}{problem} · {state}", bool(bad)
