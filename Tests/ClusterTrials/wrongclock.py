"""The wall clock of a process, which can be set while it runs (clock.c)."""

import mmap
import pathlib
import struct
import subprocess


def compile_library(folder):
    """The library's path; an error of the compiler ends the run."""
    source = pathlib.Path(__file__).with_name("clock.c")
    subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", f"{folder}/clock.so", source,
                    "-ldl"], check=True)
    return f"{folder}/clock.so"


class Clock:
    def __init__(self, path):
        self.path = path
        pathlib.Path(path).write_bytes(bytes(8))
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 8)

    def set(self, seconds):
        """From now on it is so many seconds ahead, or behind."""
        struct.pack_into("<q", self.memory, 0, seconds)
