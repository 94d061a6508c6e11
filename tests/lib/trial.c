#include "trial.h"

#include "base/json.h"
#include "base/map.h"
#include "box.h"
#include "core/view.h"
#include "engine/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define VFS "thole-trial"

/* What a restart has to say: kept from the moment the log was found. */
struct owed {
	struct owed *next;
	enum { OWED_REQUEST, OWED_CALL, OWED_ACTION, OWED_CHANNEL } kind;
	struct seen *seen;
	struct str id;
	int64_t expires_at;
	bool was_stopping;
};

void trial_fail(struct trial *t, const char *fmt, ...)
{
	va_list args;

	if (t->why[0])
		return;
	va_start(args, fmt);
	vsnprintf(t->why, sizeof t->why, fmt, args);
	va_end(args);
	if (t->o.is_loud)
		fprintf(stderr, "! %s\n", t->why);
}

const char *trial_why(const struct trial *t)
{
	return t->why[0] ? t->why : NULL;
}

bool trial_lives(const struct trial *t)
{
	return t->sim && !sim_is_dead(t->sim) && !t->why[0];
}

static struct map *map_new(struct trial *t)
{
	return ARENA_NEW(t->mem, struct map);
}

static void cut(void *arg)
{
	box_cut(((struct trial *)arg)->box);
}

struct trial *trial_new(struct laws *laws, const struct trial_options *o)
{
	struct trial *t = xcalloc(1, sizeof *t);

	t->o = *o;
	t->rng = rng_of(o->seed, 1);
	t->mem = arena_new();
	t->laws = laws;
	t->disk = disk_new(VFS, o->seed);
	disk_lie_about_sync(t->disk, o->disk_lies);
	disk_on_cut(t->disk, cut, t);
	t->box = box_new(o->seed);
	t->wall_ms = 1794700800000; /* 2026-11-15T00:00:00Z */
	t->started = map_new(t);
	t->marks = map_new(t);
	t->turns = map_new(t);
	t->decisions = map_new(t);
	t->requests = map_new(t);
	t->keys = map_new(t);
	t->partial = map_new(t);
	return t;
}

void trial_free(struct trial *t)
{
	if (!t)
		return;
	if (t->sim)
		trial_cut(t, DISK_KEEP_NONE);
	for (size_t i = 0; i < t->session_count; i++)
		law_log_free(t->sessions[i]->log);
	map_done(t->started);
	map_done(t->marks);
	map_done(t->turns);
	map_done(t->decisions);
	map_done(t->requests);
	map_done(t->keys);
	map_done(t->partial);
	disk_free(t->disk);
	box_free(t->box);
	arena_free(t->mem);
	xfree(t);
}

/* ---- what was seen ---- */

static struct seen *seen_find(struct trial *t, struct str id)
{
	for (size_t i = 0; i < t->session_count; i++)
		if (str_eq(t->sessions[i]->id, id))
			return t->sessions[i];
	return NULL;
}

static struct seen *seen_of(struct trial *t, struct str id)
{
	struct seen *s = seen_find(t, id);

	if (s)
		return s;
	if (t->session_count == t->session_cap) {
		size_t cap = t->session_cap ? t->session_cap * 2 : 8;

		t->sessions =
			arena_grow(t->mem, t->sessions, t->session_count * sizeof *t->sessions,
		                   cap * sizeof *t->sessions);
		t->session_cap = cap;
	}
	s = ARENA_NEW(t->mem, struct seen);
	s->id = arena_keep(t->mem, id);
	s->log = law_log_new(t->laws);
	t->sessions[t->session_count++] = s;
	return s;
}

/* What later checks look up by id. */
static void note(struct trial *t, const struct event *ev)
{
	struct str key = STR_NONE;

	switch (ev->type) {
	case EV_TURN_SUBMITTED:
		map_put(t->turns, ev->turn_id, (void *)ev);
		break;
	case EV_ACTION_RESOLVED:
		map_put(t->decisions, ev->action_id, (void *)ev);
		break;
	case EV_MODEL_REQUESTED:
		key = ev->model_request_id;
		break;
	case EV_SANDBOX_APPLIED:
		key = ev->tool_call_id;
		break;
	case EV_TOOL_PROGRESS:
		if (((const struct ev_tool_progress *)ev->payload)->kind ==
		    TOOL_PROGRESS_KIND_DISPATCHED)
			key = ev->tool_call_id;
		break;
	default:
		break;
	}
	if (str_is(key))
		map_put(t->marks, key, (void *)ev);
}

/* spec: contracts/control-plane#idempotency — the first fact of a command carries its record. */
static void note_command(struct trial *t, const struct event *ev)
{
	const struct event *first;

	if (!ev->command)
		return;
	first = map_put(t->requests, ev->request_id, (void *)ev);
	if (first)
		trial_fail(t, "%.*s: two commands in one request", STR_ARG(ev->request_id));
	if (!str_is(ev->command->key_hash))
		return;
	first = map_put(t->keys, ev->command->key_hash, (void *)ev);
	if (first)
		trial_fail(t, "one key, two commands: %.*s %lld and %.*s %lld",
		           STR_ARG(first->session_id), (long long)first->sequence,
		           STR_ARG(ev->session_id), (long long)ev->sequence);
}

static void check_spilled(struct trial *t, const struct event *ev)
{
	const struct ev_output_spilled *p = ev->payload;
	struct sha256 hash, said;
	struct str data;

	if (ev->type != EV_OUTPUT_SPILLED || !ev->output)
		return;
	if (!p->complete) {
		map_put(t->partial, ev->output_ref, (void *)ev);
		return;
	}
	if (!box_sealed(t->box, ev->output_ref, &data, &hash))
		trial_fail(t, "%.*s %lld names %.*s, which is not sealed", STR_ARG(ev->session_id),
		           (long long)ev->sequence, STR_ARG(ev->output_ref));
	else if ((int64_t)data.len != p->size_bytes ||
	         !sha256_read_hex(ev->output->sha256, &said) || !sha256_eq(&said, &hash))
		trial_fail(t, "%.*s is not what event %lld says of it", STR_ARG(ev->output_ref),
		           (long long)ev->sequence);
}

