/*
 * What the user does to the conversation, as commands to the runtime, and the
 * runtime's answers.  Nothing here waits: an answer arrives in chat_turn_replies().
 */
#include "app/chat/chat.h"

#include "app/cli/extend/resource_refs.h"
#include "base/gen/words.h"

/* ---- sending ---- */

static void begin(struct chat *ch, struct params *p)
{
	params_begin(p);
	params_cstr(p, "sessionId", *ch->view.session ? ch->view.session : NULL);
	params_cstr(p, "threadId", *ch->view.thread ? ch->view.thread : NULL);
}

static void send(struct chat *ch, enum chat_call what, const char *command, struct params *p)
{
	if (!chat_link_send(&ch->link, what, command, p))
		chat_paint_notice(ch, "  too many commands are under way");
}

void chat_turn_send(struct chat *ch, struct str text, enum chat_delivery delivery)
{
	bool is_busy = ch->view.state != CHAT_IDLE;
	struct params p;
	struct str input;

	text = chat_images_find(ch, text);
	if (!chat_input_write(ch, text, &input)) {
		chat_edit_restore(&ch->edit, text);
		return;
	}
	begin(ch, &p);
	params_raw(&p, "input", input);
	/* A steer joins a turn that has its context, and an expanded text is not the person's. */
	if (!ch->extend.is_expanded && !(is_busy && delivery == CHAT_STEER))
		params_raw(&p, "context", resource_refs_read(ch->mem, text));
	params_str(&p, "model", ch->pick);
	params_cstr(&p, "effort", ch->effort);
	params_cstr(&p, "source", "cli");
	params_cstr(&p, "delivery", is_busy && delivery == CHAT_STEER ? "steer" : "queue");
	if (*ch->view.session) {
		params_cstr(&p, "create", "never");
	} else {
		params_cstr(&p, "cwd", ch->cwd);
		params_cstr(&p, "mode", ch->mode);
	}
	params_key(ch->c, &p);
	buf_clear(&ch->sending);
	buf_add_str(&ch->sending, text);
	ch->sent_at = ch->view.submitted;
	send(ch, CHAT_CALL_SUBMIT, "submit_turn", &p);
}

void chat_turn_stop(struct chat *ch)
{
	struct params p;

	if (!*ch->view.session || chat_link_is_open(&ch->link, CHAT_CALL_STOP))
		return;
	begin(ch, &p);
	params_cstr(&p, "reason", WORD_INTERRUPT_REASON_USER);
	params_key(ch->c, &p);
	send(ch, CHAT_CALL_STOP, "interrupt_turn", &p);
	chat_paint_notice(ch, "  stopping …");
	ch->is_stopping = true;
	ch->returns_later = true;
}

void chat_turn_resume(struct chat *ch)
{
	struct params p;

	begin(ch, &p);
	params_key(ch->c, &p);
	send(ch, CHAT_CALL_RESUME, "resume_thread", &p);
}

/* ---- the mode ---- */

void chat_turn_set_mode(struct chat *ch, struct str mode)
{
	struct params p;

	if (!chat_open_create(ch))
		return;
	params_begin(&p);
	params_cstr(&p, "sessionId", ch->view.session);
	params_str(&p, "mode", mode);
	params_key(ch->c, &p);
	send(ch, CHAT_CALL_MODE, "set_mode", &p);
}

/* Those that a person changes between; `bypass` and others need their name: /mode bypass. */
const char *chat_turn_next_mode(const struct chat *ch)
{
	static const char *const modes[] = { WORD_PERMISSION_MODE_DEFAULT,
		                             WORD_PERMISSION_MODE_ON_REQUEST,
		                             WORD_PERMISSION_MODE_PLAN };
	size_t next = 0;

	for (size_t i = 0; i < COUNT_OF(modes); i++)
		if (strcmp(modes[i], ch->view.mode) == 0)
			next = (i + 1) % COUNT_OF(modes);
	return modes[next];
}

/* ---- taking back ---- */

/* The whole text of a message; events hold only its beginning. */
static bool read_input(struct chat *ch, const char *ref, struct buf *out)
{
	struct json page, parts, v;
	struct params p;
	struct str text;

	if (!*ref)
		return false;
	params_begin(&p);
	params_cstr(&p, "outputRef", ref);
	params_int(&p, "offset", 0);
	if (connection_try(ch->c, "get_output", &p, false, &page) != THOLE_OK)
		return false;
	text = json_str(JSON_GET(page, "text"));
	if (json_read(ch->mem, text, &parts, NULL) != OK) {
		buf_add_str(out, text);
		return true;
	}
	v = json_type(parts) == JSON_ARR ? JSON_GET(json_at(parts, 0), "text") : parts;
	buf_add_str(out, json_type(v) == JSON_STR ? json_str(v) : text);
	return true;
}

