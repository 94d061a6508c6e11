#ifndef TOOLS_TOOLS_SNAPSHOT_H
#define TOOLS_TOOLS_SNAPSHOT_H
/*
 * Snapshots of a workspace around a command; private to the files of src/tools.
 *
 * done is called once, later, from the loop, unless the snapshot is dropped
 * before; the snapshot is freed afterwards.
 */
#include "tools/tools_int.h"

#define TOOLS_SNAPSHOT_DIR "snapshots" /* below the directory of caches */

struct tools_snapshot_wish {
	struct str call_id, cwd;
	struct str dir; /* of the workspace's snapshots */
	struct sandbox_plan *plan;
	struct arena *mem; /* of dir, plan and why; becomes the snapshot's own */
	struct str why;    /* there can be none: only done is called; absent: there can */
	bool is_compare;   /* else the snapshot is taken */
};

struct tools_snapshot_end {
	struct str why;     /* why there is none; absent: there is one */
	struct json report; /* of filetool/snapshot/; strings live until done returns */
	struct str before;  /* the old contents, as snapshot_compare() writes them */
	struct arena *mem;  /* lives until done returns */
};
typedef void (*tools_snapshot_done)(void *owner, const struct tools_snapshot_end *end);

/* The directory of the workspace's snapshots, made if needed; absent: there is no place for one. */
struct str tools_snapshot_dir(struct tools *t, struct arena *mem, struct str cwd);
struct tools_snapshot *tools_snapshot_start(struct tools *t, const struct tools_snapshot_wish *wish,
                                            tools_snapshot_done done, void *owner);
void tools_snapshot_drop(struct tools_snapshot *s); /* NULL is fine */
void tools_snapshot_drop_all(struct tools *t);

/* ---- parts of other files for it ---- */

/* tools_plan.c */
enum err tools_plan_snapshot(struct tools *t, struct arena *mem, struct str cwd, struct str deny,
                             struct str dir, struct sandbox_plan *ret, struct error *e) MUST_USE;
/* tools_cache.c: notes the last use of a directory. */
void tools_cache_touch(struct str dir);
/* tools_end.c */
/* The changes of a command, from the report of the comparison and the old contents. */
void tools_end_changes(struct arena *mem, struct json report, struct str before,
                       struct tool_end *end);
/* What undo does not cover, as one sentence; absent: it covers all.  why: there is no report. */
struct str tools_end_not_covered(struct arena *mem, struct str why, struct json report);
/* tools_call.c */
/* A call of an earlier runtime that was lost: what it changed. */
void tools_call_recover(struct toolset *port, const struct tool_start *start,
                        void (*done)(void *owner, const struct tool_end *end), void *owner);

#endif
