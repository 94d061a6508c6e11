/*
 * diff and undo: shows what a turn's tools changed in files, and reverts it.
 *
 * Each change is an event (artifact.changed) with the hash of the new content,
 * a diff, and the old content.  undo restores the old content, newest change
 * first, and only while the file still has the hash that the turn left.
 */
#include "app/cli/cli_settings.h"
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/ref.h"
#include "app/cli/worktree.h"

#include "base/gen/words.h"
#include "base/hash/base64.h"
#include "base/hash/sha256.h"
#include "base/path/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 256
#define FILE_MAX_BYTES (64u << 20)

struct changes {
	struct cli *c;
	struct ref ref;
	struct json *items; /* of all turns: a later one may have changed the same file */
	size_t count, cap, meant;
	struct str cwd;
};

/* ---- reading ---- */

static bool is_meant(const struct changes *ch, struct json e)
{
	return !str_is(ch->ref.turn) || str_eq(json_str(JSON_GET(e, "turnId")), ch->ref.turn);
}

/*
 * The directory of the session comes from its environment events; paths in changes are relative
 * to it.
 */
static void take(struct changes *ch, struct json e)
{
	struct str type = json_str(JSON_GET(e, "type"));
	struct json env = JSON_GET(e, "executionEnvironment");

	if (json_is(env))
		ch->cwd = json_str(JSON_GET(env, "cwd"));
	if (!str_eq(type, STR("artifact.changed")) ||
	    !str_is(json_str(JSON_GET(JSON_GET(e, "payload"), "path"))))
		return;
	if (ch->count == ch->cap) {
		size_t cap = ch->cap ? ch->cap * 2 : 16;

		ch->items = arena_grow(ch->c->mem, ch->items, ch->count * sizeof *ch->items,
		                       cap * sizeof *ch->items);
		ch->cap = cap;
	}
	ch->items[ch->count++] = e;
	ch->meant += is_meant(ch, e);
}

/*
 * All events are read and filtered here: environment events and changes have different classes
 * and turns.
 */
static int read_changes(struct changes *ch)
{
	int64_t after = 0;
	bool more = true;
	int code = CODE_DONE;

	while (!code && more) {
		struct json reply = { 0 }, e;
		struct params p;
		struct str key;
		int64_t count = 0;

		params_begin(&p);
		params_str(&p, "sessionId", ch->ref.session);
		params_int(&p, "after", after);
		params_int(&p, "limit", PAGE);
		code = connection_call(ch->c, "list_events", &p, &reply);
		if (code)
			break;
		struct json_iter it = json_iter(JSON_GET(reply, "events"));

		while (json_next(&it, &key, &e)) {
			after = json_int(JSON_GET(e, "sequence"), after);
			take(ch, e);
			count++;
		}
		more = count == PAGE;
	}
	return code;
}

/* Adds the raw bytes; binary pages come as base64. */
static bool add_page(struct buf *all, struct json page)
{
	struct json text = JSON_GET(page, "text"), coded = JSON_GET(page, "base64");

	if (json_is(coded))
		return base64_read(all, json_str(coded));
	if (json_is(text))
		buf_add_str(all, json_str(text));
	return json_is(text);
}

/* The whole output; absent when it cannot be read. */
static struct str output(struct cli *c, struct str ref)
{
	struct buf all = { 0 };
	struct str kept;
	bool is_over = false;

	while (!is_over && all.len < FILE_MAX_BYTES) {
		struct json reply = { 0 };
		struct params p;

		params_begin(&p);
		params_str(&p, "outputRef", ref);
		params_int(&p, "offset", (int64_t)all.len);
		if (connection_call(c, "get_output", &p, &reply) || !add_page(&all, reply)) {
			buf_done(&all);
			return STR_NONE;
		}
		is_over = json_bool(JSON_GET(reply, "eof"), true);
	}
	kept = arena_keep(c->mem, buf_str(&all));
	buf_done(&all);
	return kept;
}

static int begin(struct cli *c, struct changes *ch)
{
	int code = connection_open(c);

	*ch = (struct changes){ .c = c };
	if (!code)
		code = ref_find(c, c->arg_count ? c->args[0] : "@last", &ch->ref);
	if (!code)
		code = read_changes(ch);
	if (!code && !ch->meant && !c->opts.json)
		out_note(c, TONE_DIM, "no tool changed a file here");
	return code;
}

static struct str ref_of(struct json e, const char *name)
{
	return json_str(json_get(JSON_GET(e, "refs"), str_from(name)));
}

