// zlib; what Swift cannot import by itself, each with its reason.
#include <zlib.h>

// deflateInit2 and inflateInit2 are macros that hand over the version and the size of z_stream. A negative number of
// window bits asks for raw deflate data without header and checksum, which is what RFC 7692 speaks.
static inline int watchwise_deflate_init_raw(z_streamp stream, int level, int windowBits, int memoryLevel) {
    return deflateInit2(stream, level, Z_DEFLATED, -windowBits, memoryLevel, Z_DEFAULT_STRATEGY);
}
static inline int watchwise_inflate_init_raw(z_streamp stream, int windowBits) {
    return inflateInit2(stream, -windowBits);
}

// inflateInit2 again; 32 more than the largest window asks for gzip or zlib data, whichever the header says.
static inline int watchwise_inflate_init_wrapped(z_streamp stream) {
    return inflateInit2(stream, 15 + 32);
}
