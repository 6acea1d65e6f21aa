"""Nothing is green by itself: the conditions under which a Swift test runs are listed here, and a program that proves nothing has
failed."""

import re

from .rule import check, proof

OPENSSL = "deploy/prepare installs the openssl command line"
JOURNAL = "Tests/JournalTrials/fetch-nats"
ROOT = "CI runs as root"
# Each condition, with what makes it true where all tests must run.
ALLOWED = {
    "ServerProcess.binary != nil": "swift build --build-tests",
    "SimulationProgram.binary != nil": "swift build --build-tests",
    "Certificates.made != nil": OPENSSL,
    "TestAuthority.made != nil": OPENSSL,
    "OpenSSL.isThere": OPENSSL,
    "NATSServers.isInstalled": JOURNAL,
    "JournalServers.isInstalled": JOURNAL,
    "ProviderFake.isInstalled": "Tests/Trials/environment",
    "ProviderFake.isInstalled && TestAuthority.made != nil && Certificates.made != nil": f"Tests/Trials/environment, and {OPENSSL}",
    "geteuid() == 0": ROOT,
    "ServerProcess.canBeAnother": ROOT,
    'unsafe getenv("WATCHWISE_SANITIZER") == nil': "it is set where a sanitizer takes memory of its own",
}
TRAIT = re.compile(r"\.enabled\(\s*if:\s*")
NOTHING = "0 passed, 0 " + "failed"


def conditions(text):
    """The conditions of the traits in a text, each to the end of its trait or to the comma before its comment."""
    for trait in TRAIT.finditer(text):
        depth, end = 0, trait.end()
        while end < len(text):
            depth += (text[end] == "(") - (text[end] == ")")
            if depth < 0 or (depth == 0 and text[end] == ","):
                break
            end += 1
        yield text[trait.end():end]


@check("Swift tests are skipped for the reasons of a list alone")
def skipped(tree):
    read = 0
    for file in tree.tests():
        text = tree.text(file.path)
        for condition in conditions(text):
            read += 1
            if condition not in ALLOWED:
                yield (f"{file.path}: {condition}: make the test run everywhere, or say in Tests/StyleTests/style/skipping.py "
                       "what makes the condition true")
        if ".disabled(" in text:
            yield f"{file.path}: a test is disabled"
    if not read:
        yield "no condition is read"


@check("a program that proves nothing has failed")
def nothing(tree):
    for path in tree.paths:
        is_program = path.startswith(("Tests/", "deploy/", ".ci/")) and not path.endswith((".swift", ".md", ".png"))
        if is_program and NOTHING.encode() in (tree.root / path).read_bytes():
            yield f"{path}: it says '{NOTHING}'; Tests/Trials/skips.py says that nothing was proved, and that this has failed"


@proof("a condition ends with its trait or before its comment")
def proven():
    text = '@Test(.enabled(if: a(1, 2) == b, "why"), arguments: x)\n@Suite(.serialized, .enabled(\n    if: c != nil))'
    assert list(conditions(text)) == ["a(1, 2) == b", "c != nil"]
