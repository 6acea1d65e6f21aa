// The whole of libuv; nothing here but what Swift cannot import by itself, each with its reason.
#include <pthread.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <uv.h>

// glibc declares these two only under _GNU_SOURCE, which Swift's Glibc module is built without.
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *size, int flags);
extern int pthread_setname_np(pthread_t thread, const char *name);
