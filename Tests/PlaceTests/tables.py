"""The rules for tables: what the compiler and `TableDeclarationTests` do not see. These want a declaration with each column of a table; here
are the migrations, the pages, and whether rows that are said to be deleted are."""

import functools
import re

import exceptions

STORE, DATA = "Sources/Log/Store/", "Sources/Subjects/PersonalData/"
#: The modules with statements of tables.
STATEMENTS = ("Sources/Log/Log/", STORE, "Sources/Subjects/Push/Tables/", "Sources/Subjects/Feeds/Tables/", "Sources/Subjects/Webhooks/", DATA)
SCHEMA = STORE + "Schema/Schema.swift"
NAMES, DECLARED = STORE + "Schema/TableName.swift", DATA + "Declarations/DeclaredTables.swift"
PAGE = STORE + "Store.docc/Store.md"
PERSON = "Sources/Subjects/Privacy/Privacy.docc/Erasure.md"
MIGRATION = re.compile(r'Migration\(\s*"([^"]+)",\s*("[^"]*"|[\w.,\s]+?)\)')
SQL = re.compile(r'static let (\w+)(?:: String)? =\s*(Migration\.table\(\s*\.\w+,\s*)?"""\n(.*?)\n\s*"""', re.DOTALL)
# Later ones make tables by their names.
FREE_MIGRATIONS = 34


def migrations(tree):
    """What is wrong with the list of migrations."""
    literals = {}
    for path, text in tree.texts(STORE, ".swift").items():
        for found in SQL.finditer(text):
            kind = re.findall(r"(?:enum|struct|extension) (\w+)", text[:found.start()])
            if kind:
                literals[f"{kind[-1]}.{found[1]}"] = (found[3], path)
    used = set()
    for number, (name, parts) in enumerate(MIGRATION.findall(tree.text(SCHEMA)), start=1):
        if not name.startswith(f"{number} "):
            yield f"the migration '{name}' in {SCHEMA} is number {number}: begin its name with it"
        if "CREATE TABLE" in parts:
            yield f"migration {number} makes a table as text: make it with Migration.table(.name, columns), so that it is declared"
        for part in re.findall(r"\w+\.\w+", parts):
            used.add(part)
            if number > FREE_MIGRATIONS and "CREATE TABLE" in literals.get(part, ("", ""))[0]:
                yield f"{part} makes a table as text: make it with Migration.table(.name, columns), so that it is declared"
    for name, (sql, path) in literals.items():
        if "Schema/" in path and name not in used and re.search(r"\b(CREATE|ALTER|INSERT|DROP|NOT NULL)\b", sql):
            yield f"{name} of {path} is not a migration in {SCHEMA}: append one with the next number"


def declared(tree):
    """The tables by their names in SQL, with the word for how long their rows are kept."""
    text = tree.text(NAMES)
    sources = "\n".join(tree.texts(DATA + "Declarations/", ".swift").values())
    names = {name: name for line in re.findall(r"^    case (.+)$", text, re.MULTILINE) for name in re.findall(r"(\w+)(?: = |,|$)", line)}
    names |= dict(re.findall(r'case (\w+) = "(\w+)"', text))
    tables = {}
    for case, place, variable in re.findall(r"case \.(\w+): (\w+)\.(\w+)", tree.text(DECLARED)):
        block = re.search(rf"enum {place} {{.*?static let {variable} = TableDeclaration\(.*?kept: \.(\w+)", sources, re.DOTALL)
        tables[names.get(case, case)] = block[1] if block else ""
    return tables


def statements(tree):
    """The files with statements of tables."""
    return {path: text for place in STATEMENTS for path, text in tree.texts(place, ".swift").items()}


def deleting(tree):
    """The tables from which some statement deletes, with triggers of the schema."""
    found = set()
    for path, text in statements(tree).items():
        # The erasure of a person is no answer to how long rows are kept.
        if path.startswith((STORE + "Erasure", DATA + "Erasure", DATA + "TraceTable")):
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


def table_places(tree):
    yield from migrations(tree)
    tables, page = declared(tree), listed(tree.text(PAGE))
    code = "\n".join(text for path, text in statements(tree).items() if "/Schema/" not in path and "/Declarations/" not in path)
    properties = "\n".join(text for path, text in statements(tree).items() if "/Tables" in path and "/Declarations/" not in path)
    cleared = deleting(tree)
    for table, kept in sorted(tables.items()):
        if table not in page:
            yield f"the table {table} has no row in {PAGE}: say what one of its rows is"
        if not re.search(rf"\b(?:FROM|INTO|UPDATE|JOIN) {table}\b", code):
            yield f"no struct in {STORE} has statements for the table {table}: add one"
        if kept in ("swept", "with") and table not in cleared:
            yield f"nothing in {STORE} deletes rows of {table}, whose declaration says `kept: .{kept}`: add the sweep, or say how long they stay"
    for name in sorted(page - tables.keys()):
        yield f"there is no table {name} any more: take its row out of {PAGE}"
    for kind in re.findall(r"struct (\w+Table)(?:<Access: ReadAccess>)?: StoredTable", code):
        if not re.search(rf"\b{kind}\b", properties) and not re.search(rf"var \w+: {kind}\b", code):
            yield f"no transaction has {kind}: add a property to {STORE}Tables+Subjects.swift"
    used = set().union(*(members(text) for text in tree.texts("Tests/", ".swift").values()))
    for name in re.findall(r"package var (\w+): \w+Table(?:<Access>)? \{", properties):
        if name not in used and name not in exceptions.TRIED_ABOVE:
            yield f"no test uses the property {name} of {STORE}Tables+Subjects.swift: add a suite in Tests/Log/StoreTests/"
    exported = "\n".join(tree.texts(DATA + "Declarations/", ".swift").values())
    kinds = re.findall(r'ExportedLines\(\s*"(\w+)"', exported)
    kinds += re.findall(r'\bline\("(\w+)"', tree.text("Sources/Subjects/Privacy/UserExport.swift"))
    for kind in sorted(set(kinds) - {"header", "end"}):
        if not re.search(rf"^\| [^|]*`{kind}`", tree.text(PERSON), re.MULTILINE):
            yield f"the kind {kind} of an export has no row in {PERSON}: say what it has"
