#ifndef FILETOOL_SNAPSHOT_H
#define FILETOOL_SNAPSHOT_H
/*
 * A snapshot of a workspace: the list of its entries with what stat() says, and
 * the content of files and links.  `thole undo` restores from it what a command
 * changed, because which files a command writes is not known beforehand.
 *
 * Each workspace has one private directory, which only these calls write:
 *
 *	index        the newest list
 *	pack-N       contents, appended; a new N begins when most of it is outdated
 *	open/CALL    the list at the start of a call; a hard link, so it costs nothing
 *	lock         held while a snapshot is taken
 *
 * A file whose inode, size and times are as in the newest list is not read
 * again, so a snapshot costs one walk.  Content is bounded per file, in sum and
 * in time; an entry without content is known, and cannot be restored.  Left out
 * are .git, node_modules, what ignore files name, and special files.
 */
#include "filetool/file_call.h"

#include "base/map.h"

#include <sys/stat.h>

enum snapshot_kind { SNAPSHOT_FILE = 1, SNAPSHOT_LINK, SNAPSHOT_DIR };

#define SNAPSHOT_NOT_KEPT UINT64_MAX /* offset of an entry without content */

/* What stat() says about an entry; the whole struct is compared and stored. */
struct snapshot_stamp {
	uint64_t inode, size, modified_ns, changed_ns;
	uint32_t mode; /* permission bits */
	uint32_t kind;
};

struct snapshot_entry {
	struct str path; /* relative to the workspace */
	struct snapshot_stamp stamp;
	uint64_t offset; /* of its content in the pack */
	bool is_seen;    /* by the walk that compares */
};

struct snapshot {
	struct arena *mem;
	struct snapshot_entry *all;
	size_t count, cap;
	struct map by_path; /* filled by snapshot_index_read() */
	uint64_t pack;      /* number of the pack */
	uint64_t pack_bytes;
	uint64_t taken_ns; /* before the walk began */
	bool is_cut;       /* more entries than the limit */
};

/* ---- snapshot_index.c ---- */

void snapshot_index_add(struct snapshot *s, const struct snapshot_entry *e);
/* False: there is none, or it cannot be used. */
bool snapshot_index_read(int dir, const char *name, struct snapshot *s);
/* Replaces the file at once and makes it durable. */
bool snapshot_index_write(int dir, const char *name, const struct snapshot *s);
void snapshot_index_done(struct snapshot *s);

/* ---- snapshot_pack.c ---- */

struct snapshot_pack {
	int fd;
	struct buf out; /* not written yet */
	uint64_t bytes; /* with those */
	bool is_broken;
};
/* fd -1: it cannot be opened. */
struct snapshot_pack snapshot_pack_open(int dir, uint64_t number, bool is_written);
/* Returns the offset, or SNAPSHOT_NOT_KEPT. */
uint64_t snapshot_pack_add(struct snapshot_pack *p, struct str content);
bool snapshot_pack_sync(struct snapshot_pack *p);
/* False: the pack is damaged.  The bytes live in mem. */
bool snapshot_pack_read(struct snapshot_pack *p, struct arena *mem, uint64_t offset, uint64_t size,
                        struct str *ret);
void snapshot_pack_done(struct snapshot_pack *p);
/* The pack before the previous one: no call that still runs refers to it. */
void snapshot_pack_remove_old(int dir, uint64_t number);

/* ---- snapshot_walk.c ---- */

struct snapshot_walk {
	struct file_call *c;
	/* path is relative to the workspace and lives during the call.  False ends the walk. */
	bool (*visit)(struct snapshot_walk *w, int dir, const char *name, struct str path,
	              const struct snapshot_stamp *st);
	void *arg;
	struct buf path; /* absolute, of the entry at hand */
	size_t seen;
	bool is_cut; /* more entries than the limit, or too deep */
};
/* False with errno when the workspace cannot be opened. */
bool snapshot_walk(struct snapshot_walk *w);
struct snapshot_stamp snapshot_walk_stamp(const struct stat *st);
/* The content of a file or a link, at most max bytes; false: it cannot be read, or is longer. */
bool snapshot_walk_content(struct arena *mem, int dir, const char *name,
                           const struct snapshot_stamp *st, size_t max, struct str *ret);
uint64_t snapshot_walk_now(void); /* by the clock that file systems use */

/* ---- the two calls; arguments: dir, call ---- */

bool snapshot_take(struct file_call *c);
/*
 * Like a writing tool, the old contents go to stdout ("LENGTH\n" and the bytes; -1: none) and
 * the list `files` to the report, in the same order: deletions first, a directory after what was
 * in it.  Reverting them from the last to the first restores the workspace.
 */
bool snapshot_compare(struct file_call *c);

#endif
