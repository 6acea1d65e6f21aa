"""What a module may import, and which folder of a module may name which."""

from .arrows import PURE, TOOLCHAIN
from .rule import rule


@rule("the rooms without I/O import nothing but the standard library and collections",
      bad=("Sources/Words/Model/Time.swift", "import Foundation\n"),
      good=("Sources/Words/Wire/Frame.swift", "package import Model\n"))
def pure_imports(file, house):
    if file.room in PURE:
        allowed = house.arrows.sees(file.room) | {"Synchronization"}
        for name, line in file.imports:
            if name not in allowed:
                yield line, f"{file.room} is a room without I/O and may not import {name}"


@rule("a room imports only the rooms it sees",
      bad=("Sources/Log/Store/Writer.swift", "import GRDB\nimport Server\n"),
      good=("Sources/Log/Store/Writer.swift", "import Foundation\nimport GRDB\npackage import Model\n"))
def seen_imports(file, house):
    if file.room is not None:
        allowed = house.arrows.sees(file.room) | TOOLCHAIN
        for name, line in file.imports:
            if name not in allowed:
                yield line, f"{file.room} does not see {name}"


# The folders of a module in layers, from the lowest up: a folder names the types of its own folder and of those before it.
LAYERS = {
    "Execution": ["Memory", "Access", "Machine"],
    "Services": [
        "Devices", "People", "Rooms", "Documents", "Moderation", "Sessions", "Outside", "Personal", "Commands",
    ],
}


def layer_of(file):
    """`Sources/Subjects/Execution/Machine/Actor.swift` → `Machine`; None for a file that lies in no folder of its module."""
    return file.folders[3] if len(file.folders) > 4 else None


@rule("a folder of a module in layers names no type of a folder above it",
      bad=("Sources/Subjects/Services/Documents/A.swift", "struct A { let page: LogPage }\n"),
      good=("Sources/Subjects/Services/Outside/A.swift",
            "/// Not `CommandEnvelope`.\nstruct A { let page: LogPage }\n"))
def layers(file, house):
    folders = LAYERS.get(file.room)
    if folders is None:
        return
    own = layer_of(file)
    if own not in folders:
        yield 1, f"the file lies in none of the layers of {file.room}: {', '.join(folders)}"
        return
    higher = set(folders[folders.index(own) + 1:])
    types = house.layer_types[file.room]
    for token, line in zip(file.tokens, file.line_of):
        if token in types and types[token] in higher:
            yield line, f"{own} may not name {token} of {types[token]}"
