"""The command `count`: the table of the figures, their check and their record."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

from .counting import COMMAND, LARGE_TYPE, SETTING, House
from .figures import Record, figures
from .source import SourceFile

ROOT = pathlib.Path(__file__).resolve().parents[3]
RECORD = ROOT / "Tests/StyleTests/figures"

HELP = """Counts the properties that the architecture page promises.

    Tests/StyleTests/count                  this checkout
    Tests/StyleTests/count --at REVISION    another revision
    Tests/StyleTests/count --list           with the names: circles, large types, files, places
    Tests/StyleTests/count --check          holds the figures against those recorded in Tests/StyleTests/figures
    Tests/StyleTests/count --record         records the figures that fell; it refuses where one rose
    Tests/StyleTests/count --raise FIGURE --reason TEXT    records a figure that rose, and why that is right
"""


def house_of(root):
    """The modules lie in groups since 28 November 2026. Before, a folder of Sources was a module."""
    sources = root / "Sources"
    grouped = (sources / "Words").is_dir()
    return House([SourceFile(path_of(path, root, grouped), path.read_text()) for path in sorted(sources.rglob("*.swift"))])


def path_of(path, root, grouped):
    relative = path.relative_to(root)
    return str(relative) if grouped else str(pathlib.Path("Sources/_", *relative.parts[1:]))


def table(house, names):
    largest = max(house.modules, key=lambda module: module.lines)
    home = max(house.modules, key=lambda module: len(module.circle))
    large = house.large_types()
    lists = [
        ("files named for nothing in them", house.misnamed()),
        ("files that know one command (ack)", house.naming(COMMAND)),
        ("files that know one setting (log-retention)", house.naming(SETTING)),
        ("our own JSON read back", house.own_json()),
        ("functions over 50 lines", house.long_functions()),
    ]
    rows = [
        ("lines of Sources", sum(module.lines for module in house.modules), ""),
        ("lines of the largest module", largest.lines, f"{largest.name}, {len(largest.files)} files"),
        ("largest circle of types", len(home.circle), f"of {len(home.declared)} in {home.name}"),
        (f"types over {LARGE_TYPE} lines in all files", len(large), "largest: " + ", ".join(
            f"{name} {lines} in {files}" for lines, name, files, _ in large[:3])),
    ]
    for what, number, about in rows + [(title, len(places), "") for title, places in lists]:
        print(f"{what:<46}{number:>7}  {about}".rstrip())
    if names:
        titled("modules", (f"{module.lines:>6}  {module.name}, circle of {len(module.circle)}"
                           for module in sorted(house.modules, key=lambda module: -module.lines)))
        titled("the largest circle", home.circle)
        titled("large types", (f"{lines:>6}  {name} in {files} files of {where}" for lines, name, files, where in large))
        for title, places in lists:
            titled(title, places)


def titled(title, lines):
    print(f"\n{title}", *(f"  {line}" for line in lines), sep="\n")


def check(house, record):
    """(title, rises, whether it fell) of each figure."""
    return [(figure.title, list(record.rises(figure)), record.falls(figure)) for figure in figures(house)]


ADVICE = "take it back, or record it with `Tests/StyleTests/count --raise FIGURE --reason TEXT`"


def print_check(house, record):
    passed = failed = 0
    for title, rises, fell in check(house, record):
        for sentence in rises:
            print(f"Tests/StyleTests/figures: {sentence}: {ADVICE}")
        if fell:
            print(f"lower than recorded: {title}. Run `Tests/StyleTests/count --record`, and commit the file")
        passed, failed = passed + (not rises), failed + bool(rises)
    print(f"{passed} passed, {failed} failed")
    return failed


def record(house, known, raised, reason):
    rose = []
    for figure in figures(house):
        rises = list(known.rises(figure))
        if rises and figure.title == raised:
            known.reasons.append(f"raised: {figure.title}: {reason}")
        elif rises and RECORD.exists():
            rose += rises
            continue
        known.take(figure)
    if rose and not raised:
        sys.exit("nothing is recorded, because these rose:\n" + "\n".join(rose))
    RECORD.write_text(known.text())


def main():
    parser = argparse.ArgumentParser(description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at", metavar="REVISION", help="count what a revision holds instead of the checkout")
    parser.add_argument("--list", action="store_true", help="print the names as well")
    parser.add_argument("--check", action="store_true", help="fail if a figure is higher than recorded")
    parser.add_argument("--record", action="store_true", help="record the figures that fell")
    parser.add_argument("--raise", dest="raised", metavar="FIGURE", help="record this figure, even if it rose")
    parser.add_argument("--reason", help="why the figure may rise; it is kept in the file")
    options = parser.parse_args()
    known = Record(RECORD.read_text() if RECORD.exists() else "")
    if options.raised and not options.reason:
        parser.error("--raise needs a --reason")
    if options.raised and options.raised not in known.names:
        parser.error(f"--raise knows no figure {options.raised!r}; there are: {', '.join(known.names)}")
    if options.at is None:
        return answer(house_of(ROOT), known, options)
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "-C", ROOT, "archive", options.at, "Sources"], stdout=subprocess.PIPE)
        if archive.returncode:
            sys.exit(f"git knows no revision {options.at!r} in {ROOT}")
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        return answer(house_of(pathlib.Path(folder)), known, options)


def answer(house, known, options):
    if not house.modules:
        sys.exit("there is no module in Sources")
    if options.record or options.raised:
        record(house, known, options.raised, options.reason)
    elif options.check:
        sys.exit(1 if print_check(house, known) else 0)
    else:
        table(house, options.list)