/* ---- printing ---- */

static void put_diff(struct cli *c, struct str diff)
{
	while (diff.len) {
		struct str line = str_cut(&diff, '\n');
		enum tone tone = str_starts(line, STR("+"))   ? TONE_GOOD
		                 : str_starts(line, STR("-")) ? TONE_BAD
		                 : str_starts(line, STR("@")) ? TONE_DIM
		                                              : TONE_PLAIN;

		printf("%s%s%s\n", out_tone_on(c->color_out, tone), out_safe(c->mem, line),
		       out_tone_off(c->color_out));
	}
}

/* ---- worktrees ---- */

struct place_search {
	struct str session, cwd, status;
};

static bool take_session(void *arg, struct json row)
{
	struct place_search *s = arg;

	if (!str_eq(json_str(JSON_GET(row, "sessionId")), s->session))
		return true;
	s->cwd = json_str(JSON_GET(row, "cwd"));
	s->status = json_str(JSON_GET(row, "status"));
	return false;
}

/* By the session that works in it; no name: it works in none. */
static int find_by_session(struct cli *c, const char *text, struct worktree_place *ret,
                           bool *ret_is_busy)
{
	struct str base = str_from(ret->base);
	struct place_search s = { 0 };
	struct ref r;
	int code = ref_find(c, text ? text : "@last", &r);

	s.session = r.session;
	if (!code)
		code = connection_list(c, "list_sessions", "sessions", NULL, take_session, &s);
	if (code || !str_is(s.cwd) || !path_is_under(s.cwd, base) || s.cwd.len <= base.len + 1)
		return code;
	*ret_is_busy = str_eq(s.status, STR(WORD_STATUS_RUNNING));
	ret->name = str_skip(s.cwd, base.len + 1);
	ret->path = arena_keep(c->mem, s.cwd).ptr;
	if (access(ret->path, F_OK) != 0)
		ret->path = NULL;
	if (!worktree_is_name(ret->name))
		ret->name = STR_NONE;
	return CODE_DONE;
}

/* By its name, or by the id of a session; NULL: the last session. */
static int find_worktree(struct cli *c, const char *text, struct worktree_place *ret,
                         bool *ret_is_busy)
{
	const char *base = cli_settings_worktrees(c);

	*ret = (struct worktree_place){ .base = base };
	*ret_is_busy = false;
	if (!text || !worktree_is_name(str_from(text)))
		return find_by_session(c, text, ret, ret_is_busy);
	ret->name = str_from(text);
	ret->path = arena_printf(c->mem, "%s/%s", base, text).ptr;
	if (access(ret->path, F_OK) != 0)
		ret->path = NULL;
	return CODE_DONE;
}

static int need_worktree(struct cli *c, struct worktree_place *ret, bool *ret_is_busy)
{
	const char *text = c->arg_count ? c->args[0] : NULL;
	int code = find_worktree(c, text, ret, ret_is_busy);

	if (code || str_is(ret->name))
		return code;
	out_error(c, "%s does not work in a worktree.",
	          text ? out_safe(c->mem, str_from(text)) : "The last session");
	fprintf(stderr, "  `thole run --worktree \"...\"` begins a session in one.\n");
	return CODE_FAILED;
}

int verb_apply(struct cli *c)
{
	struct worktree_place place;
	bool is_busy;
	int code = need_worktree(c, &place, &is_busy);

	return code ? code : worktree_apply(c, &place);
}

int verb_discard(struct cli *c)
{
	struct worktree_place place;
	bool is_busy;
	int code = need_worktree(c, &place, &is_busy);

	if (code)
		return code;
	if (!is_busy)
		return worktree_discard(c, &place);
	out_error(c, "A turn still runs in the worktree %.*s.", STR_ARG(place.name));
	fprintf(stderr, "  End it first: thole stop ID\n");
	return CODE_FAILED;
}

/* A session in a worktree: git knows everything that changed there, by commands too. */
static int diff_worktree(struct cli *c, bool *ret_is_one)
{
	struct worktree_place place;
	struct str text = STR_NONE;
	bool is_busy;
	int code = find_worktree(c, c->arg_count ? c->args[0] : NULL, &place, &is_busy);

	*ret_is_one = !code && str_is(place.name);
	if (!*ret_is_one)
		return code;
	code = worktree_diff(c, &place, &text);
	if (!code)
		put_diff(c, text);
	return code;
}

/* ---- files ---- */

