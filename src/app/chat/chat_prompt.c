/*
 * The prompt of an approval in the chat: when it opens, which keys answer it,
 * and what happens when the runtime refuses the answer (chat_ask.h has the states).
 */
#include "app/chat/chat.h"

#include "app/chat/screen/chat_wrap.h"
#include "base/os/clock.h"

#define LATE_ANSWER_MS 3000 /* how long after a prompt a key may have been meant for it */
#define ASK_ROWS 6          /* of the live area below the text of a prompt */

/* ---- opening and closing ---- */

static bool is_settled(struct chat *ch)
{
	struct str id = json_str(JSON_GET(ch->ask.prompt.action, "actionId"));

	if (ch->ask.prompt.kind == APPROVAL_PROMPT_CONTINUE)
		return ch->view.state != CHAT_LOST;
	for (size_t i = 0; i < ch->view.pending_count; i++)
		if (str_eq(json_str(JSON_GET(ch->view.pending[i], "actionId")), id))
			return false;
	return true;
}

/* What the prompt is about, above the input; v shows all of it if the screen cannot. */
static void show_asked(struct chat *ch, struct str above)
{
	size_t rows;

	buf_clear(&ch->asked);
	chat_wrap_mark(&ch->asked, above, CHAT_WRAP_INPUT, false);
	rows = chat_wrap_text(NULL, buf_str(&ch->asked), ch->screen.columns);
	chat_view_input(&ch->view, above);
	if (rows + ASK_ROWS > ch->screen.rows)
		chat_view_note(&ch->view, TONE_ASK,
		               "  These are %zu rows, more than the screen has%s.", rows,
		               ch->ask.prompt.stage == APPROVAL_PROMPT_CHOICE
		                       ? ": v shows all of them"
		                       : "; scroll up to read them");
}

/*
 * It was answered elsewhere, withdrawn or too late, or its turn has ended.  What was typed for it is no message, and a key
 * that is on its way to it begins none.
 */
static void close_settled(struct chat *ch)
{
	if (ch->ask.state == CHAT_ASK_TYPING && ch->edit.text.len) {
		chat_view_note(&ch->view, TONE_DIM, "  The question is closed; not sent: %s",
		               out_safe_cut(ch->mem, buf_str(&ch->edit.text), 200));
		chat_edit_clear(&ch->edit);
	}
	if (ch->ask.state == CHAT_ASK_ARMED || ch->ask.state == CHAT_ASK_CONFIRM)
		ch->answer_until = clock_mono_ms() + LATE_ANSWER_MS;
	chat_ask_close(&ch->ask);
	ch->is_dirty = true;
}

/* ---- the answer ---- */

static void send_answer(struct chat *ch)
{
	struct params p;

	params_begin(&p);
	params_cstr(&p, "sessionId", ch->view.session);
	approval_prompt_params(&ch->ask.prompt, &p);
	params_key(ch->c, &p);
	ch->ask.state = CHAT_ASK_SENT;
	if (chat_link_send(&ch->link, CHAT_CALL_ANSWER, "respond_action", &p))
		return;
	chat_paint_notice(ch, "  too many commands are under way");
	ch->answered = CHAT_ANSWER_REFUSED;
}

static void settle(struct chat *ch)
{
	if (ch->ask.prompt.kind != APPROVAL_PROMPT_CONTINUE) {
		chat_view_forget(&ch->view, json_str(JSON_GET(ch->ask.prompt.action, "actionId")));
		send_answer(ch);
		return;
	}
	if (strcmp(ch->ask.prompt.decision, "go") == 0) {
		chat_turn_resume(ch);
		ch->view.state = CHAT_RUNNING; /* until an event says otherwise */
	} else {
		chat_turn_stop(ch);
		ch->view.state = CHAT_IDLE;
	}
	chat_ask_close(&ch->ask);
}

/* The prompt wants a line that has a beginning: the arguments, or what was refused of them. */
static void fill_input(struct chat *ch)
{
	if (ch->ask.state == CHAT_ASK_TYPING && ch->ask.prompt.stage == APPROVAL_PROMPT_EDIT)
		chat_edit_set(&ch->edit, approval_prompt_draft(&ch->ask.prompt));
}

static void answer(struct chat *ch, struct str line, bool uses_editor)
{
	struct str above;
	enum approval_prompt_step step;

	if (uses_editor)
		chat_paint_pause(ch);
	step = chat_ask_line(&ch->ask, line, &above);
	if (uses_editor)
		chat_paint_resume(ch);
	chat_view_input(&ch->view, above);
	if (step == APPROVAL_PROMPT_DONE)
		settle(ch);
	else
		fill_input(ch);
}

/* A line above says why; the action waits as before, unless another answer came first. */
static void heed_refusal(struct chat *ch)
{
	bool is_late = ch->answered == CHAT_ANSWER_LATE;
	struct str above;

	ch->answered = CHAT_ANSWER_TAKEN;
	if (ch->ask.state != CHAT_ASK_SENT || is_late)
		return;
	chat_view_add_pending(&ch->view, ch->ask.prompt.action);
	chat_ask_refused(&ch->ask, &above);
	chat_view_input(&ch->view, above);
	fill_input(ch);
}

