#ifndef APP_APPROVAL_DETAILS_H
#define APP_APPROVAL_DETAILS_H
/*
 * What somebody has to know to decide: what the tool would be given, why it
 * asks, and what it really reaches.  All of the input is shown, however long
 * it is, with what hides in it made visible.
 */
#include "app/cli/print/out.h"

struct approval_details {
	struct str args; /* what the tool would be given, JSON, or absent */
	struct str ref;  /* where it can be read, when it is too long for the events; or absent */
	bool is_unread;  /* it stands there and could not be read: there is nothing to say yes to */
	struct str why;  /* the reason of the decision to ask, or absent */
	struct str leads; /* where it goes outside of the workspace, or absent */
};

/* From a permission.evaluated; what it says lives in mem. */
void approval_details_evaluated(struct approval_details *a, struct arena *mem, struct json event);
/* As the facts have it last, of an action of list_actions. */
void approval_details_find(struct approval_details *a, struct cli *c, struct json action);
/* From a tool.args or tool.started: the arguments, or where they are. */
void approval_details_args(struct approval_details *a, struct arena *mem, struct json payload);
/* Reads the arguments where they are, if they are not here yet. */
void approval_details_read(struct approval_details *a, struct cli *c);
/* Some lines, indented; how many they were. */
size_t approval_details_print(const struct approval_details *a, FILE *out, bool color,
                              struct arena *mem, struct json action);

#endif
