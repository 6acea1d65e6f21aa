"""Every check of a change, in the order in which it answers soonest: the style, the build, and then all tests side by side."""

import argparse
import dataclasses
import datetime
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import building
import choosing
import swift_tests
from catalogue import DECIDED, FIRST, LANES, STEPS
from graph import ROOT, Graph
from proved import Proved
from scheduling import PROCESSORS, Ended, Job, Scheduler

VERDICT = re.compile(r"^([0-9]+) passed, ([0-9]+) failed$")
GREEN = ROOT / ".build/green"
UNSTEADY = pathlib.Path(os.environ.get("UNSTEADY_TESTS", ROOT / ".build/unsteady-tests"))


def verdict(lines, status, may_prove_nothing):
    """How many passed and failed by the last line of a step's output. A step that counts nothing proves nothing: it failed."""
    last = VERDICT.match(lines[-1]) if lines else None
    passed, failed = (int(last[1]), int(last[2])) if last else (0, 1)
    if status != 0 or (passed + failed == 0 and not may_prove_nothing):
        failed = max(failed, 1)
    return passed, failed


def only_failed(lines):
    """The options with which a step runs only what failed in it; none where it cannot."""
    words = [line.removeprefix("again: ").split() for line in lines if line.startswith("again: ")]
    return words[-1] if words else []


