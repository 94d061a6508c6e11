/* Reads JSON lines in bounded memory; session_lines.h says what happens to unusual ones. */
#include "app/cli/import/session_lines.h"

#include "base/utf8.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define CHUNK (256u << 10)

void session_lines_init(struct session_lines *l, int fd, uint64_t size)
{
	*l = (struct session_lines){ .fd = fd, .left = size };
	sha256_begin(&l->hash);
}

void session_lines_done(struct session_lines *l)
{
	buf_done(&l->text);
	buf_done(&l->clean);
}

/* False: nothing more comes. */
static bool read_chunk(struct session_lines *l)
{
	size_t want = (size_t)MIN(l->left, CHUNK);
	char *room;
	ssize_t got;

	if (!want)
		return false;
	buf_drop(&l->text, l->at);
	l->at = 0;
	room = buf_reserve(&l->text, want);
	do
		got = read(l->fd, room, want);
	while (got < 0 && errno == EINTR);
	if (got <= 0) {
		/* The file was cut since it was opened. */
		l->failed = true;
		l->left = 0;
		return false;
	}
	sha256_more(&l->hash, str_of(room, (size_t)got));
	l->text.len += (size_t)got;
	l->bytes += (uint64_t)got;
	l->left -= (uint64_t)got;
	return true;
}

static struct str made_valid(struct session_lines *l, struct str line)
{
	if (utf8_is_valid(line))
		return line;
	buf_clear(&l->clean);
	while (line.len) {
		size_t len = utf8_read(line, NULL);

		buf_add_str(&l->clean, len ? str_head(line, len) : STR("\xef\xbf\xbd"));
		line = str_skip(line, MAX(len, 1));
	}
	return buf_str(&l->clean);
}

/* A line that grows beyond the bound is dropped as it arrives. */
static void drop_long(struct session_lines *l)
{
	if (l->text.len - l->at <= SESSION_LINE_MAX)
		return;
	l->too_long += !l->skips;
	l->skips = true;
	l->at = l->text.len;
}

bool session_lines_next(struct session_lines *l, struct str *ret)
{
	for (;;) {
		struct str rest = str_skip(buf_str(&l->text), l->at);
		const char *end = rest.len ? memchr(rest.ptr, '\n', rest.len) : NULL;

		if (end) {
			struct str line = str_head(rest, (size_t)(end - rest.ptr));

			l->at += line.len + 1;
			if (l->skips || line.len > SESSION_LINE_MAX) {
				l->too_long += !l->skips;
				l->skips = false;
				continue;
			}
			*ret = made_valid(l, line);
			return true;
		}
		drop_long(l);
		if (read_chunk(l))
			continue;
		rest = str_skip(buf_str(&l->text), l->at);
		l->at = l->text.len;
		l->is_half = rest.len > 0;
		*ret = made_valid(l, rest);
		return rest.len > 0;
	}
}

struct sha256 session_lines_hash(struct session_lines *l)
{
	return sha256_end(&l->hash);
}
