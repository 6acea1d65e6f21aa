"""Runs commands side by side, as many as the processors bear."""

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time

# How many processors jobs may keep busy, where nothing else is said: more than there are, since many wait.
PROCESSORS = (os.cpu_count() or 2) * 1.75


@dataclasses.dataclass
class Job:
    """A command with the processors that it keeps busy; `alone` waits until nothing else runs."""

    name: str
    command: list
    log: str
    processors: float = 1
    alone: bool = False
    limit: int = 900
    environment: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Ended:
    """What became of a job. `cpu` counts its children, too."""

    job: Job
    status: int
    seconds: float
    cpu: float
    is_late: bool = False


class Running:
    """A job under way, with a process group of its own, so that it ends with all of its children."""

    def __init__(self, job):
        self.job, self.began, self.is_late = job, time.monotonic(), False
        self.log = open(job.log, "wb")
        self.process = subprocess.Popen(job.command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT,
                                        start_new_session=True, env={**os.environ, **job.environment})

    def kill(self, number):
        """Sends a signal to the whole group."""
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def wait(self):
        """Waits for the end; a job that takes longer than its limit is stopped."""
        timer = threading.Timer(self.job.limit, self.stop)
        timer.daemon = True
        timer.start()
        _, status, used = os.wait4(self.process.pid, 0)
        timer.cancel()
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.kill(signal.SIGKILL)
        self.log.close()
        return Ended(self.job, self.process.returncode, time.monotonic() - self.began, used.ru_utime + used.ru_stime,
                     self.is_late)

    def stop(self):
        """Ends a job that takes too long: first so that it may tell why, ten seconds later at once."""
        self.is_late = True
        self.kill(signal.SIGTERM)
        killer = threading.Timer(10, self.kill, [signal.SIGKILL])
        killer.daemon = True
        killer.start()


class Scheduler:
    """Begins jobs in their order as soon as there is room."""

    # The one that runs jobs now.
    current = None

    def __init__(self, processors, ended):
        self.room, self.ended = processors, ended
        self.lock, self.running = threading.Condition(), {}
        self.is_ending = False

    @classmethod
    def end(cls, *_):
        """Handles SIGTERM: ends the program with all of its jobs. One that is being started is waited for, so that it ends, too."""
        if cls.current is None:
            sys.exit(143)
        cls.current.is_ending = True

    def run(self, jobs):
        """Returns when all have ended; `ended` was called for each, one at a time."""
        waiting = list(jobs)
        Scheduler.current = self
        with self.lock:
            try:
                while waiting or self.running:
                    if self.is_ending:
                        sys.exit(143)
                    job = next((job for job in waiting if self.fits(job, waiting)), None)
                    if job is None:
                        self.lock.wait(0.5)
                        continue
                    waiting.remove(job)
                    self.running[job.name] = Running(job)
                    threading.Thread(target=self.follow, args=[self.running[job.name]], daemon=True).start()
            except BaseException:
                for running in self.running.values():
                    running.kill(signal.SIGKILL)
                raise
            finally:
                Scheduler.current = None

    def fits(self, job, waiting):
        """Whether it may begin now."""
        if not self.running:
            # What is alone comes last: everything else must have begun.
            return not job.alone or all(other.alone for other in waiting)
        if job.alone or any(running.job.alone for running in self.running.values()):
            return False
        return sum(running.job.processors for running in self.running.values()) + job.processors <= self.room

    def follow(self, running):
        """Waits for a job, in a thread of its own."""
        ended = running.wait()
        with self.lock:
            del self.running[running.job.name]
            self.ended(ended)
            self.lock.notify_all()
