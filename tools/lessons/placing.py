"""Steps in which stones are placed: what each stone of a turn leads to."""

from collections.abc import Sequence
from typing import Any, Final

import engine
from tools.lessons.finding import region
from tools.lessons.frames import FalseLesson, check, frame_of, is_true, noted
from tools.lessons.rows import name_of, place_of, stops, unstoppable
from tools.lessons.source import Notes, Step, Wrong

NEAR: Final = 3
"""On an unbounded board: answers are computed for the cells this near to the window's cells."""
SEEN: Final = 5
"""The same for steps in which any cell is right: all cells that are seen."""
SAFE: Final = 4
"""A region that touches so many blue stones is not captured."""
KNOWN_TO_PAGE: Final = ("occupied", "same-cell", "same-colour")
"""Rules that the page keeps without being told."""
NOTHING_WRONG: Final = Wrong()


class Placing:
    """What follows from each stone of a step in which stones are placed."""

    def __init__(self, step: Step, position: engine.Position) -> None:
        self._step = step
        self._position = position
        self._begun = tuple(step.begun.split())
        self._answers = self._turns()
        canonical = position.game.canonical
        self._accepted = (
            None
            if step.accept == "any"
            else {_unordered(canonical(turn)) for turn in self._answers}
        )

    def _turns(self) -> tuple[str, ...]:
        """The complete turns that are right; none if any turn is."""
        accept = self._step.accept
        if not isinstance(accept, str):
            return accept
        if accept == "any":
            return ()
        stones = {place_of(cell): stone.player for cell, stone in self._position.stones.items()}
        player = self._position.to_play
        if accept == "stops":
            pairs = stops(stones, 3 - player)
        else:
            near = (self._wanted() or set()) - set(self._position.stones)
            pairs = unstoppable(stones, player, set(map(place_of, near)))
        return tuple(",".join(map(name_of, pair)) for pair in pairs)

    def data(self) -> dict[str, Any]:
        """The stones to place, what each leads to, and an answer.

        Raises FalseLesson, engine.EngineError.
        """
        step = self._step
        made: dict[str, Any] = {"stones": step.stones}
        if self._begun:
            made["begun"] = list(self._begun)
        if "other" in step.wrong:
            made |= noted("other", step.wrong["other"].notes)
        node = self._node(self._begun, step.stones)
        for turn in self._answers:
            # An answer that is not legal, or not complete, is a mistake in the source.
            after = self._position.play(turn)
            check(step.id, step.claims, after)
            self._check_safety(after)
        return {**made, "node": node, "solution": self._solution()}

    def _check_safety(self, after: engine.Position) -> None:
        safe = set(self._step.safe.split())
        for turn in after.legal_turns() if safe else ():
            if lost := safe & set(after.play(turn).captured):
                raise FalseLesson(f"{self._step.id}: {turn} captures {lost}")

    def _solution(self) -> list[str]:
        """The steps that the page shows to a person who asks for the answer."""
        if self._accepted is not None:
            steps = self._answers[0].split(",")
            return [each for each in steps if each not in self._begun]
        chosen = list(self._begun)
        for _ in range(self._step.stones):
            legal = self._position.choices(chosen).legal
            bounded = self._position.game.board.is_bounded
            chosen.append(legal[0] if bounded else min(legal, key=self._remoteness))
        return chosen[len(self._begun) :]

    def _remoteness(self, cell: str) -> int:
        """On an unbounded board: how far a cell is from all stones together."""
        q, r = place_of(cell)
        away = [(q - x, r - y) for x, y in map(place_of, self._position.stones)]
        return sum(max(abs(dq), abs(dr), abs(dq + dr)) for dq, dr in away)

    def _node(self, chosen: tuple[str, ...], left: int) -> dict[str, Any]:
        found = self._position.choices(chosen)
        wanted = self._wanted()
        node: dict[str, Any] = {"illegal": self._illegal(found, chosen)}
        if self._accepted is None and not self._changes_more(found, chosen, left):
            return {**node, "any": True}
        legal: dict[str, Any] = {}
        other = self._step.wrong.get("other", Wrong())
        usual = {"say": "", "frames": [], **noted("notes", other.notes)}
        for each in found.legal:
            steps = (*chosen, each)
            if wanted is not None and each not in wanted:
                continue
            if left > 1 and self._leads(steps):
                legal[each] = {"node": self._node(steps, left - 1)}
            elif left == 1 and (leaf := self._leaf(steps)) != usual:
                legal[each] = leaf
        node["legal"] = legal
        return node

    def _changes_more(self, found: engine.Choices, chosen: tuple[str, ...], left: int) -> bool:
        """Whether a stone does more than lie there, or forbids others for the next stone."""
        if left > 1 or self._step.reply:
            return True
        played = (self._position.play(",".join((*chosen, each))) for each in found.legal)
        return any(each.captured or each.marks != self._position.marks for each in played)

    def _wanted(self) -> set[str] | None:
        """On an unbounded board: the cells in and near the window."""
        if self._position.game.board.is_bounded:
            return None
        around = set(self._step.window.split()) | set(self._position.stones)
        near = SEEN if self._step.accept == "any" else NEAR
        return {
            f"{q + dq}:{r + dr}"
            for q, r in (map(int, cell.split(":")) for cell in around)
            for dq in range(-near, near + 1)
            for dr in range(-near, near + 1)
        }

    def _leads(self, steps: tuple[str, ...]) -> bool:
        """Whether an accepted turn has these steps."""
        if self._accepted is None:
            return True
        return any(set(steps) <= set(turn) for turn in self._accepted)

    def _leaf(self, steps: tuple[str, ...]) -> dict[str, Any]:
        turn = ",".join(steps)
        name, wrong = self._reason(steps[-1])
        try:
            after = self._position.play(turn)
        except engine.IllegalTurn:  # only a win makes a turn of one stone
            return {"say": name, "frames": [], **noted("notes", wrong.notes)}
        first = self._framed(after, steps)
        if self._accepted is None or _unordered(after.turns[-1]) in self._accepted:
            return {"right": True, "frames": [first, *self._answered(after, self._step.reply)]}
        if is_true(self._step.claims, after):
            raise FalseLesson(f"{self._step.id}: {turn} is as good as the answers")
        replies = self._answered(after, wrong.reply, wrong)
        if wrong.reply and not replies:
            raise FalseLesson(f"{self._step.id}: no reply to {turn}")
        frames = [first, *replies] if replies or "gone" in first else []
        return {"say": name, "frames": frames, **noted("notes", wrong.notes)}

    def _framed(self, after: engine.Position, steps: tuple[str, ...]) -> dict[str, Any]:
        frame = frame_of(after)
        frame["put"] = [each for each in steps if each not in self._begun]
        return frame

    def _reason(self, step: str) -> tuple[str, Wrong]:
        """The part of the source about a wrong stone, and the end of its text's key."""
        cell = self._position.game.placements(step)[0].cell
        for name, wrong in self._step.wrong.items():
            if name != "other" and {step, cell} & set(wrong.cells.split()):
                return f"_{name}", wrong
        return "", self._step.wrong.get("other", Wrong())

    def _answered(
        self, after: engine.Position, replies: Sequence[str], wrong: Wrong = NOTHING_WRONG
    ) -> list[dict[str, Any]]:
        """The first of some turns that is legal and does what is said about it, as a frame."""
        wanted = set(wrong.captured.split())
        for reply in replies:
            try:
                answered = after.play(reply)
            except engine.IllegalTurn:
                continue
            if wanted <= set(answered.captured) and (not wrong.wins or answered.winner):
                return [frame_of(answered)]
        return []

    def _illegal(self, found: engine.Choices, chosen: tuple[str, ...]) -> dict[str, Any]:
        """The reason for each empty cell that is not allowed."""
        placements, taken = self._position.game.placements, set(self._position.stones)
        illegal: dict[str, Any] = {}
        for step, refusal in found.illegal.items():
            cell = placements(step)[0].cell
            if cell in taken or step in chosen or refusal.rule in KNOWN_TO_PAGE:
                continue
            notes, values = self._shown(refusal.rule, cell, chosen)
            illegal[step] = {"rule": refusal.rule, **noted("notes", notes), **values}
        return illegal

    def _shown(self, rule: str, cell: str, chosen: tuple[str, ...]) -> tuple[Notes, dict[str, Any]]:
        """A picture of a broken rule, and a number for its text."""
        if rule in ("dead-cell", "closed-region"):
            cells, blue = region(self._position, cell)
            if blue >= SAFE:
                raise FalseLesson(f"{self._step.id}: {cell} is not closed in")
            return Notes(bad=" ".join(cells)), {"n": blue}
        if rule == "uninspired-cell":
            return Notes(rays=cell), {}
        return Notes(bad=" ".join((*chosen, cell))), {}


def _unordered(turn: str) -> frozenset[str]:
    return frozenset(turn.split(","))
