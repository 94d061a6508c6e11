/*
 * Queries that the engine answers: from the folded state, or from the store's
 * rows.  They append nothing (GAP-52), and like all replies they wait until
 * what they show is durable.
 */
#include "engine/query/query.h"

#include "base/jw.h"
#include "base/os/id.h"
#include "core/session/session.h"
#include "core/subagent/subagent.h"
#include "core/view/view.h"
#include "engine/effects/processes.h"
#include "engine/maintenance/damage.h"
#include "engine/retention/retention.h"
#include "engine/request/cursor.h"
#include "engine/resources/channels.h"
#include "engine/session/fanout.h"
#include "engine/settings/rules_cache.h"
#include "engine/settings/sandbox_probe.h"
#include "engine/engine_state.h"
#include "export/export.h"

#include <stdlib.h>

/* ---- from one state ---- */

/*
 * The requested thread, the main one without an id.  NULL: there is none, and the request was
 * refused.
 */
static const struct st_thread *thread_arg(struct request *r, struct str thread_id)
{
	const struct st_thread *th = str_is(thread_id) ? state_thread(r->session->state, thread_id)
	                                               : state_main_thread(r->session->state);

	if (!th) {
		request_fail(r, ERROR_CODE_THREAD_NOT_FOUND, "there is no such thread here");
		request_wait(r);
	}
	return th;
}

void query_get_session(struct request *r, const struct cmd_get_session *c)
{
	struct view_want want = { .window = c->has_window ? c->window : 0,
		                  .sections = c->sections.count ? &c->sections : NULL };
	struct reply p;

	if (str_is(c->cursor)) {
		history_get(r, c);
		return;
	}
	if (!reply_check_least(r, "window", c->has_window, c->window, 1))
		return;
	want.ack_count = channels_acks(r, r->session, &want.acks);
	reply_begin(&p, r);
	view_session_with(&p.w, r->session->state, rules_cache_settings(r->session, r->mem, true),
	                  &want);
	reply_end(&p);
}

void query_get_thread_read(struct request *r, const struct cmd_get_thread_read *c)
{
	struct view_want want = { .window = c->has_window ? c->window : 0 };
	const struct st_thread *th;
	struct reply p;

	if (!reply_check_least(r, "window", c->has_window, c->window, 1))
		return;
	th = thread_arg(r, c->thread_id);
	if (!th)
		return;
	want.ack_count = channels_acks(r, r->session, &want.acks);
	reply_begin(&p, r);
	view_thread_with(&p.w, r->session->state, rules_cache_settings(r->session, r->mem, false),
	                 th, &want);
	reply_end(&p);
}

void query_explain_thread(struct request *r, const struct cmd_explain_thread *c)
{
	const struct st_thread *th = thread_arg(r, c->thread_id);
	struct reply p;

	if (!th)
		return;
	reply_begin(&p, r);
	view_explain(&p.w, r->session->state, th, port_blob_waits(r->engine->ports.blobs));
	reply_end(&p);
}

void query_get_tool_inventory(struct request *r, const struct cmd_get_tool_inventory *c)
{
	struct reply p;

	if (!reply_check_form(r, c->as, EVENT_FORM_AGENT_TOOL))
		return;
	if (str_is(c->thread_id) && !thread_arg(r, c->thread_id))
		return;
	if (str_is(c->caller) && !subagent_find(r->session->state, c->caller) &&
	    !state_task(r->session->state, c->caller)) {
		request_fail(r, ERROR_CODE_NOT_FOUND,
		             "caller: %.*s is no child agent or open task of this session",
		             STR_ARG(c->caller));
		request_reply(r);
		return;
	}
	reply_begin(&p, r);
	view_inventory(&p.w, r->session->state, rules_cache_settings(r->session, r->mem, true),
	               c->thread_id, c->mode, c->caller);
	if (c->as)
		reply_add_export(&p, STR("agentTool"), agent_tool_write_inventory);
	reply_end(&p);
}