void chat_turn_take_back(struct chat *ch, struct str input, int64_t began)
{
	struct params p;

	buf_clear(&ch->last_text);
	if (!read_input(ch, arena_keep(ch->mem, input).ptr, &ch->last_text)) {
		chat_paint_notice(ch, "  the message cannot be read");
		return;
	}
	begin(ch, &p);
	params_int(&p, "toSequence", began - 1);
	params_bool(&p, "interrupt", true);
	params_cstr(&p, "reason", "the user edits the message");
	params_key(ch->c, &p);
	send(ch, CHAT_CALL_ROLLBACK, "rollback_thread", &p);
}

void chat_turn_unqueue_last(struct chat *ch)
{
	const struct chat_queued *q;
	struct params p;

	if (!ch->view.queued_count)
		return;
	q = &ch->view.queued[ch->view.queued_count - 1];
	params_begin(&p);
	params_cstr(&p, "sessionId", ch->view.session);
	params_cstr(&p, "queuedTurnId", q->turn);
	params_cstr(&p, "reason", "the user edits it");
	params_key(ch->c, &p);
	buf_clear(&ch->last_text);
	if (!read_input(ch, q->input, &ch->last_text))
		buf_add_c(&ch->last_text, q->text);
	send(ch, CHAT_CALL_UNQUEUE, "remove_queued_turn", &p);
}

/* ---- stopping ---- */

static void keep_own(struct chat *ch, struct str turn)
{
	if (str_is(turn))
		snprintf(ch->own.ids[ch->own.count++ % COUNT_OF(ch->own.ids)], CHAT_ID, "%.*s",
		         STR_ARG(turn));
}

/* NULL: it is not in the queue, or not any more. */
static const struct chat_queued *queued(const struct chat *ch, const char *turn)
{
	for (size_t i = 0; i < ch->view.queued_count; i++)
		if (strcmp(ch->view.queued[i].turn, turn) == 0)
			return &ch->view.queued[i];
	return NULL;
}

/* Waits for the answer: a message that has begun meanwhile must not be in the input as well. */
static bool return_queued(struct chat *ch, const struct chat_queued *q, struct buf *texts)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json reply;
	struct params p;

	params_begin(&p);
	params_cstr(&p, "sessionId", ch->view.session);
	params_cstr(&p, "queuedTurnId", q->turn);
	params_cstr(&p, "reason", "the user stopped the turn before it");
	params_key(ch->c, &p);
	if (!read_input(ch, q->input, &text))
		buf_add_c(&text, q->text);
	if (connection_try(ch->c, "remove_queued_turn", &p, false, &reply) != THOLE_OK)
		return false;
	if (texts->len)
		buf_add_char(texts, '\n');
	buf_add_str(texts, buf_str(&text));
	return true;
}

/*
 * In the order in which they were sent: what steered the turn may be behind the others in the queue.
 * Messages of other clients stay there, which is held and shown.
 */
void chat_turn_stopped(struct chat *ch)
{
	CLEANUP(buf_done) struct buf texts = { 0 };
	size_t kept = COUNT_OF(ch->own.ids);

	if (!ch->is_stopping || ch->view.state == CHAT_RUNNING || ch->view.state == CHAT_ASKING)
		return;
	ch->is_stopping = false;
	for (size_t i = ch->own.count > kept ? ch->own.count - kept : 0; i < ch->own.count; i++) {
		const char *turn = ch->own.ids[i % kept];
		const struct chat_queued *q = queued(ch, turn);

		if (q && return_queued(ch, q, &texts))
			chat_view_unqueue(&ch->view, str_from(turn));
	}
	if (!texts.len)
		return;
	if (ch->edit.text.len)
		buf_add_char(&texts, '\n');
	buf_add_str(&texts, buf_str(&ch->edit.text));
	chat_edit_restore(&ch->edit, buf_str(&texts));
	chat_complete_close(&ch->complete);
	ch->is_dirty = true;
}

/* ---- answers ---- */

