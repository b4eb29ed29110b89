"""Modules that our linker makes do what the object files say."""

import base64
import json
from typing import Any, Final

import pytest
from llvmlite import binding

from tests.page.scripts import run_deno
from tools.ahead.targets import WEB
from tools.ahead.web_linker import STACK, LinkError, link_module

_llvm: Final[Any] = binding

HEADER = 'target triple = "wasm32-unknown-unknown"\n'
ADDRESSES = """
@squares = internal constant [4 x i32] [i32 0, i32 1, i32 4, i32 9]
@roots = internal constant [3 x i32] [i32 7, i32 8, i32 9]
@last = internal constant ptr getelementptr (i32, ptr @roots, i32 2)
declare i32 @clock_gettime(i32, ptr)
define internal i32 @hidden(ptr %place) noinline { %a = load volatile i32, ptr %place
  ret i32 %a }
define i32 @square(i32 %number) {
  %place = getelementptr i32, ptr @squares, i32 %number
  %found = call i32 @hidden(ptr %place)
  ret i32 %found }
define i32 @root() {
  %place = load volatile ptr, ptr @last
  %found = load volatile i32, ptr %place
  ret i32 %found }
define i32 @now() {
  %place = alloca i32
  %ignored = call i32 @clock_gettime(i32 1, ptr %place)
  %found = load volatile i32, ptr %place
  ret i32 %found }
"""
SCRIPT = """
const bytes = Uint8Array.from(atob("{code}"), (letter) => letter.charCodeAt(0));
const module = new WebAssembly.Module(bytes);
const clock_gettime = (_, place) => {{ new Int32Array(found.memory.buffer)[place / 4] = 5; }};
const found = new WebAssembly.Instance(module, {{ env: {{ clock_gettime }} }}).exports;
console.log(JSON.stringify([
  found.square(3), found.root(), found.now(), found.__heap_base.value, Object.keys(found).sort(),
]));
"""


def object_file(text: str) -> bytes:
    _llvm.initialize_all_targets()
    _llvm.initialize_all_asmprinters()
    machine = _llvm.Target.from_triple(WEB.triple).create_target_machine(
        cpu=WEB.cpu, features=WEB.features, opt=1, reloc=WEB.relocation
    )
    return bytes(machine.emit_object(_llvm.parse_assembly(HEADER + text)))


def test_addresses_of_data_calls_imports_and_the_stack_are_right() -> None:
    code = base64.b64encode(link_module(object_file(ADDRESSES))).decode()
    done = run_deno("eval", SCRIPT.format(code=code))
    assert done.returncode == 0, done.stderr
    square, root, now, heap, names = json.loads(done.stdout)
    assert (square, root, now) == (9, 9, 5)
    assert STACK < heap < 2 * STACK
    assert heap % 16 == 0
    assert names == ["__heap_base", "memory", "now", "root", "square"]


def test_the_code_has_no_padded_numbers() -> None:
    code = object_file(ADDRESSES)
    assert len(link_module(code)) < len(code) / 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            (
                "@other = external global i32\n"
                "define i32 @read() { ret i32 ptrtoint (ptr @other to i32) }"
            ),
            "other has no address",
        ),
        ("define i32 @f() { ret i32 ptrtoint (ptr @f to i32) }", "it has sections"),
    ],
    ids=["data of another object", "the address of a function"],
)
def test_what_it_does_not_know_is_refused(text: str, message: str) -> None:
    with pytest.raises(LinkError, match=message):
        link_module(object_file(text))


def test_another_file_is_refused() -> None:
    with pytest.raises(LinkError, match="no object file"):
        link_module(b"\x7fELF" + bytes(20))
