"""Splits Swift text into tokens, well enough for rules of style.

Comments and the texts of strings are kept apart, interpolated code stays, and a name in backticks is one token.
"""

import re

# Where code ends and something else begins: a comment, a string, a name in backticks.
BORDER = re.compile(r'//|/\*|#*"|`')
# Inside of interpolated code parentheses count, too.
BORDER_OR_PARENTHESIS = re.compile(r'//|/\*|#*"|`|[()]')
# A whole string on one line without pounds, interpolations and three quotes.
PLAIN_STRING = re.compile(r'"((?:[^"\\\n]|\\[^(\n])*)"')
STRING_MARK = re.compile(r'[\\"\n]')
BLOCK_MARK = re.compile(r"/\*|\*/")
NAME = re.compile(r"`[^`\n]*`?")
WORD = r"[A-Za-z0-9_\u0080-\U0010ffff]"
TOKEN = re.compile(rf"[@#]?{WORD}+|`[^`\n]*`?|[^\x00-\x20]")


class Tokenizer:
    """`code` is the text with spaces for its comments and strings, line by line as it was."""

    def __init__(self, text):
        self.text = text
        self.comments, self.strings = [], []  # (text, line)
        self.pieces, self.position, self.line = [], 0, 1
        self.scan_code(nested=False)
        self.code = "".join(self.pieces)
        self.tokens, self.lines = [], []
        for number, line in enumerate(self.code.split("\n"), 1):
            found = TOKEN.findall(line)
            self.tokens += found
            self.lines += [number] * len(found)

    def scan_code(self, nested):
        """To the end of the text or, when nested, after the parenthesis that closes the one here."""
        text, border = self.text, BORDER_OR_PARENTHESIS if nested else BORDER
        depth = 0
        while True:
            match = border.search(text, self.position)
            self.keep(match.start() if match else len(text))
            if match is None:
                return
            sign = match[0]
            if sign == "//":
                end = text.find("\n", self.position)
                self.comment(len(text) if end < 0 else end)
            elif sign == "/*":
                self.comment(self.end_of_block())
            elif sign == "`":
                self.keep(NAME.match(text, self.position).end())
            elif sign[-1] == '"':
                self.scan_string(len(sign) - 1)
            else:
                depth += 1 if sign == "(" else -1
                self.keep(self.position + 1)
                if depth == 0:
                    return

    def keep(self, end):
        """The text up to a place is code."""
        piece = self.text[self.position:end]
        self.pieces.append(piece)
        self.line += piece.count("\n")
        self.position = end

    def drop(self, end):
        """The text up to a place is no code."""
        lines = self.text.count("\n", self.position, end)
        self.pieces.append(" " + "\n" * lines)
        self.line += lines
        self.position = end

    def comment(self, end):
        self.comments.append((self.text[self.position:end], self.line))
        self.drop(end)

    def end_of_block(self):
        depth = 0
        for match in BLOCK_MARK.finditer(self.text, self.position):
            depth += 1 if match[0] == "/*" else -1
            if depth == 0:
                return match.end()
        return len(self.text)

    def scan_string(self, pounds):
        text = self.text
        plain = PLAIN_STRING.match(text, self.position) if pounds == 0 else None
        if plain and not text.startswith('"""', self.position):
            if plain[1]:
                self.strings.append((plain[1], self.line))
            self.pieces.append(" ")
            self.position = plain.end()
            return
        self.drop(self.position + pounds)
        quotes = '"""' if text.startswith('"""', self.position) else '"'
        self.drop(self.position + len(quotes))
        start, fence = self.position, "#" * pounds
        while match := STRING_MARK.search(text, self.position):
            sign, place = match[0], match.start()
            if sign == "\\":
                self.drop(place)
                if not text.startswith(fence, place + 1):
                    self.drop(place + 1)
                elif not text.startswith("(", place + 1 + pounds):
                    self.drop(min(place + 2 + pounds, len(text)))
                else:
                    self.append(start, place)
                    self.drop(place + 1 + pounds)
                    self.scan_code(nested=True)
                    start = self.position
            elif sign == "\n":
                self.drop(place)
                if quotes == '"':
                    return  # a string that is not closed ends with its line
                self.append(start, place)
                self.drop(place + 1)
                start = self.position
            elif not text.startswith(quotes + fence, place):
                self.drop(place + 1)
            else:
                self.append(start, place)
                self.drop(place + len(quotes) + pounds)
                return
        self.drop(len(text))

    def append(self, start, end):
        if start < end:
            self.strings.append((self.text[start:end], self.line))
