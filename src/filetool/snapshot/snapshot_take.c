/*
 * Takes a snapshot before a command runs.
 *
 *	lock ──► read the newest list ──► walk, copy what is new ──► write the list ──► open/CALL
 *
 * The content is durable before the list that names it, and the list before the
 * command starts.  What does not fit is in the list without content.
 */
#include "filetool/snapshot/snapshot.h"

#include "base/gen/limits.h"
#include "base/os/clock.h"
#include "base/os/sys.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>

#define OPEN_CALLS_MAX 32
/* A file that changed this shortly before the list was made may have changed again unseen. */
#define RACY_NS 20000000u

struct take {
	struct file_call *c;
	struct snapshot old, now;
	struct snapshot_pack pack;
	struct arena *scratch;
	uint64_t kept_bytes;
	int64_t deadline_ms, files, not_kept;
	bool is_changed;
};

/* ---- content ---- */

static bool is_as_before(const struct take *t, const struct snapshot_entry *old,
                         const struct snapshot_stamp *st)
{
	if (!old || memcmp(&old->stamp, st, sizeof *st) != 0)
		return false;
	return st->kind == SNAPSHOT_DIR ||
	       (old->offset != SNAPSHOT_NOT_KEPT && st->changed_ns + RACY_NS < t->old.taken_ns);
}

static uint64_t keep_content(struct take *t, int dir, const char *name,
                             const struct snapshot_stamp *st)
{
	struct str content;

	if (st->kind == SNAPSHOT_DIR || t->kept_bytes + st->size > LIMIT_UNDO_BYTES ||
	    clock_mono_ms() > t->deadline_ms)
		return SNAPSHOT_NOT_KEPT;
	arena_reset(t->scratch);
	if (!snapshot_walk_content(t->scratch, dir, name, st, LIMIT_UNDO_FILE_BYTES, &content) ||
	    content.len != st->size)
		return SNAPSHOT_NOT_KEPT;
	return snapshot_pack_add(&t->pack, content);
}

static bool take_entry(struct snapshot_walk *w, int dir, const char *name, struct str path,
                       const struct snapshot_stamp *st)
{
	struct take *t = w->arg;
	const struct snapshot_entry *old = map_get(&t->old.by_path, path);
	struct snapshot_entry e = { .path = path, .stamp = *st, .offset = SNAPSHOT_NOT_KEPT };

	if (is_as_before(t, old, st)) {
		e.offset = old->offset;
	} else {
		e.offset = keep_content(t, dir, name, st);
		/* One that could not be kept last time either is no news. */
		t->is_changed |= !old || memcmp(&old->stamp, st, sizeof *st) != 0 ||
		                 e.offset != SNAPSHOT_NOT_KEPT;
	}
	if (e.offset != SNAPSHOT_NOT_KEPT)
		t->kept_bytes += st->size;
	t->files += st->kind != SNAPSHOT_DIR;
	t->not_kept += st->kind != SNAPSHOT_DIR && e.offset == SNAPSHOT_NOT_KEPT;
	snapshot_index_add(&t->now, &e);
	return true;
}

/* A pack that consists mostly of outdated contents is left behind. */
static void choose_pack(struct take *t, int dir)
{
	bool has_old = snapshot_index_read(dir, "index", &t->old);

	t->now.pack = t->old.pack;
	if (has_old && t->old.pack_bytes <= 2ull * LIMIT_UNDO_BYTES) {
		t->pack = snapshot_pack_open(dir, t->now.pack, true);
		if (t->pack.fd >= 0 && t->pack.bytes >= t->old.pack_bytes)
			return;
		snapshot_pack_done(&t->pack);
	}
	map_done(&t->old.by_path); /* nothing in it can be used */
	t->now.pack = t->old.pack + 1;
	t->is_changed = true;
	t->pack = snapshot_pack_open(dir, t->now.pack, true);
	snapshot_pack_remove_old(dir, t->now.pack);
}

/* ---- the call ---- */

static int newest_first(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*b)->d_name, (*a)->d_name);
}

/* Ids of calls are ordered by time, so the names are too. */
static void remove_old_calls(int open_dir)
{
	struct dirent **names = NULL;
	int count = scandirat(open_dir, ".", &names, NULL, newest_first);

	for (int i = 0; i < count; i++) {
		if (i >= OPEN_CALLS_MAX && names[i]->d_name[0] != '.')
			(void)unlinkat(open_dir, names[i]->d_name, 0);
		free(names[i]);
	}
	free(names);
}

static bool mark_call(int dir, const char *call)
{
	if (mkdirat(dir, "open", 0700) < 0 && errno != EEXIST)
		return false;

	FD_SCOPE open_dir = openat(dir, "open", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (open_dir < 0)
		return false;
	(void)unlinkat(open_dir, call, 0); /* an earlier try of the same call */
	remove_old_calls(open_dir);
	return linkat(dir, "index", open_dir, call, 0) == 0;
}

static bool take_in(struct take *t, int dir, const char *call)
{
	struct snapshot_walk w = { .c = t->c, .visit = take_entry, .arg = t };

	choose_pack(t, dir);
	if (t->pack.fd < 0)
		return file_call_fail(t->c, tool_error_snapshot_not_written());
	t->now.taken_ns = snapshot_walk_now();
	if (!snapshot_walk(&w))
		return file_call_fail_errno(t->c, "list", t->c->cwd, errno);
	t->now.is_cut = w.is_cut;
	t->is_changed |= t->now.count != t->old.count || t->now.is_cut != t->old.is_cut;
	if (t->is_changed && snapshot_pack_sync(&t->pack)) {
		t->now.pack_bytes = t->pack.bytes;
		t->is_changed = !snapshot_index_write(dir, "index", &t->now);
	}
	if (t->is_changed || !mark_call(dir, call))
		return file_call_fail(t->c, tool_error_snapshot_not_written());
	return true;
}

bool snapshot_take(struct file_call *c)
{
	struct str dir_path = json_str(JSON_GET(c->args, "dir"));
	struct str call = json_str(JSON_GET(c->args, "call"));
	struct take t = { .c = c,
		          .old = { .mem = c->mem },
		          .now = { .mem = arena_new() },
		          .scratch = arena_new(),
		          .pack = { .fd = -1 },
		          .deadline_ms = clock_mono_ms() + LIMIT_UNDO_COPY_MS };
	FD_SCOPE dir = open(arena_keep(c->mem, dir_path).ptr,
	                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	FD_SCOPE lock = dir < 0 ? -1 : openat(dir, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	bool is_done = false;

	if (lock < 0 || flock(lock, LOCK_EX) < 0)
		file_call_fail(c, tool_error_snapshot_not_written());
	else
		is_done = take_in(&t, dir, arena_keep(c->mem, call).ptr);
	JW_KINT(&c->w, "files", t.files);
	JW_KINT(&c->w, "notKept", t.not_kept);
	JW_KBOOL(&c->w, "truncated", t.now.is_cut);
	snapshot_pack_done(&t.pack);
	snapshot_index_done(&t.old);
	arena_free(t.now.mem);
	arena_free(t.scratch);
	return is_done;
}