static void see(struct trial *t, struct str session, uint64_t seq, struct str body)
{
	struct seen *s = seen_of(t, session);
	struct error e;

	if (t->why[0])
		return;
	if (seq <= law_count(s->log)) {
		if (!str_eq(law_line(s->log, seq - 1), body))
			trial_fail(t, "%.*s %llu was seen as %.*s and is now %.*s",
			           STR_ARG(session), (unsigned long long)seq,
			           STR_ARG(str_head(law_line(s->log, seq - 1), 200)),
			           STR_ARG(str_head(body, 200)));
		return;
	}
	if (!law_feed(s->log, arena_keep(t->mem, body), NULL, &e)) {
		trial_fail(t, "law: %s", e.message);
		return;
	}
	t->events++;
	t->classes[law_event(s->log, seq - 1)->type]++;
	note(t, law_event(s->log, seq - 1));
	note_command(t, law_event(s->log, seq - 1));
	check_spilled(t, law_event(s->log, seq - 1));
	if (t->o.is_loud)
		fprintf(stderr, "    %.*s %llu %.*s\n",
		        STR_ARG(str_skip(session, session.len - MIN(session.len, 6))),
		        (unsigned long long)seq,
		        STR_ARG(event_type_word(law_event(s->log, seq - 1)->type)));
}

static void on_event(void *owner, const struct control_event *ev)
{
	struct trial *t = owner;
	struct seen *s = seen_of(t, ev->session);

	if (ev->seq != s->again + 1)
		trial_fail(t, "the follower got %.*s %llu after %zu", STR_ARG(ev->session),
		           (unsigned long long)ev->seq, s->again);
	s->again = ev->seq;
	see(t, ev->session, ev->seq, bytes_str(ev->body));
}

static void on_early(void *owner, struct str session, const struct store_event *ev)
{
	struct trial *t = owner;

	if (t->sim && !sim_is_dead(t->sim))
		see(t, session, ev->seq, bytes_str(ev->body));
}

static void begins(struct trial *t, struct str id, const char *what)
{
	if (map_get(t->started, id))
		trial_fail(t, "%s %.*s was begun twice", what, STR_ARG(id));
	map_put(t->started, arena_keep(t->mem, id), (void *)what);
}

static size_t answers_to(const struct model_request *req, size_t from, struct str call_id)
{
	size_t count = 0;

	for (size_t i = from; i < req->message_count && req->messages[i].role == ROLE_TOOL; i++)
		count += str_eq(req->messages[i].call_id, call_id);
	return count;
}

/* What every provider insists on: each call is answered before anybody says anything else. */
static void check_conversation(struct trial *t, const struct model_request *req)
{
	const struct message *m = req->messages;
	size_t owed = 0;

	for (size_t i = 0; i < req->message_count; i++) {
		if (m[i].role == ROLE_TOOL && !owed--) {
			trial_fail(t, "%.*s is sent a result that no call asked for",
			           STR_ARG(req->request_id));
			return;
		}
		if (m[i].role != ROLE_TOOL && owed) {
			trial_fail(t, "%.*s is sent a call without its result",
			           STR_ARG(req->request_id));
			return;
		}
		if (m[i].role != ROLE_ASSISTANT && !str_is(m[i].text))
			trial_fail(t, "%.*s is sent a message without text",
			           STR_ARG(req->request_id));
		for (size_t n = 0; n < m[i].call_count; n++)
			if (!str_is(m[i].calls[n].call_id) ||
			    answers_to(req, i + 1, m[i].calls[n].call_id) != 1)
				trial_fail(t, "%.*s is sent a call that is not answered once",
				           STR_ARG(req->request_id));
		owed += m[i].call_count;
	}
	if (owed || !req->message_count || m[0].role != ROLE_USER ||
	    m[req->message_count - 1].role == ROLE_ASSISTANT)
		trial_fail(t, "%.*s is not sent a conversation of %zu messages",
		           STR_ARG(req->request_id), req->message_count);
}

static void on_model(void *owner, const struct model_request *req)
{
	begins(owner, req->request_id, "request");
	check_conversation(owner, req);
}

static void on_tool(void *owner, struct str call_id)
{
	begins(owner, call_id, "call");
}

/* ---- what the store has ---- */

struct question {
	struct store_read read;
	bool is_answered;
};

static void on_answer(struct store_read *r)
{
	OWNER_OF(r, struct question, read)->is_answered = true;
}

static bool ask(struct store *st, struct question *q)
{
	q->is_answered = false;
	q->read.done = on_answer;
	st->ops->read(st, &q->read);
	for (int i = 0; i < 1000 && !q->is_answered; i++)
		st->ops->poll(st);
	if (q->is_answered && (q->read.result == OK || q->read.result == ERR_NOT_FOUND))
		return true;
	if (q->is_answered)
		store_read_done(&q->read);
	q->is_answered = false;
	return false;
}

static void find_row(struct trial *t, const struct event_row *row, uint64_t *last_position)
{
	struct seen *s = seen_of(t, row->session);

	if (row->position <= *last_position)
		trial_fail(t, "positions go back at %.*s %llu", STR_ARG(row->session),
		           (unsigned long long)row->seq);
	*last_position = row->position;
	if (row->seq != s->stored + 1)
		trial_fail(t, "the store has %.*s %llu after %zu", STR_ARG(row->session),
		           (unsigned long long)row->seq, s->stored);
	s->stored = row->seq;
	see(t, row->session, row->seq, bytes_str(row->body));
}

static void check_events(struct trial *t, struct store *st)
{
	struct question q = { 0 };
	uint64_t position = 0;
	bool more = true;

	for (size_t i = 0; i < t->session_count; i++)
		t->sessions[i]->stored = t->sessions[i]->again = 0;
	for (uint64_t after = 0; more && !t->why[0];) {
		q.read = (struct store_read){ .kind = READ_ALL, .after = after };
		if (!ask(st, &q))
			return; /* the power went meanwhile, or the store says so later */
		for (size_t i = 0; i < q.read.event_count; i++)
			find_row(t, &q.read.events[i], &position);
		after = q.read.scanned;
		more = q.read.more;
		store_read_done(&q.read);
	}
	for (size_t i = 0; i < t->session_count; i++)
		if (t->sessions[i]->stored < law_count(t->sessions[i]->log))
			trial_fail(t, "%.*s was seen through %zu, the store has %zu",
			           STR_ARG(t->sessions[i]->id), law_count(t->sessions[i]->log),
			           t->sessions[i]->stored);
}

