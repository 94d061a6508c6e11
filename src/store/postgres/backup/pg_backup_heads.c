/* The lines of heads, and the file that has them. */
#include "store/postgres/backup/pg_backup_heads.h"

#include "base/os/id.h"
#include "base/os/sys.h"
#include "store/backup.h"

#include <stdio.h>

#define PIECE ((size_t)64 << 10)

/* ---- lines ---- */

void pg_backup_heads_put(struct buf *out, const struct pg_backup_head *h)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();

	buf_printf(out, "%lld %llu %.*s %llu %s\n", (long long)h->no, (unsigned long long)h->seq,
	           STR_ARG(sha256_hex(mem, &h->hash)), (unsigned long long)h->floor, h->id);
}

bool pg_backup_heads_take(struct str line, struct pg_backup_head *ret)
{
	struct str no = str_cut(&line, ' '), seq = str_cut(&line, ' ');
	struct str hash = str_cut(&line, ' '), floor = str_cut(&line, ' ');

	if (!str_is(line) || line.len > LIMIT_ID_BYTES || !id_is_valid(line) ||
	    !str_to_i64(no, &ret->no) || ret->no <= 0 || !str_to_u64(seq, &ret->seq) ||
	    !sha256_read_hex(hash, &ret->hash) || !str_to_u64(floor, &ret->floor) ||
	    ret->floor > ret->seq)
		return false;
	snprintf(ret->id, sizeof ret->id, "%.*s", STR_ARG(line));
	return true;
}

/* ---- the file ---- */

static enum err cannot_read(struct error *e)
{
	return fail_errno(e, ERR_INVALID, "backup_unreadable: the file " BACKUP_HEADS);
}

static enum err unlike_written(struct error *e)
{
	return fail(e, ERR_INVALID,
	            "backup_unreadable: the file " BACKUP_HEADS
	            " is not what was written: it is damaged or was exchanged");
}

enum err pg_backup_heads_open(struct pg_backup_heads *f, const char *dir, const struct sha256 *hash,
                              struct error *e)
{
	FD_SCOPE in = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct sha256_stream sum;
	struct sha256 have;
	char piece[4096];
	ssize_t got;

	*f = (struct pg_backup_heads){ .fd = in < 0 ? -1
		                                    : openat(in, BACKUP_HEADS,
		                                             O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
		                                                     O_CLOEXEC) };
	if (f->fd < 0)
		return cannot_read(e);
	sha256_begin(&sum);
	while ((got = read(f->fd, piece, sizeof piece)) > 0)
		sha256_more(&sum, str_of(piece, (size_t)got));
	have = sha256_end(&sum);
	if (got < 0 || lseek(f->fd, 0, SEEK_SET) < 0)
		return cannot_read(e);
	return sha256_eq(&have, hash) ? OK : unlike_written(e);
}

void pg_backup_heads_close(struct pg_backup_heads *f)
{
	if (f->fd > 0)
		close(f->fd);
	f->fd = 0;
	buf_done(&f->text);
}

/* False: there is no whole line, and nothing more to read. */
static bool find_line(struct pg_backup_heads *f, struct str *ret, ssize_t *ret_got)
{
	for (;;) {
		struct str left = str_skip(buf_str(&f->text), f->at);
		ptrdiff_t end = str_find_char(left, '\n');
		char *room;

		if (end >= 0) {
			*ret = str_head(left, (size_t)end);
			f->at += (size_t)end + 1;
			return true;
		}
		if (left.len > PIECE)
			return false;
		buf_drop(&f->text, f->at);
		f->at = 0;
		room = buf_reserve(&f->text, PIECE);
		*ret_got = read(f->fd, room, PIECE);
		if (*ret_got <= 0)
			return false;
		f->text.len += (size_t)*ret_got;
	}
}

enum err pg_backup_heads_next(struct pg_backup_heads *f, struct pg_backup_head *ret, bool *ret_more,
                              struct error *e)
{
	struct str line;
	ssize_t got = 0;

	*ret_more = find_line(f, &line, &got);
	if (!*ret_more)
		return got < 0 ? cannot_read(e) : f->text.len > f->at ? unlike_written(e) : OK;
	if (!pg_backup_heads_take(line, ret) || ret->no <= f->last_no)
		return unlike_written(e);
	f->last_no = ret->no;
	return OK;
}
