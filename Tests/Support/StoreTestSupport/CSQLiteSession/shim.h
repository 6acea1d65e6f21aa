// The session extension of SQLite (sqlite.org/session/intro.html), which Debian's library has.
//
// These are its own declarations, from sqlite3.h. The header itself would declare all of SQLite for a third module beside
// `CSQLite` and that of GRDB, and Swift would find the members of its types in this one.
struct sqlite3;
struct sqlite3_session;
struct sqlite3_changeset_iter;
struct sqlite3_value;

int sqlite3session_create(struct sqlite3 *, const char *, struct sqlite3_session **);
void sqlite3session_delete(struct sqlite3_session *);
int sqlite3session_attach(struct sqlite3_session *, const char *);
int sqlite3session_diff(struct sqlite3_session *, const char *, const char *, char **);
int sqlite3session_changeset(struct sqlite3_session *, int *, void **);
int sqlite3changeset_start(struct sqlite3_changeset_iter **, int, void *);
int sqlite3changeset_next(struct sqlite3_changeset_iter *);
int sqlite3changeset_op(struct sqlite3_changeset_iter *, const char **, int *, int *, int *);
int sqlite3changeset_pk(struct sqlite3_changeset_iter *, unsigned char **, int *);
int sqlite3changeset_old(struct sqlite3_changeset_iter *, int, struct sqlite3_value **);
int sqlite3changeset_new(struct sqlite3_changeset_iter *, int, struct sqlite3_value **);
int sqlite3changeset_finalize(struct sqlite3_changeset_iter *);
