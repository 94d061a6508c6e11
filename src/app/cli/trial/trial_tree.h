#ifndef APP_TRIAL_TREE_H
#define APP_TRIAL_TREE_H
/*
 * Directories of tasks: a hash that names their content, and copies.
 *
 * Files, directories and links are taken as they are; links are not followed, and one that
 * leaves the directory is refused: the hash would not cover what it points to.
 * Anything else, and trees beyond TRIAL_TREE_FILES or TRIAL_TREE_BYTES, are refused.
 */
#include "app/cli/cli.h"

#define TRIAL_TREE_CHANGED                                                                         \
	"it was changed since the run began; restore it, or give -o another place"
#define TRIAL_TREE_FILES 100000
#define TRIAL_TREE_BYTES (1ll << 30)
#define TRIAL_TREE_DEPTH 64
#define TRIAL_RESULT_FILES 300000
#define TRIAL_RESULT_BYTES (8ll << 30)
#define TRIAL_RESULT_DEPTH 256

/* Of names, kinds, the right to execute and content, in the order of names.  False: printed why. */
bool trial_tree_hash(struct cli *c, const char *dir, struct str *ret_hex);
/*
 * `to` must not exist.  It appears complete or not at all, and only if the copy has this hash.
 * False: printed why.
 */
bool trial_tree_copy(struct cli *c, const char *from, const char *to, struct str hex);
/*
 * The same for a directory in which an agent worked: times and permissions of files are copied,
 * and sockets, pipes and devices are left out.
 */
bool trial_tree_copy_result(struct cli *c, const char *from, const char *to);

#endif
