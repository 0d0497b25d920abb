"""What is found out about an image without decoding it, and which files an image may be read from."""

from __future__ import annotations

import os
from base64 import b64encode, urlsafe_b64encode
from pathlib import Path

import pytest

from trajview.models import images
from trajview.models.images import Header, ImageError, bytes_of, header_of, look_at, path_of

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (640).to_bytes(4) + (400).to_bytes(4) + b"\x08\x02\0\0\0"
GIF = b"GIF89a" + (3).to_bytes(2, "little") + (500).to_bytes(2, "little")
JPEG = (
    b"\xff\xd8\xff\xe0\0\x10" + b"JFIF" + b"\0" * 10 + b"\xff\xff\xc2\0\x11\x08" + (90).to_bytes(2) + (160).to_bytes(2)
)
LOSSY = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0" + b"\0\0\0\x9d\x01\x2a" + b"\x40\x01" + b"\xc8\x00"
LOSSLESS = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + (319 | 199 << 14).to_bytes(4, "little") + b"\0" * 8
EXTENDED = b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0" + b"\x3f\x01\0" + b"\xc7\0\0"


def url(data: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{b64encode(data).decode()}"


@pytest.mark.parametrize(
    ("head", "header"),
    [
        (PNG, Header("PNG", 640, 400)),
        (GIF, Header("GIF", 3, 500)),
        (JPEG, Header("JPEG", 160, 90)),
        (LOSSY, Header("WebP", 320, 200)),
        (LOSSLESS, Header("WebP", 320, 200)),
        (EXTENDED, Header("WebP", 320, 200)),
    ],
    ids=lambda value: value.kind if isinstance(value, Header) else "",
)
def test_the_header_says_kind_and_size_whatever_the_data_url_claims(head: bytes, header: Header) -> None:
    assert header_of(head) == header
    assert look_at(url(head, "image/*"), None).header == header
    assert all(header_of(head[:end]) in (None, header) for end in range(len(head)))


@pytest.mark.parametrize("data", [b"", b"<svg/>", b"GIF89a\0\0\0\0\0", PNG[:16] + b"\0" * 13, b"\xff\xd8\xff\xd9" * 9])
def test_what_is_no_picture_or_has_no_pixels_is_none(data: bytes) -> None:
    assert header_of(data) is None
    with pytest.raises(ImageError, match="not a PNG"):
        look_at(url(data), None)


def test_a_payload_may_be_url_safe_broken_into_lines_and_cut_off() -> None:
    data = PNG + bytes(range(256))
    text = urlsafe_b64encode(data).decode()
    lines = "\r\n".join(text[at : at + 76] for at in range(0, len(text), 76))
    assert bytes_of(f"data:image/png;base64,{lines}", None) == data
    assert bytes_of(f"data:image/png;base64,{text[:60]}…", None) == data[:45]
    assert bytes_of(f"data:image/png;base64,{text[:61]}", None) == data[:45]


def test_too_much_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "MOST_BYTES", 1 << 20)
    huge = url(PNG) + "A" * (2 << 20)
    assert look_at(huge, None).header.kind == "PNG"
    with pytest.raises(ImageError, match="larger than 1 MB"):
        bytes_of(huge, None)


@pytest.mark.parametrize("target", ["data:image/png,abc", "data:", "data:image/png;base64" + "," * 2_000])
def test_a_data_url_that_is_none_has_no_image(target: str) -> None:
    with pytest.raises(ImageError):
        look_at(target, None)


def test_a_path_leads_to_a_file_below_the_folder_of_the_log_and_nowhere_else(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    (folder / "shots").mkdir(parents=True)
    for path in (folder / "shots" / "a b.png", tmp_path / "secret.png"):
        path.write_bytes(PNG)
    (folder / "out.png").symlink_to(tmp_path / "secret.png")
    (folder / "loop.png").symlink_to(folder / "loop.png")
    os.mkfifo(folder / "pipe.png")
    inside = folder / "shots" / "a b.png"
    for target in ("shots/a b.png", str(inside), f"file://{folder}/shots/a%20b.png", "./shots/../shots/a b.png"):
        assert path_of(target, folder) == inside
        assert bytes_of(target, folder) == PNG
    for target in (
        "../secret.png", str(tmp_path / "secret.png"), "out.png", "loop.png", "pipe.png", "shots", "", "no.png", "a\0b", "x" * 5_000,
        "https://example.org/a.png", "http://localhost/a.png", "ftp://example.org/a.png", "javascript:alert(1)", "~/a.png",
    ):  # fmt: skip
        with pytest.raises(ImageError, match="not beside the log"):
            look_at(target, folder)
    with pytest.raises(ImageError, match="not beside the log"):
        look_at("shots/a b.png", None)