static void check_head(struct trial *t, struct store *st, struct seen *s)
{
	struct question q = { .read = { .kind = READ_HEAD, .session = s->id } };
	struct sha256 hash = { 0 };

	for (size_t i = 0; i < s->stored; i++)
		hash = sha256_link(&hash, law_line(s->log, i));
	if (!ask(st, &q))
		return;
	if (q.read.head_seq != s->stored || !sha256_eq(&q.read.head_hash, &hash))
		trial_fail(t, "the head of %.*s is not that of its events", STR_ARG(s->id));
	store_read_done(&q.read);
}

static void check_snapshot(struct trial *t, struct store *st, struct seen *s)
{
	struct question q = { .read = { .kind = READ_SNAPSHOT, .session = s->id } };
	struct arena *mem = arena_new();
	struct world *w = world_new();

	q.read.snapshot_version = arena_printf(mem, "%d", FOLD_VERSION);
	if (ask(st, &q) && q.read.result == OK) {
		for (size_t i = 0; i < q.read.snapshot_seq && i < s->stored; i++)
			world_fold(w, law_event(s->log, i));
		if (!str_eq(world_text(mem, w), q.read.snapshot))
			trial_fail(t, "the snapshot of %.*s at %llu is not what its events make",
			           STR_ARG(s->id), (unsigned long long)q.read.snapshot_seq);
	}
	if (q.is_answered)
		store_read_done(&q.read);
	world_free(w);
	arena_free(mem);
}

/* spec: ENGINE 2 — index rows are derived: made anew from the log they are the same. */
static const enum index_table tables[] = {
	[ROW_SESSION] = INDEX_SESSION, [ROW_THREAD] = INDEX_THREAD, [ROW_TASK] = INDEX_TASK,
	[ROW_ACTION] = INDEX_ACTION,   [ROW_TIMER] = INDEX_TIMER,   [ROW_ID] = INDEX_ID,
	[ROW_ITEM] = INDEX_ITEM,       [ROW_OUTPUT] = INDEX_OUTPUT,
};

static void check_row(struct trial *t, struct store *st, const struct seen *s, const struct row *r)
{
	struct question q = {
		.read = { .kind = READ_INDEX, .table = tables[r->table], .key = r->key }
	};
	const struct index_found *found;

	if (!ask(st, &q))
		return;
	found = q.read.row_count ? &q.read.rows[0] : NULL;
	if (r->remove ? found != NULL : found == NULL)
		trial_fail(t, "row %.*s of table %d %s", STR_ARG(r->key), r->table,
		           r->remove ? "should be gone" : "is missing");
	else if (found && (!str_eq(found->session, s->id) || !str_eq(found->status, r->status) ||
	                   !str_eq(found->parent, r->parent) || !str_eq(found->body, r->body) ||
	                   found->at != r->at || found->open != r->open))
		trial_fail(t,
		           "row %.*s of table %d is (%.*s, %.*s, %lld, %d, %.*s), its log makes it "
		           "(%.*s, %.*s, %lld, %d, %.*s)",
		           STR_ARG(r->key), r->table, STR_ARG(found->status),
		           STR_ARG(found->parent), (long long)found->at, found->open,
		           STR_ARG(str_head(found->body, 200)), STR_ARG(r->status),
		           STR_ARG(r->parent), (long long)r->at, r->open,
		           STR_ARG(str_head(r->body, 200)));
	store_read_done(&q.read);
}

static void check_rows(struct trial *t, struct store *st, struct seen *s)
{
	struct rows rows = { .mem = arena_new() };

	if (law_count(s->log))
		law_rows(s->log, &rows);
	for (size_t i = 0; i < rows.count && !t->why[0]; i++)
		check_row(t, st, s, &rows.items[i]);
	arena_free(rows.mem);
}

/* ---- what recovery owes ---- */

static void owe(struct trial *t, struct seen *s, int kind, struct str id, int64_t expires_at,
                const struct st_turn *turn)
{
	struct owed *o = ARENA_NEW(t->mem, struct owed);

	o->kind = kind;
	o->seen = s;
	o->id = arena_keep(t->mem, id);
	o->expires_at = expires_at;
	o->was_stopping = turn && turn->stage == TURN_STAGE_STOPPING;
	o->next = t->owed;
	t->owed = o;
}

static void find_owed(struct trial *t, struct seen *s)
{
	const struct world *w = law_world(s->log);

	for (uint32_t i = 0; i < w->s->channels.count; i++)
		if (w->s->channels.items[i]->status == STATUS_RUNNING)
			owe(t, s, OWED_CHANNEL, w->s->channels.items[i]->record->channel_id, 0,
			    NULL);
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_thread *th = w->s->threads.items[i];

		for (uint32_t n = 0; n < th->turns.count; n++)
			if (str_is(th->turns.items[n]->model_request_id))
				owe(t, s, OWED_REQUEST, th->turns.items[n]->model_request_id, 0,
				    th->turns.items[n]);
		for (uint32_t n = 0; n < th->calls.count; n++)
			if (th->calls.items[n]->dispatched && !call_is_over(th->calls.items[n]) &&
			    !th->calls.items[n]->asks_user)
				owe(t, s, OWED_CALL, th->calls.items[n]->tool_call_id, 0,
				    thread_turn(th, th->calls.items[n]->turn_id));
		for (uint32_t n = 0; n < th->actions.count; n++)
			if (action_is_pending(th->actions.items[n]))
				owe(t, s, OWED_ACTION, th->actions.items[n]->action_id,
				    th->actions.items[n]->expires_at,
				    thread_turn(th, th->actions.items[n]->turn_id));
	}
}

