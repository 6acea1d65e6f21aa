"""The conversations that trials play: those of the project's own making, and beside them real ones where somebody has them."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN = ROOT / "Tests/Data/conversations.jsonl"
# ReDial, which the repository does not contain.
REAL = ROOT / "../shared/data/redial/dialogues.jsonl"


def add_option(parser):
    parser.add_argument("--file", metavar="FILE", help="conversations in the form of ReDial (default: the project's own, and "
                        "those of ../shared/data where they are)")


def files(given=None):
    """The files to play, each after the other."""
    if given is not None:
        return [pathlib.Path(given)]
    return [OWN] + [file for file in [REAL] if file.exists()]


def played(file, limit=400):
    """The arguments of `watchwise-load replay` for a file: about as many conversations, whatever it has."""
    with open(file, encoding="utf-8") as lines:
        count = min(sum(1 for line in lines if line.strip()), limit)
    return [str(file), "--limit", str(limit), "--loops", str(max(1, limit // max(1, count)))]
