#ifndef APP_TEXT_EDITOR_H
#define APP_TEXT_EDITOR_H
/* Editing a text in the program that VISUAL or EDITOR names. */
#include "app/cli/cli.h"

/* NULL: neither is set. */
const char *text_editor_name(void);
/* The text after editing, in c->mem; absent: the editor failed.  suffix: of the file, ".json". */
struct str text_editor_edit(struct cli *c, const char *editor, struct str text, const char *suffix);

/*
 * Opens this file; it is made first, with its directory, if it does not exist.  False: *ret_why says
 * why not.
 */
bool text_editor_open(struct cli *c, const char *editor, const char *path, const char **ret_why);

#endif
