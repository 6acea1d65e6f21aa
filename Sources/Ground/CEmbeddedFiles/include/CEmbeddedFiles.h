/* The files that the program carries: pages of the demo, the library for browsers, applications that ship with the server. */
#pragma once

#include <stddef.h>

struct watchwise_embedded_file {
    /* Its place below Sources, "Programs/Demo/Pages/page.html" for example. */
    const char *path;
    const unsigned char *bytes;
    size_t length;
};

/* The files in the order of their paths; null past the last one. They stay where they are for as long as the program runs. */
const struct watchwise_embedded_file *watchwise_embedded_file(size_t index);
