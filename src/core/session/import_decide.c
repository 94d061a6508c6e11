/*
 * The command import_session: turns of another program become history.
 *
 *   new session ──► origin ──► turns 0..n ──► (next command) turns n..m ──► complete
 *                                 │
 *                                 └─ a file that has grown: origin, then its new turns
 *
 * Turns are numbered as in their file, and those that are there are skipped, so
 * a command can be repeated after a crash.  Each turn has a hash over all turns
 * up to it; a file that is not a continuation of the imported one is refused.
 */
#include "core/session/import.h"

#include "base/hash/sha256.h"
#include "base/utf8.h"
#include "core/gen/tables.h"
#include "core/session/labels.h"
#include "core/session/session.h"
#include "core/turn/turn.h"

#define CALL_SHOWN 512
#define TEXT_SHOWN 8192
#define ANSWER_SHOWN 240

/* ---- events ---- */

static void emit_origin(struct decision *d, struct str thread_id,
                        const struct cmd_import_session *cmd)
{
	struct ev_history_reconstructed p = {
		.cause = HISTORY_CAUSE_IMPORTED,
		.through_sequence = d->w->s->sequence,
		.tail = LOG_TAIL_INTACT,
		.degraded = cmd->origin->left_out > 0,
		.origin = cmd->origin,
	};
	struct event *ev = decision_emit_event(d, EV_HISTORY_RECONSTRUCTED, &p);

	ev->thread_id = thread_id;
	ev->history_boundary =
		KEPT(d, struct rec_history_boundary, .layer = HISTORY_LAYER_ROLLOUT_LOG,
	             .through_sequence = d->w->s->sequence);
}

static struct str emit_submitted(struct decision *d, struct str thread_id,
                                 const struct rec_import_turn *turn)
{
	struct turn_input in = { .text = turn->text, .parts = turn_input_text_part(d, turn->text) };
	struct ev_turn_submitted p = { .status = STATUS_ACCEPTED,
		                       .source = STR("import"),
		                       .kind = TURN_KIND_IMPORTED,
		                       .delivery = DELIVERY_IMMEDIATE };
	struct event *ev;

	turn_input_submit(d, &in, &p);
	ev = decision_emit_event(d, EV_TURN_SUBMITTED, &p);
	ev->thread_id = thread_id;
	ev->turn_id = decision_new_id(d, "turn");
	ev->status = STATUS_ACCEPTED;
	ev->step_id = decision_new_id(d, "step");
	ev->item = turn_item(d, ev->step_id, ITEM_KIND_USER_MESSAGE, 1, STATUS_COMPLETED);
	decision_add_ref(d, ev, STR("input"), p.input_ref);
	return ev->turn_id;
}

/* The event shows the beginning of each item, as far as they fit. */
static void show_items(struct decision *d, const struct rec_import_turn *turn,
                       struct rec_imported_turn *ret)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < turn->items.count; i++) {
		const struct rec_import_item *from = turn->items.items[i];
		size_t max = from->kind == IMPORT_ITEM_KIND_TEXT ? TEXT_SHOWN : CALL_SHOWN;
		struct str text = utf8_preview(d->mem, from->text, max);
		struct rec_import_item *to;

		bytes += text.len;
		if (ret->items.count == LIMIT_IMPORT_ITEMS || bytes > LIMIT_IMPORT_SHOWN_BYTES) {
			ret->omitted_items = turn->items.count - i;
			ret->has_omitted_items = true;
			return;
		}
		to = rec_list_add(d->mem, &ret->items, &rec_import_item_desc);
		*to = *from;
		to->text = text;
		if (!to->has_bytes && text.len < from->text.len) {
			to->bytes = (int64_t)from->text.len;
			to->has_bytes = true;
		}
	}
}

/* Stored as text that a model is sent as it is; nothing when it is empty. */
static void keep_text(struct decision *d, struct event *ev, struct str name, struct str text)
{
	if (text.len)
		decision_add_ref(d, ev, name, decision_new_blob(d, STR("text/plain"), text));
}

static void emit_completed(struct decision *d, struct str thread_id, struct str turn_id,
                           enum import_program program, const struct rec_import_turn *turn)
{
	struct str answer = import_text_answer(d->mem, turn);
	struct str record = import_text_record(d->mem, program, turn);
	struct rec_imported_turn *shown =
		KEPT(d, struct rec_imported_turn, .program = program, .source_id = turn->source_id,
	             .model = turn->model, .began_at = turn->began_at, .ended_at = turn->ended_at,
	             .digest = turn->digest, .answer_bytes = (int64_t)answer.len,
	             .answer_preview = utf8_preview(d->mem, answer, ANSWER_SHOWN),
	             .record_bytes = (int64_t)record.len);
	struct event *ev;

