/*
 * HTTP requests from arbitrary bytes.  The first byte says how the rest is
 * split; for every split the parsed request is the same, limits hold, and no
 * path leaves the root.
 */
#include "base/utf8.h"
#include "net/http/http_parse.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

#define BODY_MAX 500

static void check_path(struct str path)
{
	MUST(path.len > 0 && utf8_is_valid(path));
	for (size_t i = 0; i < path.len; i++)
		MUST((unsigned char)path.ptr[i] >= 0x20);
	while (str_is(path)) {
		struct str segment = str_cut(&path, '/');

		MUST(!str_eq(segment, STR("..")) && !str_eq(segment, STR(".")));
	}
}

static void check_field(const struct http_field *f, bool may_break)
{
	MUST(str_find_char(f->value, '\0') < 0);
	MUST(may_break || (str_find_char(f->value, '\r') < 0 && str_find_char(f->value, '\n') < 0));
}

static void describe(struct buf *out, const struct http_message *m)
{
	check_path(m->path);
	MUST(m->body.len <= BODY_MAX && m->target.len <= HTTP_LINE_MAX);
	MUST(m->field_count <= HTTP_FIELDS_MAX && m->param_count <= HTTP_PARAMS_MAX);
	MUST(m->is_http_1_0 || str_is(m->host));
	buf_printf(out, "%.*s %.*s|%.*s|%.*s|%.*s|%d%d%d%d", STR_ARG(m->method), STR_ARG(m->target),
	           STR_ARG(m->path), STR_ARG(m->query), STR_ARG(m->body), m->is_http_1_0,
	           m->wants_continue, m->wants_keep_alive, m->wants_upgrade);
	for (size_t i = 0; i < m->field_count; i++) {
		check_field(&m->fields[i], false);
		buf_printf(out, "\n%.*s: %.*s", STR_ARG(m->fields[i].name),
		           STR_ARG(m->fields[i].value));
	}
	for (size_t i = 0; i < m->param_count; i++) {
		check_field(&m->params[i], true);
		buf_printf(out, "\n?%.*s=%.*s", STR_ARG(m->params[i].name),
		           STR_ARG(m->params[i].value));
	}
	buf_add_char(out, '\n');
}

/*
 * Reads what there is; false when the connection is lost.  For which of two
 * faults it is refused, a split may change.
 */
static bool feed(struct http_parser *p, struct str bytes, struct buf *out)
{
	struct http_message m;

	for (;;)
		switch (http_parse(p, &bytes)) {
		case HTTP_WANTS_MORE:
			MUST(!bytes.len);
			return true;
		case HTTP_HAS_HEAD:
			if (!http_parse_body(p, BODY_MAX)) {
				buf_add_c(out, "refused\n");
				return false;
			}
			break;
		case HTTP_HAS_ALL:
			http_parse_take(p, &m);
			describe(out, &m);
			http_parse_message_done(&m);
			break;
		case HTTP_IS_BAD:
			MUST(p->status >= 400 && p->status < 600 && p->why);
			buf_add_c(out, "refused\n");
			return false;
		}
}

static void read_in_pieces(struct str text, size_t piece, struct buf *out)
{
	struct http_parser p = { 0 };

	/* Each piece in memory of exactly its size, so that the sanitizer sees its end. */
	for (bool goes_on = true; goes_on && text.len;) {
		size_t len = MIN(piece, text.len);
		char *copy = malloc(len);

		MUST(copy);
		memcpy(copy, text.ptr, len);
		goes_on = feed(&p, str_of(copy, len), out);
		text = str_skip(text, len);
		free(copy);
	}
	http_parse_done(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole = { 0 }, pieces = { 0 };

	if (size < 2)
		return 0;

	struct str text = str_of((const char *)data + 1, size - 1);

	read_in_pieces(text, text.len, &whole);
	read_in_pieces(text, 1 + data[0] % 64, &pieces);
	MUST(str_eq(buf_str(&whole), buf_str(&pieces)));
	buf_done(&whole);
	buf_done(&pieces);
	return 0;
}
