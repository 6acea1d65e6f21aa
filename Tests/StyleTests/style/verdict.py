"""Counts what passed and failed, and prints each finding as one line."""

import sys


class Verdict:
    def __init__(self):
        self.passed = self.failed = 0

    def add(self, what, findings):
        findings = list(findings)
        for finding in findings:
            print(finding)
        if findings:
            print(f"failed: {what}: {len(findings)} finding{'s' if len(findings) > 1 else ''}")
        self.passed, self.failed = self.passed + (not findings), self.failed + bool(findings)
        sys.stdout.flush()

    def end(self):
        if self.passed + self.failed == 0:
            self.add("style", ["nothing was checked"])
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0
