"""Links and images of the pages lead to files and headings that exist."""

from pathlib import Path

import pytest

from tests.docs.pages import LINKED, anchors, broken_links


@pytest.mark.parametrize("page", LINKED, ids=lambda page: page.name)
def test_every_relative_link_and_anchor_exists(page: Path) -> None:
    assert broken_links(page) == []


def test_anchors_follow_the_rule_of_github() -> None:
    text = "# A `b_c`: what's new?\n## [Old](x.md#y) -- too\n### Old\n### Old\n"
    assert anchors(text) == {"a-b_c-whats-new", "old----too", "old", "old-1"}


def test_a_missing_file_or_anchor_is_reported(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Here\n[a](#here) [b](page.md#here) [c](#gone) [d](page.md#gone) [e](gone.md)\n"
        "```\n# Fenced\n```\n[f](#fenced) [g](https://example.org/#x)\n",
        encoding="utf-8",
    )
    assert broken_links(page) == ["#gone", "page.md#gone", "gone.md", "#fenced"]
