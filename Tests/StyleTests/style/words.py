"""Words of code that stand only where they are needed."""

import re

from .rule import rule

# Files and folders where C or masking needs unsafe code.
UNSAFE = (
    "Sources/Ground/Allocation/", "Sources/Ground/EventLoop/", "Sources/Ground/Files/", "Sources/Ground/EmbeddedFiles/",
    "Sources/Ground/Crypto/", "Sources/Ground/Outbound/",
    "Sources/Ground/JournalLink/", "Sources/Ground/Compression/", "Sources/Ground/Encodings/",
    "Sources/Subjects/Triggers/Condition",
    "Sources/Subjects/Triggers/SQL", "Sources/Log/Log/Statement", "Sources/Log/Log/Columns",
    "Sources/Log/Log/LogBuffer", "Sources/Subjects/Feeds/XML/",
)


@rule("unsafe stands only where C or masking needs it",
      bad=("Sources/Log/Store/Writer.swift", "let a = unsafe pointer.pointee\n"),
      good=("Sources/Words/Wire/Masking.swift", "let a = unsafe pointer.pointee\n"))
def unsafe(file, house):
    if file.room is None or file.path.startswith(UNSAFE) or file.path == "Sources/Words/Wire/Masking.swift":
        return
    for index in file.places("unsafe", "@unsafe", "@safe", "@unchecked"):
        yield file.line_of[index], (
            f"{file.tokens[index]} outside EventLoop, Files, EmbeddedFiles, Crypto, Outbound, JournalLink, Compression, Encodings, Feeds/XML, the "
            "runners of conditions and statements, Wire/Masking.swift")


# Written in parts, so that a search for them finds none here.
LATER = ("TO" "DO", "FIX" "ME", "XX" "X", "HA" "CK")


@rule("nothing is put off to a later day in a comment",
      bad=("Tests/Words/WireTests/A.swift", f"// {LATER[0]}: the other cases\n"),
      good=("Tests/Words/WireTests/A.swift", "// The other cases are in B.swift.\n"))
def later(file, house):
    for word in LATER:
        if word in file.text:
            yield from ((line, f"{word} in a comment") for text, line in file.comments if word in text)


@rule("no try! anywhere",
      bad=("Tests/Words/WireTests/A.swift", "let a = try! make()\n"),
      good=("Tests/Words/WireTests/A.swift", "if try !isMade() {} // not try!\n"))
def forced_try(file, house):
    if "try!" in file.code:
        for number, line in enumerate(file.code.split("\n"), 1):
            if "try!" in line:
                yield number, "try!"


@rule("no fatalError outside Load",
      bad=("Sources/Words/Wire/A.swift", 'fatalError("no")\n'), good=("Load/A.swift", 'fatalError("no")\n'))
def fatal_error(file, house):
    if file.room not in (None, "watchwise-load"):
        yield from ((line, "fatalError") for line in places(file, "fatalError"))


# Each ends the process where its file fails; beside it stands a form that throws.
TRAPPING = re.compile(r"\.(readDataToEndOfFile|availableData|readData|closeFile|seekToEndOfFile|synchronizeFile|launch)\b|"
                      r"\b(?:standardError|standardOutput|fileHandleForWriting)\.(write)\((?!contentsOf:)")


@rule("no form of Foundation that ends the process where a file fails",
      bad=("Sources/Log/Store/A.swift", "FileHandle.standardError.write(line)\n"),
      good=("Load/A.swift", "try FileHandle.standardError.write(contentsOf: line)\n"))
def trapping(file, house):
    if file.room is not None:
        for number, line in enumerate(file.code.split("\n"), 1):
            for found in TRAPPING.finditer(line):
                yield number, f"{found[1] or found[2]} ends the process where the file fails; take the form that throws"


@rule("no room prints",
      bad=("Sources/Programs/Server/A.swift", "func f() { print(1) }\n"),
      good=("Sources/Log/Store/A.swift", "func print(_ a: Int) { writer.print(a) }\n"))
def prints(file, house):
    if file.room is not None and not house.arrows.is_program(file.room):
        for line in places(file, "print", not_after=(".", "func")):
            yield line, "print in a room; only programs speak to the terminal"


def places(file, word, not_after=()):
    """The lines on which a word stands right before a parenthesis."""
    return [file.line_of[index] for index in file.places(word)
            if file.at(index + 1) == "(" and file.at(index - 1) not in not_after]
