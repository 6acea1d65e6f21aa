"""The modules as the manifest declares them, from the lowest up, and which module sees which."""

import dataclasses
import re

# Modules without I/O: they use only the standard library, and collections.
PURE = frozenset(["Digits", "JSON", "Model", "Wire", "ClientProtocol", "Fanout"])
# The only package that they may see.
PURE_PRODUCTS = frozenset(["DequeModule"])
# Comes with the compiler or with Apple's systems, and is not an arrow of the house.
TOOLCHAIN = frozenset([
    "CryptoKit", "Dispatch", "Foundation", "FoundationEssentials", "FoundationNetworking", "Glibc", "Network", "Synchronization", "UIKit",
    "UserNotifications",
])
PRODUCT = re.compile(r'let (\w+) = Target\.Dependency\.(?:product|target)\(name: "(\w+)"')
TARGET = re.compile(
    r"""(\broom|\.executableTarget)\(\s*(?:name:\s)?"(?:(\w+)/)?([\w\-]+)"
        ([^)]*?\b(?:sees|dependencies):\s\[([^\]]*)\](?:,\s*path:\s"([^"]*)")?)?""", re.VERBOSE)


@dataclasses.dataclass(frozen=True)
class Room:
    """A module of `Sources`, or a program: one that is started from a terminal and may write to it."""

    name: str
    folder: str
    sees: frozenset
    is_program: bool


class Arrows:
    def __init__(self, manifest):
        """Reads the text of `Package.swift`."""
        products = dict(PRODUCT.findall(manifest))
        self.rooms = []  # in the order of the manifest
        for kind, group, name, more, seen, path in TARGET.findall(manifest):
            if kind != "room" and not more:
                continue
            words = [word for word in re.split(r"[\s,]+", seen) if word]
            self.rooms.append(Room(
                name, f"Sources/{group}/{name}" if group else path,
                frozenset(word[1:-1] if word.startswith('"') else products.get(word, word) for word in words),
                kind != "room"))
        self.by_name = {room.name: room for room in self.rooms}

    def sees(self, name):
        return self.by_name[name].sees if name in self.by_name else frozenset()

    def is_program(self, name):
        return name in self.by_name and self.by_name[name].is_program

    def upward(self):
        """The arrows from a lower module to a higher one, or to itself."""
        names = [room.name for room in self.rooms]
        return [f"{room.name} → {other}" for index, room in enumerate(self.rooms)
                for other in sorted(room.sees.intersection(names[index:]))]

    def impure(self):
        """The arrows from modules without I/O to anything else."""
        return [f"{room.name} → {other}" for room in self.rooms if room.name in PURE
                for other in sorted(room.sees - PURE - PURE_PRODUCTS)]

    def dead(self, files):
        """The unused arrows: no file of the module imports the other one."""
        found = []
        for room in self.rooms:
            imported = {name for file in files if file.path.startswith(room.folder + "/") for name, _ in file.imports}
            found += [f"{room.name} → {other}" for other in sorted(room.sees - imported)]
        return found

    def untested(self, files):
        """The modules without a folder of tests of their name that has at least one test."""
        tested = {folder for file in files if file.keywords["@Test"] for folder in file.folders[:-1]}
        return [room.name for room in self.rooms if not room.is_program and f"{room.name}Tests" not in tested]
