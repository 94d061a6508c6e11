#ifndef APP_IMPORT_ASK_H
#define APP_IMPORT_ASK_H
/* One question to the person; without a terminal and without the option the answer is not known. */
#include "app/cli/cli.h"

enum import_answer { IMPORT_NOT_ASKED, IMPORT_YES, IMPORT_NO };

/* has_option: the option that stands for the approval was given. */
enum import_answer import_ask(struct cli *c, const char *question, bool has_option);

#endif
