#ifndef LIB_WORKSPACE_FILE_H
#define LIB_WORKSPACE_FILE_H
/*
 * One file of a workspace or of the user, read for a model: no link out of its
 * directory, no path that a rule denies, text only, bounded.  Called on the
 * thread that reads context.
 */
#include "base/arena.h"
#include "catalog/gen/vocab.h"
#include "sandbox/sandbox_plan.h"

struct workspace_file {
	struct str text;
	enum missing_reason missing; /* 0: it was read */
};

/* name is relative to dir. */
void workspace_file_read(struct arena *mem, struct str dir, const char *name, int64_t max,
                         const struct sandbox_paths *rules, struct workspace_file *ret);
/*
 * A file of the user's own, whose links may lead anywhere: dotfiles often are links.  What it leads
 * to has to be a file as above.
 */
void workspace_file_read_own(struct arena *mem, struct str path, int64_t max,
                             const struct sandbox_paths *rules, struct workspace_file *ret);

/*
 * The path relative to the root that `path` means in a file of that directory (relative to the root,
 * "" for the root itself); absent: it leads out of the root, or is none.
 */
struct str workspace_file_resolve(struct arena *mem, struct str dir, struct str path);

#endif
