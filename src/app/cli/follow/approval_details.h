#ifndef APP_APPROVAL_DETAILS_H
#define APP_APPROVAL_DETAILS_H
/*
 * What the user needs to know to decide: the input of the tool, why it needs
 * approval, and which paths it reaches.  The whole input is shown, at any
 * length, with invisible characters made visible.
 */
#include "app/cli/print/out.h"

struct approval_details {
	struct str args;  /* the tool's input as JSON, or absent */
	struct str ref;   /* the output that holds it when it is too long for an event; or absent */
	bool is_unread;   /* ref could not be read: approving is not offered */
	struct str why;   /* the reason of the decision to ask, or absent */
	struct str leads; /* paths outside the workspace that it reaches, or absent */
	size_t columns;   /* of the terminal; 0: not known */
};

/* Reads a permission.evaluated event; strings are copied to mem. */
void approval_details_evaluated(struct approval_details *a, struct arena *mem, struct json event);
/* Finds the latest events about an action of list_actions. */
void approval_details_find(struct approval_details *a, struct cli *c, struct json action);
/* Is it what a tool server asks a model, and not a call?  Then all of it is behind inputRef. */
bool approval_details_is_request(struct json action);
/* From a tool.args or tool.started: the arguments, or where they are. */
void approval_details_args(struct approval_details *a, struct arena *mem, struct json payload);
/* Reads the arguments from ref, unless args is set. */
void approval_details_read(struct approval_details *a, struct cli *c);
/* What a wider approval of this action covers, in one line. */
const char *approval_details_covers(struct arena *mem, struct json action);
/* Of a plan: the mode that follows its acceptance, in words; NULL: it is none. */
const char *approval_details_mode_after(struct arena *mem, struct json action);
/* Prints indented lines and returns their number. */
size_t approval_details_print(const struct approval_details *a, FILE *out, bool color,
                              struct arena *mem, struct json action);

#endif
