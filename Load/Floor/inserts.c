// The time of SQLite alone: prepared statements, the settings of the server's writer (Storage.swift), one
// fsync for each commit. The rows are those that the server writes for a document that notifies one topic: the document,
// its change and its history, the notification and its change, with all their indexes (Schema.swift); and the row of the
// audit for the request that brings the documents of a commit.
#define _GNU_SOURCE
#include "floor.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const char *settings =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;"
    "PRAGMA wal_autocheckpoint = 8000; PRAGMA temp_store = MEMORY;";

static const char *tables =
    "CREATE TABLE documents(path TEXT PRIMARY KEY, collection TEXT NOT NULL, id TEXT NOT NULL,"
    " version INTEGER NOT NULL, seq INTEGER NOT NULL, body TEXT) STRICT, WITHOUT ROWID;"
    "CREATE INDEX documents_collection ON documents(collection, id) WHERE body IS NOT NULL;"
    "CREATE TABLE changes(seq INTEGER PRIMARY KEY, stream INTEGER NOT NULL, second INTEGER, body TEXT,"
    " n INTEGER) STRICT;"
    "CREATE INDEX changes_stream ON changes(stream, seq) WHERE n IS NULL;"
    "CREATE INDEX changes_second ON changes(second, seq) WHERE second IS NOT NULL;"
    "CREATE TABLE document_versions(seq INTEGER PRIMARY KEY, path TEXT NOT NULL, before TEXT, at INTEGER NOT NULL,"
    " by TEXT NOT NULL, quiet INTEGER NOT NULL DEFAULT 0, chain TEXT, bytes INTEGER) STRICT;"
    "CREATE INDEX document_versions_path ON document_versions(path, seq);"
    "CREATE INDEX document_versions_large ON document_versions(seq) WHERE bytes IS NOT NULL;"
    "CREATE INDEX document_versions_writer ON document_versions(by, seq) WHERE bytes IS NOT NULL;"
    "CREATE TABLE notifications(seq INTEGER PRIMARY KEY, stream INTEGER NOT NULL, topic TEXT NOT NULL,"
    " kind TEXT NOT NULL, level TEXT NOT NULL, texts TEXT NOT NULL, data TEXT NOT NULL, at INTEGER NOT NULL,"
    " expires INTEGER, collapse TEXT, trigger TEXT, change INTEGER, broadcast INTEGER, removed TEXT, path TEXT,"
    " silence TEXT, removed_at INTEGER, others TEXT, zones TEXT, origin INTEGER,"
    " UNIQUE(trigger, change, stream)) STRICT;"
    "CREATE INDEX notifications_stream ON notifications(stream, seq) WHERE removed IS NULL;"
    "CREATE INDEX notifications_collapse ON notifications(stream, collapse)"
    " WHERE removed IS NULL AND collapse IS NOT NULL;"
    "CREATE INDEX notifications_expires ON notifications(expires) WHERE removed IS NULL AND expires IS NOT NULL;"
    "CREATE INDEX notifications_removed_at ON notifications(removed_at) WHERE removed_at IS NOT NULL;"
    "CREATE INDEX notifications_path ON notifications(path) WHERE removed IS NULL AND path IS NOT NULL;"
    "CREATE INDEX notifications_inbox_path ON notifications(stream, path) WHERE removed IS NULL AND path IS NOT NULL;"
    "CREATE INDEX notifications_gone_path ON notifications(path) WHERE removed IS NOT NULL AND path IS NOT NULL;"
    "CREATE TABLE audit(id INTEGER PRIMARY KEY, at INTEGER NOT NULL, actor TEXT NOT NULL, jti TEXT, address TEXT NOT NULL,"
    " request TEXT NOT NULL, action TEXT NOT NULL, target TEXT NOT NULL, detail TEXT, outcome TEXT NOT NULL) STRICT;";

static double seconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void must(sqlite3 *database, int result) {
    if (result == SQLITE_OK || result == SQLITE_DONE) return;
    fprintf(stderr, "watchwise-floor: %s\n", sqlite3_errmsg(database));
    exit(1);
}

static sqlite3_stmt *prepare(sqlite3 *database, const char *sql) {
    sqlite3_stmt *statement;
    must(database, sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL));
    return statement;
}

static void step(sqlite3 *database, sqlite3_stmt *statement) {
    must(database, sqlite3_step(statement));
    sqlite3_reset(statement);
}

