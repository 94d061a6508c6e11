#ifndef BASE_MOUNT_TABLE_H
#define BASE_MOUNT_TABLE_H
/*
 * Which paths are on a local file system, which cannot block.
 *
 * Reading the mount table accesses no file system, so this works for a mount
 * whose server is gone.  The answer depends on the text of the path only:
 * a link in it may lead elsewhere, so a caller that follows links asks again
 * for the target (mount_table_may_follow).
 */
#include "base/str.h"

/* path is absolute.  False as well when the table cannot be read. */
bool mount_table_is_local(struct str path);

/*
 * Whether path can be resolved, links included, without accessing a mount that is
 * not local.  Checks each component on the way.
 */
bool mount_table_may_follow(struct str path);

/* By the type of statfs(): served by no other program or machine. */
bool mount_table_is_local_type(long type);

#endif
