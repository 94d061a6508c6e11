#ifndef APP_EXPORT_ATIF_H
#define APP_EXPORT_ATIF_H
/*
 * Trajectories (ATIF) of the command line: `thole export atif` and
 * `thole run --atif`.
 */
#include "app/cli/ref.h"

/*
 * Opens what has the log.  Without a daemon the log is read from a copy: an export continues no
 * turn that a crash has interrupted, and leaves no daemon behind.
 */
int export_atif_open(struct cli *c);
/* Where a trajectory is written to. */
struct export_atif_file;

/*
 * Opens it before there is anything to write, and prints the reason if that cannot be.  path NULL:
 * stdout.  A file appears complete or not at all.  Ends with export_atif_write() or _drop().
 */
int export_atif_prepare(struct cli *c, const char *path, struct export_atif_file **ret);
void export_atif_drop(struct export_atif_file *f);
/* Writes the trajectory of a session, thread or turn; returns the exit code. */
int export_atif_write(struct cli *c, const struct ref *ref, struct export_atif_file *f);
/* Both. */
int export_atif(struct cli *c, const struct ref *ref, const char *path);

#endif
