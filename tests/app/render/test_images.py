"""Images as lines: what is said of one, the rows that are kept free, and what is drawn in them."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest
from rich.segment import Segment

from tests.models.test_images import url
from trajview.app.render import images
from trajview.app.render.blocks import message_lines
from trajview.app.render.images import MOST_PIXELS, cells_of, drawn
from trajview.app.render.lines import Line, Picture
from trajview.app.render.options import Fold, ViewOptions
from trajview.app.render.verbatim import size_of
from trajview.models.images import ImageError
from trajview.models.messages import ChatMessage, ImagePart, TextPart, ToolMessage, UserMessage

HERE = Path(__file__).parent
RED, BLUE, CLEAR = b"\xff\0\0\xff", b"\0\0\xff\xff", b"\xff\xff\xff\0"


def png(*rows: bytes, claimed: tuple[int, int] | None = None) -> bytes:
    """A PNG of rows of pixels of four bytes; `claimed` is the width and height that its header claims."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    width, height = claimed or (len(rows[0]) // 4, len(rows))
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 0)  # packed, its size would be that of the library
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def lines(message: ChatMessage, fold: Fold = Fold.OPEN, rows: int = 20, folder: Path | None = HERE) -> list[Line]:
    return message_lines(message, fold, ViewOptions(width=60, picture_rows=rows, folder=folder, preview_lines=4))


def image(data: bytes) -> ImagePart:
    return ImagePart(image=url(data))


@pytest.fixture
def pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it is there or not: only what is drawn needs it."""
    monkeypatch.setattr(images, "can_draw", lambda: True)


@pytest.fixture
def no_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "can_draw", lambda: False)


@pytest.mark.usefixtures("pillow")
def test_the_rows_of_a_picture_are_there_before_it_is_drawn_and_hold_no_text() -> None:
    data = png(*[RED * 40] * 30)
    _, said, *free = lines(UserMessage(content=[image(data)]))
    assert said.text == f"image  PNG, 40 × 30, {size_of(len(data))}  o opens it"
    assert said.picture is not None
    assert [line.picture_row for line in free] == list(range(15))
    assert {(line.picture.columns, line.picture.rows, line.text, line.ours) for line in free if line.picture} == {
        (40, 15, "", True)
    }


@pytest.mark.usefixtures("pillow")
def test_a_picture_is_as_high_as_the_view_and_the_fold_of_its_message_allow() -> None:
    parts = [TextPart(text="clicked"), image(png(*[RED * 40] * 80))]

    def height(message: ChatMessage, fold: Fold, rows: int = 20) -> int:
        return sum(line.picture_row is not None for line in lines(message, fold, rows))

    assert height(UserMessage(content=parts), Fold.OPEN) == 20
    assert height(ToolMessage(content=parts), Fold.OPEN) == 20
    assert height(ToolMessage(content=parts), Fold.PREVIEW) == 4
    assert height(UserMessage(content=parts), Fold.CLOSED) == 0
    assert height(UserMessage(content=parts), Fold.OPEN, 0) == 0


@pytest.mark.usefixtures("no_pillow")
def test_without_pillow_kind_and_size_are_said_and_how_to_see_it() -> None:
    [_, said] = lines(UserMessage(content=[image(png(RED))]))
    assert said.text == f"image  PNG, 1 × 1, {len(png(RED))} B  o opens it, trajview[images] draws it here"


@pytest.mark.usefixtures("pillow")
def test_what_is_on_the_web_or_elsewhere_is_only_named(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png(RED))
    for target, said in (
        ("https://example.org/a.png", "image  https://example.org/a.png  not fetched"),
        ("../a.png", "image  ../a.png  not beside the log"),
        ("a.png", f"image  a.png  PNG, 1 × 1, {len(png(RED))} B  o opens it"),
        ("data:image/svg+xml;base64,PHN2Zy8+", "image  data:image/svg+xml;base64, 25 B  not a PNG, JPEG, GIF or WebP image"),
    ):  # fmt: skip
        assert lines(UserMessage(content=[ImagePart(image=target)]), folder=tmp_path)[1].text == said


@pytest.mark.usefixtures("pillow")
def test_what_would_be_too_large_decoded_is_not_drawn() -> None:
    [_, said] = lines(UserMessage(content=[image(png(RED, claimed=(50_000, 50_000)))]))
    assert said.text.startswith("image  PNG, 50,000 × 50,000, ")
    assert said.text.endswith("o opens it, too large to be drawn here")


@pytest.mark.parametrize(
    ("size", "room", "cells"),
    [
        ((960, 600), (80, 40), (80, 25)),
        ((960, 600), (80, 10), (32, 10)),
        ((16, 16), (80, 40), (16, 8)),
        ((1, 1), (80, 40), (1, 1)),
        ((1, 50_000), (80, 40), (1, 40)),
        ((50_000, 1), (80, 40), (80, 1)),
    ],
)
def test_an_image_keeps_its_shape_and_is_not_drawn_larger_than_it_is(
    size: tuple[int, int], room: tuple[int, int], cells: tuple[int, int]
) -> None:
    assert cells_of(*size, *room) == cells


# -- drawing: with Pillow only -----------------------------------------------------------------------------------------


def picture(data: bytes, columns: int = 1, rows: int = 1) -> Picture:
    return Picture(url(data), columns, rows)


def look(segment: Segment) -> tuple[str, str | None, str | None]:
    """A segment's text, and the names of the colours of its upper (or only) and lower halves."""
    style = segment.style
    assert style is not None
    return segment.text, *(colour.name if colour else None for colour in (style.color, style.bgcolor))


