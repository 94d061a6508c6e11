#ifndef STORE_POSTGRES_BACKUP_PG_BACKUP_HEADS_H
#define STORE_POSTGRES_BACKUP_PG_BACKUP_HEADS_H
/*
 * The file of heads: a line for each session, in the order of their numbers.
 *
 *	NUMBER SEQUENCE HASH FLOOR ID
 *
 * HASH is that of the last event, so it covers the whole log of the session.  FLOOR is the last event that
 * retention has removed.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/gen/limits.h"
#include "base/hash/sha256.h"

struct pg_backup_head {
	int64_t no;
	uint64_t seq, floor;
	struct sha256 hash;
	char id[LIMIT_ID_BYTES + 1];
};

/* The line of a head, with its end. */
void pg_backup_heads_put(struct buf *out, const struct pg_backup_head *h);
/* A line without its end.  False: it is none. */
bool pg_backup_heads_take(struct str line, struct pg_backup_head *ret) MUST_USE;

/* Reads the file from its beginning, a piece at a time. */
struct pg_backup_heads {
	int fd;
	struct buf text; /* read and not taken yet */
	size_t at;
	int64_t last_no;
};

/* The file must have this hash.  ERR_INVALID: it has not, or is missing. */
enum err pg_backup_heads_open(struct pg_backup_heads *f, const char *dir, const struct sha256 *hash,
                              struct error *e) MUST_USE;
void pg_backup_heads_close(struct pg_backup_heads *f); /* one that is zeroed is fine */
/* The next head; *ret_more is false behind the last one. */
enum err pg_backup_heads_next(struct pg_backup_heads *f, struct pg_backup_head *ret, bool *ret_more,
                              struct error *e) MUST_USE;

#endif
