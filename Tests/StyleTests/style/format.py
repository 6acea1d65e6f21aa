"""`swift format lint` for the files that did not pass it before with the same settings.

In a clean clone these are all. The files that passed are known by a digest of their bytes in `.build/style`.
"""

import hashlib
import re
import shutil
import subprocess

SETTINGS = ".swift-format"
FINDING = re.compile(r"^(.+?):(\d+):\d+: \w+: (.*)$", re.M)


class Format:
    def __init__(self, root, files):
        self.root, self.files = root, files
        self.known = root / ".build/style/formatted"

    def findings(self):
        if shutil.which("swift") is None:
            return ["format: there is no swift in the PATH: install the Swift toolchain"]
        if not self.files:
            return ["format: there is no Swift file"]
        settings = (self.root / SETTINGS).read_bytes() + subprocess.check_output(["swift", "--version"])
        digests = {path: hashlib.sha256(settings + (self.root / path).read_bytes()).hexdigest() for path in self.files}
        known = set(self.known.read_text().split()) if self.known.exists() else set()
        new = [path for path, digest in digests.items() if digest not in known]
        found = self.lint(new) if new else []
        named = {finding.split(":")[0] for finding in found}
        if all(name in digests for name in named):
            self.known.parent.mkdir(parents=True, exist_ok=True)
            self.known.write_text("\n".join(sorted(digests[path] for path in self.files if path not in named)))
        return found

    def lint(self, paths):
        run = subprocess.run(
            ["swift", "format", "lint", "--strict", "--parallel", "--configuration", SETTINGS, "--", *paths],
            cwd=self.root, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        found = [f"{path.removeprefix(f'{self.root}/')}:{line}: {sentence}"
                 for path, line, sentence in FINDING.findall(run.stderr)]
        if run.returncode and not found:
            found = [f"format: {run.stderr.strip() or run.returncode}"]
        return found
