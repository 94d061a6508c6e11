/*
 * Writes server-sent events for our clients, and parses those of model
 * providers.  The parser takes bytes in pieces of any size.
 */
#include "net/http/sse.h"

/* ---- writing ---- */

/* A line break inside a value would begin another field, so control characters become spaces. */
static void add_line(struct buf *out, struct str field, struct str value)
{
	buf_add_str(out, field);
	buf_add(out, ": ", 2);
	for (size_t i = 0; i < value.len; i++) {
		char c = value.ptr[i];

		buf_add_char(out, c == '\n' || c == '\r' || c == '\0' ? ' ' : c);
	}
	buf_add_char(out, '\n');
}

/* The first line of *rest, without its end; *rest becomes absent after the last. */
static struct str cut_line(struct str *rest)
{
	for (size_t i = 0; i < rest->len; i++) {
		char c = rest->ptr[i];

		if (c != '\n' && c != '\r')
			continue;

		struct str line = str_head(*rest, i);
		bool is_crlf = c == '\r' && i + 1 < rest->len && rest->ptr[i + 1] == '\n';

		*rest = str_of(rest->ptr + i + 1 + is_crlf, rest->len - i - 1 - is_crlf);
		return line;
	}

	struct str line = *rest;

	*rest = STR_NONE;
	return line;
}

void sse_event(struct buf *out, struct str id, struct str event, struct str data)
{
	if (str_is(id))
		add_line(out, STR("id"), id);
	if (str_is(event))
		add_line(out, STR("event"), event);
	while (str_is(data)) {
		buf_add(out, "data: ", 6);
		buf_add_str(out, cut_line(&data));
		buf_add_char(out, '\n');
	}
	buf_add_char(out, '\n');
}

void sse_comment(struct buf *out, struct str text)
{
	add_line(out, STR(""), text);
	buf_add_char(out, '\n');
}

void sse_retry(struct buf *out, int64_t ms)
{
	buf_printf(out, "retry: %lld\n\n", (long long)ms);
}

/* ---- reading ---- */

static void set_value(struct buf *b, struct str value)
{
	buf_clear(b);
	buf_add_str(b, value);
}

/*
 * An event without data is not dispatched, but `event` is cleared; `id` stays for the
 * events after it (HTML, server-sent events).
 */
static void dispatch(struct sse_parser *p, sse_on_message *cb, void *arg)
{
	struct sse_message m = {
		.id = p->has_id ? buf_str(&p->id) : STR_NONE,
		.event = p->event.len ? buf_str(&p->event) : STR("message"),
		.data = buf_str(&p->data),
	};
	bool has_data = p->has_data;

	p->has_data = false;
	if (has_data) {
		m.data.len--; /* the \n behind the last line */
		cb(arg, &m);
	}
	buf_clear(&p->data);
	buf_clear(&p->event);
}

/*
 * Fields as the HTML standard defines them: an id with NUL and a retry that is not only
 * digits are ignored, and so are unknown names.
 */
static void take_field(struct sse_parser *p, struct str name, struct str value)
{
	uint64_t ms;

	if (str_eq(name, STR("data"))) {
		if (p->data.len + value.len + 1 > p->max) {
			p->is_failed = true;
			return;
		}
		p->has_data = true;
		buf_add_str(&p->data, value);
		buf_add_char(&p->data, '\n');
	} else if (str_eq(name, STR("event"))) {
		set_value(&p->event, value);
	} else if (str_eq(name, STR("id"))) {
		if (str_find_char(value, '\0') >= 0)
			return;
		set_value(&p->id, value);
		p->has_id = true;
	} else if (str_eq(name, STR("retry"))) {
		bool is_digits = value.len > 0;

		for (size_t i = 0; i < value.len; i++)
			is_digits &= value.ptr[i] >= '0' && value.ptr[i] <= '9';
		if (is_digits && str_to_u64(value, &ms) && ms <= INT64_MAX)
			p->retry_ms = (int64_t)ms;
	}
}

/*
 * A byte order mark may precede the stream.  One space after the colon belongs to the
 * syntax, not to the value.
 */
static void take_line(struct sse_parser *p, struct str line, sse_on_message *cb, void *arg)
{
	if (!p->is_begun) {
		p->is_begun = true;
		if (str_starts(line, STR("\xef\xbb\xbf")))
			line = str_skip(line, 3);
	}
	if (!line.len) {
		dispatch(p, cb, arg);
		return;
	}

	struct str value = line;
	struct str name = str_cut(&value, ':');

	if (!str_is(value))
		value = STR("");
	else if (value.len && value.ptr[0] == ' ')
		value = str_skip(value, 1);
	take_field(p, name, value); /* a comment has no name, and so no taker */
}

/* A line inside one piece is parsed in place; only a split line is copied. */
static void end_line(struct sse_parser *p, struct str tail, sse_on_message *cb, void *arg)
{
	if (p->line.len + tail.len > p->max) {
		p->is_failed = true;
		return;
	}
	if (!p->line.len) {
		take_line(p, tail, cb, arg);
		return;
	}
	buf_add_str(&p->line, tail);
	take_line(p, buf_str(&p->line), cb, arg);
	buf_clear(&p->line);
}

/* Where the line that begins at `from` ends; the length of bytes when it does not end here. */
static size_t line_end(struct str bytes, size_t from)
{
	const char *start = bytes.ptr + from;
	const char *lf = memchr(start, '\n', bytes.len - from);
	size_t until = lf ? (size_t)(lf - bytes.ptr) : bytes.len;
	const char *cr = memchr(start, '\r', until - from);

	return cr ? (size_t)(cr - bytes.ptr) : until;
}

/*
 * Lines end with LF, CR or CR LF.  A CR ends its line at once; a LF that follows,
 * perhaps in the next piece, is skipped.  Waiting for it would delay the event.
 */
bool sse_feed(struct sse_parser *p, struct str bytes, sse_on_message *cb, void *arg)
{
	size_t start = 0;

	while (start < bytes.len && !p->is_failed) {
		size_t end;

		/* The second half of CR LF, perhaps of the bytes before these. */
		if (p->is_after_cr && bytes.ptr[start] == '\n')
			start++;
		p->is_after_cr = false;
		if (start == bytes.len)
			break;
		end = line_end(bytes, start);
		if (end == bytes.len)
			break;
		p->is_after_cr = bytes.ptr[end] == '\r';
		end_line(p, str_of(bytes.ptr + start, end - start), cb, arg);
		start = end + 1;
	}
	if (p->is_failed || p->line.len + (bytes.len - start) > p->max) {
		p->is_failed = true;
		return false;
	}
	buf_add(&p->line, bytes.ptr + start, bytes.len - start);
	return true;
}

void sse_parser_done(struct sse_parser *p)
{
	buf_done(&p->line);
	buf_done(&p->data);
	buf_done(&p->event);
	buf_done(&p->id);
}
