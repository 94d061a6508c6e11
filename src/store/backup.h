#ifndef STORE_BACKUP_H
#define STORE_BACKUP_H
/*
 * A copy of a data directory, made while its runtime works, and the way back.
 *
 *	backup.json     written last: format, id of the log, SHA-256 of log.db
 *	log.db          the log as of one moment, without a write-ahead log
 *	blobs/          outputs that this log names, and growing ones
 *	chat_history.jsonl, and with keys: keys/, token
 *
 * The copy has no log.id, so that a runtime does not compare it with the files
 * of another moment; blobs/log.id carries the identity of the log.
 *
 * Directories are 0700 and files 0600.  Everything is synced before the call
 * returns.  Both functions write into a directory that the caller has made and
 * that is empty; after a failure or a crash the caller removes it.  They need
 * no runtime and may run in any thread.
 */
#include "base/err.h"

struct backup_size {
	int64_t sessions, events, files, bytes;
};

/* data: a data directory, in use or not. */
enum err backup_write(const char *data, const char *into, bool with_keys, struct backup_size *ret,
                      struct error *e) MUST_USE;

/* from: a directory that backup_write() has filled.  Nothing else in it is taken. */
enum err backup_read(const char *from, const char *into, struct error *e) MUST_USE;

#endif
