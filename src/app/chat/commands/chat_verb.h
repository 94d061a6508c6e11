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
struct cli;

struct chat_verb_place {
	struct str session; /* "": none */
	const char *cwd;
};

/* The exit code of the verb. */
int chat_verb_run(struct chat *ch, const char *verb, struct str args);
/* The same; its standard output goes to the file `to`. */
int chat_verb_run_to(struct chat *ch, const char *verb, struct str args, int to);
/* The same without a screen: it prints as on the command line. */
int chat_verb_plain(struct cli *c, const struct chat_verb_place *at, const char *verb,
                    struct str args);
/* Can this model be asked?  If not, the user knows why. */
bool chat_verb_can_ask(struct chat *ch, struct str model);

#endif
