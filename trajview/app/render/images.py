"""Images as lines: what is known of one, and rows of half-cells, which Pillow makes of its pixels.

The rows are reserved by what the header says, blank, and filled in once a thread has drawn them. Nothing moves then.
"""

from __future__ import annotations

import struct
import warnings
from functools import cache, lru_cache
from importlib.util import find_spec
from io import BytesIO
from itertools import groupby
from typing import TYPE_CHECKING, Final

from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from trajview.app.keys import key_of
from trajview.app.render.layout import MEASURE
from trajview.app.render.lines import Line, Picture
from trajview.app.render.verbatim import size_of
from trajview.errors import UNFORESEEN
from trajview.models.images import MOST_BYTES, ImageError, bytes_of, is_web_address, look_at
from trajview.models.messages import ImagePart
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from trajview.app.render.options import ViewOptions
    from trajview.models.images import Header
    from trajview.models.messages import AudioPart, VideoPart

__all__ = ["MOST_PIXELS", "can_draw", "cells_of", "drawn", "media_lines"]

MOST_PIXELS: Final = 40_000_000
"""Of an image that is drawn. Decoded, so many take 160 to 320 MB for a moment."""
_INDENT: Final = 2
_OPAQUE: Final = 128
"""How far a pixel covers what is behind it, from 0 to 255, so that it counts as there."""
_FEWER: Final = bytes(round(value * 31 / 255) * 255 // 31 for value in range(256))
"""Each value of a colour as the nearest of 32: then neighbours are alike, which terminals draw sooner, and nobody sees it."""
_UNDECODABLE: Final = (*UNFORESEEN, SyntaxError, EOFError, struct.error)
"""What Pillow raises of data that are not as they should be."""

Rows = list[list[Segment]]
"""The rows of a drawn image."""


@cache
def can_draw() -> bool:
    """Whether images can be drawn: Pillow is there, which the extra `images` brings."""
    return find_spec("PIL") is not None


def media_lines(part: ImagePart | AudioPart | VideoPart, options: ViewOptions, rows: int | None = None) -> list[Line]:
    """The lines of a picture, sound or film: its kind, where it is or how large.

    Below it are the rows that a picture is drawn in, at most `rows` of them, and what is marked in it.
    """
    target = getattr(part, part.type)
    if not target:
        target = next((value for value in (part.extras or {}).values() if isinstance(value, str)), "")
    line = Line(f"{part.type}  ", style="md.link", lead=("▣", "md.link"), indent=_INDENT, hang=_INDENT)
    if not isinstance(part, ImagePart):
        line.extend(_name(target), "md.url")
        return [line]
    boxes = [Line(_box(box), style="dim", indent=4, hang=6, words=True) for box in part.annotations or ()]
    return [line, *_describe(line, target, options, rows), *boxes]


def _name(target: str) -> str:
    """A path or an address as it is; of a data URL, the type and the size."""
    if target.startswith("data:"):
        return one_line(f"{target[:64].split(',', 1)[0]}, {size_of(len(target) * 3 // 4)}", 100)
    return one_line(target, 400)


def _describe(line: Line, target: str, options: ViewOptions, rows: int | None) -> list[Line]:
    """Write on the line of an image what is known of it, and how to see it. Returns the rows that it will be drawn in."""
    inline = target.startswith("data:")
    try:
        header, size = look_at(target, options.folder)
    except ImageError as error:
        line.extend(_name(target), "md.url")
        if is_web_address(target):
            line.extend("  not fetched", "dim")
        elif inline or options.folder is not None:
            line.extend(f"  {error.sentence}", "dim")
        return []
    facts = f"{header.kind}, {header.width:,} × {header.height:,}, {size_of(size)}"
    line.extend(facts if inline else f"{_name(target)}  {facts}", "md.url")
    hints = []
    if options.folder is not None:
        hints.append(f"{key_of('fold.toggle', 'o')} opens it")
        line.picture = Picture(target)
    below: list[Line] = []
    if header.width * header.height > MOST_PIXELS or size > MOST_BYTES:
        hints.append("too large to be drawn here")
    elif not can_draw():
        hints.append("trajview[images] draws it here")
    else:
        below = _blank_rows(target, header, options, rows)
    line.extend(f"  {', '.join(hints)}" if hints else "", "dim")
    return below


def _blank_rows(target: str, header: Header, options: ViewOptions, rows: int | None) -> list[Line]:
    """The rows that an image will be drawn in."""
    most = options.picture_rows if rows is None else min(rows, options.picture_rows)
    if most < 1:
        return []
    columns, rows = cells_of(header.width, header.height, min(MEASURE, max(1, options.width - 2 * _INDENT)), most)
    picture = Picture(target, columns, rows)
    return [Line("", indent=_INDENT, ours=True, picture=picture, picture_row=row) for row in range(rows)]


def cells_of(width: int, height: int, columns: int, rows: int) -> tuple[int, int]:
    """The columns and rows of an image of so many pixels: at most as many as given, and a cell for two pixels at least."""
    scale = min(1.0, columns / width, 2 * rows / height)
    return max(1, round(width * scale)), max(1, round(height * scale / 2))


def _box(box: object) -> str:
    """What is marked in a picture, and where."""
    if not isinstance(box, dict):
        return one_line(str(box), 100)
    label = one_line(f"{box.get('element_type') or 'box'} “{box.get('text') or ''}”", 100)
    where = box.get("bounding_box")
    sides = where.items() if isinstance(where, dict) else ()
    numbers = one_line(" ".join(f"{name}={at}" for name, at in sides if isinstance(at, int | float)), 100)
    return f"{label}  {numbers}".rstrip()


def drawn(picture: Picture, folder: Path | None) -> Rows:
    """Draw an image in half-cells. Takes up to a second or so: call it in a thread. Raises ImageError with the reason why not."""
    data = bytes_of(picture.target, folder)
    try:
        pixels = _pixels(data, picture.columns, 2 * picture.rows)
    except _UNDECODABLE as error:
        raise ImageError("the image is damaged") from error
    stride = 4 * picture.columns
    starts = range(0, 2 * picture.rows * stride, 2 * stride)
    return [_row(pixels[at : at + stride], pixels[at + stride : at + 2 * stride]) for at in starts]


def _pixels(data: bytes, width: int, height: int) -> bytes:
    """The pixels of an image at another size: red, green, blue and how far it covers the background, a byte each."""
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS  # it refuses twice as many, and warns before that
    warnings.filterwarnings("ignore", category=Image.DecompressionBombWarning)
    try:
        # Only the readers of these kinds: those of rare formats are where faults are found.
        with Image.open(BytesIO(data), formats=("PNG", "JPEG", "GIF", "WEBP")) as image:
            if image.width * image.height > MOST_PIXELS:  # by a second header, behind the one that was looked at
                raise ImageError("the image is too large to be drawn")
            image.draft("RGB", (2 * width, 2 * height))  # a JPEG is decoded at a fraction of its size
            plain = image if image.mode in ("RGB", "RGBA", "L") else image.convert("RGBA")
            scaled = plain.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=2.0)
            return scaled.convert("RGBA").tobytes().translate(_FEWER)
    except Image.DecompressionBombError as error:
        raise ImageError("the image is too large to be drawn") from error


def _row(above: bytes, below: bytes) -> list[Segment]:
    """A row of cells, the upper half of each from one row of pixels, the lower from the next."""
    row = []
    for pair, same in groupby(above[at : at + 4] + below[at : at + 4] for at in range(0, len(above), 4)):
        sign, style = _cell(pair)
        row.append(Segment(sign * len(list(same)), style))
    return row


@lru_cache(maxsize=4_096)
def _cell(pair: bytes) -> tuple[str, Style]:
    """The sign for two pixels, and its colours. A pixel that is hardly there is left out, so that the background is seen."""
    upper, lower = (
        Color.from_rgb(red, green, blue) if there >= _OPAQUE else None
        for red, green, blue, there in (pair[:4], pair[4:])
    )
    if upper is None:
        return "▄" if lower else " ", Style(color=lower)
    if upper == lower:
        return " ", Style(bgcolor=lower)
    return "▀", Style(color=upper, bgcolor=lower)
