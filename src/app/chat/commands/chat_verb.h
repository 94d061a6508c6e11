#ifndef APP_CHAT_VERB_H
#define APP_CHAT_VERB_H
/*
 * Verbs of the command line as commands of the chat.
 *
 * A verb is a line of words; @ is the session, + the arguments, . the directory.
 * What it prints goes above the input.
 */
#include "base/str.h"

struct chat;

/* The exit code of the verb. */
int chat_verb_run(struct chat *ch, const char *verb, struct str args);
/* The same; its standard output goes to the file `to`. */
int chat_verb_run_to(struct chat *ch, const char *verb, struct str args, int to);
/* Can this model be asked?  If not, the user knows why. */
bool chat_verb_can_ask(struct chat *ch, struct str model);

#endif
