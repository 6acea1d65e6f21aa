/* What the program was built from. */
#pragma once

/* The commit, twelve hexadecimal digits, with a plus where files had changed since; "unknown" outside of a repository.
   Given byte by byte, so that no pointer leaves C: the byte at the index, 0 at the end. */
char watchwise_commit(int index);
