// SQLite; what Swift cannot import by itself, each with its reason.
#include <sqlite3.h>
#include "log_buffer.h"

// sqlite3_config takes a variable list of arguments (sqlite.org/c3ref/c_config_covering_index_scan.html). It has an effect
// only before the first database is opened.
static inline int watchwise_sqlite_configure(void) {
    // Databases may be opened by address, which names the VFS. Debian's SQLite does so without this.
    int result = sqlite3_config(SQLITE_CONFIG_URI, 1);
    // Without statistics of memory, which nobody reads, allocating takes no mutex.
    return result != SQLITE_OK ? result : sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
