/*
 * Reports what changed in a workspace since the snapshot of a call.
 *
 *	read open/CALL ──► walk: new and changed entries ──► the rest of the list: deleted ones
 *
 * A file counts as created only if it did not exist when the call began.  One
 * that a command moved here from a place without a snapshot existed: to remove
 * it would destroy it, so it is reported as not covered.
 */
#include "filetool/snapshot/snapshot.h"

#include "base/gen/limits.h"
#include "base/hash/sha256.h"
#include "base/os/sys.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>

#define DIFF_MAX 65536         /* of one file */
#define DIFFS_MAX (1u << 20)   /* of all: the report is bounded */
#define HASHED_MAX (64u << 20) /* what `thole undo` compares */
#define NAMED_MAX 8            /* paths that are not covered, by name */
#define RACY_NS 20000000u

struct change {
	struct str path, word, diff, hash, before;
	bool has_before;
	const struct snapshot_stamp *old, *new; /* NULL: none */
};

struct changes {
	struct change *all;
	size_t count, cap;
};

struct compare {
	struct file_call *c;
	struct snapshot snap;
	struct snapshot_pack pack;
	struct arena *scratch;
	struct changes gone, there;
	size_t before_bytes, diff_bytes;
	uint64_t since_ns; /* when the snapshot was complete */
	struct buf named;  /* JSON strings */
	int64_t uncovered;
};

/* ---- what cannot be reverted ---- */

static void leave_uncovered(struct compare *x, struct str path)
{
	struct json_writer w;

	if (x->uncovered++ >= NAMED_MAX || !utf8_is_valid(path))
		return;
	if (x->named.len)
		buf_add_char(&x->named, ',');
	jw_init(&w, &x->named);
	jw_str(&w, path);
}

static bool has_inode(const struct compare *x, uint64_t inode)
{
	for (size_t i = 0; i < x->snap.count; i++)
		if (x->snap.all[i].stamp.inode == inode)
			return true;
	return false;
}

/* Made before the call began, in a place that the snapshot does not know? */
static bool was_elsewhere(const struct compare *x, int dir, const char *name,
                          const struct snapshot_stamp *st)
{
	struct statx sx;
	uint64_t born;

	if (st->kind == SNAPSHOT_DIR || statx(dir, name, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &sx) < 0)
		return false;
	born = (uint64_t)sx.stx_btime.tv_sec * 1000000000u + sx.stx_btime.tv_nsec;
	if (!(sx.stx_mask & STATX_BTIME))
		born = st->changed_ns;
	return born < x->since_ns && !has_inode(x, st->inode);
}

/* ---- changes ---- */

static struct change *add_change(struct compare *x, struct changes *to, struct str path)
{
	struct arena *mem = x->c->mem;

	if (x->gone.count + x->there.count == LIMIT_UNDO_CHANGES || !utf8_is_valid(path)) {
		leave_uncovered(x, path);
		return NULL;
	}
	if (to->count == to->cap) {
		size_t cap = to->cap ? to->cap * 2 : 16;

		to->all = arena_grow(mem, to->all, to->count * sizeof *to->all,
		                     cap * sizeof *to->all);
		to->cap = cap;
	}
	to->all[to->count] = (struct change){ .path = arena_keep(mem, path) };
	return &to->all[to->count++];
}

static struct snapshot_stamp *keep_stamp(struct compare *x, const struct snapshot_stamp *st)
{
	struct snapshot_stamp *kept = ARENA_NEW(x->c->mem, struct snapshot_stamp);

	*kept = *st;
	return kept;
}

/* The old content, within the bound of all of them together. */
static void take_before(struct compare *x, struct change *g, const struct snapshot_entry *old)
{
	g->old = keep_stamp(x, &old->stamp);
	if (old->stamp.kind == SNAPSHOT_DIR)
		return;
	if (old->offset != SNAPSHOT_NOT_KEPT &&
	    x->before_bytes + old->stamp.size <= FILE_CONTENT_MAX)
		g->has_before = snapshot_pack_read(&x->pack, x->c->mem, old->offset,
		                                   old->stamp.size, &g->before);
	if (g->has_before)
		x->before_bytes += g->before.len;
	else
		leave_uncovered(x, g->path);
}

/* Absent: there is no such file on this side. */
static bool is_diffable(struct str text)
{
	return !str_is(text) || (!file_path_is_binary(text) && utf8_is_valid(text));
}

static void take_diff(struct compare *x, struct change *g, struct str old, struct str new)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (x->diff_bytes >= DIFFS_MAX || !is_diffable(old) || !is_diffable(new))
		return;
	file_diff(x->scratch, g->path, old, new, DIFF_MAX, &out);
	x->diff_bytes += out.len;
	g->diff = arena_keep(x->c->mem, buf_str(&out));
}

