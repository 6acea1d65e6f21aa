"""The Swift tests: lanes of processes, what their results count, and what runs once more."""

import collections
import os
import pathlib
import re
import shutil
import xml.etree.ElementTree as tree

from catalogue import LANES, PARTS, REST
from graph import ROOT
from scheduling import Job

# The marks of `Tests/Support/TestMarks`: tests that have the machine to themselves, and tests that `deploy/nightly` runs.
TIMED, PLANTED = "timed", "planted"
# A test or a suite whose first trait is a mark: `@Test(.timed, arguments: …) func `it is fast``. SwiftPM selects by names, not
# by tags.
MARKED = r"@(?:Test|Suite)\(\s*\.%s\b[^@]*?(?:func|struct|class|enum) (`[^`]+`|\w+)"
ENDED = re.compile(r'^\S+ +Test (".*"|\S+\(.*\)) (?:with [0-9]+ test cases? )?(passed|failed|skipped)\b')
SKIPPED = re.compile(r'^\S+ +Test (?:".*"|\S+\(.*\)) skipped(?:: "(.*)")?$')
STARTED = re.compile(r'^\S+ +Test (".*"|\S+\(.*\)) started\.$')


def quoted(name):
    """A name as a pattern that only it fits."""
    return re.sub(r"([^\w ])", r"\\\1", name)


def marked(mark):
    """A pattern for each test and suite with the mark, as the test program selects them."""
    found = []
    for file in sorted((ROOT / "Tests").rglob("*.swift")):
        module = next((part for part in file.relative_to(ROOT / "Tests").parts if part.endswith("Tests")), None)
        for name in re.findall(MARKED % mark, file.read_text()) if module else ():
            found.append(f"^{module}\\.(.*/)?{quoted(name)}[(/]")
    return found


def lanes(program, targets, scratch):
    """A job for each lane that has some of the targets, or for each of its parts, and one for the timed tests of all."""
    placed = {name for names in LANES.values() for name in names}
    skipped = [word for pattern in marked(TIMED) + marked(PLANTED) for word in ("--skip", pattern)]
    jobs = []
    for lane, names in LANES.items():
        own = targets & set(names) if lane != REST else targets - placed
        parts = PARTS.get(lane, {"": ""}) if own else {}
        for part, suites in parts.items():
            arguments = ["--filter", f"^({'|'.join(sorted(own))})\\.{suites}", *skipped]
            jobs.append(job(program, lane + part, arguments, scratch, processors=0.9 if len(parts) == 1 else 0.5))
    timed = [word for pattern in marked(TIMED) if re.match(r"\^(\w+)", pattern)[1] in targets for word in ("--filter", pattern)]
    if timed:
        jobs.append(job(program, TIMED, timed, scratch, alone=True))
    return jobs


def targets(mark):
    """The test targets that have something with the mark."""
    return {re.match(r"\^(\w+)", pattern)[1] for pattern in marked(mark)}


def only(program, mark, scratch):
    """The job that runs what has the mark."""
    return job(program, mark, [word for pattern in marked(mark) for word in ("--filter", pattern)], scratch, alone=True)


def job(program, lane, arguments, scratch, alone=False, limit=2400, processors=0.9):
    """One process of tests."""
    command = [program, "--testing-library", "swift-testing", "--xunit-output", f"{scratch}/{lane}.xml", *arguments]
    return Job(f"tests-{lane}", command, f"{scratch}/tests-{lane}.log", 2 if alone else processors, alone, limit,
               {} if alone else in_memory())


def in_memory():
    """Where tests put their folders: hundreds of them flush a database of their own, and prove nothing about a disk. The programs
    that do prove something about it use one."""
    memory = pathlib.Path("/dev/shm")
    has_room = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 4 << 30
    return {"TMPDIR": str(memory)} if has_room else {}


class Results:
    """What one process of tests did. Its file of results counts; if there is none or half of one (a crash, a hang), its lines."""

    def __init__(self, scratch, lane, is_late):
        log = pathlib.Path(scratch, f"tests-{lane}.log")
        self.lines = log.read_text(errors="replace").splitlines()
        self.passed, self.failed, self.skipped, self.suites = 0, 0, 0, set()
        try:
            cases = list(tree.parse(f"{scratch}/{lane}.xml").iter("testcase"))
        except (OSError, tree.ParseError):
            cases = []
        for case in cases:
            if case.find("skipped") is not None:
                self.skipped += 1
            elif case.find("failure") is not None or case.find("error") is not None:
                self.failed += 1
                self.suites.add(case.get("classname"))
            else:
                self.passed += 1
        if not cases:
            verdicts = [match[2] for match in map(ENDED.match, self.lines) if match]
            self.passed, self.failed = verdicts.count("passed"), verdicts.count("failed")
        self.unended = self.started() if is_late else []

    def unproved(self):
        """Why tests were skipped, with their number. What only root can try is left out for others."""
        reasons = collections.Counter(match[1] or "no reason is given" for match in map(SKIPPED.match, self.lines) if match)
        return [f"skipped, {count} tests: {reason}" for reason, count in sorted(reasons.items())
                if os.geteuid() == 0 or not reason.startswith("only root")]

    def started(self):
        """The tests that began and did not end. They do not run again: a test that hangs shows a fault, which a second run
        would hide."""
        began = [match[1] for match in map(STARTED.match, self.lines) if match]
        ended = {match[1] for match in map(ENDED.match, self.lines) if match}
        return [name for name in began if name not in ended]

    @property
    def complaints(self):
        """The lines that say what failed."""
        found = [line[:400] for line in self.lines if line.startswith("✘") or "Fatal error" in line or ": error: " in line]
        return found[:40] + [f"not ended: {name}" for name in self.unended]

    @property
    def again(self):
        """The arguments that run the suites of failed tests once more; None where that says nothing."""
        if self.unended or not 1 <= len(self.suites) <= 8:
            return None
        return ["--filter", "^(" + "|".join(quoted(suite) for suite in sorted(self.suites)) + ")[/.]"]
