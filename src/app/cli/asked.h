#ifndef APP_ASKED_H
#define APP_ASKED_H
/*
 * What somebody has to know to decide: what the tool would be given, why it
 * asks, and what it really reaches.  All of the input is shown, however long
 * it is, with what hides in it made visible.
 */
#include "app/cli/out.h"

struct asked {
	struct str args; /* what the tool would be given, JSON, or absent */
	struct str ref;  /* where it can be read, when it is too long for the events; or absent */
	bool is_unread;  /* it stands there and could not be read: there is nothing to say yes to */
	struct str why;  /* the reason of the decision to ask, or absent */
	struct str leads; /* where it goes outside of the workspace, or absent */
};

/* From a permission.evaluated; what it says lives in mem. */
void asked_judged(struct asked *a, struct arena *mem, struct json event);
/* As the facts have it last, of an action of list_actions. */
void asked_find(struct asked *a, struct cli *c, struct json action);
/* From a tool.args or tool.started: the arguments, or where they are. */
void asked_args(struct asked *a, struct arena *mem, struct json payload);
/* Reads the arguments where they are, if they are not here yet. */
void asked_read(struct asked *a, struct cli *c);
/* Some lines, indented; how many they were. */
size_t asked_print(const struct asked *a, FILE *out, bool color, struct arena *mem,
                   struct json action);

#endif
