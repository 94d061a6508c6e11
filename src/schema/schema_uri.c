/*
 * Resolves and decodes URI references (RFC 3986) and walks JSON pointers.
 */
#include "schema/schema_parts.h"

struct uri {
	struct str scheme, authority, path, query; /* all but path may be absent */
};

struct str schema_uri_fragment(struct str uri)
{
	ptrdiff_t hash = str_find_char(uri, '#');

	return hash < 0 ? STR_NONE : str_skip(uri, (size_t)hash + 1);
}

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Length of "scheme:" at the beginning, 0 when there is none. */
static size_t scheme_len(struct str s)
{
	if (!s.len || !is_alpha(s.ptr[0]))
		return 0;
	for (size_t i = 1; i < s.len; i++) {
		char c = s.ptr[i];

		if (c == ':')
			return i + 1;
		if (!is_alpha(c) && !is_digit(c) && c != '+' && c != '-' && c != '.')
			return 0;
	}
	return 0;
}

/* The order follows the grammar: each mark is special only in what the previous cuts have left. */
static struct uri split_uri(struct str s)
{
	struct uri u = { 0 };
	size_t scheme = scheme_len(s);
	ptrdiff_t end = str_find_char(s, '#');

	if (end >= 0)
		s = str_head(s, (size_t)end);
	if (scheme) {
		u.scheme = str_head(s, scheme - 1);
		s = str_skip(s, scheme);
	}
	end = str_find_char(s, '?');
	if (end >= 0) {
		u.query = str_skip(s, (size_t)end + 1);
		s = str_head(s, (size_t)end);
	}
	if (str_starts(s, STR("//"))) {
		s = str_skip(s, 2);
		end = str_find_char(s, '/');
		u.authority = end < 0 ? s : str_head(s, (size_t)end);
		s = str_skip(s, u.authority.len);
	}
	u.path = s;
	return u;
}

/* Appends path to out without its "." and ".." segments. */
static void add_without_dots(struct buf *out, struct str path)
{
	/* ".." never removes what was in the buffer before, which is scheme and authority. */
	size_t floor = out->len;
	bool is_rooted = path.len && path.ptr[0] == '/';
	bool more = true;

	if (is_rooted) {
		buf_add_char(out, '/');
		path = str_skip(path, 1);
		floor++;
	}
	while (more) {
		ptrdiff_t slash = str_find_char(path, '/');
		struct str segment = slash < 0 ? path : str_head(path, (size_t)slash);

		more = slash >= 0;
		path = str_skip(path, segment.len + more);
		if (str_eq(segment, STR(".")))
			continue;
		if (str_eq(segment, STR(".."))) {
			/* Back over "segment/", which always ends in its slash. */
			if (out->len > floor)
				out->len--;
			while (out->len > floor && out->ptr[out->len - 1] != '/')
				out->len--;
			continue;
		}
		buf_add_str(out, segment);
		if (more)
			buf_add_char(out, '/');
	}
}

/* RFC 3986, section 5.2.3: a relative path replaces the last segment of the base. */
static void add_path(struct buf *out, struct uri base, struct uri ref)
{
	if (!ref.path.len) {
		buf_add_str(out, base.path);
	} else if (ref.path.ptr[0] == '/') {
		add_without_dots(out, ref.path);
	} else {
		struct buf merged = { 0 };

		if (str_is(base.authority) && !base.path.len)
			buf_add_char(&merged, '/');
		for (size_t i = base.path.len; i > 0; i--) {
			if (base.path.ptr[i - 1] == '/') {
				buf_add_str(&merged, str_head(base.path, i));
				break;
			}
		}
		buf_add_str(&merged, ref.path);
		add_without_dots(out, buf_str(&merged));
		buf_done(&merged);
	}
}

/*
 * The table of RFC 3986, section 5.2.2.  A base may itself be relative or empty, because
 * schemas without a URI exist.
 */
struct str schema_uri_resolve(struct arena *mem, struct str base, struct str ref)
{
	struct uri b = split_uri(base), r = split_uri(ref);
	struct buf out = { 0 };
	struct uri top = str_is(r.scheme) ? r : b;

	if (str_is(top.scheme)) {
		buf_add_str(&out, top.scheme);
		buf_add_char(&out, ':');
	}
	if (!str_is(r.scheme) && str_is(r.authority))
		top.authority = r.authority;
	if (str_is(top.authority)) {
		buf_add_c(&out, "//");
		buf_add_str(&out, top.authority);
	}
	if (str_is(r.scheme) || str_is(r.authority))
		add_without_dots(&out, r.path);
	else
		add_path(&out, b, r);

	bool is_same = !str_is(r.scheme) && !str_is(r.authority) && !r.path.len;
	struct str query = is_same && !str_is(r.query) ? b.query : r.query;

	if (str_is(query)) {
		buf_add_char(&out, '?');
		buf_add_str(&out, query);
	}

	struct str kept = arena_keep(mem, buf_str(&out));

	buf_done(&out);
	return kept;
}

static int hex_of(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

struct str schema_uri_decode(struct arena *mem, struct str s)
{
	char *out = arena_alloc(mem, s.len + 1);
	size_t len = 0;

	for (size_t i = 0; i < s.len; i++) {
		int hi = s.ptr[i] == '%' && i + 2 < s.len ? hex_of(s.ptr[i + 1]) : -1;
		int lo = hi >= 0 ? hex_of(s.ptr[i + 2]) : -1;

		if (lo >= 0) {
			out[len++] = (char)(hi * 16 + lo);
			i += 2;
		} else {
			out[len++] = s.ptr[i];
		}
	}
	return str_of(out, len);
}

/* "~1" is "/" and "~0" is "~"; each is decoded once, so "~01" is "~1" (RFC 6901). */
struct str schema_uri_pointer_next(struct arena *mem, struct str *rest)
{
	struct str s = str_skip(*rest, 1);
	ptrdiff_t slash = str_find_char(s, '/');
	struct str raw = slash < 0 ? s : str_head(s, (size_t)slash);
	char *out;
	size_t len = 0;

	*rest = str_skip(s, raw.len);
	if (str_find_char(raw, '~') < 0)
		return raw;
	out = arena_alloc(mem, raw.len + 1);
	for (size_t i = 0; i < raw.len; i++) {
		char next = i + 1 < raw.len ? raw.ptr[i + 1] : 0;

		if (raw.ptr[i] == '~' && (next == '0' || next == '1')) {
			out[len++] = next == '0' ? '~' : '/';
			i++;
		} else {
			out[len++] = raw.ptr[i];
		}
	}
	return str_of(out, len);
}
