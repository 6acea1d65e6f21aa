"""Pages that promise something: commands, risks and licenses."""

import json
import os
import re

from .rule import check, proof
from .source import SourceFile

COMMANDS = "Sources/Words/ClientProtocol/Commands/"
PACKAGE = re.compile(r'\.package\(url: "[^"]*/([\w.-]+)", \.upToNextMinor\(from: "([\d.]+)"\)')
RISKS = "Sources/Programs/Server/Server.docc/ThreatModel.md"


def commands(files):
    """The types of commands with their names on the wire."""
    found = []
    for file in files:
        kind = re.search(r"(\w+): Command \{", file.text)
        name = re.search(r'static let name = "([\w.]+)"', file.text)
        if kind and name:
            found.append((kind[1], name[1]))
    return found


@check("every command stands in the table, and has its section on the page of commands")
def command_page(tree):
    known = commands(file for file in tree.files if file.path.startswith(COMMANDS))
    listed = re.findall(r"(\w+)\.self", tree.text(COMMANDS + "CommandTable.swift"))
    page = tree.text("Sources/Words/ClientProtocol/ClientProtocol.docc/Commands.md")
    sections = [name for line in re.findall(r"\n### ([^\n]+)", page) for name in line.split(", ")]
    if not known:
        yield f"{COMMANDS}: no command is there"
    yield from differences(listed, [kind for kind, _ in known], "CommandTable.swift", "a type of command")
    yield from differences(sections, [name for _, name in known], "Commands.md", "a command")


def differences(listed, known, place, what):
    yield from (f"{place} does not have {name}" for name in sorted(set(known) - set(listed)))
    yield from (f"{place} has {name}, which is not {what}" for name in sorted(set(listed) - set(known)))
    yield from (f"{place} has {name} twice" for name in sorted(set(listed)) if listed.count(name) > 1)


def risks(text):
    """(risk, names of tests, programs) of each row of the tables of risks; the names stand in the last column."""
    for row in text.partition("## The risks")[2].split("\n"):
        if row.startswith("| ") and not row.startswith("| risk"):
            cells = [cell.strip() for cell in row.split("|") if cell]
            yield cells[0], re.findall(r"`([^`]+)`", cells[-1]), re.findall(r"\bTests/\w+/\w+", cells[-1])


@check("every risk names a test, and every test that a risk names exists")
def threat_model(tree):
    names = {name for file in tree.tests() for name, _ in file.names_of_tests}
    rows = list(risks(tree.text(RISKS)))
    if len(rows) <= 30:
        yield f"{RISKS}: only {len(rows)} risks are read"
    for risk, tests, programs in rows:
        if not tests and not programs:
            yield f"{RISKS}: no test against: {risk}"
        yield from (f"{RISKS}: there is no test '{test}'" for test in tests if test not in names)
        yield from (f"{RISKS}: there is no program {program}" for program in programs
                    if not os.access(tree.root / program, os.X_OK))


def notice_rows(text):
    return re.findall(r"\n\| ([\w.-]+) \| ([\d.]+) \|", text)


@check("the product is under the Apache License 2.0, and the notice names the packages of the manifest")
def license_and_notice(tree):
    if "Apache License\n                           Version 2.0, January 2004" not in tree.text("LICENSE"):
        yield "LICENSE:1: not the Apache License 2.0"
    if "[Apache License 2.0](LICENSE)" not in tree.text("README.md"):
        yield "README.md: no link to the license"
    rows = notice_rows(tree.text("NOTICE"))
    if not rows:
        yield "NOTICE: no package is read"
    # `Package.resolved` is made by each build and is not committed: its commit ids are those of the place from which the
    # packages come. So the notice is what holds their versions. Before a build it is held against the manifest, after one
    # (`run --notice`) against what the build resolved.
    versions = dict(rows)
    for name, lowest in PACKAGE.findall(tree.text("Package.swift")):
        if name not in versions:
            yield f"NOTICE: does not name {name} of Package.swift"
        elif not fits(versions[name], lowest):
            yield f"NOTICE: names {name} {versions[name]}, and Package.swift asks for {lowest} or a later patch of it"
    if tree.has("Package.resolved"):
        yield from resolved(tree.root)


def fits(version, lowest):
    """Whether a version is at least the lowest one, with the same major and minor number."""
    have, least = [int(part) for part in version.split(".")], [int(part) for part in lowest.split(".")]
    return have[:2] == least[:2] and have >= least


def resolved(root):
    """The differences between the notice and the packages that a build resolved."""
    if not (root / "Package.resolved").exists():
        return ["Package.resolved: is not there: build first"]
    rows = notice_rows((root / "NOTICE").read_text())
    pins = [(pin["location"].split("/")[-1], pin["state"]["version"])
            for pin in json.loads((root / "Package.resolved").read_text())["pins"] if "version" in pin["state"]]
    if sorted(rows) == sorted(pins) and pins:
        return []
    return [f"NOTICE: has {sorted(set(rows) - set(pins))}, the build has {sorted(set(pins) - set(rows))}"]


@proof("commands, risks and packages are read as they are written")
def read():
    file = SourceFile(COMMANDS + "A.swift", 'package enum ACommand: Command {\n    static let name = "a.b"\n}\n')
    assert commands([file, SourceFile(COMMANDS + "B.swift", "struct B {}\n")]) == [("ACommand", "a.b")]
    assert list(differences(["a", "a", "c"], ["a", "b"], "T", "one")) == [
        "T does not have b", "T has c, which is not one", "T has a twice"]
    text = "## The risks\n| risk | a | b |\n|---|---|---|\n| x | y `no` | `a b`, Tests/A/run |\n"
    assert list(risks(text)) == [("x", ["a b"], ["Tests/A/run"])]
    assert fits("1.2.3", "1.2.1") and not fits("1.2.0", "1.2.1") and not fits("1.3.1", "1.2.1")
    assert notice_rows("\n| a-b | 1.2.3 | MIT |\n") == [("a-b", "1.2.3")]
