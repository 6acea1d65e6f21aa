"""The Swift tests again and again, beside a busy loop for each processor: the list of those that fail now and then.

    python3 -B deploy/checks/steady.py [--rounds 20] [--loops 2] [TESTS…]

A test that fails in one round of twenty is a failure here, and nothing runs once more. Tests that measure wall time are left out:
they have the machine to themselves. The last line is "N passed, M failed": tests that passed in all rounds, and those that did not.
"""

import argparse
import collections
import contextlib
import datetime
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import building
import choosing
import swift_tests
from graph import ROOT, Graph
from scheduling import PROCESSORS, Scheduler

# A line of a test that failed, and its name.
FAILED = re.compile(r'^✘ Test (".*"|\S+\(.*\)) (?:with [0-9]+ test cases? )?failed\b')


@contextlib.contextmanager
def busy(number):
    """Loops that want a processor each."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


class Rounds:
    """What all rounds have shown so far."""

    def __init__(self):
        self.fewest = None
        self.failures = collections.Counter()

    def run(self, number, program, targets, options):
        """One round."""
        scratch = tempfile.mkdtemp(prefix="watchwise-steady-")
        passed = []

        def ended(job):
            lane = job.job.name.removeprefix("tests-")
            results = swift_tests.Results(scratch, lane, job.is_late)
            passed.append(results.passed)
            self.note(results, job, lane)

        try:
            with busy(options.loops):
                jobs = [job for job in swift_tests.lanes(program, targets, scratch) if not job.alone]
                Scheduler(options.jobs, ended).run(jobs)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        total = sum(passed)
        self.fewest = total if self.fewest is None else min(self.fewest, total)
        print(f"{datetime.datetime.now():%H:%M:%S} round {number} of {options.rounds}: {total} passed; "
              f"{sum(self.failures.values())} failures so far", flush=True)

    def note(self, results, job, lane):
        """Counts the failures of a process of tests."""
        names = [match[1] for match in map(FAILED.match, results.lines) if match] + results.unended
        if not names and (job.status != 0 or results.passed + results.failed == 0):
            names = [f"the tests of {lane} (they ended with {job.status})"]
        self.failures.update(names)
        for line in results.complaints:
            print(f"  {lane}: {line}", flush=True)

    def report(self):
        """The list, and the sum."""
        print("\nunsteady: " + ("nothing" if not self.failures else ""))
        for name, count in self.failures.most_common():
            print(f"  {count} × {name}")
        print(f"{self.fewest or 0} passed, {len(self.failures)} failed", flush=True)


def main():
    """Builds as a check does, and runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TESTS", help="only these test targets")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--loops", type=int, default=os.cpu_count() or 2, help="busy loops beside the tests (one for each processor)")
    parser.add_argument("--jobs", type=float, default=PROCESSORS, help="as of deploy/test")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, Scheduler.end)
    targets = set(options.targets) or set(choosing.everything(Graph.current()).tests)
    subprocess.run(building.command("--build-tests"), cwd=ROOT, check=True,
                   env={**os.environ, **building.environment(targets | {"watchwise"})})
    rounds = Rounds()
    try:
        for number in range(1, options.rounds + 1):
            rounds.run(number, f"{building.programs()}/watchwisePackageTests.xctest", targets, options)
    finally:
        rounds.report()
    sys.exit(1 if rounds.failures or not rounds.fewest else 0)


if __name__ == "__main__":
    main()
