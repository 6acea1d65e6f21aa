"""The rules for tables: what a row says about a person is in the lists of the erasure, the traces and the export, or stays for a
reason; rows go some day; each migration is applied. The schema is made by SQLite from the literals of Schema/*.swift, so a column that a
later migration adds counts as well."""

import functools
import re
import sqlite3

import kept

STORE = "Sources/Log/Store/"
SCHEMA = STORE + "Schema/Schema.swift"
ERASED, TRACED, EXPORTED = STORE + "ErasureTable+Relations.swift", STORE + "TraceTable.swift", STORE + "ExportTable.swift"
PAGE = STORE + "Store.docc/Store.md"
# Numbers with these names are those of people, or of what belongs to one.
PERSON = re.compile(
    r"by|from|to|who|second|"
    r"(?:\w+_)?(?:user|users|person|people|member|follower|author|other|owner|actor|reporter|sender|recipient|reader|writer|peer|"
    r"stream|device|blocker|friend|guest|moderator|admin)(?:_id)?")
MIGRATION = re.compile(r'Migration\(\s*"([^"]+)",\s*([\w.,\s]+?)\)')
SQL = re.compile(r'static (?:let|var) (\w+)(?:: String)? = """\n(.*?)\n\s*"""', re.DOTALL)


class Schema:
    """The tables as a folder has them after all migrations, and what is wrong with the migrations."""

    def __init__(self, tree):
        self.problems = []
        literals = {}
        for path, text in tree.texts(STORE, ".swift").items():
            for found in SQL.finditer(text):
                kind = re.findall(r"(?:enum|struct|extension) (\w+)", text[:found.start()])
                if kind:
                    literals[f"{kind[-1]}.{found[1]}"] = (found[2], path)
        text = tree.text(SCHEMA)
        database = sqlite3.connect(":memory:")
        used = set()
        for number, (name, parts) in enumerate(MIGRATION.findall(text), start=1):
            if not name.startswith(f"{number} "):
                self.problems.append(f"the migration '{name}' in {SCHEMA} is number {number}: begin its name with it")
            for part in re.findall(r"\w+\.\w+", parts):
                used.add(part)
                sql = literals.get(part, (None, ""))[0]
                try:
                    database.executescript(sql or f"SELECT {part}")
                except sqlite3.Error as problem:
                    self.problems.append(f"the migration '{name}' in {SCHEMA} cannot be run: {part}: {problem}")
        for name, (sql, path) in literals.items():
            if "Schema/" in path and name not in used and re.search(r"\b(CREATE|ALTER|INSERT|DROP)\b", sql):
                self.problems.append(f"{name} of {path} is not a migration in {SCHEMA}: append one with the next number")
        self.tables = {}
        for (table,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"):
            self.tables[table] = [(row[1], row[2]) for row in database.execute(f"PRAGMA table_info({table})")]
        self.triggers = "\n".join(row[0] for row in database.execute("SELECT sql FROM sqlite_schema WHERE type = 'trigger'"))

    def columns(self, kind):
        return [(table, name) for table, columns in self.tables.items() for name, type_ in columns if type_ == kind]


def erased(tree):
    """Table and column of each kind of rows that go with a person."""
    return set(re.findall(r'case \.\w+: \("(\w+)", "(\w+)", "[\w, ]+"\)', tree.text(ERASED)))


def traced(tree):
    """Table and column of each text in which the erasure looks for the name."""
    body = tree.text(TRACED).split("fileprivate var place")[-1].split("fileprivate var keyList")[0]
    found = set()
    for table, texts in re.findall(r'\(\s*"(\w+)",\s*\[\(.*?\)\],\s*\[([^\]]*)\]\s*\)', body, re.DOTALL):
        found |= {(table, name) for name in re.findall(r'"(\w+)"', texts)}
    return found


def deleting(tree):
    """The tables from which some statement of the store deletes, with triggers of the schema."""
    found = set()
    for path, text in tree.texts(STORE, ".swift").items():
        # The erasure of a person is no answer to how long rows are kept.
        if path in (ERASED, TRACED):
            continue
        found |= set(re.findall(r"DELETE FROM (\w+)", text))
        for names in re.findall(r"for \w+ in \[((?:\"\w+\",? ?)+)\]", text):
            found |= set(re.findall(r'"(\w+)"', names))
    return found


def listed(page):
    """The tables that stand in the first column of the page."""
    return {name for cell in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", page, re.MULTILINE) for name in re.findall(r"`(\w+)`", cell)}


@functools.cache
def members(text):
    return frozenset(re.findall(r"\.(\w+)", text))


def stale(table, given, wanted):
    for entry in given:
        if entry not in wanted:
            name = entry if isinstance(entry, str) else ".".join(entry)
            yield f"{name} is not there any more, or stands in a list: take it out of {table} in Tests/PlaceTests/kept.py"


def table_places(tree):
    schema = Schema(tree)
    yield from schema.problems
    goes, looked_at, page = erased(tree), traced(tree), listed(tree.text(PAGE))
    exported, code = tree.text(EXPORTED), "\n".join(
        text for path, text in tree.texts(STORE, ".swift").items() if "/Schema/" not in path)
    people = [place for place in schema.columns("INTEGER") if PERSON.fullmatch(place[1])]
    texts = schema.columns("TEXT")

    for table, column in people:
        if (table, column) not in goes and (table, column) not in kept.NUMBERS:
            yield (f"{table}.{column} is the number of a person or of a stream, and not in PersonRows of {ERASED}: "
                   "say there that its rows go, or in NUMBERS of Tests/PlaceTests/kept.py why they stay")
    for table, column in texts:
        if (table, column) not in looked_at and (table, column) not in kept.TEXTS:
            yield (f"{table}.{column} is a text in which a name may stand, and not in TracedTable of {TRACED}: "
                   "add it there, or say in TEXTS of Tests/PlaceTests/kept.py why no name stands in it")
    for table in sorted({place[0] for place in people}):
        if not re.search(rf"\b(?:FROM|JOIN) {table}\b", exported) and table not in kept.NOT_EXPORTED:
            yield (f"{table} has rows of a person, and no statement of ExportedRows in {EXPORTED} reads it: "
                   "add them, or say in NOT_EXPORTED of Tests/PlaceTests/kept.py why not")
    cleared = deleting(tree) | set(re.findall(r"DELETE FROM (\w+)", schema.triggers))
    for table in sorted(schema.tables):
        if table not in page:
            yield f"the table {table} has no row in {PAGE}: say what one of its rows is"
        if not re.search(rf"\b(?:FROM|INTO|UPDATE|JOIN) {table}\b", code):
            yield f"no struct in {STORE} has statements for the table {table}: add one"
        if table not in cleared and table not in kept.NEVER_DELETED:
            yield (f"nothing in {STORE} deletes rows of {table}: add them to LogRetention or a sweep, "
                   "or say in NEVER_DELETED of Tests/PlaceTests/kept.py what bounds it")
    for name in sorted(page - schema.tables.keys()):
        yield f"there is no table {name} any more: take its row out of {PAGE}"
    for kind in re.findall(r"struct (\w+Table)(?:<Access: ReadAccess>)?: StoredTable", code):
        if not re.search(rf"\b{kind}\b", tree.text(STORE + "Tables.swift")) and not re.search(rf"var \w+: {kind}\b", code):
            yield f"no transaction has {kind}: add a property to {STORE}Tables.swift"
    used = set().union(*(members(text) for text in tree.texts("Tests/", ".swift").values()))
    for name in re.findall(r"package var (\w+): \w+Table(?:<Access>)? \{", tree.text(STORE + "Tables.swift")):
        if name not in used and name not in kept.TRIED_ABOVE:
            yield f"no test uses the property {name} of {STORE}Tables.swift: add a suite in Tests/Log/StoreTests/"
    person = "Sources/Subjects/Services/Services.docc/Erasure.md"
    kinds = re.findall(r'\bline\("(\w+)"', exported + tree.text("Sources/Subjects/Services/Personal/UserExport.swift"))
    for kind in sorted(set(kinds + re.findall(r"'kind', '(\w+)'", exported)) - {"header", "end"}):
        if not re.search(rf"^\| [^|]*`{kind}`", tree.text(person), re.MULTILINE):
            yield f"the kind {kind} of an export has no row in {person}: say what it has"
    yield from stale("NUMBERS", kept.NUMBERS, set(people) - goes)
    yield from stale("TEXTS", kept.TEXTS, {place for place in texts if place not in looked_at})
    yield from stale("NOT_EXPORTED", kept.NOT_EXPORTED, {table for table, _ in people})
    yield from stale("NEVER_DELETED", kept.NEVER_DELETED, schema.tables.keys() - cleared)
