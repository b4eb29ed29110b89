"""A reader for the grammar of SGF FF[4], written from the specification alone.

Collection = GameTree+, GameTree = "(" Node+ GameTree* ")", Node = ";" Property*,
Property = UcLetter+ ("[" Value "]")+.
"""

import re
from dataclasses import dataclass

Node = dict[str, list[str]]


@dataclass
class _Reader:
    text: str
    at: int = 0

    def skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def ahead(self, symbol: str) -> bool:
        self.skip()
        return self.text.startswith(symbol, self.at)

    def take(self, symbol: str) -> None:
        assert self.ahead(symbol), (
            f"{symbol!r} expected at {self.at}: {self.text[self.at :][:20]!r}"
        )
        self.at += len(symbol)

    def tree(self) -> list[Node]:
        self.take("(")
        nodes = [self.node()]
        while self.ahead(";"):
            nodes.append(self.node())
        self.take(")")
        return nodes

    def node(self) -> Node:
        self.take(";")
        properties: Node = {}
        while match := re.compile(r"\s*([A-Z]+)").match(self.text, self.at):
            self.at = match.end()
            assert match[1] not in properties, f"{match[1]} twice in a node"
            properties[match[1]] = [self.value()]
            while self.ahead("["):
                properties[match[1]].append(self.value())
        return properties

    def value(self) -> str:
        self.take("[")
        characters = []
        while self.text[self.at] != "]":
            if self.text[self.at] == "\\":
                self.at += 1
            characters.append(self.text[self.at])
            self.at += 1
        self.at += 1
        return "".join(characters)


def read_sgf(text: str) -> list[list[Node]]:
    """The games of a collection, each as its main line of nodes; AssertionError if it is none."""
    reader = _Reader(text)
    games = []
    while reader.ahead("("):
        games.append(reader.tree())
    assert reader.at == len(text), "something follows the last game"
    return games