static void note_gone(struct compare *x, const struct snapshot_entry *old)
{
	struct change *g = add_change(x, &x->gone, old->path);

	if (!g)
		return;
	g->word = STR("deleted");
	take_before(x, g, old);
	if (g->has_before && old->stamp.kind == SNAPSHOT_FILE)
		take_diff(x, g, g->before, STR_NONE);
}

/* False: its content cannot be read, or is too long to be compared later. */
static bool take_after(struct compare *x, struct change *g, int dir, const char *name,
                       const struct snapshot_stamp *st, struct str *ret)
{
	struct sha256 hash;

	g->new = keep_stamp(x, st);
	if (st->kind == SNAPSHOT_DIR)
		return true;
	if (!snapshot_walk_content(x->scratch, dir, name, st, HASHED_MAX, ret))
		return false;
	hash = sha256_of(*ret);
	g->hash = sha256_hex(x->c->mem, &hash);
	return true;
}

static void note_created(struct compare *x, int dir, const char *name, struct str path,
                         const struct snapshot_stamp *st)
{
	struct str content = STR_NONE;
	struct change *g;

	if (was_elsewhere(x, dir, name, st)) {
		leave_uncovered(x, path);
		return;
	}
	g = add_change(x, &x->there, path);
	if (!g)
		return;
	g->word = STR("created");
	if (!take_after(x, g, dir, name, st, &content)) {
		x->there.count--;
		leave_uncovered(x, path);
	} else if (st->kind == SNAPSHOT_FILE && content.len <= LIMIT_UNDO_FILE_BYTES) {
		take_diff(x, g, STR_NONE, content);
	}
}

static bool is_same_content(const struct change *g, struct str content)
{
	return g->has_before && g->old->mode == g->new->mode &&str_eq(g->before, content);
}

static void note_updated(struct compare *x, int dir, const char *name,
                         const struct snapshot_entry *old, const struct snapshot_stamp *st)
{
	int64_t uncovered = x->uncovered;
	struct change *g = add_change(x, &x->there, old->path);
	struct str content = STR_NONE;

	if (!g)
		return;
	g->word = STR("updated");
	take_before(x, g, old);
	if (!take_after(x, g, dir, name, st, &content)) {
		x->there.count--;
		if (x->uncovered == uncovered)
			leave_uncovered(x, old->path);
	} else if (st->kind != SNAPSHOT_DIR && is_same_content(g, content)) {
		x->before_bytes -= g->before.len;
		x->there.count--; /* only its times changed */
	} else if (g->has_before && st->kind == SNAPSHOT_FILE &&
	           content.len <= LIMIT_UNDO_FILE_BYTES) {
		take_diff(x, g, g->before, content);
	}
}

/* A file that changed shortly before the snapshot is compared by its content, if that is there. */
static bool is_as_before(const struct compare *x, const struct snapshot_entry *old,
                         const struct snapshot_stamp *st)
{
	return memcmp(&old->stamp, st, sizeof *st) == 0 &&
	       (st->kind == SNAPSHOT_DIR || old->offset == SNAPSHOT_NOT_KEPT ||
	        st->changed_ns + RACY_NS < x->snap.taken_ns ||
	        old->offset + st->size > x->pack.bytes);
}

static bool compare_entry(struct snapshot_walk *w, int dir, const char *name, struct str path,
                          const struct snapshot_stamp *st)
{
	struct compare *x = w->arg;
	struct snapshot_entry *old = map_get(&x->snap.by_path, path);

	arena_reset(x->scratch);
	if (!old) {
		note_created(x, dir, name, path, st);
		return true;
	}
	old->is_seen = true;
	if (is_as_before(x, old, st))
		return true;
	if (old->stamp.kind == st->kind) {
		note_updated(x, dir, name, old, st);
		return true;
	}
	note_gone(x, old);
	note_created(x, dir, name, path, st);
	return true;
}

/* An entry that the walk did not meet may be there still: what ignore files say changes. */
static void find_gone(struct compare *x)
{
	struct arena *mem = arena_new();
	FD_SCOPE base = file_path_open(x->c, x->c->cwd, O_PATH | O_DIRECTORY);

	for (size_t i = 0; base >= 0 && i < x->snap.count; i++) {
		const struct snapshot_entry *e = &x->snap.all[i];

		if (e->is_seen)
			continue;
		arena_reset(mem);
		arena_reset(x->scratch);

		FD_SCOPE fd = sys_openat2(base, arena_keep(mem, e->path).ptr,
		                          O_PATH | O_NOFOLLOW | O_CLOEXEC,
		                          RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);

		if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
			note_gone(x, e);
	}
	arena_free(mem);
}

