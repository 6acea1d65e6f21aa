"""Damage to files: bits of a journal's blocks and of a database's pages, files cut short."""

import os
import struct

from cluster_parts.processes import Problem

STREAM = "data/jetstream/$G/streams/WW-watchwise"
#: The Raft logs of a server: of the stream (`S-`), and of what streams there are.
RAFT = "data/jetstream/$SYS/_js_"


def stream_folder(server):
    return server.folder.parent / STREAM


def raft_folder(server, prefix):
    found = sorted(path for path in (server.folder.parent / RAFT).glob(f"{prefix}*") if path.is_dir())
    if not found:
        raise Problem(f"{server.name} has no Raft log {prefix}")
    return found[0]


def blocks(folder):
    """The files of messages, the oldest first."""
    return sorted(folder.glob("msgs/*.blk"), key=lambda path: int(path.stem))


def records(block):
    """(offset, length, sequence) of each record: four bytes length, eight sequence, eight time, subject, headers, message,
    eight checksum."""
    data, place, found = block.read_bytes(), 0, []
    while place + 22 <= len(data):
        length, sequence = struct.unpack_from("<IQ", data, place)
        length &= 0x7FFF_FFFF
        if length < 22 or place + length > len(data):
            break
        found.append((place, length, sequence & 0x3FFF_FFFF_FFFF_FFFF))
        place += length
    return found


def flip(path, offset, bit=2):
    """One bit of a file has the other value from now on."""
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ 1 << bit]))
        file.flush()
        os.fsync(file.fileno())


def flip_record(folder, sequence, in_length=False):
    """Flips a bit of the message with a sequence, or of its length: then a server cannot read on in the block."""
    for block in blocks(folder):
        for offset, length, found in records(block):
            if found == sequence:
                flip(block, offset if in_length else offset + length - 8 - (length - 30) // 3, 4 if in_length else 2)
                return f"{block.name} at {offset} of {block.stat().st_size}"
    raise Problem(f"there is no message {sequence} in {folder}")


def sequences(folder):
    return [sequence for block in blocks(folder) for _, _, sequence in records(block)]


def cut(path, share=0.5):
    """The last part of a file is gone."""
    size = path.stat().st_size
    os.truncate(path, int(size * share))
    return f"{path.name} to {int(size * share)} of {size} bytes"