void query_get_execution_environment(struct request *r,
                                     const struct cmd_get_execution_environment *c)
{
	struct reply p;

	if (str_is(c->thread_id) && !thread_arg(r, c->thread_id))
		return;
	if (str_is(c->turn_id) && !state_turn(r->session->state, c->turn_id, NULL)) {
		request_fail(r, ERROR_CODE_TURN_NOT_FOUND, "the state has no turn %.*s",
		             STR_ARG(c->turn_id));
		request_reply(r);
		return;
	}
	sandbox_probe_look(r->engine, r->session);
	reply_begin(&p, r);
	view_environment(&p.w, r->session->state, &r->engine->settings);
	reply_end(&p);
}

/* Queries that need only the session. */
static void get_summary(struct request *r)
{
	const struct state *state = r->session->state;
	struct reply p;

	reply_begin(&p, r);
	switch (r->command.command) {
	case COMMAND_GET_PERMISSION_SANDBOX_SUMMARY:
		sandbox_probe_look(r->engine, r->session);
		view_permission(&p.w, state, &r->engine->settings);
		break;
	case COMMAND_GET_ROUTING_LIMIT_SUMMARY:
		view_routing(&p.w, state, &r->engine->settings);
		break;
	default:
		view_subagents_and_jobs(&p.w, state);
		break;
	}
	reply_end(&p);
}

void query_get_permission_sandbox_summary(struct request *r,
                                          const struct cmd_get_permission_sandbox_summary *c)
{
	get_summary(r);
}

void query_get_evidence_summary(struct request *r, const struct cmd_get_evidence_summary *c)
{
	struct reply p;

	reply_begin(&p, r);
	view_evidence(&p.w, r->session->state, NULL);
	reply_end(&p);
}

void query_get_benchmark_summary(struct request *r, const struct cmd_get_benchmark_summary *c)
{
	struct reply p;

	reply_begin(&p, r);
	view_benchmark(&p.w, r->session->state);
	reply_end(&p);
}

void query_get_artifact_checkpoint_summary(struct request *r,
                                           const struct cmd_get_artifact_checkpoint_summary *c)
{
	struct reply p;

	if (!reply_check_form(r, c->as, EVENT_FORM_AGENT_ARTIFACT))
		return;
	reply_begin(&p, r);
	view_artifacts(&p.w, r->session->state);
	if (c->as)
		reply_add_export(&p, STR("agentArtifact"), agent_artifact_write_rows);
	reply_end(&p);
}

void query_get_routing_limit_summary(struct request *r,
                                     const struct cmd_get_routing_limit_summary *c)
{
	get_summary(r);
}

void query_get_subagent_job_summary(struct request *r, const struct cmd_get_subagent_job_summary *c)
{
	get_summary(r);
}

void query_get_context_boundary(struct request *r, const struct cmd_get_context_boundary *c)
{
	const struct st_thread *th = thread_arg(r, c->thread_id);
	struct reply p;

	if (!th)
		return;
	reply_begin(&p, r);
	view_context(&p.w, r->session->state, th);
	reply_end(&p);
}

void query_list_threads(struct request *r, const struct cmd_list_threads *c)
{
	const struct st_session *s = r->session->state->s;
	struct reply p;

	reply_begin(&p, r);
	jw_obj(&p.w);
	JW_KEY(&p.w, "threads");
	jw_arr(&p.w);
	for (uint32_t i = 0; i < s->threads.count; i++) {
		const struct st_thread *th = s->threads.items[i];

		if ((!c->kind || th->kind == c->kind) &&
		    (!c->status || view_thread_status(th) == c->status))
			view_thread_row(&p.w, th);
	}
	jw_arr_end(&p.w);
	JW_KINT(&p.w, "sequence", s->sequence);
	jw_obj_end(&p.w);
	reply_end(&p);
}

/* Of the request's session, or what the system session shares with all. */
static const struct state *shown_state(struct reply *p)
{
	struct engine *e = p->r->engine;

	if (p->r->session)
		return p->r->session->state;
	reply_shows(p, session_find(e, STR("sess_system")));
	return e->ledger_view;
}

void query_list_grants(struct request *r, const struct cmd_list_grants *c)
{
	struct clock *clock = r->engine->ports.clock;
	struct reply p;

	reply_begin(&p, r);
	view_grants(&p.w, shown_state(&p), c->scope, clock->ops->wall_ms(clock));
	reply_end(&p);
}

