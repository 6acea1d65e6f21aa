"""What the architecture page promises, counted: sizes, circles, and places to open for one thing.

A circle is a strongly connected component of the types of one module: type A knows type B when code of A (its declaration or
an extension of it) names B. Comments and string literals do not count, interpolated code does.
"""

import collections
import functools
import re

from .lengths import FILE_LINES_MAX, functions

LARGE_TYPE = 400
LARGE_FUNCTION = 50
# A circle of so few types is read at once.
SMALL_CIRCLE = 4
DECLARED = re.compile(r"\b(?:struct|class|enum|protocol|actor|typealias)\s+([A-Z]\w*)")
OPENED = re.compile(r"\b(struct|class|enum|protocol|actor|extension)\s+([A-Z][\w.]*)")
BRACE_OR_OPENED = re.compile(r"[{}]|" + OPENED.pattern)
WORD = re.compile(r"\b[A-Za-z_]\w*\b")
MEMBER = re.compile(r"\b(?:func|let|var)\s+(\w+)")
# Places where the program reads JSON that it has made itself. The same words read JSON from outside: in the modules that
# read the answers of other services, in HTTP calls, and in files that import Outbound and so hold another server's answer.
OWN_JSON = re.compile(r"JSONValue\(parsing:\s*(?:answer|body|reply\.json|event)\b|CommandDecoder\.decode\(JSONValue\.")
READERS_OF_SERVICES = ("Feeds", "Push")
OUTBOUND = re.compile(r"^(?:package )?import Outbound$", re.M)
# `ack` is a plain command, and no other feature has this word. Counted are the files of Sources that have to be opened
# to add such a command: its type, each table or switch in which it stands, its use case. A client that makes the
# command (`ClientCommand(…)`, or a function of the name) is no such place.
COMMAND = re.compile(r"(?<!ClientCommand\()(?<!ClientCommand\(\.)"
                     r"(?:(?<=\.)ack\b(?!\()|(?<=, )ack\b|\"ack\"|\b(?:Ack|AckCommand|AcknowledgePosition)\b)")
# In code, or as the whole of a literal: a sentence that mentions the setting is no place to touch.
SETTING = re.compile(r"\blogRetention\b|\"(?:--)?log-retention\"")
LINE_COMMENT = re.compile(r"^\s*//.*$", re.M)


def top_level(code):
    """(kind, name, text) of each declaration at the file's own level."""
    depth, start = 0, None
    for match in BRACE_OR_OPENED.finditer(code):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
            if depth == 0 and start is not None:
                kind, name, at = start
                yield kind, name, code[at:match.end()]
                start = None
        elif depth == 0:
            start = (match[1], match[2].split(".")[0], match.start())


class Module:
    def __init__(self, name, files):
        self.name, self.files = name, files
        self.lines = sum(file.text.count("\n") for file in files)
        self.size, self.spread, self.text = collections.Counter(), collections.Counter(), collections.defaultdict(list)
        self.declared = set()
        for file in files:
            parts = list(top_level(file.code))
            for kind, name, body in parts:
                if kind != "extension":
                    self.declared.add(name)
                self.size[name] += body.count("\n") + 1
                self.text[name].append(body)
            self.spread.update({part[1] for part in parts})

    @functools.cached_property
    def circles(self):
        """The largest first."""
        words = {name: set(WORD.findall("\n".join(self.text[name]))) for name in self.declared}
        knows = {name: (words[name] & self.declared) - {name} for name in self.declared}
        return sorted(components(knows), key=lambda circle: (-len(circle), sorted(circle)))

    @property
    def circle(self):
        return sorted(self.circles[0]) if self.circles else []

    def misnamed(self):
        """Files whose name, up to a "+", names nothing that is declared or extended in them."""
        for file in self.files:
            stem = file.folders[-1].removesuffix(".swift").split("+")[0]
            opened = [match[2].split(".") for match in OPENED.finditer(file.code)]
            names = set(DECLARED.findall(file.code)) | {path[0] for path in opened} | {path[-1] for path in opened}
            members = {name.lower() for name in MEMBER.findall(file.code)}
            if stem not in names and stem.lower() not in members and stem != "main":
                yield file.path

    def long_functions(self):
        for file in self.files:
            if file.line_count > LARGE_FUNCTION:
                yield from (f"{file.path}: {name}" for name, _, lines in functions(file) if lines > LARGE_FUNCTION)


def components(knows):
    """Tarjan's strongly connected components, without recursion."""
    index, low, stack, on, result = {}, {}, [], set(), []
    for root in sorted(knows):
        if root in index:
            continue
        work = [(root, iter(sorted(knows[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on.add(other)
                    work.append((other, iter(sorted(knows[other]))))
                    break
                if other in on:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    result.append(stack[at:])
                    on -= set(stack[at:])
                    del stack[at:]
    return result


class House:
    """The modules of a tree's files, counted. A file of Sources belongs to the module that `SourceFile.room` names."""

    def __init__(self, files):
        rooms = collections.defaultdict(list)
        for file in files:
            if file.path.startswith("Sources/") and file.room:
                rooms[file.room].append(file)
        self.modules = [Module(name, rooms[name]) for name in sorted(rooms)]

    def module_lines(self):
        return {module.name: module.lines for module in self.modules}

    def large_types(self):
        """(lines, name, files, module), the largest first."""
        return sorted(((lines, name, module.spread[name], module.name) for module in self.modules
                       for name, lines in module.size.items() if lines > LARGE_TYPE), reverse=True)

    def misnamed(self):
        return [path for module in self.modules for path in module.misnamed()]

    def naming(self, pattern):
        """The files whose code or literals name a thing: those to open when another one like it is added."""
        return [file.path for module in self.modules for file in module.files
                if pattern.search(file.text) and pattern.search(LINE_COMMENT.sub("", file.text))]

    def own_json(self):
        return [f"{file.path}: {match[0]}" for module in self.modules if module.name not in READERS_OF_SERVICES
                for file in module.files
                if file.folders[-1] != "HTTPCall.swift" and not OUTBOUND.search(file.text)
                for match in OWN_JSON.finditer(file.text)]

    def long_functions(self):
        return [name for module in self.modules for name in module.long_functions()]

    def long_files(self):
        return [file.path for module in self.modules for file in module.files if file.line_count > FILE_LINES_MAX]
