// expat; all of what is used here Swift imports by itself.
#include <expat.h>