/* ---- the report ---- */

static int by_path(const void *a, const void *b)
{
	return str_cmp(((const struct change *)a)->path, ((const struct change *)b)->path);
}

static int by_path_last_first(const void *a, const void *b)
{
	return by_path(b, a);
}

static struct str kind_of(const struct snapshot_stamp *st)
{
	return st->kind == SNAPSHOT_DIR    ? STR("directory")
	       : st->kind == SNAPSHOT_LINK ? STR("link")
	                                   : STR("file");
}

static void write_mode(struct compare *x, const char *key, const struct snapshot_stamp *st)
{
	if (st && st->kind != SNAPSHOT_LINK) {
		jw_key(&x->c->w, str_from(key));
		jw_str(&x->c->w, arena_printf(x->c->mem, "%04o", (unsigned)st->mode));
	}
}

static void write_change(struct compare *x, const struct change *g)
{
	struct json_writer *w = &x->c->w;

	jw_obj(w);
	JW_KSTR(w, "path", g->path);
	JW_KSTR(w, "change", g->word);
	JW_KSTR(w, "kind", kind_of(g->new ? g->new : g->old));
	write_mode(x, "mode", g->new);
	write_mode(x, "previousMode", g->old);
	JW_KOPT(w, "afterSha256", g->hash);
	if (str_is(g->hash))
		JW_KINT(w, "afterBytes", (int64_t)g->new->size);
	JW_KOPT(w, "diff", g->diff);
	jw_obj_end(w);
	file_call_out(
		arena_printf(x->c->mem, "%lld\n", g->has_before ? (long long)g->before.len : -1LL));
	if (g->has_before)
		file_call_out(g->before);
}

static void write_changes(struct compare *x)
{
	struct json_writer *w = &x->c->w;

	if (x->gone.count)
		qsort(x->gone.all, x->gone.count, sizeof *x->gone.all, by_path_last_first);
	if (x->there.count)
		qsort(x->there.all, x->there.count, sizeof *x->there.all, by_path);
	file_call_out(STR("M"));
	JW_KEY(w, "files");
	jw_arr(w);
	for (size_t i = 0; i < x->gone.count; i++)
		write_change(x, &x->gone.all[i]);
	for (size_t i = 0; i < x->there.count; i++)
		write_change(x, &x->there.all[i]);
	jw_arr_end(w);
	JW_KINT(w, "notCoveredCount", x->uncovered);
	JW_KEY(w, "notCovered");
	jw_raw(w, arena_printf(x->c->mem, "[%.*s]", STR_ARG(buf_str(&x->named))));
}

/* The hard link was made when the list was complete; that set the time of the inode's last change. */
static bool read_call(struct compare *x, const char *call)
{
	FD_SCOPE dir = open(arena_keep(x->c->mem, json_str(JSON_GET(x->c->args, "dir"))).ptr,
	                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct str name = arena_printf(x->c->mem, "open/%s", call);
	struct stat st;

	if (dir < 0 || fstatat(dir, name.ptr, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !snapshot_index_read(dir, name.ptr, &x->snap))
		return false;
	x->since_ns = snapshot_walk_stamp(&st).changed_ns;
	x->pack = snapshot_pack_open(dir, x->snap.pack, false);
	return true;
}

bool snapshot_compare(struct file_call *c)
{
	struct compare x = {
		.c = c, .snap = { .mem = arena_new() }, .scratch = arena_new(), .pack = { .fd = -1 }
	};
	struct snapshot_walk w = { .c = c, .visit = compare_entry, .arg = &x };
	const char *call = arena_keep(c->mem, json_str(JSON_GET(c->args, "call"))).ptr;
	bool is_done = false;

	if (!read_call(&x, call))
		file_call_fail(c, tool_error_no_snapshot());
	else if (!snapshot_walk(&w))
		file_call_fail_errno(c, "list", c->cwd, errno);
	else
		is_done = true;
	/* A walk that was cut short has not met entries that may exist. */
	if (is_done && !w.is_cut)
		find_gone(&x);
	if (is_done)
		write_changes(&x);
	JW_KBOOL(&c->w, "truncated", w.is_cut || x.snap.is_cut);
	buf_done(&x.named);
	snapshot_pack_done(&x.pack);
	snapshot_index_done(&x.snap);
	arena_free(x.snap.mem);
	arena_free(x.scratch);
	return is_done;
}
