/*
 * Finds denied paths that git has committed.  The index is parsed here, because
 * running git would run programs that the repository names.
 */
#include "lib/workspace/git_tracked.h"

#include "base/path/foreign_file.h"
#include "base/json.h"
#include "base/path/path_glob.h"
#include "policy/rules.h"
#include "lib/files.h"

#include <string.h>
#include <strings.h>

/* About half a million files; a larger index is not read. */
#define INDEX_MAX (64u << 20)
#define LISTED_MAX 20
#define GLOBS_MAX 256
#define ENTRY_STAT 40   /* bytes of an entry before the hash */
#define SMALL_MAX 65536 /* of .git (as a file), commondir and config */

struct walk {
	struct arena *mem;
	struct path_glob globs[GLOBS_MAX];
	size_t count;
	struct str top;   /* of the repository */
	size_t hash_size; /* of its object names */
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

/* Only what is denied for reading: content that may be read may be in git. */
static void read_rules(struct walk *w, struct str text, struct str cwd, struct str home)
{
	struct judgement how = { .home = home, .root = cwd };
	struct rules rs = { .mem = w->mem };
	struct rules_denied all;

	if (rules_add_settings(&rs, text, NULL) != OK)
		return;
	rules_denied_paths(w->mem, &rs, &how, &(struct rules_caller){ 0 }, &all);
	for (uint32_t i = 0; i < all.count && w->count < GLOBS_MAX; i++)
		if (all.items[i].reads && path_glob_read(all.items[i].pattern, &w->globs[w->count]))
			w->count++;
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
	for (size_t i = 0; i < f->count; i++)
		if (str_eq(f->at[i], name))
			return;
	if (f->count == LISTED_MAX)
		f->has_more = true;
	else
		f->at[f->count++] = arena_keep(w->mem, name);
}

/* The number of bytes that version 4 removes from the end of the previous name. */
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
	/* A path is built for every entry of the index; only hits are kept. */
	struct arena *kept = w->mem;
	char last[4096];
	size_t last_len = 0, fixed = ENTRY_STAT + w->hash_size + 2; /* before the name */
	uint32_t version, count;

	if (text.len < 12 || memcmp(text.ptr, "DIRC", 4)) {
		arena_free(scratch);
		return;
	}
	version = be32(text.ptr + 4);
	count = be32(text.ptr + 8);
	text = str_skip(text, 12);
	for (uint32_t i = 0; i < count && text.len > fixed; i++) {
		size_t head = fixed + (be16(text.ptr + fixed - 2) & 0x4000 ? 2 : 0), strip;
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

static bool read_file(struct walk *w, struct str dir, const char *name, size_t max, struct str *ret)
{
	struct foreign_file f;
	struct error e = { 0 };

	if (foreign_file_read(w->mem, dir, name, max, &f, &e) != OK)
		return false;
	*ret = f.text;
	return true;
}

static struct str path_from(struct walk *w, struct str dir, struct str path)
{
	return str_starts(path, STR("/"))
	               ? arena_keep(w->mem, path)
	               : arena_printf(w->mem, "%.*s/%.*s", STR_ARG(dir), STR_ARG(path));
}

/*
 * The object names of a repository are SHA-1, unless its config says otherwise; a worktree
 * has the config of its repository.
 */
static size_t hash_size_of(struct walk *w, struct str git_dir)
{
	struct str text, common;

	if (read_file(w, git_dir, "commondir", SMALL_MAX, &common))
		git_dir = path_from(w, git_dir, str_trim(common));
	if (!read_file(w, git_dir, "config", SMALL_MAX, &text))
		return 20;
	while (text.len) {
		struct str line = str_cut(&text, '\n'), key = str_trim(str_cut(&line, '='));

		if (key.len == strlen("objectformat") &&
		    !strncasecmp(key.ptr, "objectformat", key.len))
			return str_starts(str_trim(line), STR("sha256")) ? 32 : 20;
	}
	return 20;
}

/* .git is a directory, or a file that names it: in a worktree or a submodule. */
static bool find_index(struct walk *w, struct str dir, struct str *ret)
{
	struct str git_dir = arena_printf(w->mem, "%.*s/.git", STR_ARG(dir)), text;

	if (read_file(w, dir, ".git", SMALL_MAX, &text) && str_starts(text, STR("gitdir:")))
		git_dir = path_from(w, dir, str_trim(str_skip(text, strlen("gitdir:"))));
	if (!read_file(w, git_dir, "index", INDEX_MAX, ret))
		return false;
	w->hash_size = hash_size_of(w, git_dir);
	return true;
}

/* Looks from the directory upwards, as git does, for the nearest repository. */
void git_tracked_denied(struct arena *mem, struct str cwd, struct str home, struct str rules,
                        struct git_tracked *ret)
{
	struct walk *w = ARENA_NEW(mem, struct walk);
	struct str index, real = files_path_real(NULL, mem, cwd);

	*ret = (struct git_tracked){ .at = ARENA_ARRAY(mem, struct str, LISTED_MAX) };
	w->mem = mem;
	w->found = ret;
	w->top = str_is(real) ? real : cwd;
	read_rules(w, rules, w->top, home);
	ret->has_rules = w->count;
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

void git_tracked_names(struct arena *mem, struct str cwd, struct str home, struct str rules,
                       struct str top, struct json names, struct git_tracked *ret)
{
	struct walk *w = ARENA_NEW(mem, struct walk);
	struct str key, real = files_path_real(NULL, mem, cwd);
	struct json_iter it = json_iter(names);
	struct json v;

	w->mem = mem;
	w->found = ret;
	w->top = str_is(files_path_real(NULL, mem, top)) ? files_path_real(NULL, mem, top) : top;
	read_rules(w, rules, str_is(real) ? real : cwd, home);
	while (json_next(&it, &key, &v))
		if (json_str(v).len)
			take_name(w, json_str(v));
}
