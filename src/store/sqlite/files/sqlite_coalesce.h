#ifndef STORE_SQLITE_COALESCE_H
#define STORE_SQLITE_COALESCE_H
/*
 * SQLite writes each page of a commit to the write-ahead log in two calls,
 * some seventy for a turn.  This VFS, in front of the real one, joins
 * consecutive writes and writes them when the log is synced or read.
 *
 * Only for a connection whose every commit syncs: other connections learn of
 * the pages after the sync, not after the write.
 */
#include <sqlite3.h>

struct coalesce;

/* Registered with SQLite under its own name; base must outlive it. */
struct coalesce *sqlite_coalesce_new(sqlite3_vfs *base);
const char *sqlite_coalesce_name(const struct coalesce *g);
/* Call when no connection uses it any more. */
void sqlite_coalesce_free(struct coalesce *g);

#endif
