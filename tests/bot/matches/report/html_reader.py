"""A strict reader of HTML: markup that is not well-formed fails."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "hr", "img", "input"}


@dataclass
class Element:
    name: str
    attributes: dict[str, str]
    children: list["Element"] = field(default_factory=list)
    text: str = ""

    def all(self, name: str) -> list["Element"]:
        """Every element of that name below, in order."""
        found = []
        for child in self.children:
            found += [child] if child.name == name else []
            found += child.all(name)
        return found

    @property
    def everything(self) -> list["Element"]:
        return [each for child in self.children for each in (child, *child.everything)]

    @property
    def words(self) -> str:
        """Its own text and the texts below, not in the order of the page."""
        return " ".join([self.text, *(child.words for child in self.children)])


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("document", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute twice: {attrs}"
        made = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].name == tag, f"</{tag}> closes <{self.open[-1].name}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].text += data


def read_html(text: str) -> Element:
    """The document. Fails if tags do not close each other."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == [reader.root], "not all is closed"
    return reader.root
