"""The verdict of a trial: its checks, what it prints of them, and the last line, "N passed, M failed"."""

import argparse
import pathlib
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback

from . import skips
from .process import Problem, Process

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Arguments(argparse.ArgumentParser):
    """The arguments of a trial. --bin is the folder of the built programs, or one of them: `bin` and `program` are both."""

    def __init__(self, text, build="debug", seed=None, quick=None):
        super().__init__(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
        self.add_argument("--bin", default=str(ROOT / ".build" / build), help=f"folder of the built programs (default .build/{build})")
        skips.add_option(self)
        if seed:
            self.add_argument("--seed", type=int, default=random.randrange(1 << 32), help=f"{seed} (default: a new one, printed)")
        if quick:
            self.add_argument("--quick", action="store_true", help=quick)

    def parse_args(self, *arguments, **named):
        options = super().parse_args(*arguments, **named)
        options.bin = pathlib.Path(options.bin).resolve()
        if options.bin.is_file():
            options.bin = options.bin.parent
        options.program = str(options.bin / "watchwise")
        return options


class Verdict:
    """Counts checks. Each is printed, or with `is_quiet` only those that fail."""

    def __init__(self, is_quiet=False):
        self.passed = self.failed = 0
        self.skipped = []
        self.is_quiet = is_quiet
        self.began = time.monotonic()

    def check(self, what, holds, seen=""):
        """Whether something holds; `seen` is shown beside it. Returns it."""
        self.passed, self.failed = self.passed + bool(holds), self.failed + (not holds)
        self.show(what, holds, seen)
        return holds

    def show(self, what, holds, seen):
        if not holds or not self.is_quiet:
            print(f"{'ok     ' if holds else 'FAILED '}{what}{f': {seen}' if seen != '' else ''}", flush=True)

    def judge(self, what, problems):
        """What is wrong with something: nothing, a sentence, or several, of which the first are shown."""
        problems = [problems] if isinstance(problems, str) and problems else list(problems or [])
        self.check(what, not problems)
        for problem in problems[:11]:
            print(f"        {problem}", flush=True)

    def tries(self, what, work, *errors):
        """Whether something can be done; `errors` are the exceptions that say that it cannot. Returns the exception."""
        began, problem = time.monotonic(), None
        try:
            work()
        except (AssertionError, OSError, Problem, *errors) as error:
            problem = error
        self.check(f"{what} ({time.monotonic() - began:.1f} s)", problem is None, "" if problem is None else str(problem)[:1500])
        return problem

    def equal(self, what, seen, wanted):
        self.check(what, seen == wanted, "" if seen == wanted else f"{seen}, expected {wanted}")

    def skip(self, what):
        """Names what this machine cannot do, now and again before the last line."""
        self.skipped.append(f"skipped: {what}")
        print(self.skipped[-1], flush=True)

    def last_line(self):
        """Prints it; returns the exit code. A trial that checked nothing has failed, unless --allow-skips is given."""
        if not self.passed + self.failed:
            return skipped("no check was made")
        for text in self.skipped:
            print(text)
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


class Tap(Verdict):
    """The same as TAP, for a suite whose counts another program adds up."""

    def show(self, what, holds, seen):
        print(f"{'ok' if holds else 'not ok'} {self.passed + self.failed} - {what}", *([] if holds else [seen]), sep="\n  ", flush=True)

    def last_line(self):
        print(f"# pass {self.passed}\n# fail {self.failed}")
        return 1 if self.failed else 0


def raise_descriptors(wanted):
    """Lets this process and its children open as many files, as far as the machine allows it; whether it does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    reach = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if reach > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (reach, hard))
    return max(soft, reach) >= wanted


def skipped(why):
    """The end of a trial that this machine cannot do; the exit code. Without --allow-skips it has failed."""
    return skips.nothing_proved(why, skips.OPTION in sys.argv[1:])


def run(play, verdict=None, name="trial", keeps=True):
    """Plays a trial in a folder of its own: `play(verdict, folder)`. An exception is a failed check, no process is left, and
    the folder is kept only where something failed. Prints the last line; returns the exit code."""
    verdict = verdict or Verdict()
    # SIGTERM, as of timeout(1), goes through every `finally`, as SIGINT does.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"watchwise-{name}-"))
    try:
        play(verdict, folder)
    except Exception as problem:  # the trial itself has failed, whatever it was
        traceback.print_exc()
        verdict.check(f"the trial goes on to its end: {problem!r}", False)
    finally:
        Process.end_all()
        if verdict.failed and keeps:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return verdict.last_line()


def wait(condition, seconds=30, pause=0.02):
    """Waits until the condition is true; its last value."""
    until = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < until:
        time.sleep(pause)
    return value
