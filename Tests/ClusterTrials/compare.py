"""Compares the databases of all nodes, table by table, row by row, at the same place in the journal."""

import hashlib
import pathlib
import shutil
import sqlite3
import time

#: Rows of `meta` that each node writes by itself (Sources/Log/Log/NodeWrites.swift); they are equal at the same place, too.
OWN = {"journal", "term"}


def copies(cluster, folder):
    """Copies the files of all nodes while none of them can write."""
    running = [node for node in cluster.nodes if node.is_running]
    for node in running:
        node.freeze()
    try:
        for node in cluster.nodes:
            target = pathlib.Path(folder, node.name)
            shutil.rmtree(target, ignore_errors=True)
            target.mkdir(parents=True)
            for file in node.folder.glob("watchwise.db*"):
                if not file.name.endswith("-shm"):
                    shutil.copy(file, target)
    finally:
        for node in running:
            node.thaw()
    return {node.name: pathlib.Path(folder, node.name, "watchwise.db") for node in cluster.nodes}


def tables(path):
    """Name to columns of each table that all nodes share, without those that SQLite makes itself."""
    with sqlite3.connect(path) as database:
        names = [row[0] for row in database.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")]
        return {name: [row[1] for row in database.execute(f"PRAGMA table_info({name})")] for name in names if name != "node"}


def rows(path, table, columns):
    """All rows, in an order that does not depend on how they are stored."""
    with sqlite3.connect(path) as database:
        where = f" WHERE name NOT IN ({', '.join(repr(name) for name in sorted(OWN))})" if table == "meta" else ""
        list_of = ", ".join(f"quote({column})" for column in columns)
        return sorted(database.execute(f"SELECT {list_of} FROM {table}{where}"))


def place(path):
    with sqlite3.connect(path) as database:
        return database.execute("SELECT value FROM meta WHERE name = 'journal'").fetchone()


def differences(paths):
    """Sentences about what differs, at most five for each table, and the number of compared rows."""
    problems, count = [], 0
    first, *others = paths.items()
    for name, path in paths.items():
        with sqlite3.connect(path) as database:
            verdict = database.execute("PRAGMA integrity_check").fetchone()[0]
        if verdict != "ok":
            problems.append(f"the file of node {name} is damaged: {verdict}")
    schema = tables(first[1])
    for name, path in others:
        if tables(path) != schema:
            problems.append(f"nodes {first[0]} and {name} have different tables")
            return problems, count
    for table, columns in schema.items():
        mine = rows(first[1], table, columns)
        count += len(mine)
        for name, path in others:
            theirs = rows(path, table, columns)
            if digest(mine) == digest(theirs):
                continue
            for row in sorted(set(mine) - set(theirs))[:3]:
                problems.append(f"{table}: only node {first[0]} has {row}"[:400])
            for row in sorted(set(theirs) - set(mine))[:2]:
                problems.append(f"{table}: only node {name} has {row}"[:400])
    return problems, count


def digest(found):
    return hashlib.sha256(repr(found).encode()).digest()


def compare(cluster, folder):
    """Waits until the nodes stand at the same entry, then compares. Returns problems and a sentence."""
    for _ in range(10):
        paths = copies(cluster, folder)
        places = {place(path) for path in paths.values()}
        if len(places) == 1:
            problems, count = differences(paths)
            at = f" at entry {places.pop()[0]}" if places != {None} else ""
            return problems, f"{count:,} rows of {len(paths)} databases compared{at}"
        time.sleep(1)
    return [f"the nodes do not come to the same entry: {places}"], "nothing compared"
