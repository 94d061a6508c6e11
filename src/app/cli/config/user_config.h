#ifndef APP_USER_CONFIG_H
#define APP_USER_CONFIG_H
/* Reading and writing the user's settings file; `thole setup`, `thole import` and `thole mcp add` change it. */
#include "app/cli/cli.h"

#define USER_CONFIG_MAX (1u << 20)

/*
 * Of several commands that change the file, one reads, changes and writes at a time.  Makes the
 * directory of the file.  CODE_DONE, or the exit code after printing the error.
 */
int user_config_lock(struct cli *c, const char *path, int *ret);
void user_config_unlock(int *lock); /* -1: none */
/*
 * The text of the file; absent when there is none.  False: there is one that cannot be read, and
 * errno has the reason.  Then it must not be written either.  A pipe or a device is none.
 */
bool user_config_read(struct cli *c, const char *path, struct str *ret);
/* The text of the file as an object; none or an empty one is {}.  False: it cannot be rewritten. */
bool user_config_parse(struct cli *c, struct str text, struct json *ret);
/*
 * In one step: a reader sees the old settings or the new ones.  Of a link the file that it names is
 * written.  False: errno has the reason, and nothing is left behind.
 */
bool user_config_write(struct cli *c, const char *path, struct str text);
/*
 * The same for a file that is shared with others: it keeps its mode, and a new one has that of other
 * new files.
 */
bool user_config_write_shared(struct cli *c, const char *path, struct str text);
/* Copies the file beside itself under a new name; NULL: errno has the reason. */
const char *user_config_backup(struct cli *c, const char *path, struct str text);

#endif
