"""Images in a transcript: drawn when they come on the screen, kept for a while, opened in the desktop's viewer."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from rich.segment import Segment

from tests.models.test_images import url
from trajview.app.render import images
from trajview.app.render.lines import Line, Picture
from trajview.app.transcript import pictures
from trajview.app.transcript.pictures import Pictures, delete_opened, picture_rows_at, viewer_command
from trajview.app.transcript.session import TranscriptSession
from trajview.models.messages import ImagePart, TextPart, ToolMessage, UserMessage
from trajview.models.transcript import Transcript

from .driving import Reader, reading
from .render.test_images import BLUE, RED, png

FLAG = png(*[RED * 40] * 20, *[BLUE * 40] * 20)


@pytest.fixture(autouse=True)
def pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "can_draw", lambda: True)


def session_of(*messages: UserMessage | ToolMessage, height: int = 30) -> TranscriptSession:
    session = TranscriptSession(Transcript(messages=list(messages)), picture_rows=picture_rows_at(height))
    session.set_view(80, height)
    session.settle()
    return session


def shown(*texts: str, data: bytes = FLAG) -> UserMessage:
    """A message of texts with an image below."""
    return UserMessage(content=[*(TextPart(text=text) for text in texts), ImagePart(image=url(data))])


def draw(session: TranscriptSession) -> Picture:
    """Draw the picture that is to be drawn next."""
    picture = session.undrawn()
    assert picture is not None
    session.pictures.keep(picture, [[Segment("x")]] * picture.rows)
    return picture


# -- the session -------------------------------------------------------------------------------------------------------


def test_only_what_is_on_the_screen_is_to_be_drawn_and_only_once() -> None:
    other = png(*[BLUE * 40] * 40)
    session = session_of(
        shown("first"), UserMessage(content="a\n\n" * 40), shown("last", data=other), shown("first again")
    )
    before = session.map.total
    assert draw(session) == Picture(url(FLAG), 40, 20)
    assert session.undrawn() is None
    assert session.map.total == before
    session.to_message(2)
    assert draw(session) == Picture(url(other), 40, 20)
    session.to_end()
    assert session.undrawn() is None


def test_a_run_that_is_read_again_has_its_pictures_still() -> None:
    before, session = session_of(shown()), session_of(shown(), shown("more"))
    draw(before)
    session.take_over(before)
    assert session.undrawn() is None


def test_a_folded_message_has_nothing_to_draw_and_another_size_is_drawn_anew() -> None:
    session = session_of(shown())
    draw(session)
    session.set_view(30, 30)
    smaller = session.undrawn()
    assert smaller is not None
    assert smaller.columns == 26
    session.toggle_fold()
    assert session.undrawn() is None


def test_no_search_no_quote_and_no_copy_meets_a_picture() -> None:
    layout = session_of(shown("▀ is a word")).layout(0)
    drawn = [line for line in layout.lines if line.picture_row is not None]
    assert len(drawn) == 20
    assert not any(line.text or line.places(lambda _: True) for line in drawn)


def test_a_look_of_another_run_brings_neither_its_folder_nor_its_size() -> None:
    session, other = session_of(shown()), TranscriptSession(Transcript(messages=[]), folder=Path("/elsewhere"))
    other.next_fold_level()
    session.look_as(other.options)
    assert (session.options.fold_level, session.options.folder, session.options.picture_rows) == (1, None, 20)


def test_pictures_are_two_thirds_of_the_window_and_stay_when_a_prompt_opens() -> None:
    assert [picture_rows_at(height) for height in (1, 24, 60)] == [1, 16, 40]
    assert [picture_rows_at(height, 16) for height in (23, 21, 18, 26, 40)] == [16, 16, 16, 16, 26]


def test_the_pictures_that_were_seen_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "_MOST_CELLS", 250)
    kept, drawn = Pictures(), [Picture(name, 10, 10) for name in "abc"]
    rows = [Line("", picture=picture, picture_row=9) for picture in drawn]
    kept.keep(drawn[0], [[Segment("a")]] * 10)
    kept.keep(drawn[1], [[Segment("b")]] * 10)
    assert kept.row(rows[0]) == [Segment("a")]
    kept.keep(drawn[2], [[Segment("c")]] * 10)
    assert [bool(kept.row(row)) for row in rows] == [True, False, True]
    assert kept.row(Line("text")) == ()


# -- the desktop's viewer ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environ", "platform", "command"),
    [
        ({"DISPLAY": ":0"}, "linux", "xdg-open"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", "xdg-open"),
        ({"DISPLAY": ""}, "linux", None),
        ({}, "darwin", "open"),
        ({"SSH_CONNECTION": "1 2 3 4"}, "darwin", None),
    ],
)
def test_the_viewer_is_the_desktops_where_there_is_one(
    environ: dict[str, str], platform: str, command: str | None
) -> None:
    assert viewer_command(environ, platform) == command


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A chat with an image whose data are in the log, one beside it, and one that is damaged."""
    (tmp_path / "shots").mkdir()
    (tmp_path / "shots" / "one.png").write_bytes(FLAG)
    parts = [
        {"type": "image_url", "image_url": {"url": target}} for target in (url(FLAG), "shots/one.png", url(FLAG[:60]))
    ]
    messages = [{"role": "user", "content": [{"type": "text", "text": "Look."}, part]} for part in parts]
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"id": "flags", "messages": messages}))
    return path