class Check:
    """A run, with what it has counted."""

    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.passed = self.failed = 0
        self.summary, self.failures, self.unsteady = [], [], []
        # What runs once more, and by their names what it had complained of.
        self.again, self.complaints, self.failed_before = [], {}, {}
        self.programs = ""
        # What was proved before, and of each job what decides its result now.
        self.graph = self.proved = None
        self.digests = {}

    def count(self, name, passed, failed, seconds=0, cpu=0, note=""):
        """Adds a line to the summary."""
        self.passed += passed
        self.failed += failed
        self.summary.append(f"{name:16} {passed:5} passed {failed:5} failed {seconds:5.0f} s {cpu:6.0f} s of processors{note}")
        if failed:
            self.failures.append(name)
        print(self.summary[-1], flush=True)

    def shown(self, name, command, environment=None):
        """Runs a command with its output as it comes, but for the checks that passed. Returns its exit status, its lines, its
        seconds and those of the processors."""
        print(f"\n==> {name}", flush=True)
        began, before = time.monotonic(), os.times()
        lines = []
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace",
                              env={**os.environ, **(environment or {})}) as process:
            for line in process.stdout:
                lines.append(line.rstrip("\n"))
                if not line.startswith("ok  "):
                    print(line, end="", flush=True)
        after = os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        return process.returncode, lines, time.monotonic() - began, cpu

    def simple(self, name, command, environment=None, is_needed=True):
        """A step that passes or fails as a whole. One that is not needed may fail."""
        status, _, *spent = self.shown(name, command, environment)
        failed = status != 0 and is_needed
        self.count(name, int(status == 0), int(failed), *spent)
        return not failed

    def counted(self, name, command):
        """A step whose last line says how many passed and failed."""
        status, lines, *spent = self.shown(name, command)
        passed, failed = verdict(lines, status, self.options.allow_skips)
        self.count(name, passed, failed, *spent)
        return not failed

    # MARK: - Order

    def run(self):
        """All of it; the style alone when the change needs no more."""
        named = self.options.steps or self.options.marked
        if (not named or "style" in self.options.steps) and not self.style() and not self.options.keep_going:
            return
        if self.options.steps == ["style"]:
            return
        choice = self.choose()
        if self.options.list:
            return
        if choice.is_empty:
            self.nothing_chosen()
            return
        if not self.prepare() or not self.build(choice):
            return
        self.proved = Proved(ROOT / building.FOLDER / "proved.json", DECIDED, self.graph, self.programs)
        self.run_all([job for job in self.jobs(choice) if not self.is_proved(job)])

    def is_proved(self, job):
        """Whether a run here has passed this job with exactly the same; then its count is carried. What is named runs."""
        digest = self.digests[job.name] = self.proved.digest(job.name)
        found = self.proved.found(job.name, digest)
        names = {job.name, *LANES.get(job.name.removeprefix("tests-"), ())}
        if not found or self.options.afresh or self.options.allow_skips or names & set(self.options.steps):
            return False
        passed, when = found
        self.count(job.name, passed, 0, note=f"; proved by the run of {when}: {passed} with {DECIDED[job.name].words}")
        return True

    def remember(self, job, passed, is_good):
        """Keeps what a job has proved at its first run, or forgets it."""
        if not self.digests.get(job.name):
            return
        if is_good and passed and not self.options.allow_skips:
            self.proved.keep(job.name, self.digests[job.name], passed)
        else:
            self.proved.forget(job.name)

    def run_all(self, jobs):
        """Runs jobs side by side; what failed runs once more, alone."""
        Scheduler(self.options.jobs, self.ended).run(jobs)
        if self.again:
            print("\n==> once more, alone", flush=True)
            Scheduler(1, lambda ended: self.ended(ended, is_second=True)).run(self.again)

    def style(self):
        """What answers within seconds, without the server."""
        return all([
            self.counted("style", ["Tests/StyleTests/run"]),
            self.counted("places", ["Tests/PlaceTests/run"]),
            self.counted("release", ["Tests/ReleaseTests/run"]),
            self.simple("manifest", [sys.executable, "-B", "deploy/checks/rooms.py"]),
            self.simple("checks", [sys.executable, "-B", "deploy/checks/proofs.py"]),
        ])

    def choose(self):
        """The test targets and steps, each with the reason."""
        graph = self.graph = Graph.current()
        if self.options.since:
            choice = choosing.since(graph, choosing.changed(self.options.since))
        else:
            choice = choosing.everything(graph)
            choice.tests.update(dict.fromkeys(graph.tests & set(self.options.steps), "named"))
        if self.options.marked:
            targets = swift_tests.targets(self.options.marked)
            choice = choosing.Choice(dict.fromkeys(targets, f"has the mark {self.options.marked}"), {}, [])
        if self.options.steps:
            choice.tests = {name: why for name, why in choice.tests.items() if name in self.options.steps}
            choice.steps = {name: why for name, why in choice.steps.items() if name in self.options.steps}
        if self.options.since or self.options.list:
            print("\n==> what runs")
            for name, why in sorted({**choice.tests, **choice.steps}.items()):
                print(f"  {name:24} {why}")
            for reason in choice.reasons:
                print(f"  {reason}")
            left = sorted(graph.tests - set(choice.tests)) + [step.name for step in STEPS if step.name not in choice.steps]
            print(f"  left out: {', '.join(left) or 'nothing'}", flush=True)
        return choice

    def prepare(self):
        """The packages of Debian and PyPI; quick where they are there."""
        done = self.simple("prepare", ["deploy/prepare", "--tests"])
        # Swift tests start the fakes of push providers and the journal's server, and are skipped without them.
        done = self.simple("packages", ["Tests/Trials/environment"]) and done
        # Nor is it there for every machine.
        return self.simple("journal", ["Tests/JournalTrials/fetch-nats"], is_needed=not self.options.allow_skips) and done

    def build(self, choice):
        """The chosen tests and the programs of the steps, and nothing else: `ROOM` says which."""
        needs = {need for step in STEPS if step.name in choice.steps for need in step.needs}
        rooms = set(choice.tests) | needs | ({"watchwise"} if choice.steps else set())
        self.programs = building.programs()
        command = building.command(*["--build-tests"] * bool(choice.tests))
        if not self.simple("build", command, building.environment(rooms)):
            return False
        # NOTICE is held against the packages that the build has resolved.
        return self.counted("notice", ["Tests/StyleTests/run", "--notice"])

    @property
    def test_program(self):
        """All Swift tests that were built."""
        return f"{self.programs}/watchwisePackageTests.xctest"

    def jobs(self, choice):
        """The tests and the steps."""
        if self.options.marked:
            return [swift_tests.only(self.test_program, self.options.marked, self.scratch)]
        jobs = swift_tests.lanes(self.test_program, set(choice.tests), self.scratch) if choice.tests else []
        places = {
            "bin": self.programs, "scratch": self.scratch,
            "screenshots": os.environ.get("SCREENSHOTS", f"{self.scratch}/screenshots"),
            "autobahn": os.environ.get("AUTOBAHN_REPORT", ".build/autobahn-report"),
        }
        steps = [step for step in STEPS if step.name in choice.steps]
        jobs += [Job(step.name, step.command(places, self.options.allow_skips), f"{self.scratch}/{step.name}.log",
                     step.processors, step.alone, step.limit) for step in steps]
        return sorted(jobs, key=lambda job: FIRST.index(job.name) if job.name in FIRST else len(FIRST))

    def nothing_chosen(self):
        """A name that is neither a step nor a test target is a slip; a change of pages needs no more than the style."""
        if not self.options.since:
            print(f"there is no step of these names; there are {', '.join(step.name for step in STEPS)}, and the test targets")
            self.count("steps", 0, 1)

    # MARK: - Counts

    def ended(self, ended: Ended, is_second=False):
        """Shows and counts a job. What failed runs once more, alone: what passes then is named as unsteady."""
        name = ended.job.name
        print(f"\n==> {name}{' once more' if is_second else ''}", flush=True)
        if name.startswith("tests-"):
            self.ended_tests(ended, is_second)
        else:
            self.ended_step(ended, is_second)

    def ended_tests(self, ended, is_second):
        """A process of Swift tests."""
        lane = ended.job.name.removeprefix("tests-")
        results = swift_tests.Results(self.scratch, lane, ended.is_late)
        print("\n".join(results.complaints))
        ran = results.passed + results.failed
        failed = results.failed or int(ended.status != 0 or ran == 0)
        unproved = [] if self.options.allow_skips or is_second else results.unproved()
        if unproved:
            print("\n".join(unproved))
            self.count(f"{ended.job.name} skipped", 0, len(unproved))
        note = f", {results.skipped} skipped" if results.skipped else ""
        if not is_second:
            self.remember(ended.job, results.passed, not failed and not results.skipped)
        if is_second:
            if not failed:
                self.note_unsteady(lane, self.complaints[ended.job.name])
            self.count(f"{ended.job.name}", results.passed, failed, ended.seconds, ended.cpu, note)
        elif failed and ended.status != 0 and results.again and not self.options.once:
            self.count(ended.job.name, results.passed, 0, ended.seconds, ended.cpu, f"{note}; {failed} once more")
            self.repeat(swift_tests.job(ended.job.command[0], lane + "-again", results.again, self.scratch, limit=600),
                        results.complaints)
        elif ran == 0 and lane == swift_tests.TIMED and ended.status == 0:
            print("no test of the chosen ones measures time")
        else:
            self.count(ended.job.name, results.passed, failed, ended.seconds, ended.cpu, note)

    def ended_step(self, ended, is_second):
        """A program that ends with its counts. One that counts nothing proves nothing."""
        log = pathlib.Path(ended.job.log)
        text = log.read_text(errors="replace").splitlines() if log.exists() else []
        passed, failed = verdict(text, ended.status, self.options.allow_skips)
        note = "; proved nothing" if passed + failed == 0 else ""
        if not is_second:
            self.remember(ended.job, passed, not failed)
        lines = [line for line in text if re.match(r" *(not ok|failed\b|fail |✘)", line, re.I)][:20] if failed else []
        for line in lines:
            print(line[:400])
        self.show(ended, 60 if failed else 3)
        if failed and not is_second and not self.options.once:
            options = only_failed(text)
            self.count(ended.job.name, passed if options else 0, 0, ended.seconds, ended.cpu,
                       f"; {passed} passed, {failed} failed: once more")
            self.repeat(dataclasses.replace(ended.job, command=ended.job.command + options), lines or [ended.job.name])
            if options:
                self.failed_before[ended.job.name] = failed
            return None
        if is_second:
            if not failed:
                self.note_unsteady(ended.job.name, self.complaints[ended.job.name])
            # What passed in its first run, and ran again beside what failed, counts once.
            passed = min(passed, self.failed_before.get(ended.job.name, passed))
        return self.count(ended.job.name, passed, failed, ended.seconds, ended.cpu, note)

    def repeat(self, job, lines):
        """Puts a job among those that run once more."""
        self.complaints[job.name] = lines
        self.again.append(job)

    def note_unsteady(self, name, lines):
        """What failed beside others and passed alone is to be mended: it is named, and kept over the runs."""
        self.unsteady += [f"{name}: {line[:300]}" for line in lines]
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
        UNSTEADY.parent.mkdir(parents=True, exist_ok=True)
        with open(UNSTEADY, "a", encoding="utf-8") as file:
            for line in lines:
                print(f"{datetime.date.today()} {commit.stdout.strip()} {name}: {line[:300]}", file=file)

    def show(self, ended, lines):
        """The end of its output."""
        if os.path.exists(ended.job.log):
            text = pathlib.Path(ended.job.log).read_text(errors="replace").splitlines()
            print("\n".join(line[:400] for line in text[-lines:]), flush=True)

    def report(self):
        """The summary; its last line is the sum."""
        print()
        print("\n".join(self.summary))
        for line in self.unsteady:
            print(f"unsteady: {line}")
        if UNSTEADY.exists():
            print(f"{len(UNSTEADY.read_text().splitlines())} times something was unsteady, in this run and those before: {UNSTEADY}")
        if self.failures:
            print(f"failed: {', '.join(self.failures)}")
        print(f"{self.passed} passed, {self.failed} failed", flush=True)


