#include "CBuild.h"

char watchwise_commit(int index) {
    static const char commit[] = WATCHWISE_COMMIT;
    return index >= 0 && index < (int)sizeof commit ? commit[index] : 0;
}
