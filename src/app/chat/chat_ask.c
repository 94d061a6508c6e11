/*
 * Feeds keys to the prompt of `thole run` and catches what it prints, so that
 * its text goes above the input and its choices stay in the live area.
 */
#include "app/chat/chat_ask.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- what the prompt prints ---- */

static FILE *begin_catch(struct chat_ask *a)
{
	FILE *out;

	free(a->text);
	a->text = NULL;
	out = open_memstream(&a->text, &a->len);
	if (!out)
		abort();
	return out;
}

/* The last line has no newline: it is the prompt itself. */
static struct str end_catch(struct chat_ask *a)
{
	size_t from;

	fclose(a->prompt.out);
	a->prompt.out = NULL;
	from = a->len;
	while (from && a->text[from - 1] != '\n')
		from--;
	if (from < a->len) {
		buf_clear(&a->line);
		buf_add_str(&a->line, str_of(a->text + from, a->len - from));
		buf_add_char(&a->line, 0);
	}
	return str_of(a->text, from);
}

/* ---- states ---- */

void chat_ask_show(struct chat_ask *a)
{
	a->state = CHAT_ASK_SHOWN;
	a->quiet_since = 0; /* counts from the first tick after it was drawn */
}

void chat_ask_open(struct chat_ask *a, struct cli *c, struct json action, struct str *ret_above)
{
	struct approval_details about;

	approval_details_find(&about, c, action);
	approval_prompt_open(&a->prompt, c, action, &about, begin_catch(a));
	*ret_above = end_catch(a);
	chat_ask_show(a);
}

void chat_ask_continue(struct chat_ask *a, struct cli *c, const char *why, struct str *ret_above)
{
	approval_prompt_continue(&a->prompt, c, why, begin_catch(a));
	*ret_above = end_catch(a);
	chat_ask_show(a);
}

void chat_ask_back(struct chat_ask *a, struct str *ret_above)
{
	a->prompt.out = begin_catch(a);
	approval_prompt_back(&a->prompt);
	*ret_above = end_catch(a);
	chat_ask_show(a);
}

void chat_ask_refused(struct chat_ask *a, struct str *ret_above)
{
	a->prompt.out = begin_catch(a);
	approval_prompt_refused(&a->prompt);
	*ret_above = end_catch(a);
	if (a->prompt.stage == APPROVAL_PROMPT_EDIT)
		a->state = CHAT_ASK_TYPING;
	else
		chat_ask_show(a);
}

enum approval_prompt_step chat_ask_line(struct chat_ask *a, struct str line, struct str *ret_above)
{
	enum approval_prompt_step step;

	a->prompt.out = begin_catch(a);
	step = approval_prompt_line(&a->prompt, line);
	*ret_above = end_catch(a);
	if (step == APPROVAL_PROMPT_MORE && a->prompt.stage == APPROVAL_PROMPT_CHOICE)
		chat_ask_show(a); /* what is typed next may continue the text before */
	else if (step == APPROVAL_PROMPT_MORE)
		a->state = CHAT_ASK_TYPING;
	return step;
}

void chat_ask_close(struct chat_ask *a)
{
	if (a->state != CHAT_ASK_CLOSED)
		approval_prompt_close(&a->prompt);
	free(a->text);
	a->text = NULL;
	buf_done(&a->line);
	a->state = CHAT_ASK_CLOSED;
}

/* A question is answered by a line of input, which Enter ends. */
void chat_ask_arm(struct chat_ask *a)
{
	a->state = a->prompt.stage == APPROVAL_PROMPT_CHOICE ? CHAT_ASK_ARMED : CHAT_ASK_TYPING;
}

void chat_ask_confirm(struct chat_ask *a, char key)
{
	a->key = key;
	a->state = CHAT_ASK_CONFIRM;
	a->confirm = arena_printf(a->prompt.c->mem, "  %s.  Enter grants it, Esc goes back ›",
	                          approval_prompt_scope(&a->prompt, str_of(&a->key, 1)))
	                     .ptr;
}

/* ---- time ---- */

void chat_ask_key(struct chat_ask *a, int64_t now)
{
	if (a->state == CHAT_ASK_SHOWN)
		a->quiet_since = now;
}

int chat_ask_left(const struct chat_ask *a, int64_t now)
{
	int64_t left = a->quiet_since + CHAT_ASK_PAUSE_MS - now;

	if (a->state != CHAT_ASK_SHOWN)
		return -1;
	return !a->quiet_since ? 0 : left > 0 ? (int)left : 0;
}

void chat_ask_tick(struct chat_ask *a, int64_t now, bool has_text)
{
	if (a->state != CHAT_ASK_SHOWN)
		return;
	if (!a->quiet_since) {
		a->quiet_since = now;
		return;
	}
	if (now - a->quiet_since < CHAT_ASK_PAUSE_MS || has_text)
		return;
	chat_ask_arm(a);
}

const char *chat_ask_text(const struct chat_ask *a)
{
	if (a->state == CHAT_ASK_CONFIRM)
		return a->confirm;
	return a->state != CHAT_ASK_CLOSED && a->state != CHAT_ASK_SENT && a->line.len ? a->line.ptr
	                                                                               : NULL;
}
