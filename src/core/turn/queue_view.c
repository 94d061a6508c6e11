/* Views of a thread's queue: its turns, their order, its rules. */
#include "core/view/view_part.h"

#include "base/os/id.h"
#include "base/jw.h"

/* One queue per thread, named after it, also while it is empty. */
static void write_queue_id(struct json_writer *w, const struct st_thread *th)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str body = th->thread_id;

	if (id_has_prefix(body, "thr"))
		body = str_skip(body, 4);
	JW_KSTR(w, "queueId",
	        str_is(th->queue_id) ? th->queue_id : arena_printf(mem, "que_%.*s", STR_ARG(body)));
}

/* Effective rules: those of the thread, else of the settings, else the defaults. */
void view_queue(struct json_writer *w, const struct settings *settings, const struct st_thread *th)
{
	struct rec_queue_rules rules = { .on_busy = th->on_busy, .on_interrupt = th->on_interrupt };

	if (!rules.on_busy)
		rules.on_busy = rec_enum_read(&enum_on_busy, delivery_word(settings->on_busy));
	if (!rules.on_busy)
		rules.on_busy = ON_BUSY_QUEUE;
	if (!rules.on_interrupt)
		rules.on_interrupt = settings->config->queue_on_interrupt
		                             ? settings->config->queue_on_interrupt
		                             : QUEUE_POLICY_KEEP;
	jw_obj(w);
	write_queue_id(w, th);
	PART_STRS(w, "order", &th->order);
	PART_REC(w, "policy", &rec_queue_rules_desc, &rules);
	JW_KSTR(w, "resumeState", th->held ? STR("held") : STR("running"));
	jw_obj_end(w);
}

/* queuedTurnId is the turn's id: a queued turn keeps its id when it starts. */
static void write_queued_turn(struct json_writer *w, const struct st_turn *t, uint32_t position)
{
	struct rec_queued_turn_view q = {
		.turn_id = t->turn_id,
		.queued_turn_id = t->turn_id,
		.task_id = t->task_id,
		.position = position,
		.status = STATUS_QUEUED,
		.source = str_is(t->source) ? t->source : STR("unknown"),
		.delivery = t->delivery,
		.input_ref = t->input_ref,
		.preview = t->input_preview,
		.queued_at = t->submitted_at,
	};

	rec_write(w, &rec_queued_turn_view_desc, &q);
}

void view_queued_turns(struct json_writer *w, const struct st_thread *th)
{
	jw_arr(w);
	for (uint32_t i = 0; i < th->order.count; i++) {
		const struct st_turn *t = state_thread_turn(th, th->order.items[i]);

		if (t)
			write_queued_turn(w, t, i + 1);
	}
	jw_arr_end(w);
}

void view_queue_snapshot(struct json_writer *w, const struct state *state,
                         const struct settings *settings, const struct st_thread *th)
{
	jw_obj(w);
	JW_KSTR(w, "threadId", th->thread_id);
	JW_KEY(w, "queue");
	view_queue(w, settings, th);
	JW_KEY(w, "queuedTurns");
	view_queued_turns(w, th);
	JW_KINT(w, "sequence", state->s->sequence);
	jw_obj_end(w);
}
