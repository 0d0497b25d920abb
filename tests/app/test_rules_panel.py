"""The panel of highlights and rules: counts, switches, rules that are made, named, saved and removed."""

from __future__ import annotations

import json
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from textual.widgets import Input, OptionList

from trajview.app.transcript.screen import TranscriptScreen
from trajview.app.transcript.session import TranscriptSession
from trajview.app.transcript.sources import SourcesScreen
from trajview.config import load_settings
from trajview.highlight import Highlight
from trajview.rules import COLOURS

from .driving import Reader, background_of, reading


@pytest.fixture
def log(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    file = folder / "run.json"
    call = {
        "id": "c",
        "type": "function",
        "function": {"name": "bash", "arguments": json.dumps({"command": "pytest || true"})},
    }
    messages = [
        {"role": "user", "content": "Fix the parser."},
        {"role": "assistant", "content": "Sorry, I look at the parser.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "Traceback (most recent call last):\n  File\nError: parser"},
        {"role": "assistant", "content": "I'm sorry, the key is AKIAIOSFODNN7EXAMPLE."},
    ]
    file.write_text(json.dumps({"id": "run", "messages": messages}))
    return file


async def panel(reader: Reader) -> SourcesScreen:
    await reader.press("ampersand")
    await reader.until(lambda: isinstance(reader.app.screen, SourcesScreen))
    screen = reader.app.screen
    assert isinstance(screen, SourcesScreen)
    await reader.until(lambda: all(row.count is not None for row in screen.shown) and screen.shown)
    return screen


def counts(screen: SourcesScreen) -> dict[str, int | None]:
    return {row.label: row.count for row in screen.shown}


def by_rule(session: TranscriptSession) -> list[Highlight]:
    """The highlights of rules that are on."""
    reasons = map(session.highlights.reasons, range(len(session.unit_starts)))
    return [found for found in chain.from_iterable(reasons) if found.source == "rule"]


async def test_the_panel_counts_every_source_and_rule_on_or_off(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        screen = await panel(reader)
        assert counts(screen) == {
            "errors": 1, "tracebacks": 1, "failing tests": 0, "refusals": 0, "apologies": 2, "reward hacking": 1, "secrets": 1,
        }  # fmt: skip
        assert [row.label for row in screen.shown if row.on] == ["errors"]
        await reader.press("enter")
        await reader.until(lambda: isinstance(reader.app.screen, TranscriptScreen))
        assert reader.session.highlights.stops == [2]


async def test_space_switches_a_rule_and_its_text_outline_and_minimap_have_its_colour(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        screen = await panel(reader)
        screen.go("rule:apologies")
        await reader.press("space", "enter")
        await reader.until(lambda: isinstance(reader.app.screen, TranscriptScreen))
        session = reader.screen.session
        assert session is not None
        assert session.highlights.stops == [1, 2, 3]
        assert {(found.message, found.colour) for found in by_rule(session)} == {
            (1, "blue"),
            (3, "blue"),
        }
        assert (
            session.layout(3).lines[0].right == ("● apologies", "sign.blue")
            or session.unit_of(3)[0] == session.unit_of(1)[0]
        )
        view = reader.screen.view
        styled = {
            segment.text
            for row in range(session.map.total)
            for segment in view.render_line(row - view.scroll_offset.y)
            if segment.style is not None and segment.style.bgcolor == background_of(view, "rule.blue")
        }
        assert "I'm sorry" in styled
        screen = await panel(reader)
        screen.go("rule:apologies")
        await reader.press("space", "escape")
        assert session.highlights.stops == [2]


async def test_a_rule_stays_on_in_the_next_run(log: Path) -> None:
    second = json.loads(log.read_text()) | {"id": "second"}
    (log.parent / "z.json").write_text(json.dumps(second))
    async with reading(log.parent, run="run") as reader:
        await reader.opened("run")
        screen = await panel(reader)
        screen.go("rule:secrets")
        await reader.press("space", "enter")
        await reader.press("L")
        await reader.opened("second")
        assert reader.session.highlights.stops == [2, 3]


async def test_a_rule_is_typed_checked_and_shown_at_once(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        screen = await panel(reader)
        await reader.press("a")
        await reader.type("pars(")
        await reader.until(lambda: "not a regular expression" in reader.whole_screen)
        assert "pars(  " in reader.whole_screen  # the line is seen
        await reader.press("enter")
        assert isinstance(reader.app.screen, SourcesScreen)
        screen.query_one(Input).value = "pars(er|ing)"
        await reader.press("enter")
        await reader.until(lambda: counts(screen).get("pars(er|ing)") == 3)
        assert isinstance(reader.app.focused, OptionList)
        await reader.press("d")
        assert "pars(er|ing)" not in counts(screen)
        await reader.press("escape")
        assert reader.screen.session.highlights.stops == [2]


async def test_a_rule_is_typed_with_where_it_looks(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        screen = await panel(reader)
        for typed, count in (
            ("role:assistant parser", 1),
            ("parser in:output", 1),
            ("tool:bash pytest", 1),
            ("tool:x pytest", 0),
        ):
            await reader.press("a")
            screen.query_one(Input).value = typed
            await reader.press("enter")
            await reader.until(lambda typed=typed, count=count: counts(screen).get(typed) == count, typed)
        await reader.press("a")
        screen.query_one(Input).value = "role:nobody parser"
        await reader.until(lambda: "there is no role:nobody; one of system," in reader.whole_screen)


async def test_a_rule_that_comes_with_trajview_is_kept_on(log: Path) -> None:
    file = log.parent / ".trajview.toml"
    async with reading(log) as reader:
        await reader.opened()
        screen = await panel(reader)
        screen.go("rule:secrets")
        await reader.press("space")
        assert "S keeps it" in reader.whole_screen
        await reader.press("S", "p")
        await reader.until(lambda: "saved to" in reader.whole_screen)
        await reader.press("space", "S", "p")
        await reader.until(lambda: "saved to" in reader.whole_screen)
        assert tomllib.loads(file.read_text())["rule"] == [{"name": "secrets", "on": False}]
        await reader.press("space", "c", "S", "p")
        await reader.until(lambda: "saved to" in reader.whole_screen)
    (kept,) = tomllib.loads(file.read_text())["rule"]
    assert (kept["name"], kept["on"], kept["colour"] in COLOURS) == ("secrets", True, True)
    async with reading(log) as reader:
        await reader.opened()
        screen = await panel(reader)
        assert [row.label for row in screen.shown if row.on] == ["errors", "secrets"]
        assert counts(screen)["secrets"] == 1


PROJECT = """\
# what we look at

[[rule]]
name = "parser"   # ours
pattern = 'parser'
colour = "green"  # as the door

[[rule]]
name = "sorry"
pattern = 'sorry'
"""


async def test_a_rule_of_a_file_gets_another_colour_and_is_switched_off_for_good(log: Path) -> None:
    file = log.parent / ".trajview.toml"
    file.write_text(PROJECT)
    async with reading(log) as reader:
        await reader.opened()
        screen = await panel(reader)
        screen.go("rule:parser")
        await reader.press("c")
        assert "S keeps it" in reader.whole_screen
        session = next(one for one in reader.app.screen_stack if isinstance(one, TranscriptScreen)).session
        assert session is not None
        assert {found.colour for found in by_rule(session)} == {"cyan", ""}
        screen.go("rule:sorry")
        await reader.press("space", "S")
        await reader.until(lambda: "saved to" in reader.whole_screen)
        assert file.read_text() == PROJECT.replace('name = "sorry"\n', 'name = "sorry"\non = false\n')
        screen.go("rule:parser")
        await reader.press("S")
        await reader.until(lambda: '"cyan"' in file.read_text())
    assert file.read_text() == PROJECT.replace('name = "sorry"\n', 'name = "sorry"\non = false\n').replace(
        '"green"', '"cyan"'
    )
    async with reading(log) as reader:
        await reader.opened()
        screen = await panel(reader)
        assert {row.label: (row.on, row.colour) for row in screen.shown[1:3]} == {
            "parser": (True, "cyan"),
            "sorry": (False, ""),
        }


async def test_that_the_configuration_overrules_what_was_saved_beside_the_logs_is_said(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "mine.toml"
    config.write_text("[[rule]]\nname = 'secrets'\non = true\n")
    monkeypatch.setenv("TRAJVIEW_CONFIG", str(config))
    async with reading(log, rules=load_settings().rules) as reader:
        await reader.opened()
        screen = await panel(reader)
        screen.go("rule:secrets")
        await reader.press("space", "S", "p")
        await reader.until(lambda: "comes first" in reader.whole_screen)
        await reader.press("S", "c")
        await reader.until(lambda: "saved to" in reader.whole_screen)
    assert tomllib.loads(config.read_text())["rule"] == [{"name": "secrets", "on": False}]


async def test_a_rule_of_the_configuration_is_saved_there(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("theme = 'trajview-dark' # dark\n[[rule]]\nname = 'p'\ntext = 'parser'\non = false")
    monkeypatch.setenv("TRAJVIEW_CONFIG", str(file))
    settings = load_settings()
    async with reading(log, rules=settings.rules) as reader:
        await reader.opened()
        screen = await panel(reader)
        screen.go("rule:p")
        await reader.press("space", "c", "S")
        await reader.until(lambda: "saved to" in reader.whole_screen)
    text = file.read_text()
    assert text.startswith("theme = 'trajview-dark' # dark\n[[rule]]\nname = 'p'\n")
    assert tomllib.loads(text)["rule"] == [{"name": "p", "text": "parser", "on": True, "colour": "red"}]
    assert not (log.parent / ".trajview.toml").exists()


async def test_only_rules_have_a_colour_and_are_saved(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        screen = await panel(reader)
        screen.go("error")
        await reader.press("c")
        assert "only rules have a colour" in reader.whole_screen
        await reader.press("S")
        assert "only rules are saved" in reader.whole_screen


async def test_a_word_becomes_a_rule_that_is_named_and_saved_beside_the_logs(log: Path) -> None:
    (log.parent / ".trajview.toml").write_text("# ours\n[[rule]]\nname = 'fix'\npattern = 'fix'\n")
    async with reading(log) as reader:
        await reader.opened()
        await reader.ask("colon", "m0")
        await reader.press("j", "asterisk")
        await reader.until(lambda: "“Fix” in 1 message:" in reader.status)
        screen = await panel(reader)
        made = next(row for row in screen.shown if row.origin == "session")
        screen.go(made.key)
        await reader.press("r")
        screen.query_one(Input).value = "the parser"
        await reader.press("enter")
        await reader.until(lambda: counts(screen).get("the parser") == made.count)
        await reader.press("S")
        await reader.until(lambda: "save to" in reader.whole_screen)
        await reader.press("p")
        await reader.until(lambda: "saved to" in reader.whole_screen)
    text = (log.parent / ".trajview.toml").read_text()
    assert text.startswith("# ours\n[[rule]]\nname = 'fix'\n")
    assert [rule["name"] for rule in tomllib.loads(text)["rule"]] == ["fix", "the parser"]


async def test_the_project_file_has_its_rules_on_and_a_wrong_one_is_said_and_opens_the_run(log: Path) -> None:
    (log.parent / ".trajview.toml").write_text(
        'store = "/tmp/x"\n[[rule]]\nname = "p"\ntext = "parser"\ncolour = "green"\n'
    )
    async with reading(log) as reader:
        await reader.opened()
        assert reader.screen.session.highlights.stops == [0, 1, 2]
        await reader.until(lambda: any("no setting `store`" in toast for toast in reader.toasts))
    (log.parent / ".trajview.toml").write_text('[[rule]]\nname = "p"\npattern = "(a+)+b"\n')
    async with reading(log) as reader:
        await reader.opened()
        assert reader.screen.session.highlights.stops == [2]
        await reader.until(lambda: any("could take for ever" in toast for toast in reader.toasts))
