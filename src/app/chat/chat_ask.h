#ifndef APP_CHAT_ASK_H
#define APP_CHAT_ASK_H
/*
 * One pending approval or question in front of the user.
 *
 *   CLOSED ──► SHOWN (its text is on the screen; keys go to the input)
 *                │ ▲ no key for CHAT_ASK_PAUSE_MS ▼, or other text than an answer ▲
 *                ▼ │
 *             ARMED (one key answers) ──► TYPING (a reason, an answer, edited input)
 *                │ ▲                        │
 *                ▼ │                        │
 *             CONFIRM (Enter grants more    │
 *                │ than this call)          │
 *                └──────────► SENT ◄────────┘ ──► CLOSED, or again if it was refused
 *
 * Keys that were on their way when the prompt appeared cannot answer it: the
 * stream of keys must pause first.  While the input holds a text, Escape arms
 * it instead, so that no typing is taken for an answer.  Keys that arrive
 * together, as a paste does, are text.
 *
 * The questions and their answers are those of `thole run` (approval_prompt.h).
 */
#include "app/cli/follow/approval_prompt.h"

#define CHAT_ASK_PAUSE_MS 400

enum chat_ask_state {
	CHAT_ASK_CLOSED,
	CHAT_ASK_SHOWN,
	CHAT_ASK_ARMED,
	CHAT_ASK_CONFIRM,
	CHAT_ASK_TYPING,
	CHAT_ASK_SENT
};

struct chat_ask {
	enum chat_ask_state state;
	struct approval_prompt prompt;
	char *text; /* what the prompt printed */
	size_t len;
	struct buf line; /* its last line: the choices */
	char key;        /* of the choice to confirm */
	const char *confirm;
	int64_t quiet_since;
};

/* Opens the prompt; its lines except the last go to *ret_above, until the next call. */
void chat_ask_open(struct chat_ask *a, struct cli *c, struct json action, struct str *ret_above);
void chat_ask_continue(struct chat_ask *a, struct cli *c, const char *why, struct str *ret_above);
/* Gives the prompt a line, or one key as a line; *ret_above as above. */
enum approval_prompt_step chat_ask_line(struct chat_ask *a, struct str line, struct str *ret_above);
/* The user leaves an edit or a reason. */
void chat_ask_back(struct chat_ask *a, struct str *ret_above);
/* The runtime refused the answer. */
void chat_ask_refused(struct chat_ask *a, struct str *ret_above);
/* Keys go to the input until they pause. */
void chat_ask_show(struct chat_ask *a);
void chat_ask_arm(struct chat_ask *a);
void chat_ask_confirm(struct chat_ask *a, char key);
void chat_ask_close(struct chat_ask *a);
/* A key arrived, or time passed. */
void chat_ask_key(struct chat_ask *a, int64_t now);
/* Milliseconds until it may be armed; -1: it does not wait for that. */
int chat_ask_left(const struct chat_ask *a, int64_t now);
void chat_ask_tick(struct chat_ask *a, int64_t now, bool has_text);
/* The choices, or what is asked; NULL: nothing is. */
const char *chat_ask_text(const struct chat_ask *a);

#endif
