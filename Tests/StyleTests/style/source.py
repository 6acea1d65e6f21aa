"""One Swift file for the rules: its lines, and its tokens without comments and strings."""

import functools

from .tokenizer import Tokenizer

TYPE_KEYWORDS = frozenset(["struct", "class", "enum", "actor", "protocol", "typealias"])
IMPORT_KINDS = frozenset(["struct", "class", "enum", "protocol", "func", "typealias", "var", "let"])
# The tokens that some rule looks for.
KEYWORDS = TYPE_KEYWORDS | {
    "import", "func", "init", "deinit", "package", "public", "print", "fatalError", "unsafe", "@unsafe", "@safe",
    "@unchecked", "@Test",
}


class SourceFile:
    """`path` is relative to the repository: `Sources/Words/Wire/Masking.swift`."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        scanned = Tokenizer(text)
        self.code, self.tokens, self.line_of = scanned.code, scanned.tokens, scanned.lines
        self.comments, self.strings = scanned.comments, scanned.strings
        self.folders = path.split("/")
        # The module of a file in `Sources`, in its group: `Sources/Words/JSON/JSONValue.swift` → `JSON`. `Load` is the
        # module `watchwise-load`.
        self.room = None
        if self.folders[0] == "Sources" and len(self.folders) > 3:
            self.room = self.folders[2]
        elif self.folders[0] == "Load":
            self.room = "watchwise-load"

    @functools.cached_property
    def lines(self):
        return self.text.split("\n")

    @property
    def line_count(self):
        """Lines of text; a final newline begins no new one."""
        return self.text.count("\n") + (not self.text.endswith("\n"))

    @property
    def is_test(self):
        return self.path.startswith("Tests/")

    def at(self, index):
        """The text of a token by its index; empty outside of the file."""
        return self.tokens[index] if 0 <= index < len(self.tokens) else ""

    @functools.cached_property
    def keywords(self):
        """The indices of the tokens that rules look for, by their text."""
        found = {word: [] for word in KEYWORDS}
        for index, token in enumerate(self.tokens):
            if token in KEYWORDS:
                found[token].append(index)
        return found

    def places(self, *words):
        return sorted(index for word in words for index in self.keywords[word])

    def documentation(self, line):
        """The `///` lines directly above a line of code, attributes between them skipped."""
        found, index = [], line - 2
        while index >= 0:
            text = self.lines[index].lstrip(" ")
            if not text.startswith(("///", "@")):
                break
            if text.startswith("///"):
                found.append(text)
            index -= 1
        return found[::-1]

    @functools.cached_property
    def imports(self):
        """(module, line) of each import."""
        found = []
        for index in self.keywords["import"]:
            name = self.at(index + 2) if self.at(index + 1) in IMPORT_KINDS else self.at(index + 1)
            found.append((name, self.line_of[index]))
        return found

    @property
    def types(self):
        """(name, line) of the types declared in the file."""
        return [(self.at(index + 1), self.line_of[index]) for index in self.places(*TYPE_KEYWORDS)
                if self.at(index - 1) != "import"]

    @functools.cached_property
    def outer_types(self):
        """The names of the types that are declared at the top of the file, outside all braces."""
        depth, found = 0, []
        for index, token in enumerate(self.tokens):
            if token == "{":
                depth += 1
            elif token == "}":
                depth -= 1
            elif depth == 0 and token in TYPE_KEYWORDS and self.at(index - 1) != "import":
                found.append(self.at(index + 1))
        return found

    @functools.cached_property
    def closing_braces(self):
        """The index of the closing brace of each opening one."""
        opened, found = [], {}
        for index, token in enumerate(self.tokens):
            if token == "{":
                opened.append(index)
            elif token == "}" and opened:
                found[opened.pop()] = index
        return found

    @property
    def requirements(self):
        """The functions that the protocols of this file ask for."""
        found = set()
        for start in self.keywords["protocol"]:
            depth = 0
            for index in range(start, len(self.tokens)):
                token = self.tokens[index]
                if token == "{":
                    depth += 1
                elif token == "func" and depth == 1:
                    found.add(self.at(index + 1))
                elif token == "}":
                    depth -= 1
                    if depth == 0:
                        break
        return found

    @functools.cached_property
    def names_of_tests(self):
        """(name, line) of each function whose name stands in backticks."""
        return [(self.at(index + 1)[1:-1], self.line_of[index + 1]) for index in self.keywords["func"]
                if self.at(index + 1).startswith("`")]
