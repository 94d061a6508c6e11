#ifndef STORE_SQLITE_READS_H
#define STORE_SQLITE_READS_H
/*
 * A VFS in front of another that distinguishes failed reads from damage.
 *
 * SQLite reports a read that ends in EIO as "database disk image is malformed",
 * as it does for damage, and does not name the file.  This VFS keeps it a
 * failed read and remembers the file.
 */
#include <sqlite3.h>

struct reads;

/* Registered with SQLite under its own name; base's functions must use pAppData. */
struct reads *sqlite_reads_new(sqlite3_vfs *base);
sqlite3_vfs *sqlite_reads_vfs(struct reads *r);
/* Call when no connection uses it any more. */
void sqlite_reads_free(struct reads *r);

/* The file whose read failed last on this thread: "log.db" or "log.db-wal"; NULL: none has. */
const char *sqlite_reads_failed_file(void);

#endif
