"""chat/screenshots.json: somebody who cannot book a seat, and an agent that looks at the screen."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from .workshop import stable_id

_INK, _SOFT, _LINE, _PAGE, _SHEET = "#20242c", "#7a818c", "#d4d8df", "#eef0f4", "#ffffff"
_BLUE, _GREEN, _AMBER = "#2f5fa8", "#2f7d4f", "#d08a1c"
_TAKEN = {2, 3, 8, 13, 14, 19, 21, 22, 30, 33}


def page(*, agreed: bool) -> str:
    """A page on which seats are booked, as a data URL: before or after the box of the terms is ticked."""
    image = Image.new("RGB", (640, 400), _PAGE)
    draw = ImageDraw.Draw(image)
    draw.fontmode = "1"  # no shades at the edges of letters: the file is half as large
    small, text, large = (ImageFont.load_default(size) for size in (12, 15, 23))
    draw.rectangle((0, 0, 640, 48), _BLUE)
    draw.text((21, 10), "Nightbus", _SHEET, large)
    draw.text((466, 17), "Lisbon to Porto, 23:40", _SHEET, text)
    draw.rounded_rectangle((21, 69, 373, 379), 9, _SHEET, _LINE, 1)
    draw.text((40, 82), "Choose a seat", _INK, large)
    for seat in range(36):
        column, row = seat % 4, seat // 4
        x, y = 40 + row * 35, 133 + column * 48 + (column > 1) * 32
        colour = _AMBER if seat == 17 else _LINE if seat in _TAKEN else _GREEN
        draw.rounded_rectangle((x, y, x + 27, y + 35), 5, colour)
    draw.rounded_rectangle((395, 69, 619, 379), 9, _SHEET, _LINE, 1)
    draw.text((413, 82), "Your journey", _INK, large)
    for line, words in enumerate(("1 adult", "Seat 18, at the aisle", "1 cello, on seat 18 too", "EUR 31.50")):
        draw.text((413, 126 + 27 * line), words, _INK if line < 3 else _BLUE, text)
    draw.rectangle((413, 264, 431, 282), _SHEET, _INK, 1)
    if agreed:
        draw.line((416, 273, 421, 278, 429, 267), _GREEN, 3)
    draw.text((440, 266), "I carry my cello myself", _INK, small)
    draw.rounded_rectangle((413, 316, 600, 358), 7, _GREEN if agreed else _LINE)
    draw.text((486, 328), "Book", _SHEET if agreed else _SOFT, text)
    made = BytesIO()
    image.quantize(16).save(made, "PNG", optimize=True)
    return "data:image/png;base64," + b64encode(made.getvalue()).decode()


def screenshots() -> dict[str, Any]:
    """The chat."""
    shown = lambda agreed: {"type": "image_url", "image_url": {"url": page(agreed=agreed)}}  # noqa: E731
    call = {"id": "call_tick", "type": "function", "function": {"name": "click", "arguments": '{"x": 422, "y": 273}'}}
    return {
        "id": stable_id("chat", "screenshots"),
        "model": "meridian-3-small",
        "messages": [
            {"role": "system", "content": "You see the user's screen, and click where you are asked to."},
            {"role": "user", "content": [{"type": "text", "text": "Why is “Book” grey?"}, shown(False)]},
            {
                "role": "assistant",
                "content": "You have not promised yet to carry your cello. I tick that box.",
                "tool_calls": [call],
            },
            {
                "role": "tool",
                "tool_call_id": "call_tick",
                "content": [{"type": "text", "text": "clicked"}, shown(True)],
            },
            {"role": "assistant", "content": "“Book” is green now. I leave the last click, and the cello, to you."},
        ],
    }
