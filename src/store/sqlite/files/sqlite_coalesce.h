#ifndef STORE_SQLITE_COALESCE_H
#define STORE_SQLITE_COALESCE_H
/*
 * SQLite writes each page of a commit to the write-ahead log in two calls,
 * some seventy for a turn.  A VFS in front of the real one gathers what
 * follows on each other and writes it when the log is synced, or looked at.
 *
 * Only for a connection whose every commit syncs: it is the sync, not the
 * write, after which others may be told of the pages.
 */
#include <sqlite3.h>

struct coalesce;

/* Registered with SQLite under its own name; the base has to outlive it. */
struct coalesce *sqlite_coalesce_new(sqlite3_vfs *base);
const char *sqlite_coalesce_name(const struct coalesce *g);
/* When no connection uses it any more. */
void sqlite_coalesce_free(struct coalesce *g);

#endif
