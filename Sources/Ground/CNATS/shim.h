// libnats; Swift imports all of it that is used.
#include <nats/nats.h>