/* The event of this run that ends it, or NULL. */
static const struct event *end_of(const struct owed *o)
{
	for (size_t i = o->seen->stored; i < law_count(o->seen->log); i++) {
		const struct event *ev = law_event(o->seen->log, i);

		if (o->kind == OWED_REQUEST && ev->type == EV_MODEL_FAILED &&
		    str_eq(ev->model_request_id, o->id))
			return ev;
		if (o->kind == OWED_CALL && ev->type == EV_TOOL_FAILED &&
		    str_eq(ev->tool_call_id, o->id))
			return ev;
		if (o->kind == OWED_ACTION && ev->type == EV_ACTION_RESOLVED &&
		    str_eq(ev->action_id, o->id))
			return ev;
		if (o->kind == OWED_CHANNEL && ev->type == EV_CHANNEL_DISCONNECTED &&
		    str_eq(ev->channel_id, o->id))
			return ev;
	}
	return NULL;
}

static bool is_named_lost(const struct owed *o)
{
	for (size_t i = o->seen->stored; i < law_count(o->seen->log); i++) {
		const struct event *ev = law_event(o->seen->log, i);
		const struct ev_history_reconstructed *p = ev->payload;

		for (uint32_t n = 0; ev->type == EV_HISTORY_RECONSTRUCTED && n < p->lost.count; n++)
			if (str_eq(p->lost.items[n]->id, o->id))
				return true;
	}
	return false;
}

static void check_owed(struct trial *t)
{
	int64_t now = sim_wall_ms(t->sim);

	for (const struct owed *o = t->owed; o && !t->why[0]; o = o->next) {
		const struct event *end = end_of(o);

		if (o->kind == OWED_ACTION) {
			if (end && !(end->status == STATUS_TIMED_OUT && o->expires_at <= now) &&
			    !o->was_stopping)
				trial_fail(t, "action %.*s did not survive the restart",
				           STR_ARG(o->id));
			continue;
		}
		if (o->kind == OWED_CHANNEL) {
			if (!end)
				trial_fail(t,
				           "channel %.*s was connected, and nobody says that it is "
				           "gone",
				           STR_ARG(o->id));
			continue;
		}
		if (!end || end->status != STATUS_LOST)
			trial_fail(t, "%.*s was in flight and is %s", STR_ARG(o->id),
			           end ? "not called lost" : "not ended");
		else if (!is_named_lost(o))
			trial_fail(t, "history.reconstructed does not name %.*s", STR_ARG(o->id));
	}
	t->owed = NULL;
}

/* ---- starting and ending ---- */

static struct store *on_store(void *owner, struct store *st)
{
	struct trial *t = owner;
	struct rough_options o = { .seed = t->o.seed * 131 + t->runs,
		                   .hold_percent = t->o.hold_percent,
		                   .lie = t->o.lie,
		                   .publish = on_early,
		                   .owner = t };

	check_events(t, st);
	for (size_t i = 0; i < t->session_count && !t->why[0]; i++) {
		check_head(t, st, t->sessions[i]);
		check_snapshot(t, st, t->sessions[i]);
		check_rows(t, st, t->sessions[i]);
		find_owed(t, t->sessions[i]);
	}
	return rough_open(st, &o);
}

static void check_marks(struct trial *t)
{
	struct map_slot *slot;

	for (size_t i = 0; map_next(t->started, &i, &slot);)
		if (!map_get(t->marks, slot->key))
			trial_fail(t, "%s %.*s was begun, and its mark is gone",
			           (char *)slot->value, STR_ARG(slot->key));
}

static const struct sim_watch watch = {
	.store = on_store, .event = on_event, .model = on_model, .tool = on_tool
};

static void check_promises(struct trial *t);

static void check_rest(struct trial *t, enum law_rest how)
{
	struct error e;

	for (size_t i = 0; i < t->session_count && !t->why[0]; i++)
		if (!law_rest(t->sessions[i]->log, how, &e))
			trial_fail(t, "law of rest: %s", e.message);
}

bool trial_start(struct trial *t, const struct trial_run *run)
{
	struct sim_options o = {
		.dir = "d",
		.vfs = VFS,
		.disk = t->disk,
		.box = t->box,
		.script = t->o.script,
		.seed = t->o.seed * 1000 + t->runs,
		.start_ms = t->wall_ms + run->down_ms,
		.resume_by_itself = run->resume_by_itself,
		.unattended = run->unattended,
		.tracing = run->tracing,
		.mode = run->mode,
		.snapshot_events = run->snapshot_events,
		.idle_evict_ms = run->idle_evict_ms,
		.watch = &watch,
		.watcher = t,
	};
	unsigned cuts = disk_cuts(t->disk);
	struct error e = { 0 };

	t->runs++;
	t->cuts = cuts;
	t->owed = NULL;
	if (t->o.is_loud)
		fprintf(stderr, "== run %u%s\n", t->runs, run->resume_by_itself ? ", resumes" : "");
	if (sim_open(&o, &t->sim, &e) != OK) {
		t->sim = NULL;
		if (disk_cuts(t->disk) == cuts && !disk_has_struck(t->disk))
			trial_fail(t, "it does not start: %s", e.message);
		return false;
	}
	if (!trial_lives(t))
		return false;
	check_owed(t);
	check_marks(t);
	check_promises(t);
	for (size_t i = 0; i < t->session_count && !t->why[0]; i++)
		if (t->sessions[i]->again != law_count(t->sessions[i]->log))
			trial_fail(t, "the follower has %.*s through %zu of %zu",
			           STR_ARG(t->sessions[i]->id), t->sessions[i]->again,
			           law_count(t->sessions[i]->log));
	check_rest(t, LAW_LIVE);
	return !t->why[0];
}

static void forget_answers(struct trial *t)
{
	for (size_t i = 0; i < TRIAL_READERS; i++)
		t->readers[i].sub = NULL;
	for (size_t i = 0; i < TRIAL_CHANNELS; i++)
		t->channels[i].face = NULL;
	for (size_t i = 0; i < t->sent_count; i++)
		t->sent[i]->answer = NULL;
	t->harvested = t->sent_count;
}

