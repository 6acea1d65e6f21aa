// The floor that a server cannot go below on this machine: what is left when there is nothing but system calls.
#ifndef FLOOR_H
#define FLOOR_H

// Serves WebSockets on 127.0.0.1 until it is killed: what comes on /echo goes back, what comes on /pub goes to each /sub.
// With `batches`, all that came in one turn goes to each socket in one write.
int floor_serve(int port, int batches);

// Inserts rows as the server's writer does (a document, its changes, an inbox row), `batch` documents in a commit,
// for some seconds, and prints a line of JSON.
// `before` documents are there first, so that the log has its size and the trees their depth.
int floor_insert(const char *folder, double seconds, int batch, int before);

#endif