void query_list_rules(struct request *r, const struct cmd_list_rules *c)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct reply p;

	sandbox_probe_look(r->engine, r->session); /* the mode may depend on it */
	reply_begin(&p, r);
	view_rules(&p.w, shown_state(&p), &r->engine->settings, mem);
	reply_end(&p);
}

void query_list_queue(struct request *r, const struct cmd_list_queue *c)
{
	const struct st_thread *th = thread_arg(r, c->thread_id);
	struct reply p;

	if (!th)
		return;
	reply_begin(&p, r);
	view_queue_snapshot(&p.w, r->session->state, &r->engine->settings, th);
	reply_end(&p);
}

/* ---- channels: of one session, or of all that are live ---- */

struct channel_place {
	struct session *s;
	const struct st_channel *channel;
};

struct channel_places {
	struct channel_place *items;
	size_t count, cap;
};

static int by_channel(const void *a, const void *b)
{
	const struct channel_place *x = a, *y = b;
	int order = str_cmp(x->s->id, y->s->id);

	return order ? order
	             : str_cmp(x->channel->record->channel_id, y->channel->record->channel_id);
}

static void add_channels(struct request *r, struct channel_places *all, struct session *s)
{
	const struct cmd_list_channels *c = r->args;

	for (uint32_t i = 0; s->phase == SESSION_LIVE && i < s->state->s->channels.count; i++) {
		const struct st_channel *ch = s->state->s->channels.items[i];

		if ((c->peer_role && ch->record->peer_role != c->peer_role) ||
		    (c->has_connected && c->connected != (ch->status == STATUS_RUNNING)))
			continue;
		if (all->count == all->cap) {
			size_t cap = all->cap ? 2 * all->cap : 64;

			all->items = arena_grow(r->mem, all->items, all->count * sizeof *all->items,
			                        cap * sizeof *all->items);
			all->cap = cap;
		}
		all->items[all->count++] = (struct channel_place){ s, ch };
	}
}

/* A cursor names the last row: it stays valid while channels come and go. */
static struct str channel_cursor(struct arena *mem, const struct channel_place *last)
{
	return arena_printf(mem, "%.*s~%.*s", STR_ARG(last->s->id),
	                    STR_ARG(last->channel->record->channel_id));
}

/* False: the cursor is none of this list. */
static bool channel_start(const struct channel_places *all, struct str cursor, size_t *ret)
{
	struct str channel = cursor, session = str_cut(&channel, '~');

	*ret = 0;
	if (!str_is(cursor))
		return true;
	if (!id_is_valid(session) || !id_is_valid(channel))
		return false;
	for (; *ret < all->count; ++*ret) {
		const struct channel_place *p = &all->items[*ret];
		int order = str_cmp(p->s->id, session);

		if (order > 0 || (!order && str_cmp(p->channel->record->channel_id, channel) > 0))
			break;
	}
	return true;
}

/* What the rows of one session share. */
static struct view_want channel_want(struct reply *p, const struct session *s)
{
	struct request *r = p->r;
	struct view_want want = { .session_id = r->session ? STR_NONE : s->id,
		                  .head = s->state->s->sequence };

	want.ack_count = channels_acks(r, s, &want.acks);
	reply_shows(p, s);
	return want;
}

static void write_channels(struct reply *p, const struct channel_places *all, size_t from)
{
	const struct cmd_list_channels *c = p->r->args;
	size_t end = MIN(all->count, from + reply_page_size(c->has_limit, c->limit));
	struct view_want want = { 0 };

	jw_obj(&p->w);
	JW_KEY(&p->w, "channels");
	jw_arr(&p->w);
	for (size_t i = from; i < end; i++) {
		if (i == from || all->items[i].s != all->items[i - 1].s)
			want = channel_want(p, all->items[i].s);
		view_channel(&p->w, all->items[i].channel, &want);
	}
	jw_arr_end(&p->w);
	if (end < all->count)
		JW_KSTR(&p->w, "nextCursor", channel_cursor(p->r->mem, &all->items[end - 1]));
	jw_obj_end(&p->w);
}

