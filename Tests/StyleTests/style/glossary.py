"""Words and forms that are hard to read, or not English, with advice for each."""

import re

WORDS = [
    ("behind", "'after', unless it is a place: 'behind a proxy'"),
    ("anew", "'again', or 'new'"),
    ("told", "what happens: is sent, is notified, is written"),
    ("whoever", "'everybody who', 'the client that'"),
    ("he", "'they', or the noun"), ("his", "'their', or the noun"), ("him", "'them', or the noun"),
    ("so many", "the number"),
    ("of such.", "'of these'"), ("of such,", "'of these'"), ("of such;", "'of these'"),
    ("is none of", "'is not one of'"), ("is none", "'is not one', 'is not valid'"),
    ("are none", "'are not'"),
    ("is not done here", "what to do, then why"),
    ("does as well", "'works, too'"),
    ("came to nothing", "'is empty'"), ("comes to nothing", "'is empty'"),
    ("put off", "'snoozed' or 'delayed'"),
    ("milliard", "'billion'"), ("milliards", "'billion'"),
    ("manyth", "'nth'"),
    ("reckoned", "'estimated', 'counted'"),
    ("dear", "'expensive'"), ("dearer", "'more expensive'"), ("dearest", "'most expensive'"),
    ("by turns", "'in turns'"),
    ("other way round", "name the other case"),
    ("in the midst", "'during', 'in the middle'"),
    ("without a word", "'without a message', 'without a close'"),
    ("came of", "'the result of'"), ("comes of", "'the result of'"), ("come of", "'the result of'"),
    ("be had", "'is available'"), ("is had", "'is available'"), ("are had", "'are available'"),
    ("was had", "'was available'"), ("were had", "'were available'"),
]
ALLOWED = ("behind a proxy", "behind the proxy", "behind proxies", "there is none", "there are none")
# A word, or several in a row, that stands by itself and is not the name of a column.
PATTERNS = [(word, re.compile(rf"(?<![\w`]){re.escape(word)}(?![\w`])(?!\.\w)"), advice) for word, advice in WORDS]

# Nouns after which "who" is right: 'who' is for people, and programs are 'that'.
PEOPLE = frozenset([
    "administrator", "administrators", "all", "anybody", "anyone", "author", "authors", "everybody", "everyone", "fan",
    "fans", "follower", "followers", "friend", "friends", "many", "member", "members", "nobody", "one", "operator",
    "operators", "others", "people", "person", "reader", "readers", "receiver", "receivers", "recipient", "recipients",
    "sender", "senders", "somebody", "someone", "student", "students", "those", "two", "user", "users", "writer", "writers",
])
# Words after which "who" begins a clause of its own.
JOINTS = frozenset([
    "and", "or", "but", "by", "for", "from", "in", "of", "to", "with", "answer", "answers", "asks", "decide", "decides",
    "forget", "hears", "know", "knows", "me", "names", "reaches", "say", "says", "sees", "show", "shows",
])
PARTICIPLES = frozenset(["told", "written", "done", "sent", "counted", "checked", "logged", "looked"])

CAUSATIVE = re.compile(r"\b(?:has|have|had|having) (?:the|a|an|its|their|all|each|every)((?: [\w']+){1,4})")
SUCH_AS = re.compile(r"(?:^|[.:;] )such as\b")
WHO = re.compile(r"\b(\w+),?(?: (?:by|for|from|in|of|to|with))? whom?\b")
RELATIVE = re.compile(r"(?:^|[.!?] )(What|Who|Whom|Whose|Whoever|Whatever|Whichever)\b")
NAME_BEGUN = re.compile(r"(what|who|whom|whose|whoever|whatever|whichever|it|its|they|them)\b", re.I)
# A clause that has to be read twice: a preposition before its pronoun, or a pronoun as its subject.
NAME_CLAUSE = re.compile(r"\b(?:of|to|in|at|from|by|for|with|on) (?:which|whom|what)\b|[,;:] (?:what|who|whom)\b"
                         r"|\b(?:and|or|nor|but) (?:what|who)\b")
# One of these letters is in a text that has one of the forms.
FORMS = ("has ", "have ", "had ", "having ", "such as", " who")


def findings(text):
    """A sentence for each word or form of the glossary in a text."""
    plain = text.lower() + "."
    for phrase in ALLOWED:
        plain = plain.replace(phrase, "")
    found = [f"'{word}': write {advice}" for word, pattern, advice in PATTERNS if word in plain and pattern.search(plain)]
    return found + forms(plain) if any(form in plain for form in FORMS) else found


def forms(letters):
    """Forms that are more than a word."""
    found = [f"'{match[0]}': write what happens: queues, sends, writes" for match in CAUSATIVE.finditer(letters)
             if PARTICIPLES.intersection(match[1].split()[1:])]
    if SUCH_AS.search(letters):
        found.append("'such as' needs a noun before it")
    return found + [f"'{match[0]}': programs are 'that', or name the person" for match in WHO.finditer(letters)
                    if match[1] not in PEOPLE and match[1] not in JOINTS]


def comment_findings(text):
    """The same for the text of a comment, whose sentences must have a noun as their subject."""
    return findings(text) + [f"a sentence begins with '{match[1]}': begin with a noun, or with a verb"
                             for match in RELATIVE.finditer(text.lstrip("/ "))]


def name_findings(name):
    """The same for the name of a test, a sentence that begins with a small letter."""
    begun, clause = NAME_BEGUN.match(name), NAME_CLAUSE.search(name)
    found = findings(name)
    if begun:
        found.append(f"the name begins with '{begun[0]}': begin with a noun")
    if clause:
        found.append(f"'{clause[0]}': say it with a noun, or as a sentence of its own")
    return found


def is_sql(text):
    """Statements for the database have names of their own."""
    return "SELECT " in text
