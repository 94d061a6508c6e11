#ifndef SUPERVISOR_FILES_PROTECTED_PATHS_H
#define SUPERVISOR_FILES_PROTECTED_PATHS_H
/*
 * Protected paths, prepared for mounting.
 *
 * A path inside a write root is protected by mounts: a read-only one on the path itself, and a
 * plain one on every directory between it and the root, because a directory that merely contains
 * a mount can still be renamed, and then a new one with the old name has no mount.
 *
 * A path that does not exist has nothing to mount on, and must not be created either (a hook that
 * was absent at the start is the classic escape).  So its first missing component is created as a
 * placeholder for as long as the sandbox exists: an empty directory of mode 0555, which git does
 * not see.  Only .git/commondir must be a file (".", its own default; git stops at anything
 * else).  A placeholder is recognised by its form.  Each sandbox that relies on it holds a shared
 * flock; the last one removes it, also when the supervisor that made it has crashed.
 *
 * A link on the way is pinned, and its target is protected too when it lies in a write root.
 *
 * Paths of deny rules (plan.denyRules) are prepared here too, for each run again: patterns are
 * resolved to existing paths (path_index.h), other names of the same file are found by its inode,
 * and a path that does not exist in a write root gets a placeholder like a protected one.
 */
#include "sandbox/sandbox_plan.h"

/*
 * PIN: the directory cannot be renamed.  CLOSE: read-only too.  DENY: an empty file or directory
 * covers it.
 */
enum shield_kind { SHIELD_PIN, SHIELD_CLOSE, SHIELD_DENY };

struct shield {
	struct str path; /* exists, and no part before the last is a link */
	enum shield_kind kind;
	bool is_by_rule; /* of a deny rule */
};

struct placeholder;

#define PROTECTED_PATHS_PLACEHOLDER_MODE 0555 /* of the directory */

struct protected_paths {
	struct arena *mem; /* the caller's; must outlive it */
	struct shield *shields;
	size_t shield_count;
	struct placeholder **placeholders;
	size_t placeholder_count;
	bool is_again;   /* for a running sandbox: no placeholder is created */
	bool is_denying; /* while preparing: shields that are added come from a deny rule */
};

/* On failure nothing is left behind. */
enum err protected_paths_prepare(struct arena *mem, const struct sandbox_plan *p,
                                 struct protected_paths *ret, struct error *e) MUST_USE;
/* The same for a running sandbox, without new placeholders. */
enum err protected_paths_prepare_again(struct arena *mem, const struct sandbox_plan *p,
                                       struct protected_paths *ret, struct error *e) MUST_USE;
/* The shields as bytes for the sandbox's init, and back; the strings point into text. */
bool protected_paths_write(const struct protected_paths *c, int fd) MUST_USE;
bool protected_paths_next(struct str *text, struct shield *ret);
/* From now on path_index_take() reports changes of the paths of deny rules without patterns. */
void protected_paths_watch(struct arena *mem, const struct sandbox_plan *p);
/* Is this missing path closed by a placeholder? */
bool protected_paths_has_placeholder(struct str path);
/* This sandbox relies on the placeholder of this name in the directory; one that is none is left. */
void protected_paths_hold(struct protected_paths *c, int parent, struct str name, struct str path);
/* Removes the placeholder of this name unless a sandbox relies on it. */
void protected_paths_remove(struct arena *mem, int parent, struct str name, struct str path);
/* The placeholders may go as far as this sandbox is concerned.  A zeroed struct is fine. */
void protected_paths_done(struct protected_paths *c);

/*
 * Removes the placeholders that no sandbox has needed for so long (0: at once).
 * Returns when to come again, in milliseconds, or -1 when none waits.
 */
int64_t protected_paths_cleanup_placeholders(int64_t linger_ms);

/* The paths of all placeholders that there are, one per line; the caller frees the buffer. */
struct buf;
void protected_paths_list(struct buf *into);
/* Counts up whenever that list has changed. */
uint64_t protected_paths_version(void);

/* Is this entry of a directory a placeholder of ours?  By its form and its name. */
bool protected_paths_is_placeholder(int dir, const char *name);
/* For a name of a deny rule, which may be any: by its form alone. */
bool protected_paths_is_placeholder_by_form(int dir, const char *name);

#endif