void query_list_channels(struct request *r, const struct cmd_list_channels *c)
{
	struct channel_places all = { 0 };
	struct map_slot *slot;
	struct reply p;
	size_t from;

	if (!reply_check_least(r, "limit", c->has_limit, c->limit, 1))
		return;
	if (r->session)
		add_channels(r, &all, r->session);
	for (size_t i = 0; !r->session && map_next(&r->engine->sessions, &i, &slot);)
		add_channels(r, &all, slot->value);
	if (all.count)
		qsort(all.items, all.count, sizeof *all.items, by_channel);
	if (!channel_start(&all, c->cursor, &from)) {
		request_fail(r, ERROR_CODE_EXPIRED_CURSOR,
		             "cursor: not one that this runtime gave out");
		request_reply(r);
		return;
	}
	reply_begin(&p, r);
	write_channels(&p, &all, from);
	reply_end(&p);
}

/* ---- events ---- */

/*
 * `family.*` means all classes of a family.  A word that matches nothing is refused: an
 * empty page would look like an empty log.
 */
static bool type_bits(struct request *r, const struct list_str *types, uint64_t bits[4])
{
	for (uint32_t i = 0; i < types->count; i++) {
		uint32_t type = rec_enum_read(&enum_event_type, types->items[i]);

		if (str_ends(types->items[i], STR(".*"))) {
			struct str family = str_head(types->items[i], types->items[i].len - 1);

			for (uint32_t t = 1; t < EV_COUNT; t++)
				if (str_starts(event_type_word((enum event_type)t), family)) {
					bits[t / 64] |= 1ull << (t % 64);
					type = t;
				}
		}
		if (!type) {
			request_fail(r, ERROR_CODE_INVALID_VALUE,
			             "types: '%.*s' is not an event class",
			             STR_ARG(types->items[i]));
			request_reply(r);
			return false;
		}
		bits[type / 64] |= 1ull << (type % 64);
	}
	return true;
}

static void write_exported(struct request *r, struct json_writer *w, enum event_form form,
                           struct str body)
{
	struct buf told = { 0 };
	struct str name;

	if (fanout_event_export(r->engine, form, body, &told, &name))
		jw_raw(w, buf_str(&told));
	buf_done(&told);
}

/* The page ends before damaged events; the next one begins behind them. */
static void write_corrupt(struct request *r, struct json_writer *w, const struct store_read *read)
{
	struct str session = read->kind == READ_ALL ? read->corrupt_session : read->session;

	damage_of(r->engine, read);
	JW_KEY(w, "gap");
	jw_obj(w);
	JW_KINT(w, "from", (int64_t)read->corrupt_from);
	JW_KINT(w, "to", (int64_t)read->corrupt_to);
	JW_KSTR(w, "recoveryMode", recovery_mode_word(RECOVERY_MODE_GAP));
	JW_KSTR(w, "reason", gap_reason_word(GAP_REASON_CORRUPT));
	JW_KOPT(w, "sessionId", session);
	jw_obj_end(w);
}

/*
 * `lastSequence` and the cursor are where reading ended, not the last event shown: filters
 * may have left out the rest.
 */
static void events_found(struct store_read *read)
{
	struct request *r = read->owner;
	const struct cmd_list_events *c = r->args;
	struct reply p;

	if (read->result == OK && str_is(c->session_id) && !read->head_seq) {
		uint64_t removed_by = read->removed_by;

		port_store_read_done(read);
		request_no_session(r, removed_by);
		return;
	}
	if (request_read_failed(read))
		return;
	reply_begin(&p, r);
	jw_obj(&p.w);
	JW_KEY(&p.w, "events");
	jw_arr(&p.w);
	for (size_t i = 0; i < read->event_count; i++) {
		struct str body = bytes_str(read->events[i].body);

		if (!fanout_event_has(body, "threadId", c->thread_id) ||
		    !fanout_event_has(body, "turnId", c->turn_id))
			continue;
		if (c->as)
			write_exported(r, &p.w, c->as, body);
		else
			jw_raw(&p.w, body);
	}
	jw_arr_end(&p.w);
	if (str_is(c->session_id))
		JW_KINT(&p.w, "lastSequence", (int64_t)read->scanned);
	JW_KBOOL(&p.w, "more", c->has_before ? read->after > read->floor_seq : read->more);
	if (c->has_before)
		JW_KINT(&p.w, "firstSequence", (int64_t)MAX(read->after, read->floor_seq) + 1);
	if (str_is(c->session_id) && read->floor_seq > read->after) {
		JW_KEY(&p.w, "gap");
		jw_obj(&p.w);
		JW_KINT(&p.w, "from", (int64_t)read->after + 1);
		JW_KINT(&p.w, "to", (int64_t)read->floor_seq);
		JW_KSTR(&p.w, "recoveryMode", recovery_mode_word(RECOVERY_MODE_RETENTION));
		JW_KSTR(&p.w, "reason", gap_reason_word(GAP_REASON_RETENTION));
		jw_obj_end(&p.w);
	} else if (read->is_corrupt) {
		write_corrupt(r, &p.w, read);
	}
	JW_KSTR(&p.w, "nextCursor", cursor_position_text(r->mem, read->scanned));
	jw_obj_end(&p.w);
	r->response.reply = arena_keep(r->mem, buf_str(&p.out));
	buf_done(&p.out);
	port_store_read_done(read);
	request_reply(r);
}

