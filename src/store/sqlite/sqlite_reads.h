#ifndef STORE_SQLITE_READS_H
#define STORE_SQLITE_READS_H
/*
 * A VFS in front of another that tells failed reads apart.
 *
 * SQLite turns a read that ends in EIO into "database disk image is
 * malformed", which is what damage is called, and does not say which file it
 * was.  Here it stays a failed read, and the file is remembered.
 */
#include <sqlite3.h>

struct reads;

/* Registered with SQLite under its own name; the base is one whose functions go by pAppData. */
struct reads *sqlite_reads_new(sqlite3_vfs *base);
sqlite3_vfs *sqlite_reads_vfs(struct reads *r);
/* When no connection uses it any more. */
void sqlite_reads_free(struct reads *r);

/* The file whose read failed last on this thread: "log.db" or "log.db-wal"; NULL: none has. */
const char *sqlite_reads_failed_file(void);

#endif
