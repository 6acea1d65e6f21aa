"""The repository runs on every machine, so no file of any kind names a folder that only one machine has."""

import re

from .rule import check, proof

# Folders at the root of a machine that belong to its people. A path of an address has something before it.
OWN = re.compile(r"(?<![\w./~*$})>\]-])/(?:home|root|work|Users)(?:/|(?=[\s\"'`),;:]|$))")
BINARY = re.compile(rb"\0")


def findings(text):
    """(line, sentence) of each folder of one machine."""
    if not OWN.search(text):
        return []
    return [(number, f"names a folder of one machine: {line.strip()[:100]}")
            for number, line in enumerate(text.split("\n"), 1) if OWN.search(line)]


@check("no file names a folder of one machine")
def machine_paths(tree):
    read = 0
    for path in tree.paths:
        data = (tree.root / path).read_bytes()
        if BINARY.search(data):
            continue
        read += 1
        yield from (f"{path}:{line}: {sentence}" for line, sentence in findings(data.decode("utf-8", "replace")))
    if not read:
        yield "no file is read"


@proof("a path of one machine is found, and one of any machine is not")
def proven():
    work, home = "/wo" + "rk", "/ho" + "me"
    for text in (f'a = "{work}/shared/a"', f"b --c={home}/me/b", f"cd {work}", f"{work}/x", f"[a]({home}/me)",
                 f"DIR:{work}/a", f"('{work}')", "/Us" + "ers/me"):
        assert findings(text), text
    for text in ('a = "/tmp/a"', 'ROOT / "../shared"', "/var/lib/watchwise", f"/v1{home}/x", f"{{base}}{home}/x",
                 f"$HOME{work}/a", f"https://a.example{home}/a", f"../{work[1:]}/a"):
        assert not findings(text), text
