"""A small web shop, as HTML pages that change with what is clicked, and the accessibility tree of such a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser

URL = "https://solemates.example"

# article, name, side, size, euros, in stock
SOCKS = (
    ("fox-l", "Fox on moss", "left", "42-44", 4.5, 1),
    ("fox-r", "Fox on moss", "right", "42-44", 4.5, 7),
    ("heron-l", "Heron, standing", "left", "42-44", 5.2, 3),
    ("fox-l-s", "Fox on moss", "left", "38-40", 4.5, 2),
    ("grey-l", "Grey, just grey", "left", "42-44", 2.9, 61),
    ("fox-n", "Fox on moss, night edition", "left", "42-44", 6.9, 4),
)


@dataclass
class Shop:
    """Solemates: single socks, for those who have one left. Or one right."""

    page: str = "/"
    query: str = ""
    side: str = ""
    size: str = ""
    basket: list[str] = field(default_factory=list)
    voucher: str = ""
    notice: str = ""

    @property
    def url(self) -> str:
        return URL + self.page

    def html(self) -> str:
        """The page as it is now."""
        body = {"/": self._home, "/search": self._search, "/basket": self._basket, "/checkout": self._checkout}
        inner = body[self.page]() if self.page in body else self._article(self.page.rsplit("/", 1)[1])
        notice = f'<p role="alert">{escape(self.notice)}</p>' if self.notice else ""
        return (
            "<!doctype html><html><head><title>Solemates: single socks</title></head><body><header>"
            f'<a href="/">Solemates</a><input type="search" aria-label="Search socks" value="{escape(self.query)}">'
            f'<button>Search</button><a href="/basket">Basket ({len(self.basket)})</a></header>{notice}<main>{inner}</main>'
            '<footer><a href="/lost">Report a lost sock</a><a href="/dryer">Why the dryer?</a></footer></body></html>'
        )

    def _home(self) -> str:
        return (
            "<h1>One is missing. We have it.</h1><p>Single socks, left and right, since 2019.</p>"
            "<h2>Missed most this week</h2><ul><li><a>Fox on moss</a></li><li><a>Grey, just grey</a></li></ul>"
        )

    def found(self) -> list[tuple[str, str, str, str, float, int]]:
        return [
            sock
            for sock in SOCKS
            if self.query.lower() in sock[1].lower() and self.side in ("", sock[2]) and self.size in ("", sock[3])
        ]

    def _search(self) -> str:
        rows = "".join(
            f'<li><a href="/sock/{key}">{name} ({side}, {size})</a><span>{price:.2f} €</span>'
            f"<span>{'last one' if stock == 1 else f'{stock} in stock'}</span></li>"
            for key, name, side, size, price, stock in self.found()
        )
        on = {"left": "", "right": "", "42-44": "", "38-40": ""}
        for choice in (self.side, self.size):
            if choice:
                on[choice] = " checked"
        filters = "".join(f'<label><input type="checkbox" aria-label="{c}"{state}></label>' for c, state in on.items())
        return f"<h1>{len(self.found())} socks for “{escape(self.query)}”</h1><fieldset>{filters}</fieldset><ul>{rows}</ul>"

    def _article(self, key: str) -> str:
        _, name, side, size, price, stock = next(sock for sock in SOCKS if sock[0] == key)
        return (
            f"<h1>{name}</h1><img alt='A {side} sock with a fox that looks at you'><p>{side}, size {size}. 80% wool.</p>"
            f"<p>{price:.2f} €</p><p>{'Last one. Somewhere there is a right one, waiting.' if stock == 1 else ''}</p>"
            "<button>Put into basket</button>"
        )

    def _basket(self) -> str:
        socks = [sock for sock in SOCKS if sock[0] in self.basket]
        rows = "".join(
            f"<li><span>1 × {s[1]} ({s[2]}, {s[3]})</span><span>{s[4]:.2f} €</span><button>Remove</button></li>"
            for s in socks
        )
        total = sum(s[4] for s in socks) + 1.4
        return (
            f"<h1>Basket</h1><ul>{rows}</ul><p>Postage 1.40 €</p><p>Total {total:.2f} €</p>"
            f'<input aria-label="Voucher" value="{escape(self.voucher)}"><button>Apply</button><a href="/checkout">To checkout</a>'
        )

    def _checkout(self) -> str:
        return (
            '<h1>Checkout</h1><input aria-label="Name"><input aria-label="Street"><input aria-label="Postcode">'
            "<p>Total 5.90 €</p><button disabled>Pay 5.90 €</button>"
        )


_ROLES = {
    "a": "link", "button": "button", "h1": "heading", "h2": "heading", "ul": "list", "li": "listitem", "main": "main",
    "header": "banner", "footer": "contentinfo", "img": "image", "p": "paragraph", "fieldset": "group", "title": "RootWebArea",
}  # fmt: skip


class _Tree(HTMLParser):
    """Walks a page and writes a line for each element that a screen reader would name."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[list[object]] = []
        self.depth = 0
        self.open: list[tuple[str, bool]] = []
        self.number = 0

    def _line(self, role: str, name: str, extra: str = "") -> None:
        self.number += 1
        self.lines.append([self.depth, self.number, role, name, extra])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "input":
            kind = {"search": "searchbox", "checkbox": "checkbox"}.get(values.get("type") or "", "textbox")
            extra = f" value='{values['value']}'" if values.get("value") else ""
            extra += " checked: true" if "checked" in values else ""
            self._line(kind, values.get("aria-label") or "", extra)
            return
        role = "alert" if values.get("role") == "alert" else _ROLES.get(tag)
        if role:
            self._line(role, values.get("alt") or "", " disabled: True" if "disabled" in values else "")
        if tag == "img":
            return
        self.open.append((tag, role is not None))
        self.depth += role is not None and tag != "title"

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1][0] == tag:
            _, counted = self.open.pop()
            self.depth -= counted and tag != "title"
        if tag == "head":
            self.depth += 1

    def handle_data(self, data: str) -> None:
        text = data.strip()
        if not text:
            return
        if (
            self.lines
            and self.open
            and self.open[-1][1]
            and self.lines[-1][2] in ("link", "button", "heading", "alert", "RootWebArea")
        ):
            self.lines[-1][3] = text
        else:
            self._line("StaticText", text)


def axtree(html: str) -> str:
    """The accessibility tree of a page, a line `[number] role 'name'` for each node, indented by tabs."""
    tree = _Tree()
    tree.feed(html)
    return "\n".join("\t" * int(str(d)) + f"[{n}] {role} '{name}'{extra}" for d, n, role, name, extra in tree.lines)


def node(tree: str, role: str, name: str) -> str:
    """The number of the first node of a role whose name begins so."""
    for line in tree.splitlines():
        number, rest = line.strip().split("] ", 1)
        if rest.startswith(f"{role} '{name}"):
            return number[1:]
    raise LookupError(f"{role} {name!r} in\n{tree}")
