"""The server under test, with the library that makes its disk and clock fail."""

import mmap
import os
import pathlib
import shutil
import signal
import sqlite3
import struct
import subprocess
import tempfile

KINDS = ["write", "sync", "truncate", "open", "read"]
FIELDS = ["calls", "from", "count", "error", "delay", "half", "thread"]
BYTES = (len(KINDS) * len(FIELDS) + 1) * 8 + 2 * 65536
FOREVER = 1 << 60


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


class Server:
    """One process after another on the same folder and port."""

    def __init__(self, binary, library, folder, data=None, port=0, arguments=()):
        self.binary, self.library, self.folder = binary, library, pathlib.Path(folder)
        self.data = data or f"{folder}/data"
        self.shadow = f"{folder}/shadow"
        self.port, self.arguments, self.process = port, list(arguments), None
        self.folder.mkdir(parents=True, exist_ok=True)
        self.control = Control(f"{folder}/control")
        self.log_path = f"{folder}/log"

    def start(self, shadow=False):
        """Starts, and waits until it listens. False when it ended instead."""
        environment = dict(os.environ, LD_PRELOAD=self.library, FAULT_ROOT=self.data, FAULT_CONTROL=self.control.path)
        if shadow:
            os.makedirs(self.shadow, exist_ok=True)
            environment["FAULT_SHADOW"] = self.shadow
        with open(self.log_path, "a") as log:
            self.process = subprocess.Popen(
                [self.binary, "serve", "--listen", f"127.0.0.1:{self.port}", "--data", self.data, *self.arguments],
                stdout=subprocess.PIPE, stderr=log, text=True, env=environment)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            self.process.wait()
            self.process.stdout.close()
            return False
        self.port = int(line.rsplit(":", 1)[1])
        return True

    def kill(self):
        return self.stop(signal.SIGKILL)

    def stop(self, number=signal.SIGTERM, seconds=10):
        """The exit code; a server that does not end in time is killed, and the code is None."""
        self.process.send_signal(number)
        try:
            code = self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            code = None
        self.process.stdout.close()
        return code

    def log(self):
        return pathlib.Path(self.log_path).read_text().splitlines()

    def cut_power(self):
        """The process is dead: the content of the disk replaces that of the memory.

        The database stays the same file: another one would count as a copy, and begin a new epoch.
        """
        for name in ("watchwise.db", "watchwise.db-wal", "watchwise.db-shm"):
            held, kept = pathlib.Path(self.data, name), pathlib.Path(self.shadow, name)
            if kept.exists():
                held.write_bytes(kept.read_bytes())
            else:
                held.unlink(missing_ok=True)
        self.control.memory[-2 * 65536:] = bytes(2 * 65536)


def look_into(data):
    """The problems of a stopped server's database, by SQLite's check and by our own."""
    problems = []
    with tempfile.TemporaryDirectory() as copy:
        for file in pathlib.Path(data).glob("watchwise.db*"):
            if not file.name.endswith("-shm"):
                shutil.copy(file, copy)
        database = sqlite3.connect(f"{copy}/watchwise.db")

        def ask(sql):
            return database.execute(sql).fetchall()

        try:
            if ask("PRAGMA integrity_check") != [("ok",)]:
                problems.append("integrity_check")
            if ask("SELECT 1 FROM messages GROUP BY chat HAVING count(*) <> max(n) OR min(n) <> 1"):
                problems.append("numbers with gaps in the database")
            if ask("SELECT 1 FROM messages m JOIN messages o ON m.chat = o.chat AND o.n = m.n + 1 WHERE o.seq <= m.seq"):
                problems.append("numbers and positions disagree")
            if ask("SELECT 1 FROM messages WHERE seq NOT IN (SELECT seq FROM changes)"):
                problems.append("a message without its place in the log")
            if ask("SELECT 1 FROM messages WHERE text IS NOT NULL GROUP BY text HAVING count(*) > 1"):
                problems.append("a message twice")
        except sqlite3.DatabaseError as error:
            problems.append(f"the database cannot be read: {error}")
        database.close()
    return problems
