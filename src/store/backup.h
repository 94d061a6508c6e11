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
#include "base/hash/sha256.h"

#define BACKUP_MANIFEST "backup.json"
#define BACKUP_MANIFEST_MAX 65536
/* Its member `format`. */
#define BACKUP_FORMAT_DIRECTORY 1
#define BACKUP_FORMAT_DATABASE 2
/* Other files of the backup of a log in a database (postgres/backup/). */
#define BACKUP_HEADS "heads"
#define BACKUP_DUMP "log.dump"

struct backup_size {
	int64_t sessions, events, files, bytes;
};

/* data: a data directory, in use or not. */
enum err backup_write(const char *data, const char *into, bool with_keys, struct backup_size *ret,
                      struct error *e) MUST_USE;

/*
 * The files of a data directory whose log is elsewhere: chat history, with_outputs: outputs, with_keys:
 * the token and the keys.  A directory that does not exist has none.
 */
enum err backup_write_files(const char *data, const char *into, bool with_outputs, bool with_keys,
                            struct error *e) MUST_USE;

/* Of what is behind the descriptor's place; name is for the message. */
enum err backup_hash_file(int fd, const char *name, struct sha256 *ret, int64_t *ret_bytes,
                          struct error *e) MUST_USE;

/* from: a directory that backup_write() has filled.  Nothing else in it is taken. */
enum err backup_read(const char *from, const char *into, struct error *e) MUST_USE;

#endif
