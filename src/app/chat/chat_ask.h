#ifndef APP_CHAT_ASK_H
#define APP_CHAT_ASK_H
/*
 * One pending approval or question in front of the user.
 *
 *   CLOSED ──► SHOWN (its text is on the screen; keys go to the input)
 *                │ no key for CHAT_ASK_PAUSE_MS
 *                ▼
 *             ARMED (one key answers) ──► TYPING (a reason, an answer, edited input)
 *                │                          │
 *                └──────────► CLOSED ◄──────┘
 *
 * Keys that were on their way when the prompt appeared cannot answer it: the
 * stream of keys must pause first.  While the input holds a text, Escape arms
 * it instead, so that no typing is taken for an answer.
 *
 * The questions and their answers are those of `thole run` (approval_prompt.h).
 */
#include "app/cli/follow/approval_prompt.h"

#define CHAT_ASK_PAUSE_MS 400

enum chat_ask_state { CHAT_ASK_CLOSED, CHAT_ASK_SHOWN, CHAT_ASK_ARMED, CHAT_ASK_TYPING };

struct chat_ask {
	enum chat_ask_state state;
	struct approval_prompt prompt;
	char *text; /* what the prompt printed */
	size_t len;
	struct buf line; /* its last line: the choices */
	int64_t quiet_since;
};

/* Opens the prompt; its lines except the last go to *ret_above, until the next call. */
void chat_ask_open(struct chat_ask *a, struct cli *c, struct json action, struct str *ret_above);
void chat_ask_continue(struct chat_ask *a, struct cli *c, const char *why, struct str *ret_above);
/* Gives the prompt a line, or one key as a line; *ret_above as above. */
enum approval_prompt_step chat_ask_line(struct chat_ask *a, struct str line, struct str *ret_above);
void chat_ask_again(struct chat_ask *a, struct str *ret_above);
void chat_ask_close(struct chat_ask *a);
/* A key arrived, or time passed. */
void chat_ask_key(struct chat_ask *a, int64_t now);
/* Milliseconds until it may be armed; -1: it does not wait for that. */
int chat_ask_left(const struct chat_ask *a, int64_t now);
void chat_ask_tick(struct chat_ask *a, int64_t now, bool has_text);
/* The choices, or what is asked; NULL: nothing is. */
const char *chat_ask_text(const struct chat_ask *a);

#endif