// One document; takes two positions, `seq` and the next.
static void insert(sqlite3 *database, sqlite3_stmt **statements, sqlite3_int64 seq) {
    char path[64], id[32];
    const char *body = "{\"title\":\"The Matrix\",\"year\":1999,\"number\":10447}";
    int id_length = snprintf(id, sizeof id, "load-4zd762-64-1-%lld", seq / 2);
    int length = snprintf(path, sizeof path, "products/%s", id);
    sqlite3_int64 at = 1700000000000 + seq;
    sqlite3_bind_text(statements[0], 1, path, length, SQLITE_STATIC);
    sqlite3_bind_text(statements[0], 2, id, id_length, SQLITE_STATIC);
    sqlite3_bind_int64(statements[0], 3, seq);
    sqlite3_bind_text(statements[0], 4, body, -1, SQLITE_STATIC);
    step(database, statements[0]);
    sqlite3_bind_int64(statements[1], 1, seq);
    sqlite3_bind_text(statements[1], 2, path, length, SQLITE_STATIC);
    sqlite3_bind_int64(statements[1], 3, at);
    step(database, statements[1]);
    for (sqlite3_int64 entry = seq; entry <= seq + 1; entry++) {
        sqlite3_bind_int64(statements[2], 1, entry);
        sqlite3_bind_int64(statements[2], 2, entry == seq ? 0 : 2);
        step(database, statements[2]);
    }
    sqlite3_bind_int64(statements[3], 1, seq + 1);
    sqlite3_bind_int64(statements[3], 2, at);
    sqlite3_bind_int64(statements[3], 3, seq);
    sqlite3_bind_text(statements[3], 4, path, length, SQLITE_STATIC);
    step(database, statements[3]);
}

static void commit(sqlite3 *database, sqlite3_stmt **statements, int batch, sqlite3_int64 *count) {
    step(database, statements[4]);
    for (int row = 0; row < batch; row++) insert(database, statements, 1 + 2 * (*count)++);
    sqlite3_bind_int64(statements[6], 1, 1700000000000 + *count);
    step(database, statements[6]);
    step(database, statements[5]);
}

// The number of documents; -1 for a new file.
static sqlite3_int64 stored(sqlite3 *database) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(database, "SELECT coalesce(max(seq), 0) / 2 FROM document_versions", -1, &statement, NULL))
        return -1;
    sqlite3_step(statement);
    sqlite3_int64 count = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return count + (count > 0);
}

int floor_insert(const char *folder, double seconds, int batch, int before) {
    char path[4096];
    snprintf(path, sizeof path, "%s/floor.db", folder);
    sqlite3 *database;
    must(NULL, sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL));
    sqlite3_int64 count = stored(database);
    must(database, sqlite3_exec(database, settings, NULL, NULL, NULL));
    if (count < 0) must(database, sqlite3_exec(database, tables, NULL, NULL, NULL));
    if (count < 0) count = 0;
    sqlite3_stmt *statements[7] = {
        prepare(database, "INSERT INTO documents VALUES (?1, 'products', ?2, 1, ?3, ?4)"),
        prepare(database, "INSERT INTO document_versions VALUES (?1, ?2, NULL, ?3, 'admin load-4zd762-admin', 0, NULL, NULL)"),
        prepare(database, "INSERT INTO changes VALUES (?1, ?2, NULL, NULL, NULL)"),
        prepare(database,
                "INSERT INTO notifications VALUES (?1, 2, 'station:load', 'load', 'active',"
                " '{\"\":{\"title\":\"The Matrix\",\"body\":\"The Matrix\"}}', '{}', ?2, NULL, NULL,"
                " 'load-4zd762-0', ?3, NULL, NULL, ?4, NULL, NULL, NULL, NULL, NULL)"),
        prepare(database, "BEGIN IMMEDIATE"),
        prepare(database, "COMMIT"),
        prepare(database,
                "INSERT INTO audit VALUES (NULL, ?1, 'load-4zd762-admin', NULL, '127.0.0.1', '1f2x9k-a', 'document.batch',"
                " 'documents', NULL, 'ok')"),
    };
    while (count < before) commit(database, statements, 500, &count);
    sqlite3_int64 first = count;
    double began = seconds_of(CLOCK_MONOTONIC), cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID), now;
    do {
        commit(database, statements, batch, &count);
        now = seconds_of(CLOCK_MONOTONIC);
    } while (now - began < seconds);
    cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("{\"batch\":%d,\"count\":%lld,\"seconds\":%.6f,\"cpuSeconds\":%.6f}\n", batch, count - first,
           now - began, cpu);
    // Not closed, because that would remove the log, and the next start would have to extend it again.
    fflush(stdout);
    _exit(0);
}