def colours(reader: Reader) -> set[str]:
    """The background colours on the screen."""
    view = reader.screen.view
    segments = (segment for y in range(view.size.height) for segment in view.render_line(y))
    return {style.bgcolor.name for _, style, _ in segments if style is not None and style.bgcolor is not None}


async def test_an_image_is_drawn_where_room_was_left_and_opened(
    log: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("PIL")
    opened = tmp_path / "opened"
    viewer = tmp_path / "bin" / "xdg-open"
    viewer.parent.mkdir()
    viewer.write_text(f'#!/bin/sh\ncp "$1" {opened}; echo "$1" > {opened}.path\n')
    viewer.chmod(0o755)
    monkeypatch.setenv("PATH", f"{viewer.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("sys.platform", "linux")
    async with reading(log, size=(100, 50)) as reader:
        await reader.opened()
        assert "▣ image  PNG, 40 × 40" in reader.text
        height = reader.session.map.total
        await reader.until(lambda: {"#ff0000", "#0000ff"} <= colours(reader))
        await reader.press("j", "j", "j", "o")
        await reader.until(lambda: "opened in the desktop's viewer" in reader.status)
        written = Path((tmp_path / "opened.path").read_text().strip())
        assert opened.read_bytes() == written.read_bytes() == FLAG
        assert stat.S_IMODE(written.stat().st_mode) == 0o600
        assert stat.S_IMODE(written.parent.stat().st_mode) == 0o700

        delete_opened()  # as at the end
        assert not written.parent.exists()

        await reader.press("G")
        await reader.until(lambda: "the image is damaged" in reader.text)
        assert reader.session.map.total == height

        await reader.ask("colon", "m1")
        await reader.press("j", "j", "enter")
        await reader.until(lambda: (tmp_path / "opened.path").read_text().strip() != str(written))
        assert opened.read_bytes() == FLAG


async def test_without_a_desktop_it_is_said_where_the_image_lies(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    async with reading(log, images=False) as reader:
        await reader.opened()
        assert not reader.session.undrawn()
        row = next(y for y, line in enumerate(reader.lines) if "shots/one.png" in line)
        await reader.pilot.click(reader.screen.view, offset=(8, row))
        await reader.until(lambda: reader.toasts)
        [said] = reader.toasts
        path = said.removeprefix("There is no desktop here: the image is ")
        assert path.endswith(".png")
        assert Path(path).read_bytes() == FLAG