static void drop_readers(struct trial *t)
{
	for (size_t i = 0; i < TRIAL_READERS && t->sim; i++) {
		struct control *c = engine_control(sim_engine(t->sim));

		if (t->readers[i].sub)
			c->ops->unsubscribe(c, t->readers[i].sub);
	}
}

static void count_packed(struct trial *t)
{
	struct store_stats st;

	if (!t->sim)
		return;
	sim_store(t->sim)->ops->stats(sim_store(t->sim), &st);
	t->packed += st.packed;
}

void trial_cut(struct trial *t, enum disk_keep keep)
{
	if (t->o.is_loud)
		fprintf(stderr, "== cut%s\n",
		        t->sim && sim_is_dead(t->sim) ? " inside an operation" : "");
	if (t->sim)
		t->wall_ms = sim_wall_ms(t->sim);
	if (!t->sim || !sim_is_dead(t->sim) || sim_fatal(t->sim))
		disk_cut(t->disk, keep);
	drop_readers(t);
	forget_answers(t);
	count_packed(t);
	if (t->sim)
		sim_crash(t->sim);
	t->sim = NULL;
}

void trial_stop(struct trial *t)
{
	if (t->o.is_loud)
		fprintf(stderr, "== stop\n");
	trial_settle(t);
	t->wall_ms = sim_wall_ms(t->sim);
	count_packed(t);
	sim_free(t->sim);
	forget_answers(t);
	t->sim = NULL;
}

/* ---- commands ---- */

static struct sent *sent_new(struct trial *t)
{
	if (t->sent_count == t->sent_cap) {
		size_t cap = t->sent_cap ? t->sent_cap * 2 : 64;

		t->sent = arena_grow(t->mem, t->sent, t->sent_count * sizeof *t->sent,
		                     cap * sizeof *t->sent);
		t->sent_cap = cap;
	}
	return t->sent[t->sent_count++] = ARENA_NEW(t->mem, struct sent);
}

static void send_off(struct trial *t, struct sent *n)
{
	n->run = t->runs;
	n->answer = sim_send(t->sim, n->command, n->params.ptr, str_is(n->key) ? n->key.ptr : NULL);
	t->commands++;
	if (t->o.is_loud)
		fprintf(stderr, "> %s %.*s%s%.*s\n", n->command, STR_ARG(str_head(n->params, 300)),
		        str_is(n->key) ? " key " : "", STR_ARG(n->key));
}

struct sent *trial_send(struct trial *t, const char *command, struct str params, const char *key)
{
	struct sent *n;

	if (!trial_lives(t))
		return NULL;
	n = sent_new(t);
	n->command = command;
	n->params = arena_keep(t->mem, params);
	n->key = arena_keep(t->mem, str_from(key));
	send_off(t, n);
	return n;
}

struct sent *trial_repeat(struct trial *t, const struct sent *first)
{
	struct sent *n;

	if (!trial_lives(t))
		return NULL;
	n = sent_new(t);
	n->command = first->command;
	n->params = first->params;
	n->key = first->key;
	n->repeats = first;
	send_off(t, n);
	return n;
}

void trial_forget(struct trial *t, struct sent *n)
{
	if (!n || !trial_lives(t) || !n->answer || n->answer->is_done)
		return;
	if (t->o.is_loud)
		fprintf(stderr, "- nobody waits for %s\n", n->command);
	sim_forget(t->sim, n->answer);
	n->answer = NULL;
	n->is_forgotten = true;
}

/* ---- readers that do not keep up ---- */

static bool reader_event(void *owner, const struct control_event *ev)
{
	struct trial_reader *r = owner;
	struct trial *t = r->trial;

	if (sim_is_dead(t->sim))
		return true;
	if (r->is_full)
		trial_fail(t, "a reader that is full was given %.*s %llu", STR_ARG(ev->session),
		           (unsigned long long)ev->seq);
	if (!str_eq(ev->session, r->seen->id) || ev->seq != r->next)
		trial_fail(t, "a reader of %.*s wanted %llu and got %.*s %llu",
		           STR_ARG(r->seen->id), (unsigned long long)r->next, STR_ARG(ev->session),
		           (unsigned long long)ev->seq);
	r->next = ev->seq + 1;
	see(t, ev->session, ev->seq, bytes_str(ev->body));
	r->is_full = rng_percent(&t->rng, 10);
	return !r->is_full;
}

static void reader_gap(void *owner, uint64_t gap_from, uint64_t gap_to, struct str mode,
                       struct str snapshot)
{
	struct trial_reader *r = owner;

	trial_fail(r->trial, "a reader of %.*s was told of a gap", STR_ARG(r->seen->id));
}

static void reader_end(void *owner, enum stream_end why)
{
	((struct trial_reader *)owner)->sub = NULL;
}

static const struct control_sink reader_sink = { .event = reader_event,
	                                         .gap = reader_gap,
	                                         .end = reader_end };

void trial_read(struct trial *t, struct seen *s, uint64_t after)
{
	struct trial_reader *r = &t->readers[rng_below(&t->rng, TRIAL_READERS)];
	struct control *c;

	if (!trial_lives(t))
		return;
	c = engine_control(sim_engine(t->sim));
	if (r->sub)
		c->ops->unsubscribe(c, r->sub);
	*r = (struct trial_reader){ .trial = t, .seen = s, .next = after + 1 };
	r->sub = c->ops->subscribe(c, &(struct control_stream){ .session = s->id,
	                                                        .after = after,
	                                                        .follow = true,
	                                                        .sink = &reader_sink,
	                                                        .owner = r });
}

void trial_resume_readers(struct trial *t)
{
	for (size_t i = 0; i < TRIAL_READERS && trial_lives(t); i++) {
		struct trial_reader *r = &t->readers[i];
		struct control *c = engine_control(sim_engine(t->sim));

		if (!r->sub || !r->is_full)
			continue;
		r->is_full = false;
		c->ops->resume(c, r->sub);
	}
}

