#ifndef APP_ASK_H
#define APP_ASK_H
/*
 * One question to the person at this terminal, line by line.
 *
 *   ask_open ──► the question stands on the terminal
 *                   │ ask_line, for each line typed
 *                   ▼
 *   ASK_MORE (another line is wanted) ... ASK_DONE: the answer is in the struct
 */
#include "app/cli/asked.h"
#include "app/cli/turn.h"

enum ask_kind { ASK_NONE, ASK_PERMISSION, ASK_QUESTION, ASK_GO_ON };
enum ask_stage { ASK_CHOICE, ASK_REASON, ASK_EDIT, ASK_FIELD, ASK_JSON };
enum ask_step { ASK_MORE, ASK_DONE };

struct ask {
	struct cli *c;
	enum ask_kind kind;
	enum ask_stage stage;
	struct json action; /* as of list_actions */
	struct str args;    /* what the tool would be given, JSON, or absent */
	struct form form;
	size_t field;
	struct buf members; /* of the answer so far */

	/* the answer */
	const char *decision; /* allow, deny, answer, decline; go or leave for ASK_GO_ON */
	const char *scope;    /* NULL: once */
	struct str input, payload, reason;
};

void ask_open(struct ask *a, struct cli *c, struct json action, const struct asked *about);
void ask_go_on(struct ask *a, struct cli *c, const char *why);
enum ask_step ask_line(struct ask *a, struct str line);
/* Asks the same again, after an answer that was not taken. */
void ask_again(struct ask *a);
void ask_close(struct ask *a);

#endif