static void on_models(struct chat *ch, struct json reply)
{
	struct json_iter it = json_iter(JSON_GET(reply, "models"));
	struct json row, best = { 0 };
	struct str key;

	chat_images_models(ch, JSON_GET(reply, "models"));
	while (json_next(&it, &key, &row))
		if (!json_is(best) || json_bool(JSON_GET(row, "isDefault"), false))
			best = row;
	if (!*ch->view.model && json_is(best))
		snprintf(ch->view.model, sizeof ch->view.model, "%s",
		         str_is(ch->pick) ? out_safe(ch->mem, ch->pick)
		                          : out_safe(ch->mem, json_str(JSON_GET(best, "model"))));
	if (!ch->view.window_tokens)
		ch->view.window_tokens = json_int(JSON_GET(best, "windowTokens"), 0);
}

/* Without a session the reply has the mode of the settings, which --mode replaces. */
static void on_mode(struct chat *ch, struct json reply)
{
	struct str mode = ch->mode && !*ch->view.session ? str_from(ch->mode)
	                                                 : json_str(JSON_GET(reply, "mode"));

	if (str_is(mode))
		snprintf(ch->view.mode, sizeof ch->view.mode, "%.*s", STR_ARG(mode));
}

static void to_input(struct chat *ch)
{
	chat_edit_restore(&ch->edit, buf_str(&ch->last_text));
	chat_complete_update(&ch->complete, &ch->edit);
}

/* A refusal: what was sent goes back to the input. */
static void on_refused(struct chat *ch, enum chat_call what, struct json problem)
{
	struct str detail = json_str(JSON_GET(problem, "detail"));

	if (!str_is(detail))
		detail = json_str(JSON_GET(problem, "title"));
	if (what == CHAT_CALL_SUBMIT && !ch->edit.text.len)
		chat_edit_restore(&ch->edit, buf_str(&ch->sending));
	if (what == CHAT_CALL_SUBMIT)
		buf_clear(&ch->sending);
	if (what == CHAT_CALL_STOP)
		ch->is_stopping = false;
	if (what == CHAT_CALL_RULES || what == CHAT_CALL_MODELS || what == CHAT_CALL_EXTENSIONS ||
	    what == CHAT_CALL_COMPLETE || what == CHAT_CALL_HOOKS)
		return;
	chat_view_note(&ch->view, TONE_BAD, "  %s", out_safe(ch->mem, detail));
	if (what == CHAT_CALL_ANSWER)
		ch->answered = str_eq(json_str(JSON_GET(problem, "code")), STR("already_resolved"))
		                       ? CHAT_ANSWER_LATE
		                       : CHAT_ANSWER_REFUSED;
}

static void on_reply(struct chat *ch, enum chat_call what, struct json reply)
{
	switch (what) {
	case CHAT_CALL_SUBMIT:
		keep_own(ch, json_str(JSON_GET(reply, "turnId")));
		if (*ch->view.session)
			break;
		chat_open_adopt(ch, reply);
		chat_open_keep_model(ch);
		break;
	case CHAT_CALL_MODELS:
		on_models(ch, reply);
		break;
	case CHAT_CALL_HOOKS:
		chat_extend_hooks(ch, reply);
		break;
	case CHAT_CALL_EXTENSIONS:
		chat_extend_reply(ch, reply);
		break;
	case CHAT_CALL_COMPLETE:
		chat_extend_completed(ch, reply);
		break;
	case CHAT_CALL_MODE:
	case CHAT_CALL_RULES:
		on_mode(ch, reply);
		break;
	case CHAT_CALL_ROLLBACK:
		to_input(ch);
		chat_paint_notice(ch,
		                  "  files stay as they are; /undo reverts those of the last turn");
		break;
	case CHAT_CALL_UNQUEUE:
		to_input(ch);
		break;
	default: /* events say the rest */
		break;
	}
}

void chat_turn_replies(struct chat *ch)
{
	enum chat_call what;
	char *text;
	int code;

	while ((code = chat_link_next(&ch->link, &what, &text)) == THOLE_OK ||
	       code == THOLE_REFUSED) {
		struct json v = { 0 };

		if (text && json_read_trusted(ch->mem, str_from(text), &v, NULL) != OK)
			v = (struct json){ 0 };
		if (code == THOLE_OK)
			on_reply(ch, what, v);
		else
			on_refused(ch, what, v);
		thole_free(text);
		ch->is_dirty = true;
	}
}
