#ifndef FILETOOL_FILE_IGNORE_H
#define FILETOOL_FILE_IGNORE_H
/*
 * What a walk leaves out: .rgignore, .ignore, .gitignore and .git/info/exclude, read as ripgrep
 * reads them, because that is what users of these files expect.
 *
 * A file counts for its directory and all below.  Of one file the last line that fits wins, of
 * one kind the deepest file that has such a line, and of the kinds the first in the order above.
 * What belongs to Git ends at the directory of the repository, if one can be seen.
 *
 *	# words       nothing            !x     what would be left out is not
 *	x             anywhere below     a/x    from the directory of the file, and so is /x
 *	x/            directories only   *  ?  [a-z]  {a,b}   and ** for any depth
 */
#include "filetool/filetool.h"

enum ignore_kind { IGNORE_RG, IGNORE_PLAIN, IGNORE_GIT, IGNORE_EXCLUDE, IGNORE_KINDS };

struct ignore_rule {
	struct str pattern; /* of the path from the file's directory */
	bool is_kept, is_dirs_only;
};

struct ignore_list {
	struct ignore_rule *rules;
	size_t count;
};

struct ignore_dir {
	const struct ignore_dir *up; /* NULL: nothing is known above */
	struct str path;             /* absolute */
	struct ignore_list lists[IGNORE_KINDS];
	bool is_repository;
};

/* The directory that fd is open for; path and what is returned live in mem. */
const struct ignore_dir *file_ignore_enter(struct arena *mem, const struct ignore_dir *up, int fd,
                                           struct str path);
/* That of a directory that is walked, with all that are above it. */
const struct ignore_dir *file_ignore_above(struct file_call *c, struct str path);
/* path: absolute, below d. */
bool file_ignore_is_left_out(const struct ignore_dir *d, struct str path, bool is_dir);

#endif
