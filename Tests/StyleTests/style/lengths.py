"""Files and functions that are too long."""

from .rule import rule

FILE_LINES_MAX = 600
FUNCTION_LINES_MAX = 70
# What begins the next declaration when a function has no body.
OTHERS = frozenset(["func", "init", "deinit", "subscript", "var", "let", "case", "}"])


@rule(f"a file has at most {FILE_LINES_MAX} lines",
      bad=("Sources/Words/Wire/Long.swift", "let a = 1\n" * (FILE_LINES_MAX + 1)),
      good=("Sources/Words/Wire/Long.swift", "let a = 1\n" * FILE_LINES_MAX))
def long_files(file, house):
    if file.line_count > FILE_LINES_MAX:
        yield FILE_LINES_MAX, f"{file.line_count} lines, at most {FILE_LINES_MAX}"


def function_file(body_lines):
    body = "    use { 1 }\n" * body_lines
    return "Sources/Words/Wire/Long.swift", f"protocol P {{ func bare() }}\nfunc long() {{\n{body}}}\n"


@rule(f"a function has at most {FUNCTION_LINES_MAX} lines",
      bad=function_file(FUNCTION_LINES_MAX - 1), good=function_file(FUNCTION_LINES_MAX - 2))
def long_functions(file, house):
    if file.line_count <= FUNCTION_LINES_MAX:
        return
    for name, line, count in functions(file):
        if count > FUNCTION_LINES_MAX:
            yield line, f"{name} has {count} lines, at most {FUNCTION_LINES_MAX}"


def functions(file):
    """(name, line, lines) of each function with a body, from the first word to the last brace."""
    closing = file.closing_braces
    for index in file.places("func", "init", "deinit"):
        word = file.tokens[index]
        if word == "init" and (file.at(index + 1) not in ("(", "?", "<") or file.at(index - 1) == "."):
            continue
        opening = body(file, index)
        if opening in closing:
            line = file.line_of[index]
            yield (file.at(index + 1) if word == "func" else word), line, file.line_of[closing[opening]] - line + 1


def body(file, declaration):
    """The opening brace of a function; None if it has no body, as in a protocol."""
    parentheses = 0
    for index in range(declaration + 1, len(file.tokens)):
        token = file.tokens[index]
        if token in ("(", "["):
            parentheses += 1
        elif token in (")", "]"):
            parentheses -= 1
        elif parentheses == 0 and token == "{":
            return index
        elif parentheses == 0 and token in OTHERS:
            return None
    return None
