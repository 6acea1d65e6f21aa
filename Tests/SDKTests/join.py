#!/usr/bin/env python3
"""Joins the modules of Sources/SDK/Files to the one module that is served: imports first, each module once.
  join.py [--strip] [FILE]    --strip leaves out comments and indentation, as a measure of what is shipped
"""

import pathlib
import re
import sys

FILES = pathlib.Path(__file__).resolve().parents[2] / "Sources/SDK/Files"
IMPORT = re.compile(r'^import \{ [^}]+ \} from "\./([\w-]+\.js)";\n', re.MULTILINE)
EXPORTED = re.compile(r"^export (?=class |function |async function |const )", re.MULTILINE)


def join(last="watchwise.js"):
    order = []

    def visit(name):
        if name in seen:
            return
        seen.add(name)
        text = (FILES / name).read_text()
        for other in IMPORT.findall(text):
            visit(other)
        order.append(EXPORTED.sub("", IMPORT.sub("", text)))

    seen = set()
    visit(last)
    return "\n".join(order)


def strip(text):
    text = re.sub(r"^\s*(//.*|/\*\*?.*?\*/)\n", "", re.sub(r"/\*\*.*?\*/", "", text, flags=re.DOTALL), flags=re.MULTILINE)
    text = re.sub(r"\s+// .*$", "", text, flags=re.MULTILINE)
    return re.sub(r"^\s+", "", text, flags=re.MULTILINE)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    result = join()
    if "--strip" in arguments:
        result = strip(result)
        arguments.remove("--strip")
    if arguments:
        pathlib.Path(arguments[0]).write_text(result)
    else:
        sys.stdout.write(result)
