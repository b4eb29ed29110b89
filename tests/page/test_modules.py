"""The tests of the page's modules that are written in JavaScript: `*_test.js` in this folder."""

from tests.page.scripts import FOLDER, run_deno


def test_the_tests_in_javascript_pass() -> None:
    done = run_deno("test", "--allow-read", str(FOLDER))
    assert done.returncode == 0, done.stdout + done.stderr
