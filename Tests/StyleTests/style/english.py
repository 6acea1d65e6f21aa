"""Plain English: the words and forms of the glossary, in texts, comments, names of tests and pages."""

import re

from . import glossary
from .rule import check, proof, rule

# Pages that are being rewritten. The list must become empty.
PAGES_TO_COME = frozenset()


@rule("texts that people read are plain English",
      bad=("Sources/Doors/A/B.swift", 'log.info("the event \\(name) is told anew")\n'),
      good=("Sources/Doors/A/B.swift", 'log.info("the event \\(told) is sent again")\n'))
def texts(file, house):
    if file.path.startswith("Sources/"):
        for text, line in file.strings:
            if not glossary.is_sql(text):
                yield from ((line, finding) for finding in glossary.findings(text))


@rule("comments are plain English",
      bad=("Tests/Words/JSONTests/A.swift", "/// What came behind the object.\n"),
      good=("Tests/Words/JSONTests/A.swift", "/// The bytes after the object.\n"))
def comments(file, house):
    for text, line in file.comments:
        yield from ((line, finding) for finding in glossary.comment_findings(text))


@rule("names of tests are plain English",
      bad=("Tests/Words/JSONTests/A.swift", "@Test func `whoever came behind is told`() {}\n"),
      good=("Tests/Words/JSONTests/A.swift", "@Test func `a client behind a proxy is notified`() {}\n"))
def names_of_tests(file, house):
    if file.folders[0] in ("Tests", "Load"):
        for name, line in file.names_of_tests:
            yield from ((line, f"{finding} (in `{name}`)") for finding in glossary.name_findings(name))


@check("every page keeps to the glossary")
def pages(tree):
    for page in tree.pages:
        if page in PAGES_TO_COME:
            continue
        for number, line in enumerate(tree.text(page).split("\n"), 1):
            # Names of tests and code in backticks are not the page's own words.
            plain = re.sub(r"`[^`]*`", "``", line)
            yield from (f"{page}:{number}: {finding}" for finding in glossary.findings(plain))


HARD = [
    "What came behind the current request", "the state is fetched anew", "a follower is told once",
    "Whoever reaches the page", "he is told with his devices", "At most so many.", "a list of such", "is none of these",
    "PATCH is not done here; GET is", "a token does as well", "it came to nothing", "Notifications put off by their readers",
    "two milliards of bytes", "every so manyth connection", "reckoned were 12", "the dearest rows", "they send by turns",
    "or the other way round", "in the midst of a frame", "it ends without a word", "the result that came of it",
    "no port can be had", "a text that is none",
    # A program is no person.
    "the connection who asks", "a session for whom it waits", "the loop, who is told", "programs with whom it talks",
    # Forms that are not English.
    "has the user's counts told", "Has the next batch written", "having all of them sent", "such as resumed a session",
]
PLAIN = [
    "The bytes after the current request", "the server behind a proxy", "a follower is notified once",
    "everybody who can reach the page", "they get it on their devices", "The largest number to show.",
    "the header and this history", "a list of these", "use GET here", "a whole token works, too",
    "toldness, heather, `told`", "snoozed notifications", "every nth connection", "nil when there is none",
    "it has a message to send", "an address, for example `::1`", "topics such as `person:525`",
    # A person may be a who.
    "a user who asks", "the readers for whom it was made", "those who follow", "says who may read", "somebody, who",
]
HARD_NAMES = [
    "what is no time is refused", "who leaves gives up a place", "whatever happens, the bounds hold", "a goal is told",
    "it ends with its rule", "a source of which everything fails is left alone", "a read is answered, what is new is sent",
]
PLAIN_NAMES = ["a text that is not a time is refused", "a room shows who is in it", "the kept part says what failed"]
HARD_COMMENTS = ["/// What stays is kept.", "// It waits. Whoever comes is served.", "/// - Returns: it. Who is it."]
PLAIN_COMMENTS = ["/// Says what stays.", "// Unwritten bytes stay: what the socket took is gone.", "/// Whether it is."]


@proof("the glossary finds each hard text, and no plain one")
def proven():
    for text in HARD:
        assert glossary.findings(text), f"not found: {text}"
    for text in PLAIN:
        assert not glossary.findings(text), f"{text}: {glossary.findings(text)}"
    for text in HARD_NAMES:
        assert glossary.name_findings(text), f"not found: {text}"
    for text in PLAIN_NAMES:
        assert not glossary.name_findings(text), f"{text}: {glossary.name_findings(text)}"
    for text in HARD_COMMENTS:
        assert glossary.comment_findings(text), f"not found: {text}"
    for text in PLAIN_COMMENTS:
        assert not glossary.comment_findings(text), f"{text}: {glossary.comment_findings(text)}"