/* ---- the next one ---- */

void chat_prompt_step(struct chat *ch)
{
	struct str above = STR("");

	if (chat_link_is_open(&ch->link, CHAT_CALL_ANSWER))
		return; /* a refusal opens it again */
	if (ch->answered != CHAT_ANSWER_TAKEN)
		heed_refusal(ch);
	if (ch->ask.state != CHAT_ASK_CLOSED && is_settled(ch))
		close_settled(ch);
	if (ch->ask.state != CHAT_ASK_CLOSED || ch->link.state != CHAT_LINK_UP ||
	    chat_link_is_open(&ch->link, CHAT_CALL_RESUME))
		return;
	if (ch->view.pending_count)
		chat_ask_open(&ch->ask, ch->c, ch->view.pending[0], &above);
	else if (ch->view.state == CHAT_LOST)
		chat_ask_continue(
			&ch->ask, ch->c,
			"A restart interrupted this turn. What was in flight is lost; continue?",
			&above);
	else
		return;
	show_asked(ch, above);
	chat_paint_draw(ch, false); /* the pause that arms it counts from here */
}

/* ---- keys ---- */

static bool is_letter(const struct chat_key *k)
{
	return k->code < 0x80 && str_is(k->text);
}

/* The first key after a prompt that closed by itself, if it would have answered that. */
static bool is_late_answer(struct chat *ch, const struct chat_key *k)
{
	bool is_late = ch->answer_until && clock_mono_ms() < ch->answer_until &&
	               ch->ask.state == CHAT_ASK_CLOSED && !ch->edit.text.len && is_letter(k) &&
	               strchr("ytsaewn", (int)(k->code | 0x20));

	ch->answer_until = 0;
	if (is_late)
		chat_paint_notice(ch, "  it was answered elsewhere; the key %c did nothing",
		                  (int)k->code);
	return is_late;
}

static bool shown_key(struct chat *ch, const struct chat_key *k)
{
	if (k->code != CHAT_KEY_ESCAPE || !ch->edit.text.len)
		return false;
	chat_ask_arm(&ch->ask);
	return true;
}

/*
 * A key that is no choice, or that came together with others, is the beginning of a text: it and
 * all that follows go to the input, and the prompt waits for a pause again.
 */
static bool armed_key(struct chat *ch, const struct chat_key *k)
{
	if (!is_letter(k))
		return false;
	if (!ch->is_burst && (k->code | 0x20) == 'v' && ch->asked.len)
		return chat_pager_show(ch, "what is asked", buf_str(&ch->asked)), true;
	if (ch->is_burst || !approval_prompt_has(&ch->ask.prompt, k->text)) {
		chat_ask_show(&ch->ask);
		return false;
	}
	if (approval_prompt_scope(&ch->ask.prompt, k->text))
		return chat_ask_confirm(&ch->ask, (char)k->code), true;
	answer(ch, k->text,
	       (k->code | 0x20) == 'e' && ch->ask.prompt.kind == APPROVAL_PROMPT_PERMISSION);
	return true;
}

/* Enter alone grants; another letter shows that a text is typed, of which the first letter was one. */
static bool confirm_key(struct chat *ch, const struct chat_key *k)
{
	char first[] = { ch->ask.key, 0 };

	if (k->code == CHAT_KEY_ENTER && !k->mods && !ch->is_burst)
		return answer(ch, str_from(first), false), true;
	if (k->code == CHAT_KEY_FOCUS_IN || k->code == CHAT_KEY_FOCUS_OUT)
		return false;
	chat_ask_show(&ch->ask);
	if (!str_is(k->text))
		return true;
	chat_edit_key(&ch->edit,
	              &(struct chat_key){ .code = (unsigned char)*first, .text = str_from(first) });
	return false;
}

/* Escape leaves an edit and a reason; a question has no choices to return to. */
static bool typing_key(struct chat *ch, const struct chat_key *k)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct str above;

	if (k->code == CHAT_KEY_ENTER && !k->mods) {
		chat_edit_take(&ch->edit, &text);
		answer(ch, buf_str(&text), false);
		return true;
	}
	if (k->code != CHAT_KEY_ESCAPE || ch->ask.prompt.kind != APPROVAL_PROMPT_PERMISSION ||
	    (ch->edit.is_vi && !ch->edit.is_normal))
		return false;
	chat_edit_clear(&ch->edit);
	chat_ask_back(&ch->ask, &above);
	chat_view_input(&ch->view, above);
	return true;
}

bool chat_prompt_key(struct chat *ch, const struct chat_key *k)
{
	if (is_late_answer(ch, k))
		return true;
	switch (ch->ask.state) {
	case CHAT_ASK_SHOWN:
		return shown_key(ch, k);
	case CHAT_ASK_ARMED:
		return armed_key(ch, k);
	case CHAT_ASK_CONFIRM:
		return confirm_key(ch, k);
	case CHAT_ASK_TYPING:
		return typing_key(ch, k);
	case CHAT_ASK_CLOSED:
	case CHAT_ASK_SENT:
		break;
	}
	return false;
}
