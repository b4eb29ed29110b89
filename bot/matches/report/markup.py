"""Builds HTML as text. All texts and attributes are escaped, except values of type `Html`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

MINUS = "\u2212"


class Html(str):
    """Markup that is safe to put into a page as it is."""

    __slots__ = ()


def escaped(text: object) -> Html:
    """The text with HTML escapes; `Html` stays as it is."""
    return text if isinstance(text, Html) else Html(escape(str(text)))


def joined(parts: Iterable[object], separator: str = "") -> Html:
    return Html(separator.join(escaped(part) for part in parts))


def tag(name: str, *content: object, **attributes: object) -> Html:
    """An element with its content.

    The attribute `css` is the class. Underscores in names become hyphens. Attributes that are None
    or False are left out.
    """
    return Html(f"<{name}{_attributes(attributes)}>{joined(content)}</{name}>")


def link(target: str, *content: object, **attributes: object) -> Html:
    """A link to an id in the page."""
    return tag("a", *content, href=f"#{target}", **attributes)


def _attributes(attributes: dict[str, object]) -> str:
    return "".join(
        f' {_attribute_name(name)}="{escape("" if value is True else str(value))}"'
        for name, value in attributes.items()
        if value is not None and value is not False
    )


def _attribute_name(name: str) -> str:
    return "class" if name == "css" else name.rstrip("_").replace("_", "-")


@dataclass(frozen=True)
class Column:
    """A column of a table. Numbers are aligned right; `title` explains a short head."""

    head: object
    is_number: bool = False
    title: str | None = None


def table(
    caption: str,
    columns: Sequence[Column],
    rows: Iterable[Sequence[object]],
    *,
    heads: int = 1,
    is_titled: bool = False,
) -> Html:
    """A table in a box that scrolls. The first `heads` cells of a row are headings.

    With `is_titled` a heading above says the same as the caption, so the caption is visible to
    screen readers only.
    """
    top = joined(_head(column) for column in columns)
    body = joined(_row(row, columns, heads) for row in rows)
    made = tag(
        "table",
        tag("caption", caption, css="hidden-visually" if is_titled else None),
        tag("thead", tag("tr", top)),
        tag("tbody", body),
    )
    return tag("div", made, css="wide", tabindex="0", role="region", aria_label=f"Table: {caption}")


def _head(column: Column) -> Html:
    css = "number" if column.is_number else None
    return tag("th", column.head, scope="col", css=css, title=column.title)


def _row(row: Sequence[object], columns: Sequence[Column], heads: int) -> Html:
    cells = zip(row, columns, strict=True)
    return tag("tr", *(_cell(place < heads, *cell) for place, cell in enumerate(cells)))


def _cell(is_head: bool, content: object, column: Column) -> Html:
    css = "number" if column.is_number else None
    return tag("th", content, scope="row", css=css) if is_head else tag("td", content, css=css)


def section(name: str, title: str, *content: object) -> Html:
    """A section of the page with a heading; empty if all of its content is empty."""
    if not any(content):
        return Html("")
    heading = tag("h2", title, id=f"{name}-title")
    return tag("section", heading, *content, id=name, aria_labelledby=f"{name}-title")


def listed(items: Iterable[object], *, css: str | None = None) -> Html:
    """A list; empty without items."""
    made = [tag("li", item) for item in items]
    return tag("ul", *made, css=css) if made else Html("")