/*
 * `after` reads forwards and `before` backwards; a cursor is a position, for reading on
 * without knowing sequences.
 */
void query_list_events(struct request *r, const struct cmd_list_events *c)
{
	uint64_t *bits = ARENA_ARRAY(r->mem, uint64_t, 4);
	uint64_t after = c->has_after ? (uint64_t)c->after : 0;
	uint32_t rows = c->has_limit ? reply_page_size(true, c->limit) : LIMIT_LIST_ROWS;

	if (!reply_check_least(r, "before", c->has_before, c->before, 2))
		return;
	if (c->has_before && (!str_is(c->session_id) || c->has_after || str_is(c->cursor))) {
		request_fail(r, ERROR_CODE_INVALID_VALUE,
		             "before: with sessionId, and without after and cursor");
		request_reply(r);
		return;
	}
	/*
	 * The page ends before that sequence and has no more sequences than rows, so that it is
	 * complete.
	 */
	if (c->has_before && (uint64_t)c->before > (uint64_t)rows + 1)
		after = (uint64_t)c->before - 1 - rows;
	if (!reply_check_least(r, "limit", c->has_limit, c->limit, 1) ||
	    !reply_check_least(r, "after", c->has_after, c->after, 0) ||
	    !type_bits(r, &c->types, bits))
		return;
	if (str_is(c->cursor) && !cursor_read_position(c->cursor, &after)) {
		request_fail(r, ERROR_CODE_EXPIRED_CURSOR,
		             "cursor: not one that this runtime gave out");
		request_reply(r);
		return;
	}
	r->read = (struct store_read){
		.kind = str_is(c->session_id) ? READ_EVENTS : READ_ALL,
		.session = c->session_id,
		.after = after,
		.until = c->has_before ? (uint64_t)c->before - 1 : 0,
		.max_rows = rows,
		.types = c->types.count ? bits : NULL,
		.takes_gaps = true,
		.done = events_found,
		.owner = r,
	};
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

/* ---- commands for lasting connections ---- */

/* A stream needs a lasting connection; transports that have one handle it themselves. */
static void refuse_stream(struct request *r)
{
	request_fail(r, ERROR_CODE_UNAVAILABLE,
	             "follow events with GET /v1/events, or over "
	             "JSON-RPC");
	request_reply(r);
}

void query_subscribe_events(struct request *r, const struct cmd_subscribe_events *c)
{
	refuse_stream(r);
}

void query_unsubscribe_events(struct request *r, const struct cmd_unsubscribe_events *c)
{
	refuse_stream(r);
}

static void refuse_console(struct request *r)
{
	request_fail(r, ERROR_CODE_UNAVAILABLE,
	             "the console and its devices belong to the faces; ask one of them");
	request_reply(r);
}

void query_open_console(struct request *r, const struct cmd_open_console *c)
{
	refuse_console(r);
}

void query_lend_keys(struct request *r, const struct cmd_lend_keys *c)
{
	(void)c;
	request_fail(r, ERROR_CODE_FORBIDDEN, "keys are taken on the owner's Unix socket only");
	request_reply(r);
}

void query_pair_device(struct request *r, const struct cmd_pair_device *c)
{
	refuse_console(r);
}

void query_list_issuers(struct request *r, const struct cmd_list_issuers *c)
{
	refuse_console(r);
}