def test_two_pixels_make_a_cell_and_what_is_clear_shows_the_background() -> None:
    pytest.importorskip("PIL")
    over = drawn(picture(png(RED + RED + BLUE + CLEAR + CLEAR, BLUE + BLUE + BLUE + RED + CLEAR), 5), None)
    assert [look(segment) for segment in over[0]] == [
        ("▀▀", "#ff0000", "#0000ff"),
        (" ", None, "#0000ff"),
        ("▄", "#ff0000", None),
        (" ", None, None),
    ]


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
@pytest.mark.parametrize("mode", ["RGB", "L", "P"])
def test_every_kind_is_drawn_in_exactly_its_cells(kind: str, mode: str) -> None:
    pillow = pytest.importorskip("PIL.Image")
    from io import BytesIO

    file = BytesIO()
    source = pillow.effect_noise((300, 200), 80).convert("L" if kind == "JPEG" and mode == "P" else mode)
    source.save(file, kind)
    rows = drawn(picture(file.getvalue(), 30, 10), None)
    assert [sum(len(segment.text) for segment in row) for row in rows] == [30] * 10


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (png(*[RED * 40] * 40)[:-60], "damaged"),
        (png(RED)[:33], "damaged"),
        (png(RED, claimed=(60, 60))[:50] + b"\0" * 80, "damaged"),
        (png(RED, claimed=(50_000, 50_000)), "too large"),
        (png(RED, claimed=(MOST_PIXELS // 1_000 + 1, 1_000)), "too large"),
        (b"\xff\xd8\xff\xc0\0\x11\x08\0\x09\0\x09" + b"\0" * 99, "damaged"),
        (b"GIF89a\x09\0\x09\0" + b"\xff" * 99, "damaged"),
        (b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x09\0\x09\0", "damaged"),
        (b"\x89PNG but an animal", "not a PNG"),
    ],
)
def test_what_is_damaged_or_a_bomb_is_refused_in_a_sentence(data: bytes, why: str) -> None:
    pytest.importorskip("PIL")
    with pytest.raises(ImageError, match=why):
        drawn(picture(data, 10, 5), None)


def test_a_second_header_does_not_smuggle_a_bomb_in() -> None:
    pytest.importorskip("PIL")
    small, large = png(RED), png(RED, claimed=(30_000, 30_000))
    with pytest.raises(ImageError):
        drawn(picture(small[:33] + large[8:]), None)