static bool any_is_full(const struct trial *t)
{
	for (size_t i = 0; i < TRIAL_READERS; i++)
		if (t->readers[i].sub && t->readers[i].is_full)
			return true;
	return false;
}

/* Everything is settled and nobody is held up: they have it all. */
static void check_readers(struct trial *t)
{
	for (int i = 0; i < 2000 && trial_lives(t) && any_is_full(t); i++) {
		trial_resume_readers(t);
		trial_settle(t);
	}
	for (size_t i = 0; i < TRIAL_READERS && trial_lives(t); i++)
		if (t->readers[i].sub && !t->readers[i].is_full &&
		    t->readers[i].next != law_count(t->readers[i].seen->log) + 1)
			trial_fail(t, "a reader of %.*s has only what is before %llu of %zu",
			           STR_ARG(t->readers[i].seen->id),
			           (unsigned long long)t->readers[i].next,
			           law_count(t->readers[i].seen->log));
}

/* ---- channels ---- */

void trial_channel(struct trial *t, unsigned n, bool connects, bool speaks)
{
	static const struct str capabilities[] = { STR("events"), STR("permissions") };
	struct trial_channel *ch = &t->channels[n % TRIAL_CHANNELS];
	struct control *c;

	if (!trial_lives(t))
		return;
	c = engine_control(sim_engine(t->sim));
	if (connects && !ch->face) {
		ch->face = c->ops->enrol(
			c, &(struct control_enrol){ .caller = { .principal = STR("owner"),
		                                                .via = STR("sim"),
		                                                .scopes = SCOPES_ALL },
		                                    .transport = TRANSPORT_WEBSOCKET,
		                                    .role = PEER_ROLE_CLIENT,
		                                    .capabilities = capabilities,
		                                    .capability_count = 2,
		                                    .native_protocol = STR("sim"),
		                                    .channel_id = ch->id,
		                                    .resume_token = ch->token });
		if (!ch->face)
			trial_fail(t, "channel %.*s cannot be enrolled again", STR_ARG(ch->id));
		else if (!str_is(ch->id))
			ch->id = arena_keep(t->mem, ch->face->id);
		if (ch->face)
			ch->token = arena_keep(t->mem, ch->face->resume_token);
	} else if (!connects && ch->face) {
		c->ops->leave(c, ch->face, DISCONNECT_CAUSE_CLOSED);
		ch->face = NULL;
	}
	if (t->o.is_loud)
		fprintf(stderr, "- channel %.*s %s\n", STR_ARG(ch->id),
		        ch->face ? "is there" : "is gone");
	sim_speak_as(t->sim, speaks && ch->face ? ch->id : STR_NONE);
}

static struct json body_of(struct trial *t, const struct sent *n)
{
	struct json v = { NULL };

	if (json_read_own(t->mem, n->body, &v, NULL) != OK)
		trial_fail(t, "%s answered what is no JSON", n->command);
	return v;
}

static struct str member(struct trial *t, const struct sent *n, const char *key)
{
	struct json v;
	struct str found = json_str(json_get(body_of(t, n), str_from(key)));

	if (str_is(found))
		return found;
	return json_read_own(t->mem, n->params, &v, NULL) == OK
	               ? json_str(json_get(v, str_from(key)))
	               : STR_NONE;
}

/* Did it leave facts behind?  What did not is decided anew when it is repeated. */
static bool left_facts(struct trial *t, const struct sent *n)
{
	struct str status;

	if (!n->is_answered || n->code)
		return false;
	status = member(t, n, "status");
	return !str_eq(status, STR("no_op")) && !str_eq(status, STR("running")) &&
	       !str_eq(status, STR("nothing_to_resume"));
}

/* spec: contracts/control-plane#idempotency */
static void check_repeat(struct trial *t, const struct sent *n)
{
	const struct sent *first = n->repeats;

	if (!first || !left_facts(t, first))
		return;
	if ((n->code == ERROR_CODE_STORAGE_FULL && t->o.may_be_full) ||
	    (n->code == ERROR_CODE_STORE_FAILED && t->o.may_fail))
		return;
	if (n->code || !str_eq(n->body, first->body))
		trial_fail(t, "%s %.*s answered %.*s, then %.*s", n->command, STR_ARG(n->params),
		           STR_ARG(str_head(first->body, 300)), STR_ARG(str_head(n->body, 300)));
	else if (!n->is_replay)
		trial_fail(t, "%s %.*s is not called a replay", n->command, STR_ARG(n->params));
}

/* Has the witness seen what this answer said? */
static void check_promise(struct trial *t, const struct sent *n)
{
	struct json v = body_of(t, n);
	int64_t sequence = json_int(JSON_GET(v, "sequence"), 0);
	struct str session = member(t, n, "sessionId"), turn = json_str(JSON_GET(v, "turnId"));
	struct str action = json_str(JSON_GET(v, "actionId"));
	struct str decision = json_str(JSON_GET(v, "decision"));
	struct json winner = JSON_GET(v, "winner");
	struct seen *s = str_is(session) ? seen_find(t, session) : NULL;

	if (n->code && !json_is(winner))
		return;
	if (json_is(winner)) { /* a refusal rests on facts too */
		action = json_str(JSON_GET(winner, "actionId"));
		decision = json_str(JSON_GET(winner, "decision"));
	}
	if (sequence && (!s || (int64_t)law_count(s->log) < sequence))
		trial_fail(t, "%s answered sequence %lld of %.*s, which has %zu", n->command,
		           (long long)sequence, STR_ARG(session), s ? law_count(s->log) : 0);
	else if (str_is(turn) && !n->code && !map_get(t->turns, turn))
		trial_fail(t, "%s answered turn %.*s, which is not there", n->command,
		           STR_ARG(turn));
	if (str_is(action) && str_is(decision)) {
		const struct event *ev = map_get(t->decisions, action);

		if (!ev)
			trial_fail(t, "%s said that %.*s was answered, which is not so", n->command,
			           STR_ARG(action));
		else if (!str_eq(decision_word(((const struct ev_action_resolved *)ev->payload)
		                                       ->decision),
		                 decision))
			trial_fail(t, "%s said that %.*s was answered otherwise", n->command,
			           STR_ARG(action));
	}
}

