"""The arrows between modules, and whether the tree is there to be read."""

import collections

from .arrows import Arrows
from .rule import check, proof
from .source import SourceFile
from .tokenizer import Tokenizer


@check("the repository is there to be read")
def there(tree):
    kinds = collections.Counter(file.folders[0] for file in tree.files)
    counts = {
        "file of Sources": kinds["Sources"], "file of Tests": kinds["Tests"], "file of Load": kinds["Load"],
        "manifest": kinds["Package.swift"], "page": len(tree.pages), "module": len(tree.arrows.rooms),
        "comment": sum(len(file.comments) for file in tree.files),
        "text": sum(len(file.strings) for file in tree.files),
        "name of a test": sum(len(file.names_of_tests) for file in tree.tests()),
    }
    return [f"no {what} is read" for what, count in counts.items() if not count]


@check("no arrow points upward: the manifest names the lower rooms first")
def upward(tree):
    return [f"Package.swift: {arrow}" for arrow in tree.arrows.upward()]


@check("a room without I/O sees only such rooms")
def impure(tree):
    return [f"Package.swift: {arrow}" for arrow in tree.arrows.impure()]


@check("no arrow is dead: each room imports what it sees")
def dead(tree):
    return [f"Package.swift: {arrow} is not used" for arrow in tree.arrows.dead(tree.files)]


@check("every room has tests of its own name")
def untested(tree):
    return [f"{room} has no folder {room}Tests with a test" for room in tree.arrows.untested(tree.files)]


HOUSE = """
room("Words/JSON"),
room("Words/Model", sees: ["JSON", "Model"]),
room("Words/Wire", sees: ["JSON", "CUV"]),
"""


@proof("arrows that are upward, impure, dead or without tests are found")
def arrows():
    house = Arrows(HOUSE)
    assert house.upward() == ["Model → Model"]
    assert house.impure() == ["Wire → CUV"]
    files = [SourceFile("Sources/Words/Model/Time.swift", "package import JSON\n"),
             SourceFile("Sources/Words/Wire/Frame.swift", "// import JSON\nimport CUV\n")]
    assert house.dead(files) == ["Model → Model", "Wire → JSON"]
    tests = [SourceFile("Tests/Words/WireTests/A.swift", "@Test func a() {}"),
             SourceFile("Tests/Words/ModelTests/Placeholder.swift", "// @Test")]
    assert house.untested(tests) == ["JSON", "Model"]


@proof("the arrows of the house are read from the manifest")
def manifest():
    text = """
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
room("Words/JSON"),
room(
    "Log/Store",
    sees: ["JSON", "Server", grdb,
    ]),
.executableTarget(
    name: "watchwise-load",
    dependencies: ["JSON"],
    path: "Load",
),
.executableTarget(name: "watchwise-floor", path: "Load/Floor"),
"""
    assert [(room.name, room.folder, room.sees, room.is_program) for room in Arrows(text).rooms] == [
        ("JSON", "Sources/Words/JSON", frozenset(), False),
        ("Store", "Sources/Log/Store", frozenset(["JSON", "Server", "GRDB"]), False),
        ("watchwise-load", "Load", frozenset(["JSON"]), True)]


@proof("comments and strings are no code, interpolations are")
def tokens():
    for text, expected in [
        ("a // b\nc", ["a", "c"]),
        ("a /* b /* c */ d */ e", ["a", "e"]),
        ('f("print(1)") g', ["f", "(", ")", "g"]),
        (r'f("a \(b("c")) d") g', ["f", "(", "(", "b", "(", ")", ")", ")", "g"]),
        ('f("""\n  "quoted" try!\n  """) g', ["f", "(", ")", "g"]),
        (r'f(#"a " \(b) \#(c)"#) g', ["f", "(", "(", "c", ")", ")", "g"]),
        ("@Test func `a try! in a name`()", ["@Test", "func", "`a try! in a name`", "(", ")"]),
        (r'let a = "\\" + b', ["let", "a", "=", "+", "b"]),
    ]:
        assert Tokenizer(text).tokens == expected, (text, Tokenizer(text).tokens)
    file = SourceFile("a.swift", '/*\n*/ """\n\n"""\nlast')
    assert (file.tokens, file.line_of) == (["last"], [5])


@proof("texts of strings are read line by line, without the code in them")
def strings():
    text = ('let a = "one \\(two("three")) four"\nlet b = #"fi\\ve"#\nlet c = """\n  six\n  seven\n  """\n'
            'let d = "eight \\" nine"\n')
    assert Tokenizer(text).strings == [
        ("one ", 1), ("three", 1), (" four", 1), ("fi\\ve", 2), ("  six", 4), ("  seven", 5), ("  ", 6),
        ('eight \\" nine', 7)]


@proof("what a protocol asks for is known by name, and a function without a body ends at the next declaration")
def declarations():
    from .lengths import functions
    text = "protocol P {\n  func a(_ b: () -> Void)\n  var c: Int { get }\n}\nfunc d() {}\n"
    assert SourceFile("a.swift", text).requirements == {"a"}
    text = "protocol P {\n  func a(_ b: () -> Void = { })\n  func c()\n}\nfunc d() -> [Int] {\n  [1]\n}\n"
    assert [(name, lines) for name, _, lines in functions(SourceFile("a.swift", text))] == [("d", 3)]
    text = "@Test func `a b`() {}\nfunc c() {}\n"
    assert SourceFile("a.swift", text).names_of_tests == [("a b", 1)]