/*
 * A file, by its open directory.  The agent may have placed a symbolic link in
 * the path since, to redirect the write; so no link is followed below the
 * session's directory.
 */
struct place {
	const char *path; /* for people */
	const char *name;
	int dir; /* -1: cannot be reached */
};

static int step_into(int dir, struct str name)
{
	char text[256];
	int next = -1;

	if (name.len < sizeof text && !str_eq(name, STR(".."))) {
		snprintf(text, sizeof text, "%.*s", STR_ARG(name));
		next = openat(dir, text, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	} else {
		errno = ELOOP;
	}
	close(dir);
	return next;
}

/*
 * An absolute path outside the directory is walked from the root, also without following links.
 */
static struct place place_of(const struct changes *ch, struct json e)
{
	struct arena *mem = ch->c->mem;
	struct str path = json_str(JSON_GET(JSON_GET(e, "payload"), "path")), rest = path, name;
	struct str cwd = arena_printf(mem, "%.*s/", STR_ARG(ch->cwd));
	bool is_beneath = !str_starts(path, STR("/")) || str_starts(path, cwd);
	struct place p = { .dir = open(is_beneath ? cwd.ptr : "/",
		                       O_PATH | O_DIRECTORY | O_CLOEXEC) };

	if (str_starts(path, cwd))
		rest = str_skip(path, cwd.len);
	p.path = str_starts(path, STR("/"))
	                 ? arena_keep(mem, path).ptr
	                 : arena_printf(mem, "%s%.*s", cwd.ptr, STR_ARG(path)).ptr;
	for (name = str_cut(&rest, '/'); str_is(rest) && p.dir >= 0; name = str_cut(&rest, '/'))
		if (name.len)
			p.dir = step_into(p.dir, name);
	p.name = arena_keep(mem, name).ptr;
	return p;
}

/* The current content; absent: no file. */
static struct str text_at(struct arena *mem, const struct place *p)
{
	int fd = openat(p->dir, p->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct str text;

	if (fd < 0)
		return STR_NONE;
	text = paths_read_fd(mem, fd, FILE_MAX_BYTES);
	close(fd);
	return text;
}

/* A change without a hash is a deletion: then the file must still be missing. */
static bool is_as_left(const struct changes *ch, const struct place *p, struct json e)
{
	struct str want = json_str(JSON_GET(JSON_GET(e, "payload"), "sha256"));
	struct str now = text_at(ch->c->mem, p);
	struct stat st;
	struct sha256 h;

	if (!str_is(want))
		return fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
	if (!str_is(now))
		return false;
	h = sha256_of(now);
	return str_eq(sha256_hex(ch->c->mem, &h), want);
}

/* ---- changes that were undone ---- */

/* Whether the change is of this file and leaves (or, with is_before, found) the content `now`. */
static bool had(const struct changes *ch, struct json e, bool is_before, struct str now)
{
	struct json p = JSON_GET(e, "payload");
	struct str change = json_str(JSON_GET(p, "change"));
	struct str want = json_str(JSON_GET(p, "sha256")), ref;
	struct sha256 h;

	if (is_before) {
		ref = ref_of(e, "checkpoint");
		if (str_eq(change, STR("created")))
			return !str_is(now);
		return str_is(now) && str_is(ref) && str_eq(now, output(ch->c, ref));
	}
	if (!str_is(want) || !str_is(now))
		return !str_is(want) && !str_is(now);
	h = sha256_of(now);
	return str_eq(sha256_hex(ch->c->mem, &h), want);
}

/*
 * Whether the file has the content from before this change again: by undo, or by hand.  The newest
 * change whose result is there now still counts, and so do those before it.
 */
static bool is_undone(const struct changes *ch, size_t at)
{
	struct str path = json_str(JSON_GET(JSON_GET(ch->items[at], "payload"), "path"));
	struct place p = place_of(ch, ch->items[at]);
	struct str now = p.dir >= 0 ? text_at(ch->c->mem, &p) : STR_NONE;
	bool is_known = p.dir >= 0, is_gone = false;

	if (p.dir >= 0)
		close(p.dir);
	for (size_t i = ch->count; is_known && i-- > 0;) {
		if (!str_eq(json_str(JSON_GET(JSON_GET(ch->items[i], "payload"), "path")), path))
			continue;
		if (had(ch, ch->items[i], false, now))
			return is_gone;
		is_gone |= i == at;
		if (is_gone && had(ch, ch->items[i], true, now))
			return true;
	}
	return false;
}

/* ---- diff ---- */

static void put_change(struct cli *c, struct json e)
{
	struct json p = JSON_GET(e, "payload");
	struct str ref = ref_of(e, "diff");

	if (c->opts.json)
		out_json(e);
	else if (str_is(ref))
		put_diff(c, output(c, ref));
	else
		printf("%s %s\n", out_safe(c->mem, json_str(JSON_GET(p, "change"))),
		       out_safe(c->mem, json_str(JSON_GET(p, "path"))));
}

int verb_diff(struct cli *c)
{
	struct changes ch;
	bool is_worktree = false;
	int code = c->opts.json ? CODE_DONE : diff_worktree(c, &is_worktree);
	size_t undone = 0;

	if (code || is_worktree)
		return code;
	code = begin(c, &ch);
	for (size_t i = 0; !code && i < ch.count; i++) {
		if (!is_meant(&ch, ch.items[i]))
			continue;
		if (!c->opts.json && is_undone(&ch, i))
			undone++;
		else
			put_change(c, ch.items[i]);
	}
	if (undone)
		out_note(c, TONE_DIM, "%zu change%s undone since; --json has all", undone,
		         undone == 1 ? " was" : "s were");
	return code;
}

/* ---- undo ---- */

static bool write_all(int fd, struct str text)
{
	size_t done = 0;

	while (done < text.len) {
		ssize_t n = write(fd, text.ptr + done, text.len - done);

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* Keeps owner and mode of the file that it replaces. */
static bool write_back(const struct place *p, struct str text)
{
	struct stat st;
	bool is_good;
	char tmp[300];
	int fd;

	if (snprintf(tmp, sizeof tmp, "%s.thole-undo", p->name) >= (int)sizeof tmp)
		return false;
	fd = openat(p->dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return false;
	is_good = write_all(fd, text);
	if (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		/* Only root can change the owner; other users own the file already. */
		if (fchown(fd, st.st_uid, st.st_gid) != 0)
			errno = 0;
		is_good &= fchmod(fd, st.st_mode & 0777) == 0;
	}
	if (close(fd) != 0 || !is_good || renameat(p->dir, tmp, p->dir, p->name) != 0) {
		unlinkat(p->dir, tmp, 0);
		return false;
	}
	return true;
}

/*
 * Each check that fails leaves the file as it is: a later change of the user is worth more than
 * the undo.
 */
static int undo_at(const struct changes *ch, const struct place *p, struct json e)
{
	struct cli *c = ch->c;
	struct str ref = ref_of(e, "checkpoint");
	struct str before = str_is(ref) ? output(c, ref) : STR_NONE;
	bool was_there =
		!str_eq(json_str(JSON_GET(JSON_GET(e, "payload"), "change")), STR("created"));

	if (p->dir < 0) {
		out_error(c,
		          "%s cannot be reached any more, or through a link only; nothing is "
		          "changed there.",
		          out_safe(c->mem, str_from(p->path)));
		return CODE_FAILED;
	}
	if (!is_as_left(ch, p, e)) {
		out_error(c, "%s is not what the turn made of it any more; it stays as it is.",
		          out_safe(c->mem, str_from(p->path)));
		return CODE_FAILED;
	}
	if (was_there && !str_is(before)) {
		out_error(c, "What %s was is not known; it stays as it is.",
		          out_safe(c->mem, str_from(p->path)));
		return CODE_FAILED;
	}
	if (was_there ? !write_back(p, before) : unlinkat(p->dir, p->name, 0) != 0) {
		out_error(c, "%s: %s.", out_safe(c->mem, str_from(p->path)), strerror(errno));
		return CODE_FAILED;
	}
	out_note(c, TONE_GOOD, "%s %s", was_there ? "put back" : "removed",
	         out_safe(c->mem, str_from(p->path)));
	return CODE_DONE;
}

static int undo_one(const struct changes *ch, struct json e)
{
	struct place p = place_of(ch, e);
	int code = undo_at(ch, &p, e);

	if (p.dir >= 0)
		close(p.dir);
	return code;
}

/*
 * Newest first: an older change has its hash again only when the newer one is undone.  Stops at
 * the first failure for the same reason.
 */
int verb_undo(struct cli *c)
{
	struct changes ch;
	int code = begin(c, &ch);

	for (size_t i = ch.count; !code && i-- > 0;)
		if (is_meant(&ch, ch.items[i]))
			code = undo_one(&ch, ch.items[i]);
	return code;
}