static void check_promises(struct trial *t)
{
	for (size_t i = 0; i < t->sent_count && !t->why[0]; i++)
		if (t->sent[i]->is_answered)
			check_promise(t, t->sent[i]);
}

static void look_at(struct trial *t, const struct sent *n)
{
	struct str request_id = n->code ? json_str(JSON_GET(body_of(t, n), "requestId")) : STR_NONE;

	if (str_is(request_id) && map_get(t->requests, request_id))
		trial_fail(t, "%s %.*s was refused and has left facts", n->command,
		           STR_ARG(n->params));
	switch (n->code) {
	case ERROR_CODE_STORE_FAILED:
		if (!t->o.may_fail)
			trial_fail(t, "%s answered %.*s", n->command, STR_ARG(n->body));
		break;
	case ERROR_CODE_SESSION_MOVED:
	case ERROR_CODE_UNKNOWN_COMMAND:
	case ERROR_CODE_UNAVAILABLE:
	case ERROR_CODE_INTERNAL:
		trial_fail(t, "%s %.*s answered %.*s", n->command, STR_ARG(n->params),
		           STR_ARG(n->body));
		break;
	case ERROR_CODE_STORAGE_FULL:
		if (!t->o.may_be_full)
			trial_fail(t, "%s: the disk is not full", n->command);
		break;
	default:
		break;
	}
	check_repeat(t, n);
}

void trial_harvest(struct trial *t)
{
	bool is_first = true;

	for (size_t i = t->harvested; i < t->sent_count; i++) {
		struct sent *n = t->sent[i];

		if (n->answer && n->answer->is_done && !n->is_answered) {
			n->is_answered = true;
			n->code = n->answer->code;
			t->answers[n->code]++;
			n->is_replay = n->answer->is_replay;
			n->body = arena_keep(t->mem, n->answer->body);
			if (t->o.is_loud)
				fprintf(stderr, "< %s %.*s\n", n->command,
				        STR_ARG(str_head(n->body, 300)));
			look_at(t, n);
		}
		if (is_first && n->is_answered)
			t->harvested = i + 1;
		else
			is_first = false;
	}
}

/* ---- time ---- */

void trial_turn(struct trial *t, unsigned turns)
{
	for (unsigned i = 0; i < turns && trial_lives(t); i++) {
		sim_turn(t->sim);
		trial_harvest(t);
	}
}

void trial_settle(struct trial *t)
{
	if (!trial_lives(t))
		return;
	if (sim_settle(t->sim) >= 1000000)
		trial_fail(t, "it does not settle");
	trial_harvest(t);
}

void trial_run(struct trial *t, int64_t ms)
{
	if (!trial_lives(t))
		return;
	sim_run(t->sim, ms);
	trial_harvest(t);
}

void trial_leap(struct trial *t, int64_t ms)
{
	if (!trial_lives(t))
		return;
	sim_leap(t->sim, ms);
	trial_harvest(t);
}

/* ---- comparing ---- */

static void compare_world(struct trial *t, const struct seen *s, const struct session *live)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str a, b;
	size_t at = 0;

	if (live->state != SESSION_LIVE || live->applied != live->durable)
		return;
	a = world_text(mem, live->world);
	b = world_text(mem, law_world(s->log));
	if (str_eq(a, b))
		return;
	while (at < a.len && at < b.len && a.ptr[at] == b.ptr[at])
		at++;
	at = at > 60 ? at - 60 : 0;
	trial_fail(t, "the live world of %.*s is not what its log folds to: …%.*s / …%.*s",
	           STR_ARG(s->id), STR_ARG(str_head(str_skip(a, at), 160)),
	           STR_ARG(str_head(str_skip(b, at), 160)));
}

static void compare_view(struct trial *t, const struct seen *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct sim_answer *a;
	struct buf out = { 0 };
	struct json_writer w;

	a = sim_call(t->sim, "get_session",
	             arena_printf(mem, "{\"sessionId\":\"%.*s\"}", STR_ARG(s->id)).ptr);
	/* A session whose recovery cannot be written cannot be shown either, for now. */
	if (!trial_lives(t) || (t->o.may_be_full && a->code == ERROR_CODE_STORAGE_FULL))
		return;
	jw_init(&w, &out);
	view_session(&w, law_world(s->log), sim_setup(t->sim));
	if (!a->is_done || a->code)
		trial_fail(t, "get_session %.*s: %.*s", STR_ARG(s->id), STR_ARG(a->body));
	else if (!str_eq(a->body, buf_str(&out)))
		trial_fail(t, "get_session %.*s is not the view of its log", STR_ARG(s->id));
	buf_done(&out);
}

/* The rows say what the log says. */
static void compare_actions(struct trial *t, const struct seen *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct world *w = law_world(s->log);
	const struct sim_answer *a;
	struct json v;
	size_t pending = 0;

	for (uint32_t i = 0; i < w->s->threads.count; i++)
		for (uint32_t n = 0; n < w->s->threads.items[i]->actions.count; n++)
			pending += action_is_pending(w->s->threads.items[i]->actions.items[n]);
	a = sim_call(
		t->sim, "list_actions",
		arena_printf(mem, "{\"sessionId\":\"%.*s\",\"status\":\"pending\"}", STR_ARG(s->id))
			.ptr);
	if (!trial_lives(t))
		return;
	if (!a->is_done || a->code || json_read_own(mem, a->body, &v, NULL) != OK ||
	    json_count(JSON_GET(v, "actions")) != pending)
		trial_fail(t, "%.*s has %zu pending actions, list_actions says %.*s",
		           STR_ARG(s->id), pending, STR_ARG(str_head(a->body, 300)));
}