	show_items(d, turn, shown);
	ev = EMIT(d, TURN_COMPLETED, turn_completed, .outcome = TURN_OUTCOME_COMPLETED,
	          .imported = shown);
	ev->thread_id = thread_id;
	ev->turn_id = turn_id;
	ev->status = STATUS_COMPLETED;
	keep_text(d, ev, STR("record"), record);
	keep_text(d, ev, STR("answer"), answer);
	decision_add_ref(d, ev, STR("transcript"),
	                 decision_new_blob(d, STR("application/json"),
	                                   rec_text(d->mem, &rec_import_turn_desc, turn)));
}

/* ---- checks ---- */

static bool are_turns_usable(struct decision *d, const struct cmd_import_session *cmd)
{
	struct sha256 hash;

	if (cmd->first_turn < 0 || cmd->first_turn > INT32_MAX) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "firstTurn: it begins with 0 and is at most %d", INT32_MAX);
		return false;
	}
	if (str_is(cmd->cwd) && !str_starts(cmd->cwd, STR("/"))) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "cwd: an absolute path is wanted");
		return false;
	}
	if (!sha256_read_hex(cmd->origin->sha256, &hash)) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "origin.sha256: 64 hexadecimal digits are wanted");
		return false;
	}
	for (uint32_t i = 0; i < cmd->turns.count; i++)
		if (!str_trim(cmd->turns.items[i]->text).len ||
		    !sha256_read_hex(cmd->turns.items[i]->digest, &hash)) {
			decision_refuse(d, ERROR_CODE_INVALID_VALUE,
			                "turns: turn %lld has no text, or a digest that is none",
			                (long long)(cmd->first_turn + i));
			return false;
		}
	return true;
}

/* The turn that was imported last must be the same one here. */
static bool is_continuation(struct decision *d, const struct cmd_import_session *cmd,
                            const struct rec_import_state *known)
{
	int64_t last = known->turns - 1 - cmd->first_turn;

	if (last >= 0 && last < cmd->turns.count)
		return str_eq(cmd->turns.items[last]->digest, known->digest);
	/*
	 * Commands of one file follow each other.  Another file has to show where it joins, also
	 * when it ends before: its turns may be other ones.
	 */
	return !known->turns || str_eq(cmd->origin->sha256, known->sha256);
}

/* False: refused. */
static bool joins(struct decision *d, const struct cmd_import_session *cmd)
{
	const struct st_session *s = d->w->s;
	const struct rec_import_state *known = s->imported;
	bool adds = known && cmd->first_turn + cmd->turns.count > known->turns;

	if (!known || known->program != cmd->origin->program ||
	    !str_eq(known->source_id, cmd->origin->source_id))
		decision_refuse(d, ERROR_CODE_ID_CONFLICT,
		                "%.*s exists and was not imported from this session",
		                STR_ARG(d->session_id));
	else if (cmd->first_turn > known->turns)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "firstTurn: %lld turns are imported, so it is at most that",
		                (long long)known->turns);
	else if (!is_continuation(d, cmd, known))
		decision_refuse(d, ERROR_CODE_IMPORT_MISMATCH,
		                "the file does not continue the %lld turns that were imported",
		                (long long)known->turns);
	else if (adds && (s->turn_count != known->turns || s->rollbacks))
		decision_refuse(d, ERROR_CODE_IMPORT_CONTINUED,
		                "%.*s has turns of its own since; import the file as another "
		                "session",
		                STR_ARG(d->session_id));
	return !d->refusal;
}

/* ---- the command ---- */

static bool begin_session(struct decision *d, const struct cmd_import_session *cmd,
                          struct str *ret_thread)
{
	struct session_birth b = { .title = str_is(cmd->title) ? cmd->title : STR(""),
		                   .cwd = cmd->cwd };

	if (cmd->first_turn) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "firstTurn: a new session begins with 0");
		return false;
	}
	if (!labels_take(d, &cmd->labels, &b.labels))
		return false;
	session_emit(d, &b);
	*ret_thread = session_emit_thread(d, STR_NONE, STR("import"));
	return true;
}

void decide_import_session(struct decision *d, const struct cmd_import_session *cmd)
{
	const struct rec_import_state *known = d->w->s->imported;
	bool is_new = !session_exists(d->w);
	int64_t turns = known ? known->turns : 0;
	struct reply_import_session r = { .session_id = d->session_id };

	if (!are_turns_usable(d, cmd))
		return;
	if (is_new ? !begin_session(d, cmd, &r.thread_id) : !joins(d, cmd))
		return;
	if (!is_new)
		r.thread_id = state_main_thread(d->w)->thread_id;
	if (is_new || !str_eq(cmd->origin->sha256, known->sha256))
		emit_origin(d, r.thread_id, cmd);
	for (uint32_t i = 0; i < cmd->turns.count; i++) {
		if (cmd->first_turn + i < turns)
			continue;
		emit_completed(d, r.thread_id, emit_submitted(d, r.thread_id, cmd->turns.items[i]),
		               cmd->origin->program, cmd->turns.items[i]);
		r.added++;
	}
	r.turns = turns + r.added;
	d->reply = rec_text(d->mem, &reply_import_session_desc, &r);
}
