// The whole of libuv; nothing here but what Swift cannot import by itself, each with its reason.
#include <uv.h>
