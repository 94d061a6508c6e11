#include "lib/git_tracked.h"

#include "base/foreign_file.h"
#include "base/json.h"
#include "base/path_glob.h"
#include "lib/files.h"

#include <string.h>

#define INDEX_MAX (64u << 20)
#define LISTED_MAX 20
#define GLOBS_MAX 256
#define ENTRY_FIXED 62 /* bytes before the name of an entry */

struct walk {
	struct arena *mem;
	struct path_glob globs[GLOBS_MAX];
	size_t count;
	struct str top; /* of the repository */
	struct git_tracked *found;
};

static uint32_t be32(const char *at)
{
	const unsigned char *p = (const unsigned char *)at;

	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint16_t be16(const char *at)
{
	const unsigned char *p = (const unsigned char *)at;

	return (uint16_t)(p[0] << 8 | p[1]);
}

/* ---- the rules ---- */

static bool is_path_deny(struct json rule)
{
	struct str access = json_str(JSON_GET(rule, "access"));

	return str_eq(json_str(JSON_GET(rule, "effect")), STR("deny")) &&
	       json_str(JSON_GET(rule, "path")).len && !json_is(JSON_GET(rule, "command")) &&
	       !json_is(JSON_GET(rule, "host")) && !json_is(JSON_GET(rule, "mcp")) &&
	       !(str_is(access) && str_eq(access, STR("write")));
}

static void add_glob(struct walk *w, struct str path, struct str cwd, struct str home)
{
	while (str_starts(path, STR("./")))
		path = str_skip(path, 2);
	if (str_starts(path, STR("~")))
		path = arena_printf(w->mem, "%.*s%.*s", STR_ARG(home), STR_ARG(str_skip(path, 1)));
	else if (!str_starts(path, STR("/")) && !str_starts(path, STR("**")))
		path = arena_printf(w->mem, "%.*s/%.*s", STR_ARG(cwd), STR_ARG(path));
	if (w->count < GLOBS_MAX && path_glob_read(arena_keep(w->mem, path), &w->globs[w->count]))
		w->count++;
}

static void read_rules(struct walk *w, struct str rules, struct str cwd, struct str home)
{
	struct json list, v;
	struct json_iter it;
	struct str key;

	if (json_read(w->mem, rules, &list, NULL) != OK)
		return;
	it = json_iter(list);
	while (json_next(&it, &key, &v))
		if (is_path_deny(v))
			add_glob(w, json_str(JSON_GET(v, "path")), cwd, home);
}

/* ---- the index ---- */

static bool is_denied(struct walk *w, struct str name)
{
	struct str path = arena_printf(w->mem, "%.*s/%.*s", STR_ARG(w->top), STR_ARG(name));

	for (size_t i = 0; i < w->count; i++)
		if (path_glob_covers(&w->globs[i], path))
			return true;
	return false;
}

static void take_name(struct walk *w, struct str name)
{
	struct git_tracked *f = w->found;

	if (!is_denied(w, name))
		return;
	if (f->count == LISTED_MAX)
		f->has_more = true;
	else
		f->at[f->count++] = arena_keep(w->mem, name);
}

/* The number of bytes that version 4 takes off the name before. */
static bool read_strip(struct str *at, size_t *ret)
{
	size_t n = 0;

	for (int i = 0; i < 10 && at->len; i++) {
		unsigned char c = (unsigned char)at->ptr[0];

		*at = str_skip(*at, 1);
		n = i ? (n + 1) << 7 | (c & 0x7f) : (c & 0x7fu);
		if (!(c & 0x80)) {
			*ret = n;
			return true;
		}
	}
	return false;
}

/* Versions 2 to 4, as gitformat-index describes them; what does not fit ends the walk. */
static void read_index(struct walk *w, struct str text)
{
	struct arena *scratch = arena_new();
	struct arena *kept = w->mem;
	char last[4096];
	size_t last_len = 0;
	uint32_t version, count;

	if (text.len < 12 || memcmp(text.ptr, "DIRC", 4)) {
		arena_free(scratch);
		return;
	}
	version = be32(text.ptr + 4);
	count = be32(text.ptr + 8);
	text = str_skip(text, 12);
	for (uint32_t i = 0; i < count && text.len > ENTRY_FIXED; i++) {
		size_t head = ENTRY_FIXED + (be16(text.ptr + 60) & 0x4000 ? 2 : 0), strip;
		struct str rest = str_skip(text, head), name;
		const char *end;

		if (version == 4) {
			if (!read_strip(&rest, &strip) || strip > last_len)
				break;
			last_len -= strip;
		} else {
			last_len = 0;
		}
		end = rest.len ? memchr(rest.ptr, 0, rest.len) : NULL;
		if (!end || last_len + (size_t)(end - rest.ptr) > sizeof last)
			break;
		memcpy(last + last_len, rest.ptr, (size_t)(end - rest.ptr));
		last_len += (size_t)(end - rest.ptr);
		name = str_of(last, last_len);
		w->mem = scratch;
		bool is_hit = is_denied(w, name);
		w->mem = kept;
		if (is_hit)
			take_name(w, name);
		if (i % 1024 == 0)
			arena_reset(scratch);
		if (version == 4)
			text = str_skip(rest, (size_t)(end - rest.ptr) + 1);
		else
			text = str_skip(text, (head + last_len + 8) & ~(size_t)7);
	}
	arena_free(scratch);
}

/* A worktree's .git is a file that names the directory; only one below the tree is followed. */
static bool find_index(struct walk *w, struct str dir, struct str *ret)
{
	struct foreign_file f;
	struct error e = { 0 };

	if (foreign_file_read(w->mem, dir, ".git/index", INDEX_MAX, &f, &e) != OK)
		return false;
	*ret = f.text;
	return true;
}

void git_tracked_denied(struct arena *mem, struct str cwd, struct str home, struct str rules,
                        struct git_tracked *ret)
{
	struct walk *w = ARENA_NEW(mem, struct walk);
	struct str index, real = path_real(NULL, mem, cwd);

	*ret = (struct git_tracked){ .at = ARENA_ARRAY(mem, struct str, LISTED_MAX) };
	w->mem = mem;
	w->found = ret;
	w->top = str_is(real) ? real : cwd;
	read_rules(w, rules, w->top, home);
	while (w->count && w->top.len) {
		if (find_index(w, w->top, &index)) {
			read_index(w, index);
			return;
		}
		while (w->top.len && w->top.ptr[w->top.len - 1] != '/')
			w->top.len--;
		w->top.len -= w->top.len > 0;
		w->top = arena_keep(mem, w->top);
	}
}
