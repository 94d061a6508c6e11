#ifndef STORE_BACKUP_COPY_H
#define STORE_BACKUP_COPY_H
/*
 * Copies files and directories for a backup: regular files as 0600, directories
 * as 0700, and of links those alone that lead from an output's name to its content.
 * Nothing is followed out of the directories that the caller has opened.
 */
#include "store/backup.h"

/*
 * Copies blobs/, without its log.id.  A second call copies what was added since, and again what
 * may have grown.  An output that expires meanwhile is left out.
 */
enum err backup_copy_outputs(int from, int to, struct backup_size *size, struct error *e) MUST_USE;

/* A file, or a directory with its files; absent is fine, a link or a device is refused. */
enum err backup_copy_entry(int from, int to, const char *name, struct backup_size *size,
                           struct error *e) MUST_USE;

/* Makes a file with this text. */
enum err backup_copy_text(int dir, const char *name, struct str text, struct error *e) MUST_USE;

#endif
