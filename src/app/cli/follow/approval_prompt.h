#ifndef APP_APPROVAL_PROMPT_H
#define APP_APPROVAL_PROMPT_H
/*
 * One question to the user at this terminal, line by line.
 *
 *   approval_prompt_open ──► the question stands on the terminal
 *                   │ approval_prompt_line, for each line typed
 *                   ▼
 *   APPROVAL_PROMPT_MORE (another line is wanted) ... APPROVAL_PROMPT_DONE: the answer is in the struct
 */
#include "app/cli/follow/approval_details.h"
#include "app/cli/follow/form_prompt.h"
#include "app/cli/follow/turn.h"

enum approval_prompt_kind {
	APPROVAL_PROMPT_NONE,
	APPROVAL_PROMPT_PERMISSION,
	APPROVAL_PROMPT_QUESTION,
	APPROVAL_PROMPT_CONTINUE
};
enum approval_prompt_stage {
	APPROVAL_PROMPT_CHOICE,
	APPROVAL_PROMPT_REASON,
	APPROVAL_PROMPT_EDIT,
	APPROVAL_PROMPT_FIELD,
	APPROVAL_PROMPT_JSON
};
enum approval_prompt_step { APPROVAL_PROMPT_MORE, APPROVAL_PROMPT_DONE };

struct approval_prompt {
	struct cli *c;
	FILE *out; /* where the prompt is printed */
	enum approval_prompt_kind kind;
	enum approval_prompt_stage stage;
	struct json action; /* as of list_actions */
	struct str args;    /* the tool's input as JSON, or absent */
	struct str draft;   /* input that was edited and refused, or absent */
	bool is_unread;     /* the input could not be shown, so it cannot be allowed here */
	struct form_prompt form;

	/* the answer */
	const char *
		decision; /* allow, deny, answer, decline; go or leave for APPROVAL_PROMPT_CONTINUE */
	const char *scope; /* NULL: once */
	struct str input, payload, reason;
};

void approval_prompt_open(struct approval_prompt *a, struct cli *c, struct json action,
                          const struct approval_details *about, FILE *out);
void approval_prompt_continue(struct approval_prompt *a, struct cli *c, const char *why, FILE *out);
enum approval_prompt_step approval_prompt_line(struct approval_prompt *a, struct str line);
/* Prompts again, with the choices. */
void approval_prompt_again(struct approval_prompt *a);
/* The same, and what was edited is forgotten: the user goes back. */
void approval_prompt_back(struct approval_prompt *a);
/* The runtime refused the answer: it is changed further, or asked again. */
void approval_prompt_refused(struct approval_prompt *a);
/* Is this key or word one of the choices? */
bool approval_prompt_has(const struct approval_prompt *a, struct str word);
/* What a choice allows beyond this call, "always in this workspace: ..."; NULL: nothing. */
const char *approval_prompt_scope(const struct approval_prompt *a, struct str word);
/* The text that editing begins with. */
struct str approval_prompt_draft(const struct approval_prompt *a);
void approval_prompt_close(struct approval_prompt *a);

struct params;
/* The members of respond_action that hold the answer. */
void approval_prompt_params(const struct approval_prompt *a, struct params *p);

#endif
