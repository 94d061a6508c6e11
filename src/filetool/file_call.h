#ifndef FILETOOL_FILE_CALL_H
#define FILETOOL_FILE_CALL_H
/*
 * One call of a file tool and what the tools share: output, failures, paths,
 * walks and diffs.  Strings live in the call's arena.
 */
#include "sandbox/sandbox_plan.h"
#include "base/gen/tool_errors.h"
#include "base/jw.h"

#include <sys/stat.h>
#include <sys/types.h>

#define FILE_REQUEST_MAX (16 << 20)
#define FILE_CONTENT_MAX (16 << 20) /* of a file that is written or edited */
#define FILE_READ_BYTES_MAX (256 << 10)
#define FILE_IMAGE_BYTES_MAX (8 << 20) /* all providers accept it */
#define FILE_LINES_DEFAULT 2000

/* What the program that runs the tools knows. */
struct filetool_host {
	mode_t umask; /* of the user, for files that are made */
	/* Is this entry a placeholder for a protected file that is missing? */
	bool (*is_placeholder)(int dir, const char *name);
	/* The same by its form alone, for a path that a deny rule names. */
	bool (*is_placeholder_by_form)(int dir, const char *name);
};

struct file_call {
	struct arena *mem;
	const struct filetool_host *host;
	struct json args;
	struct str cwd;
	struct str unsaved;  /* of read_file: the text that an editor has; or absent */
	struct json restore; /* of apply_patch: whole files; or absent */
	struct sandbox_paths roots, protected;
	struct sandbox_paths opened; /* may be written although they are otherwise protected */
	struct json prepared;        /* the temporary files for them, once "go" came */
	struct sandbox_paths denied; /* of a snapshot: the deny rules of its sandbox */
	struct sandbox_paths
		placeholders;          /* of list_dir: what sandboxes have made and will remove */
	struct sandbox_paths resolved; /* with has_resolved: what the decision was about */
	bool has_resolved;
	size_t named; /* how many files the call names; 0: not known */

	/* the result: members of `structured`, and words of a writing tool */
	struct buf structured, text;
	struct json_writer w;

	struct tool_error error; /* or why there is none; without a category, all is well */
	const char *executed;    /* "no" unless said otherwise */
	const char *operation;
	struct str path;
	int os_errno;
};

/* Both return false.  operation: read, write, list; path: absolute. */
bool file_call_fail(struct file_call *c, struct tool_error error);
bool file_call_fail_errno(struct file_call *c, const char *operation, struct str path,
                          int os_errno);

/* All of it; a reader that is gone ends the program. */
void file_call_write(int fd, struct str data);
/* To stdout, buffered. */
void file_call_out(struct str data);
void file_call_out_flush(void);

/* ---- paths (file_path.c) ---- */

/* Absolute and without . and .., resolved by text; relative paths start at cwd. */
struct str file_path(struct file_call *c, struct str path);
/* How people call it: below cwd without cwd. */
struct str file_path_shown(const struct file_call *c, struct str path);
/* Opened beneath its root; -1 with errno (EXDEV: a link leads out). */
int file_path_open(const struct file_call *c, struct str path, uint64_t flags);
/*
 * The directory of path, created with its parents if `make` is set; *ret_name is the last
 * component.
 */
int file_path_open_parent(struct file_call *c, struct str path, bool make, const char **ret_name);
/* Would a new file of this path be below one of c->protected, after all links?  dir: as below. */
bool file_path_is_protected(struct file_call *c, int dir, struct str path);
/* Where a path in this directory is without links; absent: no link is on the way. */
struct str file_path_place(struct file_call *c, int dir, struct str path);
/*
 * False: links lead elsewhere than they did when the call was decided (tool_error_led_elsewhere).
 * dir is the opened directory of the path; -1: it does not exist yet.
 */
bool file_path_is_decided(struct file_call *c, int dir, struct str path);
/* The same for a file that is open. */
bool file_path_is_decided_file(struct file_call *c, const struct stat *st, struct str path);
/* All of it, at most max bytes; false with errno (EFBIG). */
bool file_path_read_all(struct file_call *c, int fd, size_t max, struct str *ret);
/* By inode, size and time, not by content: an editor that saves the same text changes it too. */
bool file_path_is_as_seen(int dir, const char *name, const struct stat *before);
bool file_path_is_binary(struct str content);
/* The media type of an image that models take, by its first bytes; absent: it is none. */
struct str file_path_image_type(struct str content);

/* ---- walking (file_walk.c) ---- */

struct file_walk {
	struct file_call *c;
	struct str base;    /* absolute */
	struct str pattern; /* absent: every file */
	bool takes_ignored; /* what ignore files name is looked at too (file_ignore.h) */
	/* dir and name to open it by; path is absolute.  False ends the walk. */
	bool (*visit)(struct file_walk *w, int dir, const char *name, struct str path);
	void *arg;
	size_t seen;
	bool is_cut; /* too much, or too deep */
};
/* Files only, in the order of their names; false with errno when base cannot be opened. */
bool file_walk(struct file_walk *w);

/* ---- diff (file_diff.c) ---- */

struct file_diff {
	int64_t added, removed;
	bool is_cut;
};
/* The unified form with three lines of context; old or new absent: /dev/null. */
struct file_diff file_diff(struct arena *mem, struct str name, struct str old, struct str new,
                           size_t max, struct buf *out);

#endif