def clean_commit():
    """The commit of this tree; None when files have changed since."""
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=False)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return None if changed.returncode or changed.stdout or commit.returncode else commit.stdout.strip()


def main():
    """Reads the options and runs."""
    parser = argparse.ArgumentParser(prog="deploy/test", description=__doc__)
    parser.add_argument("steps", nargs="*", metavar="STEP", help="only these steps and test targets; style is one")
    parser.add_argument("--since", metavar="REV", help="only what the changes since REV can break, by the graph of the modules")
    parser.add_argument("--list", action="store_true", help="say what would run, and why, and end")
    parser.add_argument("--marked", metavar="MARK", help="only the Swift tests with this mark of Tests/Support/TestMarks")
    parser.add_argument("--allow-skips", action="store_true", help="a step that proves nothing is no failure")
    parser.add_argument("--keep-going", action="store_true", help="go on after a finding of the style")
    parser.add_argument("--afresh", action="store_true", help="run also what a run in this tree has proved with the same")
    parser.add_argument("--once", action="store_true", help="what fails does not run once more")
    parser.add_argument("--jobs", type=float, default=PROCESSORS, metavar="N",
                        help="how many processors the steps may keep busy")
    options = parser.parse_args()
    # Steps are in process groups of their own: they end with the check, however it ends.
    signal.signal(signal.SIGTERM, Scheduler.end)
    scratch = tempfile.mkdtemp(prefix="watchwise-test-")
    check = Check(options, scratch)
    began = clean_commit()
    try:
        check.run()
    except subprocess.CalledProcessError as error:
        print(error.stderr or error)
        check.count(" ".join(map(str, error.cmd[:3])), 0, 1)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    check.report()
    is_everything = not (options.steps or options.since or options.list or options.marked or options.allow_skips)
    if is_everything and not check.failed and began and began == clean_commit():
        # For deploy/release.
        with open(GREEN, "a", encoding="utf-8") as file:
            print(began, file=file)
    sys.exit(1 if check.failed else 0)


if __name__ == "__main__":
    main()
