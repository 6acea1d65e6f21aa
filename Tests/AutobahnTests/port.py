"""Ports the Autobahn test suite 25.10.1, which is Python 2, to Python 3: port.py SOURCE TARGET

fissix (lib2to3, which PyPI still has) changes the syntax. The remaining difference is that Python 2's strings are bytes:
the cases keep them as text of the characters 0 to 255 (Latin-1), and suite.py turns them into bytes and back at the
network. The messages, expectations and verdicts of the cases are not changed.
"""

import pathlib
import re
import shutil
import sys

from fissix.refactor import RefactoringTool, get_fixers_from_package

MODULES = ["_version.py", "caseset.py", "fuzzing.py", "report.py"]

# Changes that no fixer makes: file (or * for all), pattern, replacement.
EDITS = [
    ("*", r"binascii\.b2a_hex\(", "hexadecimal("),
    # A case that the suite itself does not list.
    ("case/__init__.py", r"from case9_9_1 import \*", ""),
    # No TLS here, so no OpenSSL for Python.
    ("fuzzing.py", r"import reactor, ssl", "import reactor"),
    ("fuzzing.py", r"ssl\.ClientContextFactory\(\)", "None"),
    # The reports of another protocol's tests.
    ("report.py", r"(?ms)^import jinja2$", ""),
    ("report.py", r"(?ms)^from zope.interface import implementer.*", ""),
    # The order in which Python 3 looks for methods.
    ("*", r"\(object, Case, ?\)", "(Case,)"),
    # Integer division.
    ("case/case10_1_1.py", r"len\(self\.payload\) / ", "len(self.payload) // "),
    # Reports are text, not bytes.
    ("fuzzing.py", r"\.encode\(['\"]utf-?8['\"]\)\)", ")"),
    ("fuzzing.py", r"open\((.*), 'w'\)", r"open(\1, 'w', encoding='utf-8')"),
]


def ported(source: str, name: str, tool: RefactoringTool) -> str:
    for file, pattern, replacement in EDITS:
        if file in ("*", name):
            source = re.sub(pattern, replacement, source)
    source = str(tool.refactor_string(source + "\n", name))
    if "hexadecimal(" in source:
        source = "from bytes_as_text import hexadecimal\n" + source
    return source


def main(source: pathlib.Path, target: pathlib.Path) -> None:
    package = target / "autobahntestsuite"
    shutil.rmtree(package, ignore_errors=True)
    (package / "case").mkdir(parents=True)
    shutil.copytree(source / "testdata", package / "testdata")
    # The package imports all modes of the suite; only the fuzzing client is needed.
    (package / "__init__.py").write_text("from ._version import __version__\n\nversion = __version__\n")
    fixers = [name for name in get_fixers_from_package("fissix.fixes") if not name.endswith(("fix_import", "fix_buffer"))]
    tool = RefactoringTool(fixers)
    files = MODULES + [f"case/{file.name}" for file in sorted((source / "case").glob("*.py"))]
    for name in files:
        # A Python 2 string literal is the bytes of the file.
        text = (source / name).read_bytes().decode("latin-1")
        text = ported(text, name, tool)
        text = re.sub(r"(?m)^from (case\w*|caseset|report) import", r"from .\1 import", text)
        (package / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
