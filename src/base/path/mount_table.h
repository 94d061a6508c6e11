#ifndef BASE_MOUNT_TABLE_H
#define BASE_MOUNT_TABLE_H
/*
 * Which paths lie on a file system that answers by itself.
 *
 * Reading the mount table touches no file system, so this can be asked of a
 * mount whose server is gone.  The answer goes by the text of the path: a link
 * on the way may lead elsewhere, and whoever follows links asks again for
 * where they lead (mount_table_may_follow).
 */
#include "base/str.h"

/* path is absolute.  False as well when the table cannot be read. */
bool mount_table_is_local(struct str path);

/*
 * Can path be resolved, links included, without touching a mount that is not
 * local?  Steps through it and asks for each place that it comes to.
 */
bool mount_table_may_follow(struct str path);

/* Of statfs(): no program answers for it, and no other machine. */
bool mount_table_is_local_type(long type);

#endif
