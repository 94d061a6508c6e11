#ifndef APP_PATHS_H
#define APP_PATHS_H
/* The data directory, settings files and other paths of one call of the program. */
#include "base/arena.h"

struct cli;

/* Sets c->data and c->socket.  Returns CODE_DONE, or another code after printing the reason. */
int paths_find(struct cli *c);
/* With --here and without --data: a directory that paths_done() removes. */
int paths_make_temporary(struct cli *c);
void paths_done(struct cli *c);
const char *paths_in_data(struct cli *c, const char *name);
/* The directory to work in: --dir, or the current one, resolved.  Returns CODE_DONE or CODE_USAGE. */
int paths_work_dir(struct cli *c, const char **ret);
/* Makes a path absolute; it need not exist. */
const char *paths_absolute(struct cli *c, const char *path);
/*
 * Makes the directories of a path, the last part included or not.  NULL: they are there; else the part
 * that cannot be made, with errno.
 */
const char *paths_make_dir(struct cli *c, const char *path);
const char *paths_make_parents(struct cli *c, const char *path);
/* The path of the user's settings file, which need not exist; NULL without a home. */
const char *paths_user_config(struct cli *c);
#define PATH_SYSTEM_CONFIG "/etc/thole/config.json"
/*
 * STR_NONE: errno has the reason, EFBIG if there is more than max bytes; reading stops there.  A file is
 * a regular one, a pipe or /dev/null.
 */
struct str paths_read_file(struct arena *mem, const char *path, size_t max);
/* The same without pipes, which would wait for a writer: for files of settings. */
struct str paths_read_regular(struct arena *mem, const char *path, size_t max);
const char *paths_reason(void); /* errno of these as text */
struct str paths_read_fd(struct arena *mem, int fd, size_t max);
/* The same for the output of a program that ends: it is read to the end, so that the program does. */
struct str paths_drain_fd(struct arena *mem, int fd, size_t max);
/* The same for a file that is no link and nothing but a file: for what programs of others left. */
struct str paths_read_own(struct arena *mem, const char *path, size_t max);
/* With everything in it.  errno says why not. */
bool paths_remove_dir(const char *path);

#endif
