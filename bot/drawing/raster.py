"""Drawings as PNG and GIF, made by a program of its own.

Rendering a drawing takes a tenth of a second, during which the renderer holds the interpreter's
lock. So a server runs this module as a child process (`python -m bot.drawing.raster`), with a
low priority, and asks it over its stdin and stdout. A request is the length of a JSON document
in four bytes and the document (`Picture`); an answer is one byte, 1 if the picture could be made,
the length in four bytes, and the picture or the reason.

Drawings with texts need a font. The pictures have none, so no font is loaded.
"""

import io
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, BinaryIO, Final

import orjson

if TYPE_CHECKING:
    from PIL import Image

SIZES: Final = range(64, 1201)
"""The widths in pixels that a picture may have."""
CARD: Final = (1200, 630)
"""Width and height of the pictures that other sites show beside a link."""
CARD_MARGIN: Final = 30
GROUND: Final = "#f3f6fb"
"""The colour around the board where a picture cannot be transparent."""
COLOURS: Final = 256
LOW_PRIORITY: Final = 10
MOST_BYTES: Final = 64_000_000


@dataclass(frozen=True)
class Picture:
    """What is asked for: the drawings of one PNG, or of the frames of a GIF.

    `width` is in pixels. `is_card`: on a ground of `CARD` instead. Each frame is shown for
    `frame_ms`, the last one for `last_ms`.
    """

    drawings: tuple[str, ...]
    width: int
    is_card: bool = False
    is_animated: bool = False
    frame_ms: int = 700
    last_ms: int = 4000

    def encoded(self) -> bytes:
        """The request for the program, with its length."""
        return with_length(orjson.dumps(asdict(self)))


def with_length(body: bytes) -> bytes:
    """A document after its length in four bytes."""
    return len(body).to_bytes(4, "big") + body


def rendered(picture: Picture) -> bytes:
    """The PNG or GIF. Raises ValueError if a drawing is not valid SVG."""
    from PIL import Image
    from resvg_py import svg_to_bytes

    def image(drawing: str, width: int | None, height: int | None = None) -> Image.Image:
        data = svg_to_bytes(svg_string=drawing, width=width, height=height, skip_system_fonts=True)
        return Image.open(io.BytesIO(data)).convert("RGBA")

    out = io.BytesIO()
    if picture.is_animated:
        frames = [_on_ground(image(each, picture.width)) for each in picture.drawings]
        _save_animation(frames, picture, out)
    elif picture.is_card:
        wide, high = CARD
        board = image(picture.drawings[0], None, high - 2 * CARD_MARGIN)
        ground = Image.new("RGBA", CARD, GROUND)
        ground.alpha_composite(board, ((wide - board.width) // 2, (high - board.height) // 2))
        _reduced(ground).save(out, "PNG", optimize=True)
    else:
        _reduced(image(picture.drawings[0], picture.width)).save(out, "PNG", optimize=True)
    return out.getvalue()


def _reduced(image: "Image.Image") -> "Image.Image":
    """The image with few colours: a quarter of the bytes, and no difference that can be seen."""
    from PIL import Image

    return image.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)


def _on_ground(image: "Image.Image") -> "Image.Image":
    from PIL import Image

    ground = Image.new("RGBA", image.size, GROUND)
    ground.alpha_composite(image)
    return ground.convert("RGB")


def _save_animation(frames: "Sequence[Image.Image]", picture: Picture, out: BinaryIO) -> None:
    from PIL import Image

    # The last frame has stones of all kinds: its colours serve for all frames.
    palette = frames[-1].quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    reduced = [
        frame.quantize(COLOURS, palette=palette, dither=Image.Dither.NONE) for frame in frames
    ]
    times = [*[picture.frame_ms] * (len(frames) - 1), picture.last_ms]
    reduced[0].save(
        out, "GIF", save_all=True, append_images=reduced[1:], duration=times, loop=0, disposal=1
    )


def main(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until the input ends."""
    while len(head := requests.read(4)) == 4:
        length = int.from_bytes(head, "big")
        if length > MOST_BYTES or len(body := requests.read(length)) < length:
            return
        try:
            asked = orjson.loads(body)
            picture = Picture(**{**asked, "drawings": tuple(asked["drawings"])})
            ok, answer = b"\1", rendered(picture)
        except (ValueError, TypeError, OSError) as error:
            ok, answer = b"\0", str(error).encode()
        answers.write(ok + with_length(answer))
        answers.flush()


if __name__ == "__main__":
    from bot.runtime.children import end_with

    end_with(os.getppid())
    os.nice(LOW_PRIORITY)
    main(sys.stdin.buffer, sys.stdout.buffer)
