// SQLite; what Swift cannot import by itself, each with its reason.
#include <sqlite3.h>
#include "log_buffer.h"

// sqlite3_config takes a variable list of arguments. Without statistics of memory, which nobody reads, allocating takes
// no mutex (sqlite.org/c3ref/c_config_covering_index_scan.html). Of effect before the first database is opened only.
static inline int watchwise_sqlite_without_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
