"""Things that the pages name must exist: links, files, folders, suites and tests."""

import os
import re

from .rule import check, proof

NAMED = re.compile(r"`((?:Sources|Tests|Load|deploy)/[\w./+-]+)")
LINKED = re.compile(r"\]\(([^):#\s]+)\)")
SUITE = re.compile(r"`(\w+Tests)`")
TYPE = re.compile(r"\b(?:struct|class|enum|protocol|typealias|actor) (\w+)")


def paths(text, page):
    """The files and folders that a page names in backticks or links to, from the root.

    A name in capitals such as `deploy/apps/NAME.json` stands for many.
    """
    folder = os.path.dirname(page)
    linked = [os.path.join(folder, link) for link in LINKED.findall(text)]
    return [path for path in NAMED.findall(text) + linked if "NAME" not in path]


def missing(tree, found):
    """A finding for each (page, sentence)."""
    for page in tree.pages:
        yield from (f"{page}: {sentence}" for sentence in found(page, tree.text(page)))


@check("every file and folder that a page names exists")
def files(tree):
    return missing(tree, lambda page, text: [
        f"there is no {path}" for path in paths(text, page) if not tree.has(path)])


@check("every suite that a page names exists")
def suites(tree):
    folders = {os.path.basename(folder) for folder in tree.folders if folder.startswith("Tests/")}
    names = {file.folders[-1].removesuffix(".swift") for file in tree.tests()} | folders
    return missing(tree, lambda page, text: [
        f"there is no suite {suite}" for suite in SUITE.findall(text) if suite not in names])


@check("every Swift file and every page that a page names without a folder exists")
def bare_names(tree):
    return missing(tree, lambda page, text: [
        f"there is no {name}" for name in re.findall(r"`([\w+]+\.(?:swift|md))`", text) if name not in tree.names])


def module_of(page):
    """The module of a page in its catalog: `Sources/Log/Store/Store.docc/Log.md` → `Store`."""
    return page.split("/")[2] if page.startswith("Sources/") else page.split("/")[1]


@check("a page of a catalog refers to things of its catalog or module")
def catalogs(tree):
    for page in tree.pages:
        if ".docc/" not in page:
            continue
        text, folder, module = tree.text(page), os.path.dirname(page), module_of(page)
        for name in re.findall(r"<doc:(\w+)>", text):
            if f"{folder}/{name}.md" not in tree.pages:
                yield f"{page}: no page {name} in its catalog: use a relative link to the page of another module"
        types = {name for file in tree.of_room(module) for name in TYPE.findall(file.code)} | {module}
        prose = "\n".join(line for line in text.split("\n") if not line.startswith("```"))
        for name in re.findall(r"``(\w+)[^`]*``", prose):
            if name not in types:
                yield f"{page}: {module} has no type {name}: write other names in `one` backtick"


@check("the first page of a catalog lists its pages")
def first_pages(tree):
    for folder in sorted({os.path.dirname(page) for page in tree.pages if os.path.dirname(page).endswith(".docc")}):
        module = os.path.basename(folder).removesuffix(".docc")
        first = f"{folder}/{module}.md"
        if not tree.has(first):
            yield f"{folder}: there is no page {module}.md"
            continue
        text = tree.text(first)
        if not text.startswith(f"# ``{module}``\n"):
            yield f"{first}:1: the title is not ``{module}``"
        for page in tree.pages:
            name = os.path.basename(page).removesuffix(".md")
            if os.path.dirname(page) == folder and name != module and f"- <doc:{name}>" not in text:
                yield f"{first}: does not list {name}"


@check("the front door has at most 150 lines")
def front_door(tree):
    lines = tree.text("README.md").count("\n")
    return [f"README.md:151: {lines} lines, at most 150"] if lines > 150 else []


@check("the page of the tests tells what each folder proves")
def page_of_tests(tree):
    text = tree.text("Tests/README.md")
    groups = {path.split("/")[1] for path in tree.paths if path.startswith("Sources/")} | {"Support"}
    folders = set()
    for path in tree.folders:
        parts = path.split("/")
        if parts[0] == "Tests" and (len(parts) == 2 or (len(parts) == 3 and parts[1] in groups)):
            folders.add(parts[-1])
    return [f"Tests/README.md: does not name {name}" for name in sorted(folders)
            if "." not in name and f"`{name}`" not in text]


@proof("a file and a suite that are not there are noticed")
def noticed():
    text = "See `Sources/Words/Wire/Masking.swift`, [this](Gone.md), `Tests/CrashTests/run --help`, `GoneTests`."
    assert paths(text, "deploy/README.md") == [
        "Sources/Words/Wire/Masking.swift", "Tests/CrashTests/run", "deploy/Gone.md"]
    assert SUITE.findall(text) == ["GoneTests"]
    assert module_of("Sources/Log/Store/Store.docc/Log.md") == "Store"
