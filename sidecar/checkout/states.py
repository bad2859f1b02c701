"""Print the states of listed files, as a process of its own: the threads of a server go on meanwhile.

It reads (folder, names) pairs and prints the seconds that it took, and for each pair the folder's stamp and the marks
of its files; 0 stands for what is not a regular file. Started with `-I -S`, it imports no other module of ours.
"""

import json
import os
import stat
import sys
import time

SIZE_BITS = 40  # the lower bits of a mark, which hold the file's size


def mark_of(status: os.stat_result) -> int:
    mtime_ns, ctime_ns = status.st_mtime_ns, status.st_ctime_ns
    return ((mtime_ns if mtime_ns > ctime_ns else ctime_ns) << SIZE_BITS) + status.st_size


def mark_at(path: str) -> int:
    try:
        status = os.lstat(path)
    except OSError:
        return 0
    return mark_of(status) if stat.S_ISREG(status.st_mode) else 0


def stamp_at(path: str) -> tuple[int, int, int] | None:
    """Return what changes with the entries of a folder."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def main() -> None:
    states = []
    for folder, names in json.load(sys.stdin.buffer):
        prefix = f"{folder}/" if folder else ""
        states.append((stamp_at(folder or "."), [mark_at(prefix + name) for name in names]))
    json.dump((time.process_time(), states), sys.stdout)


if __name__ == "__main__":
    main()
