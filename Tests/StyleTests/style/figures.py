"""The recorded figures of the house. A change may lower a figure, never raise it.

Each figure has names: the types, files or places that it counts. So a failure says which one is new.
"""

import collections
import dataclasses

from .counting import COMMAND, LARGE_FUNCTION, LARGE_TYPE, SETTING, SMALL_CIRCLE
from .lengths import FILE_LINES_MAX

# Modules that are to be taken apart; until then they may not grow.
TOWERS = ("Gateway", "Store")
HEAD = """# What the house counts, as `Tests/StyleTests/count --check` holds it: a change may lower a figure, never raise it.
# `Tests/StyleTests/count --record` writes what fell; nobody edits this file by hand.
"""


@dataclasses.dataclass(frozen=True)
class Figure:
    """`names` has a number for each name: lines for modules, types for circles, and how often for all others."""

    title: str
    names: collections.Counter
    # Whether the number of a name is a size of its own, and not one of a sum.
    sized: bool = False
    # More about a name.
    about: dict = dataclasses.field(default_factory=dict)


def figures(house):
    lines = house.module_lines()
    largest = max(lines, key=lines.get, default=None)
    circles = {module.name: module.circle for module in house.modules if len(module.circle) > SMALL_CIRCLE}
    return [
        Figure("lines of the largest module", collections.Counter({largest: lines[largest]} if largest else {}), sized=True),
        Figure("lines of modules that are to be taken apart",
               collections.Counter({name: lines.get(name, 0) for name in TOWERS}), sized=True),
        Figure(f"types of circles of more than {SMALL_CIRCLE}",
               collections.Counter({name: len(circle) for name, circle in circles.items()}), sized=True,
               about={name: " ".join(circle) for name, circle in circles.items()}),
        Figure(f"types over {LARGE_TYPE} lines in all files",
               collections.Counter(f"{name} of {module}" for _, name, _, module in house.large_types()),
               about={f"{name} of {module}": f"{lines} lines in {files} files"
                      for lines, name, files, module in house.large_types()}),
        Figure("files named for nothing in them", collections.Counter(house.misnamed())),
        Figure("files that know one command (ack)", collections.Counter(house.naming(COMMAND))),
        Figure("files that know one setting (log-retention)", collections.Counter(house.naming(SETTING))),
        Figure("our own JSON read back", collections.Counter(house.own_json())),
        Figure(f"files over {FILE_LINES_MAX} lines", collections.Counter(house.long_files())),
        Figure(f"functions over {LARGE_FUNCTION} lines", collections.Counter(house.long_functions())),
    ]


class Record:
    """The file beside the counter: for each title its names, with numbers where they are sizes, and the reasons of raises."""

    def __init__(self, text=""):
        self.names, self.about, self.reasons = {}, {}, []
        title = None
        for line in text.split("\n"):
            if line.startswith("raised: "):
                self.reasons.append(line)
            elif line and not line.startswith((" ", "#")):
                title = line
                self.names[title], self.about[title] = collections.Counter(), {}
            elif line.startswith("  "):
                name, _, more = line.strip().partition(" = ")
                size, _, about = more.partition(": ")
                self.names[title][name] += int(size or 1)
                self.about[title][name] = about

    def text(self):
        lines = [HEAD.rstrip("\n")]
        for title, names in self.names.items():
            lines += ["", title]
            for name, number in sorted(names.items()):
                about = self.about[title].get(name)
                if about is None:
                    lines += [f"    {name}"] * number
                else:
                    lines.append(f"    {name} = {number}" + (f": {about}" if about else ""))
        return "\n".join(lines + ([""] + self.reasons if self.reasons else [])) + "\n"

    def take(self, figure):
        """Records a figure as it is."""
        self.names[figure.title] = figure.names
        self.about[figure.title] = {name: figure.about.get(name, "") for name in figure.names} if figure.sized else {}

    def rises(self, figure):
        """A sentence for each name that is new or has grown."""
        known = self.names.get(figure.title, collections.Counter())
        if figure.title == "lines of the largest module":
            known = collections.Counter({name: max(known.values(), default=0) for name in figure.names})
        for name, number in sorted(figure.names.items()):
            if number <= known[name]:
                continue
            if not figure.sized:
                yield f"{figure.title}: {name} is new" + described(figure.about.get(name))
            elif known[name]:
                added = set(figure.about.get(name, "").split()) - set(self.about[figure.title].get(name, "").split())
                yield f"{figure.title}: {name} has {number}, recorded are {known[name]}" + (
                    f"; new are {', '.join(sorted(added))}" if added else "")
            else:
                yield f"{figure.title}: {name} has a new one of {number}" + described(figure.about.get(name))

    def falls(self, figure):
        """Whether a name has gone, or its number is lower than recorded."""
        return bool(self.names.get(figure.title, collections.Counter()) - figure.names)


def described(about):
    return f" ({about})" if about else ""