static void compare_chain(struct trial *t, const struct seen *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct sim_answer *a =
		sim_call(t->sim, "verify_log",
	                 arena_printf(mem, "{\"sessionId\":\"%.*s\"}", STR_ARG(s->id)).ptr);
	struct json v;

	if (!trial_lives(t))
		return;
	if (!a->is_done || a->code || json_read_own(mem, a->body, &v, NULL) != OK ||
	    !str_eq(json_str(JSON_GET(v, "status")), STR("whole")) ||
	    json_int(JSON_GET(v, "events"), -1) != (int64_t)law_count(s->log))
		trial_fail(t, "verify_log %.*s: %.*s", STR_ARG(s->id), STR_ARG(a->body));
}

void trial_compare(struct trial *t)
{
	for (size_t i = 0; i < t->session_count && trial_lives(t); i++) {
		struct seen *s = t->sessions[i];
		const struct session *live = map_get(&sim_engine(t->sim)->sessions, s->id);

		if (s->again != law_count(s->log))
			trial_fail(t, "the follower has %.*s through %zu of %zu", STR_ARG(s->id),
			           s->again, law_count(s->log));
		if (live)
			compare_world(t, s, live);
		if (trial_lives(t))
			compare_view(t, s);
		if (trial_lives(t))
			compare_actions(t, s);
		if (trial_lives(t))
			compare_chain(t, s);
	}
	if (trial_lives(t))
		check_rest(t, LAW_LIVE);
}

/* ---- the end of everything ---- */

static struct str answer_to(struct trial *t, const struct seen *s, const struct st_action *a)
{
	if (a->action_type == ACTION_TYPE_TOOL_PERMISSION)
		return arena_printf(
			t->mem,
			"{\"sessionId\":\"%.*s\",\"actionId\":\"%.*s\",\"decision\":\"%s\"}",
			STR_ARG(s->id), STR_ARG(a->action_id),
			rng_percent(&t->rng, 60) ? "allow" : "deny");
	return arena_printf(
		t->mem, "{\"sessionId\":\"%.*s\",\"actionId\":\"%.*s\",\"decision\":\"decline\"}",
		STR_ARG(s->id), STR_ARG(a->action_id));
}

static void push_thread(struct trial *t, const struct seen *s, const struct st_thread *th,
                        unsigned round)
{
	const struct st_turn *active = thread_active(th);
	struct str thread = arena_printf(t->mem, "{\"sessionId\":\"%.*s\",\"threadId\":\"%.*s\"",
	                                 STR_ARG(s->id), STR_ARG(th->thread_id));

	for (uint32_t i = 0; i < th->actions.count; i++)
		if (action_is_pending(th->actions.items[i])) {
			trial_send(t, "respond_action", answer_to(t, s, th->actions.items[i]),
			           NULL);
			return;
		}
	if ((active && active->stage == TURN_STAGE_LOST) || (!active && th->held))
		trial_send(t, "resume_thread", arena_printf(t->mem, "%.*s}", STR_ARG(thread)),
		           NULL);
	else if (active && round >= 3)
		trial_send(
			t, "interrupt_turn",
			arena_printf(t->mem, "%.*s,\"queuePolicy\":\"continue\"}", STR_ARG(thread)),
			NULL);
}

static bool push_all(struct trial *t, unsigned round)
{
	bool is_open = false;

	for (size_t i = 0; i < t->session_count && trial_lives(t); i++) {
		const struct world *w = law_world(t->sessions[i]->log);

		if (!world_is_open(w))
			continue;
		is_open = true;
		for (uint32_t n = 0; n < w->s->threads.count; n++)
			push_thread(t, t->sessions[i], w->s->threads.items[n], round);
	}
	return is_open;
}

void trial_finish(struct trial *t)
{
	struct error e;

	for (unsigned i = 0; i < TRIAL_CHANNELS; i++)
		trial_channel(t, i, false, false);
	trial_settle(t);
	for (unsigned round = 0; trial_lives(t) && push_all(t, round % 6); round++) {
		if (round == 400) {
			check_rest(t, LAW_OVER);
			trial_fail(t, "something never ends");
		}
		trial_settle(t);
		trial_run(t, 20000);
	}
	if (!trial_lives(t))
		return;
	trial_compare(t);
	check_readers(t);
	check_rest(t, LAW_OVER);
	check_marks(t);
	check_promises(t);
	for (size_t i = 0; i < t->sent_count && !t->why[0]; i++)
		if (t->sent[i]->answer && !t->sent[i]->is_answered)
			trial_fail(t, "%s %.*s was never answered", t->sent[i]->command,
			           STR_ARG(t->sent[i]->params));
	for (size_t i = 0; i < t->session_count && !t->why[0]; i++)
		if (!law_folds(t->sessions[i]->log, sim_setup(t->sim), t->o.seed, 4, &e))
			trial_fail(t, "law: %s", e.message);
}

void trial_read_outputs(struct trial *t)
{
	for (size_t i = 0; i < t->session_count; i++)
		for (size_t n = 0; n < law_count(t->sessions[i]->log) && trial_lives(t); n++) {
			CLEANUP(arena_freep) struct arena *mem = arena_new();
			const struct event *ev = law_event(t->sessions[i]->log, n);

			for (uint32_t r = 0; r < ev->refs.count && trial_lives(t); r++) {
				struct str ref = ev->refs.items[r].value;
				const struct sim_answer *a;

				/* What could not be sealed may be gone with the power. */
				if (!str_starts(ref, STR("out_")) || map_get(t->partial, ref))
					continue;
				a = sim_call(
					t->sim, "get_output",
					arena_printf(mem, "{\"outputRef\":\"%.*s\"}", STR_ARG(ref))
						.ptr);
				if (!a->is_done || a->code)
					trial_fail(t, "%.*s %lld %.*s names %.*s as %.*s: %.*s",
					           STR_ARG(ev->session_id), (long long)ev->sequence,
					           STR_ARG(event_type_word(ev->type)), STR_ARG(ref),
					           STR_ARG(ev->refs.items[r].key),
					           STR_ARG(a->body));
			}
		}
}

struct sha256 trial_digest(const struct trial *t)
{
	struct sha256 sum = { 0 };

	for (size_t i = 0; i < t->session_count; i++)
		for (size_t n = 0; n < law_count(t->sessions[i]->log); n++)
			sum = sha256_link(&sum, law_line(t->sessions[i]->log, n));
	return sum;
}
