"""Comments that other modules need."""

from .rule import rule
from .source import TYPE_KEYWORDS

MODIFIERS = frozenset([
    "final", "static", "class", "mutating", "nonmutating", "consuming", "borrowing", "override", "nonisolated", "indirect",
    "prefix", "postfix", "infix",
])
DECLARED = (TYPE_KEYWORDS - {"typealias"}) | {"func"}
MEMBERS = frozenset(["func", "var", "let", "subscript"])
# The functions that the standard library's protocols demand. They are documented there, like those of our own protocols,
# and again only if there is more to say.
WITNESSES = frozenset(["=", "<", ">", "hash", "next", "makeIterator"])


@rule("every final class says to which thread it is confined",
      bad=("Sources/Doors/A/B.swift", "/// A session.\npackage final class Session {}\n"),
      good=("Sources/Programs/Server/A.swift",
            "/// A session.\n///\n/// - Confinement: loop\n@safe\npackage final class Session {}\n"))
def confinement(file, house):
    if not file.path.startswith("Sources/"):
        return
    for index in file.places("class"):
        is_final = file.at(index - 1) == "final" or (file.at(index - 2) == "final" and file.at(index - 1) == "package")
        line = file.line_of[index]
        if is_final and not any("Confinement:" in text for text in file.documentation(line)):
            yield line, f"no 'Confinement:' above final class {file.at(index + 1)}"


@rule("every package type and function has a doc comment",
      bad=("Sources/Words/Wire/A.swift", "// Not a doc comment.\npackage static func frame() {}\n"),
      good=("Sources/Words/Wire/A.swift",
            "package import Model\n/// Frames.\n@inlinable\npackage static func frame() {}\n"
            "package static func == (a: Self, b: Self) -> Bool { true }\npackage let size = 1"))
def documented(file, house):
    if file.path.startswith("Sources/"):
        for text, line in package_declarations(file, house):
            if not file.documentation(line):
                yield line, f"no doc comment above {text}"


def package_declarations(file, house):
    """The types and functions that other rooms can see, with the line on which each begins."""
    for start in file.places("package", "public"):
        index = start + 1
        while file.at(index) in MODIFIERS and not is_type(file, index):
            index += 1
        word, name = file.at(index), file.at(index + 1)
        if word not in DECLARED or (word == "func" and (name in WITNESSES or name in house.requirements)):
            continue
        yield f"{word} {name}", file.line_of[start]


def is_type(file, index):
    """`class` is a modifier in `class func` and a type in `class Session`."""
    return file.at(index) == "class" and file.at(index + 1) not in MEMBERS
