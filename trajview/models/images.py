"""The images of a log: of what kind and how large one is, by its first bytes, and the bytes themselves.

An image is a data URL, or a path below the folder of the log. An address on the web is never fetched.
"""

from __future__ import annotations

import re
import stat
from base64 import b64decode
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import unquote

from trajview.errors import TrajviewError

__all__ = ["MOST_BYTES", "Header", "ImageError", "bytes_of", "header_of", "is_web_address", "look_at", "path_of"]

MOST_BYTES: Final = 64 << 20
"""Bytes of an image; a larger one is not read."""
_FIRST: Final = 160
"""Characters of a data URL that hold the header of most images."""
_HEAD: Final = 1 << 16
"""Bytes that are looked at for the header: before its size, a JPEG may have a preview or a colour profile."""

_NOT_BASE64: Final = re.compile(r"[^A-Za-z0-9+/]+")
_URL_SAFE: Final = str.maketrans("-_", "+/")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


class ImageError(TrajviewError):
    """An image that cannot be shown, and why."""

    title = "No image"


class Header(NamedTuple):
    """What the first bytes of an image say: `kind` is PNG, JPEG, GIF or WebP; width and height are in pixels."""

    kind: str
    width: int
    height: int


class Look(NamedTuple):
    """What is known of an image without decoding it: its header, and its size in bytes (of a data URL with line breaks, nearly)."""

    header: Header
    size: int


def is_web_address(target: str) -> bool:
    """Whether an image is somewhere on the web."""
    return target[:8].lower().startswith(("http://", "https://"))


def look_at(target: str, folder: Path | None) -> Look:
    """Look at the beginning of an image. `folder` is the one that its log lies in.

    Raises ImageError where it is not there, or of a kind that is not shown.
    """
    if target.startswith("data:"):
        payload = _payload(target)
        size = (len(target) - payload) * 3 // 4 - target.count("=", -2)
        head = _decoded(target[payload : payload + _FIRST])
        if header_of(head) is None:
            head = _decoded(target[payload : payload + _HEAD * 4 // 3])
    else:
        path = path_of(target, folder)
        try:
            size = path.stat().st_size
            with path.open("rb") as file:
                head = file.read(_HEAD)
        except OSError as error:
            raise _unreadable(error) from error
    header = header_of(head)
    if header is None:
        raise ImageError("not a PNG, JPEG, GIF or WebP image")
    return Look(header, size)


def bytes_of(target: str, folder: Path | None) -> bytes:
    """Read an image. Raises ImageError where it is not there, too large, or of a kind that is not shown."""
    size = look_at(target, folder).size
    if size > MOST_BYTES:
        raise ImageError(f"larger than {MOST_BYTES >> 20} MB")
    if target.startswith("data:"):
        return _decoded(target[_payload(target) :])
    try:
        with path_of(target, folder).open("rb") as file:
            return file.read(MOST_BYTES)
    except OSError as error:
        raise _unreadable(error) from error


def path_of(target: str, folder: Path | None) -> Path:
    """Find the file of an image that is named by its path. Raises ImageError unless it lies below the folder of its log."""
    name = unquote(target[7:]) if target.startswith("file://") else target
    if folder is None or not name or _SCHEME.match(name):
        raise ImageError("not beside the log")
    try:
        path, folder = (folder / name).resolve(), folder.resolve()
        if path.is_relative_to(folder) and stat.S_ISREG(path.stat().st_mode):
            return path
    except (OSError, ValueError, RuntimeError):  # not there, no name of a file, links in a circle
        pass
    raise ImageError("not beside the log")


def _unreadable(error: OSError) -> ImageError:
    return ImageError(f"cannot be read: {(error.strerror or str(error)).lower()}")


def _payload(url: str) -> int:
    """Where the data of a data URL begins. Raises ImageError where they are not in base64."""
    comma = url.find(",", 0, 1_000)
    if comma < 0 or not url[:comma].rstrip().endswith(";base64"):
        raise ImageError("not in base64")
    return comma + 1


def _decoded(text: str) -> bytes:
    """The bytes of a text in base64, or the beginning of one. Line breaks and the like are left out."""
    if "-" not in text and "_" not in text:
        with suppress(ValueError):  # of megabytes, too, in a few milliseconds
            return b64decode(text)
    text = _NOT_BASE64.sub("", text.translate(_URL_SAFE))
    spare = len(text) % 4
    return b64decode(text[:-1] if spare == 1 else text + "=" * (-spare % 4))


def header_of(head: bytes) -> Header | None:
    """Read the header of an image from its first bytes; None where it is none of the kinds that are shown."""
    size: tuple[int, int] | None = None
    kind = ""
    if head.startswith(b"\x89PNG\r\n\x1a\n") and head[12:16] == b"IHDR" and len(head) >= 24:
        kind, size = "PNG", (int.from_bytes(head[16:20]), int.from_bytes(head[20:24]))
    elif head.startswith((b"GIF87a", b"GIF89a")) and len(head) >= 10:
        kind, size = "GIF", (_little(head, 6), _little(head, 8))
    elif head.startswith(b"\xff\xd8\xff"):
        kind, size = "JPEG", _jpeg_size(head)
    elif head.startswith(b"RIFF") and head[8:12] == b"WEBP" and len(head) >= 30:
        kind, size = "WebP", _webp_size(head)
    return None if size is None or 0 in size else Header(kind, *size)


def _little(head: bytes, at: int, count: int = 2) -> int:
    return int.from_bytes(head[at : at + count], "little")


def _webp_size(head: bytes) -> tuple[int, int] | None:
    """The size of a WebP image, which has three forms: lossy, lossless, and with extensions."""
    match head[12:16]:
        case b"VP8 ":
            return _little(head, 26) & 0x3FFF, _little(head, 28) & 0x3FFF
        case b"VP8L":
            bits = _little(head, 21, 4)
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8X":
            return 1 + _little(head, 24, 3), 1 + _little(head, 27, 3)
    return None


def _jpeg_size(head: bytes) -> tuple[int, int] | None:
    """The size of a JPEG image: it is in the frame header, behind segments of any length."""
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(head[at + 7 : at + 9]), int.from_bytes(head[at + 5 : at + 7])
        if marker == 0xFF:  # a byte that fills up
            at += 1
        else:
            at += 2 + int.from_bytes(head[at + 2 : at + 4])
    return None
