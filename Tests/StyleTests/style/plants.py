"""The figures' own test: each planted mistake is refused, and a tree that got better is not."""

from .counting import House
from .figures import Record, figures
from .rule import proof
from .source import SourceFile

FOLDER = "Sources/Words/Plants/"


def type_of(lines):
    return "struct Tall {\n" + "    let a = 1\n" * (lines - 2) + "}\n"


def circle_of(count):
    """Types of which each knows the next, and the last one knows the first."""
    names = [f"Part{'ABCDEFGHIJ'[index]}" for index in range(count)]
    return "".join(f"struct {name} {{ let next: {other}? }}\n" for name, other in zip(names, names[1:] + names[:1]))


def function_of(lines):
    return "extension Tall {\n    func stand() {\n" + "        use()\n" * (lines - 2) + "    }\n}\n"


# (title, name of the file, what the figures know, what the change makes of it)
PLANTS = [
    ("types over 400 lines in all files", "Tall.swift", type_of(400), type_of(401)),
    ("types of circles of more than 4", "PartA.swift", circle_of(4), circle_of(5)),
    ("types of circles of more than 4", "PartA.swift", circle_of(6), circle_of(7)),
    ("files named for nothing in them", "Tall.swift", "struct Tall {}\n", "struct Short {}\n"),
    ("files that know one command (ack)", "Tall.swift", "struct Tall {}\n", 'struct Tall { let name = "ack" }\n'),
    ("files that know one setting (log-retention)", "Tall.swift", "struct Tall {}\n",
     "struct Tall { let logRetention = 1 }\n"),
    ("our own JSON read back", "Tall.swift", "struct Tall {}\n", "struct Tall { let a = JSONValue(parsing: answer) }\n"),
    ("functions over 50 lines", "Tall+Standing.swift", function_of(50), function_of(51)),
    ("files over 600 lines", "Tall.swift", "struct Tall {}\n" * 600, "struct Tall {}\n" * 601),
    ("lines of the largest module", "Tall.swift", type_of(10), type_of(11)),
]


def counted(name, text, folder=FOLDER):
    return figures(House([SourceFile(folder + name, text)]))


def recorded(those):
    record = Record()
    for figure in those:
        record.take(figure)
    return Record(record.text())


@proof("each planted mistake raises its figure, and its return lowers it")
def plants():
    for title, name, before, after in PLANTS:
        known, worse = recorded(counted(name, before)), counted(name, after)
        rises = [sentence for figure in worse for sentence in known.rises(figure) if figure.title == title]
        assert len(rises) == 1, f"{title}: {rises}"
        assert not any(list(known.rises(figure)) for figure in counted(name, before)), f"{title} rises by itself"
        better = recorded(worse)
        falls = [figure.title for figure in counted(name, before) if better.falls(figure)]
        assert title in falls, f"{title} does not fall"
        assert not any(list(better.rises(figure)) for figure in counted(name, before)), f"{title} rises in its return"


@proof("a figure says what is new: the type, the members of the circle, the file")
def sentences():
    def rises(before, after):
        return [sentence for figure in after for sentence in before.rises(figure)]

    tall = rises(recorded(counted("Tall.swift", type_of(400))), counted("Tall.swift", type_of(401)))
    assert "types over 400 lines in all files: Tall of Plants is new (401 lines in 1 files)" in tall, tall
    circle = rises(recorded(counted("PartA.swift", circle_of(5))), counted("PartA.swift", circle_of(6)))
    assert "types of circles of more than 4: Plants has 6, recorded are 5; new are PartF" in circle, circle
    tower = rises(recorded(counted("Tall.swift", type_of(9), "Sources/Log/Store/")),
                  counted("Tall.swift", type_of(10), "Sources/Log/Store/"))
    assert "lines of modules that are to be taken apart: Store has 10, recorded are 9" in tower, tower


@proof("a record is read as it was written, with its reasons")
def round_trip():
    record = recorded(counted("PartA.swift", circle_of(6)))
    record.reasons.append("raised: types of circles of more than 4: because")
    text = record.text()
    assert Record(text).text() == text, text
    assert Record(text).reasons == record.reasons
    # Without a record everything is new.
    assert all(list(Record().rises(figure)) for figure in counted("PartA.swift", circle_of(6)) if any(figure.names.values()))
