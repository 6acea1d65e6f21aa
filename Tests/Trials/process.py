"""A process of a trial, which can be started again in the same place, and what the kernel knows of it."""

import atexit
import os
import pathlib
import resource
import signal
import subprocess


class Problem(RuntimeError):
    """Why something cannot be done; a sentence for people."""


class Process:
    """A process that is killed, stopped, frozen and started again. What is still running at the end of the trial is killed."""

    living = set()

    def __init__(self, name, log):
        self.name, self.log = name, pathlib.Path(log)
        self.process, self.is_frozen = None, False
        #: What stands before the command, variables beside those of the trial, and more arguments of `Popen`.
        self.wrap, self.environment, self.making = [], {}, {}
        #: Where its standard error goes instead of the log, as `Popen` takes it.
        self.errors = None

    def command_line(self):
        """The program and its arguments."""
        raise NotImplementedError

    def launch(self, stdout=None):
        """Starts it. Without `stdout`, what it prints goes to the log."""
        if self.is_running:
            raise Problem(f"{self.name} runs already")
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [str(word) for word in (*self.wrap, *self.command_line())], stdin=subprocess.DEVNULL, stdout=stdout or log,
                stderr=self.errors or log, env={**os.environ, **self.environment}, **self.making)
        self.is_frozen = False
        Process.living.add(self)

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    @property
    def pid(self):
        return self.process.pid if self.is_running else None

    def send(self, number):
        if not self.is_running:
            raise Problem(f"{self.name} does not run")
        self.process.send_signal(number)

    def kill(self):
        """Ends it as a loss of its power does, except that the kernel still writes its files."""
        self.send(signal.SIGKILL)
        self.process.wait()
        self.is_frozen = False
        Process.living.discard(self)

    def stop(self, patience=60):
        """Asks it to end. Returns its exit status, or None if it had to be killed."""
        self.thaw()
        self.send(signal.SIGTERM)
        try:
            code = self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.kill()
            return None
        Process.living.discard(self)
        return code

    def freeze(self):
        self.send(signal.SIGSTOP)
        self.is_frozen = True

    def thaw(self):
        if self.is_running:
            self.send(signal.SIGCONT)
        self.is_frozen = False

    def end(self):
        """Ends it in any state."""
        if self.is_running:
            self.kill()
        Process.living.discard(self)

    @classmethod
    def end_all(cls):
        for one in list(cls.living):
            one.end()

    def limit_descriptors(self, soft, hard):
        resource.prlimit(self.pid, resource.RLIMIT_NOFILE, (soft, hard))

    # What is known of it.

    def lines(self):
        """The lines of its log."""
        return self.log.read_text(errors="replace").splitlines() if self.log.exists() else []

    def last_words(self, count=3):
        return "\n".join([line for line in self.lines() if line.strip()][-count:])[-900:] or "it wrote nothing"

    def cpu_seconds(self):
        """The seconds of processors that it has used."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def cpu_nanoseconds(self):
        """The same of the threads that still are, by the scheduler's clock."""
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)

    def resident(self):
        """The bytes of memory that it has."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next((int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:")), 0)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


atexit.register(Process.end_all)
