#ifndef STORE_POSTGRES_BACKUP_PG_BACKUP_H
#define STORE_POSTGRES_BACKUP_PG_BACKUP_H
/*
 * A backup of a log in PostgreSQL: a directory that describes one moment of it, and the comparison of
 * a copy with that description.
 *
 *	backup.json     written last: which log, which moment, and where its parts are
 *	heads           the last event of each session, with its hash
 *	log.dump        what pg_dump made of the same moment, if it ran
 *	chat_history.jsonl, blobs/, and with keys: token, keys/, sign.key    of a node's data directory
 *
 * Both read the server in one transaction that changes nothing, while nodes work.  They need no
 * runtime, may run in any thread, and return when everything is done.  No file and no message has a
 * password.  Messages of errors begin with a code of docs/reference/store-errors.md.
 */
#include "base/arena.h"
#include "base/err.h"
#include "store/bucket/bucket.h"

/* What pg_dump needs to copy the moment. */
struct pg_backup_dump {
	const char *snapshot; /* for --snapshot */
	const char *schema;
	const char *database; /* for --dbname: the address without secrets */
	const char *password; /* of the address; NULL: it has none */
	const char *file;     /* to be made */
};

struct pg_backup_options {
	const char *url, *schema; /* as those of struct store_postgres_options */
	const char *into;         /* an empty directory; after a failure the caller removes it */
	const char *data;         /* data directory of a node, which need not exist */
	bool with_keys;
	/* Where sealed outputs may be, for those who restore; NULL: no object store is set. */
	const struct bucket_settings *bucket;
	/*
	 * Called while the server keeps the moment; NULL: no dump is made.  ERR_NOT_FOUND: there is no
	 * pg_dump, and the backup is made without it.
	 */
	enum err (*dump)(void *arg, const struct pg_backup_dump *what, struct error *e);
	void *arg;
};

/* Everything is synced when it returns.  *ret: the text of backup.json, in mem. */
enum err pg_backup_write(struct arena *mem, const struct pg_backup_options *o, struct str *ret,
                         struct error *e) MUST_USE;

struct pg_backup_compare_options {
	const char *url, *schema;            /* of the copy */
	const char *backup;                  /* a directory of pg_backup_write() */
	const char *data;                    /* outputs that are files may be there too */
	const struct bucket_options *bucket; /* NULL: no object store is set */
};

/*
 * Compares a copy with a backup: every event and the chain of each session, the heads of the backup,
 * and that the outputs which events name are there.  *ret is a report in JSON, and *ret_whole
 * whether nothing was found.  An error: there was nothing to compare.
 */
enum err pg_backup_compare(struct arena *mem, const struct pg_backup_compare_options *o,
                           struct str *ret, bool *ret_whole, struct error *e) MUST_USE;

#endif
