#include "floor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage(void) {
    fprintf(stderr, "usage: watchwise-floor serve [--port N] [--batches]\n"
                    "       watchwise-floor inserts --folder DIR [--batch N] [--before N] [--seconds S]\n");
    return 2;
}

int main(int count, char **words) {
    int port = 0, batches = 0, batch = 64, before = 0;
    double seconds = 2;
    const char *folder = NULL;
    if (count < 2) return usage();
    for (int i = 2; i < count; i++) {
        if (!strcmp(words[i], "--batches")) batches = 1;
        else if (!strcmp(words[i], "--port") && i + 1 < count) port = atoi(words[++i]);
        else if (!strcmp(words[i], "--batch") && i + 1 < count) batch = atoi(words[++i]);
        else if (!strcmp(words[i], "--before") && i + 1 < count) before = atoi(words[++i]);
        else if (!strcmp(words[i], "--seconds") && i + 1 < count) seconds = atof(words[++i]);
        else if (!strcmp(words[i], "--folder") && i + 1 < count) folder = words[++i];
        else return usage();
    }
    if (!strcmp(words[1], "serve")) return floor_serve(port, batches);
    if (!strcmp(words[1], "inserts") && folder && seconds > 0 && batch > 0)
        return floor_insert(folder, seconds, batch, before);
    return usage();
}
