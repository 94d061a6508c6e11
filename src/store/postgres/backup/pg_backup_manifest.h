#ifndef STORE_POSTGRES_BACKUP_PG_BACKUP_MANIFEST_H
#define STORE_POSTGRES_BACKUP_PG_BACKUP_MANIFEST_H
/*
 * backup.json of a log in PostgreSQL.  That of a log in SQLite has format 1 (store/backup.c).
 *
 * Strings of a manifest that was read live in its arena.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/hash/sha256.h"
#include "store/backup.h"

#define PG_BACKUP_NODES_MAX 64

struct pg_backup_manifest {
	struct str version; /* of the program */
	struct str at;      /* the moment by the server's clock, RFC 3339 */
	struct str log_id;  /* of the runtime; the same in every copy */
	struct str place;   /* without user and password */
	struct str schema;
	int64_t store_format;
	int64_t sessions, events;
	int64_t last_position; /* every event up to there is in the moment, and none behind it */
	struct sha256 heads;   /* of the file */

	/* Of the server.  Absent: it does not say. */
	struct str server_version, system_id, lsn, wal_file;
	bool is_standby;

	bool has_dump;
	int64_t dump_bytes;
	struct sha256 dump;

	/* Large outputs that events name, by where they are. */
	int64_t outputs_database, outputs_bucket, outputs_files;
	struct str bucket, prefix, endpoint; /* absent: no object store was set */

	/* Nodes that lived then; each has files of its own. */
	struct str nodes[PG_BACKUP_NODES_MAX];
	size_t node_count;
	bool with_keys;
};

void pg_backup_manifest_write(struct buf *out, const struct pg_backup_manifest *m);
/* ERR_INVALID: it is none, and the message says what is wrong. */
enum err pg_backup_manifest_read(struct arena *mem, struct str text, struct pg_backup_manifest *ret,
                                 struct error *e) MUST_USE;
/* That of this directory. */
enum err pg_backup_manifest_load(struct arena *mem, const char *path,
                                 struct pg_backup_manifest *ret, struct error *e) MUST_USE;

#endif
