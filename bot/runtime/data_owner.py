"""Access to a data folder with the rights of its owner, for commands that root runs.

Problem. The data of a service belong to its user, who may be under an attacker's control, and root
saves and restores them. A link from there to `/etc/shadow` would let root read that file for this
user, and a folder that becomes a link in the middle of a restore would let root write anywhere.

Idea. Within a block, the process has the effective user and groups of the folder's owner, and the
folder is its root directory. So it can do nothing that the owner could not do, and no link leads
out of the folder, whatever changes meanwhile. What root opened before stays open: a copy is read
inside and written outside, or the other way round.

Rejected:

- Looking at each path before it is opened: the owner can exchange a folder in between.
- `O_NOFOLLOW` alone: SQLite opens its files by itself, by their paths.
- Only another user, without another root: a service's folder may be in one that its user cannot
  enter from outside, as `/var/lib/private` of systemd's dynamic users.
- A process of its own that gives up root for good: the backups belong to root, and stay out of
  reach of the service.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from bot.errors import HostError

ROOT: Final = 0
ROOT_FOLDER: Final = "/"
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY


@contextmanager
def rights_of_owner(folder: Path) -> Iterator[Path]:
    """Act as the owner of an existing folder for the block, which gets the folder's path inside it.

    If the caller owns the folder, nothing changes. All threads of the process are concerned, so
    only a command that has no other work may use this. Modules that the block needs must have been
    imported.

    Raises HostError if the caller is neither root nor the owner, or if root may not do this here.
    """
    with ExitStack() as stack:
        opened = _opened(stack, folder)
        owner = os.fstat(opened)
        caller = os.geteuid()
        if caller == owner.st_uid:
            yield folder
            return
        if caller != ROOT:
            raise HostError(
                f"{folder}: it belongs to user {owner.st_uid}; run this as that user or as root"
            )
        outside, here = _opened(stack, Path(ROOT_FOLDER)), _opened(stack, Path.cwd())
        groups, group = os.getgroups(), os.getegid()
        try:
            os.fchdir(opened)
            os.chroot(".")
            os.setgroups([])
            os.setegid(owner.st_gid)
            os.seteuid(owner.st_uid)
            yield Path(ROOT_FOLDER)
        except PermissionError as error:
            if os.geteuid() != ROOT:
                raise
            why = "root may not act for the owner here"
            raise HostError(f"{folder}: {why}; run this as user {owner.st_uid}") from error
        finally:
            os.seteuid(ROOT)
            os.setegid(group)
            os.setgroups(groups)
            os.fchdir(outside)
            os.chroot(".")
            os.fchdir(here)


def _opened(stack: ExitStack, folder: Path) -> int:
    try:
        descriptor = os.open(folder, _FOLDER)
    except PermissionError as error:
        raise HostError(f"{folder}: it cannot be read; run this as its owner") from error
    stack.callback(os.close, descriptor)
    return descriptor
