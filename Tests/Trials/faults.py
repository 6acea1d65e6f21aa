"""Faults that several trials make: cut connections, and disks and clocks that a library in the server's process makes fail."""

import mmap
import pathlib
import socket
import struct
import subprocess
import threading

from .server import Server

KINDS = ["write", "sync", "truncate", "open", "read"]
FIELDS = ["calls", "from", "count", "error", "delay", "half", "thread"]
BYTES = (len(KINDS) * len(FIELDS) + 1) * 8 + 2 * 65536
FOREVER = 1 << 60


class Relay:
    """Passes connections on to a port, until they are cut."""

    def __init__(self, target):
        self.target, self.open, self.cuts, self.lock = target, set(), 0, threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            try:
                far = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                near.close()
                continue
            with self.lock:
                self.open |= {near, far}
            for pair in ((near, far), (far, near)):
                threading.Thread(target=self.move, args=pair, daemon=True).start()

    def move(self, source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        with self.lock:
            self.open -= {source, target}
        for one in (source, target):
            self.shut(one)

    @staticmethod
    def shut(one):
        """Whether it was still open."""
        try:
            one.shutdown(socket.SHUT_RDWR)
            return True
        except OSError:
            return False

    def cut(self):
        with self.lock:
            self.cuts += sum(self.shut(one) for one in self.open)


def compile_library(folder):
    """The library's path; an error of the compiler ends the run."""
    source = pathlib.Path(__file__).with_name("faults.c")
    subprocess.run(
        ["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", f"{folder}/faults.so", source, "-ldl"],
        check=True)
    return f"{folder}/faults.so"


class Control:
    """The rules by which calls fail, shared with the server."""

    def __init__(self, path):
        self.path = path
        with open(path, "wb") as file:
            file.truncate(BYTES)
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), BYTES)

    def _place(self, kind, field):
        return (KINDS.index(kind) * len(FIELDS) + FIELDS.index(field)) * 8

    def get(self, kind, field):
        return struct.unpack_from("<q", self.memory, self._place(kind, field))[0]

    def set(self, kind, field, value):
        struct.pack_into("<q", self.memory, self._place(kind, field), value)

    def fail(self, kind, error, nth=1, count=FOREVER, half=False, thread=""):
        """Makes the nth call from now and later ones fail; with `thread`, only calls of threads with that name count.

        Returns its number.
        """
        self.set(kind, "thread", int.from_bytes(thread.encode()[:8], "little"))
        self.set(kind, "error", error)
        self.set(kind, "count", count)
        self.set(kind, "half", int(half))
        first = self.get(kind, "calls") + nth
        self.set(kind, "from", first)
        return first

    def slow(self, kind, seconds):
        self.set(kind, "delay", int(seconds * 1e6))

    def clear(self):
        for kind in KINDS:
            self.set(kind, "from", 0)
            self.set(kind, "delay", 0)
            self.set(kind, "thread", 0)

    def clock(self, seconds):
        struct.pack_into("<q", self.memory, len(KINDS) * len(FIELDS) * 8, seconds)


class FaultyServer(Server):
    """A server whose disk fails, and whose wall clock is wrong, when its `control` says so."""

    def __init__(self, binary, data, library, *options, log=None):
        super().__init__(binary, data, *options, log=log)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.control, self.shadow = Control(f"{self.log}.control"), pathlib.Path(f"{self.log}.shadow")
        self.environment = {"LD_PRELOAD": library, "FAULT_ROOT": str(self.data), "FAULT_CONTROL": self.control.path}

    def keep_shadow(self):
        """From the next start on, keeps what is safely on the disk, for `cut_power`."""
        self.shadow.mkdir(exist_ok=True)
        self.environment["FAULT_SHADOW"] = str(self.shadow)

    def cut_power(self):
        """The process is dead: the content of the disk replaces that of the memory.

        The database stays the same file: another one would count as a copy, and begin a new epoch.
        """
        for name in ("watchwise.db", "watchwise.db-wal", "watchwise.db-shm"):
            held, kept = self.data / name, self.shadow / name
            if kept.exists():
                held.write_bytes(kept.read_bytes())
            else:
                held.unlink(missing_ok=True)
        self.control.memory[-2 * 65536:] = bytes(2 * 65536)
