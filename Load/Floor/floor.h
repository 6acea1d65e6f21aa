// The least cost of a server on this machine: programs that make only the necessary system calls.
#ifndef FLOOR_H
#define FLOOR_H

// Serves WebSockets on 127.0.0.1 until it is killed: messages on /echo go back, messages on /pub go to each /sub.
// With `batches`, all messages of one turn go to each socket in one write.
int floor_serve(int port, int batches);

// Inserts rows as the server's writer does (a document, its changes, an inbox row), `batch` documents in a commit,
// for some seconds, and prints a line of JSON.
// It begins with `before` documents, so that the log has its usual size and the trees their usual depth.
int floor_insert(const char *folder, double seconds, int batch, int before);

#endif
