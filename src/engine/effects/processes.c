/*
 * Background processes of the sessions: matches the supervisor's reports with
 * the engine's runs, records output, violations and ends, and carries out the
 * commands on processes.
 *
 * A run outlives its session's stay in memory: the session is loaded when there
 * is something to record.  An end is forgotten here only once its event is
 * durable.
 */
#include "engine/effects/processes.h"
#include "engine/effects/effects.h"

#include "core/gen/inputs.h"
#include "base/jw.h"
#include "base/memory.h"
#include "base/os/log.h"
#include "core/process/process.h"
#include "core/view/view_part.h"
#include "engine/query/query.h"
#include "engine/session/apply.h"
#include "engine/engine_state.h"

#include <stdlib.h>

static struct processes *port_of(const struct engine *e)
{
	return e->ports.processes;
}

struct process_run *processes_find(const struct engine *e, struct str process_id)
{
	LIST_EACH (&e->processes, node) {
		struct process_run *x = LIST_ITEM(node, struct process_run, node);

		if (str_eq(x->process_id, process_id))
			return x;
	}
	return NULL;
}

static struct str put_text(char **at, struct str s)
{
	char *begin = *at;

	if (s.len)
		memcpy(begin, s.ptr, s.len);
	*at += s.len + 1;
	return str_of(begin, s.len);
}

/* The strings are copied: the run outlives its session's stay in memory. */
static struct process_run *run_new(struct session *s, const struct st_process *p)
{
	struct str summary = str_is(p->summary) ? p->summary : STR("");
	size_t room = s->id.len + p->process_id.len + p->output_ref.len + summary.len + 4;
	struct process_run *x = memory_zeroed(1, sizeof *x + room);
	char *at = x->text;

	x->engine = s->engine;
	x->session_id = put_text(&at, s->id);
	x->process_id = put_text(&at, p->process_id);
	x->output_ref = put_text(&at, p->output_ref);
	x->summary = put_text(&at, summary);
	x->started_at = p->started_at;
	x->bytes = p->output_bytes;
	x->is_tty = p->tty;
	list_init(&x->waiting);
	list_add(&s->engine->processes, &x->node);
	/* Readable from the start, even before there is any output. */
	s->engine->ports.blobs->ops->extend(s->engine->ports.blobs, x->output_ref, 0, STR(""),
	                                    false);
	return x;
}

static void run_free(struct process_run *x)
{
	list_remove(&x->node);
	redact_stream_done(&x->scrub);
	arena_free(x->end_mem);
	memory_free(x);
}

static struct arena *end_mem(struct process_run *x)
{
	if (!x->end_mem)
		x->end_mem = arena_new();
	return x->end_mem;
}

/* ---- output ---- */

/* Runs when the session is loaded; all growth until then is one event. */
static void record_growth(struct session *s, void *arg)
{
	struct process_run *x = arg;
	struct decision *d;

	x->is_telling = false;
	if (!s || x->end_seq)
		return;
	d = apply_begin(s, NULL);
	input_process_live_grew(d, x->process_id, x->bytes, MAX(x->chunks, 1));
	x->chunks = 0;
	apply_end(s, d);
}

void processes_grown(struct process_run *x)
{
	if ((int64_t)x->clean_at <= x->bytes)
		return;
	x->bytes = (int64_t)x->clean_at;
	x->chunks++;
	if (x->is_telling)
		return;
	x->is_telling = true;
	request_job(x->engine, x->session_id, false, record_growth, x);
}

/* Sizes only: the bytes are read from the raw file at our own pace. */
static void on_output(void *owner, struct str id, int64_t bytes)
{
	struct process_run *x = processes_find(owner, id);

	if (!x || x->has_ended || bytes <= (int64_t)x->raw_at)
		return;
	if (x->is_reading) /* much output: report how far it was read */
		processes_grown(x);
	process_output_pump(x);
}

struct told_violation {
	struct process_run *run;
	struct arena *mem;
	struct tool_violation v;
};

static void record_violation(struct session *s, void *arg)
{
	struct told_violation *t = arg;

	if (s && !t->run->end_seq) {
		struct decision *d = apply_begin(s, NULL);

		input_process_live_violation(d, t->run->process_id, &t->v);
		apply_end(s, d);
	}
	arena_free(t->mem);
}

/* Copied, because the session may have to be loaded before the violation can be recorded. */
static void on_violation(void *owner, struct str id, const struct tool_violation *v)
{
	struct process_run *x = processes_find(owner, id);
	struct arena *mem;
	struct told_violation *t;

	if (!x || x->has_ended)
		return;
	mem = arena_new();
	t = ARENA_NEW(mem, struct told_violation);
	t->run = x;
	t->mem = mem;
	t->v = *v;
	t->v.operation = arena_keep(mem, v->operation);
	t->v.path = arena_keep(mem, v->path);
	t->v.host = arena_keep(mem, v->host);
	t->v.syscall = arena_keep(mem, v->syscall);
	t->v.err_name = arena_keep(mem, v->err_name);
	t->v.rule = arena_keep(mem, v->rule);
	t->v.address = arena_keep(mem, v->address);
	t->v.would_allow = arena_keep(mem, v->would_allow);
	t->v.needs = arena_keep(mem, v->needs);
	request_job(x->engine, x->session_id, false, record_violation, t);
}

/* ---- end ---- */

/* Answers the callers of terminate_process; their replies are stored with the event of the end. */
static void answer_waiting(struct process_run *x, struct session *s)
{
	while (!list_is_empty(&x->waiting)) {
		struct request *r = LIST_ITEM(x->waiting.next, struct request, node);

		list_remove(&r->node);
		r->session = s;
		if (s) {
			r->response.reply = arena_printf(
				r->mem, "{\"processId\":\"%.*s\",\"status\":\"exited\"}",
				STR_ARG(x->process_id));
			request_keep(r);
			request_wait(r);
		} else {
			request_fail(r, ERROR_CODE_STORE_FAILED, "its end could not be written");
			request_reply(r);
		}
	}
}

static void record_end(struct session *s, void *arg)
{
	struct process_run *x = arg;
	const struct input_stop stop = { .by = x->stopped_by,
		                         .cause = str_from(x->stop_cause),
		                         .reason = x->stop_reason,
		                         .actor = x->stop_actor };
	struct decision *d;

	if (!s) { /* dropped: reported when the session is loaded again */
		answer_waiting(x, NULL);
		return;
	}
	d = apply_begin(s, NULL);
	input_process_live_end(d, x->process_id, &x->end, &stop);
	apply_end(s, d);
	x->end_seq = s->applied;
	answer_waiting(x, s);
	processes_durable(s);
}

/*
 * The output is complete only if the exit was seen, every raw byte was copied, and the
 * file has the size that was written.
 */
static void on_sealed(void *owner, const struct blob_sealed *b)
{
	struct process_run *x = owner;
	struct arena *mem = end_mem(x);

	x->end.is_complete = b->result == OK && x->end.exit != EXIT_UNSEEN && !x->is_cut &&
	                     b->size == x->clean_at;
	x->end.redactions = tool_redactions_seen(x->engine->ports.scrub, &x->scrub, mem,
	                                         &x->end.redaction_count);
	if (b->result == OK) {
		x->end.output_bytes = (int64_t)b->size;
		x->end.sha256 = sha256_hex(mem, &b->hash);
		x->end.head = arena_keep(mem, b->head);
		x->end.tail = arena_keep(mem, b->tail);
		x->end.is_text = b->is_text;
	} else if (b->result != ERR_NOT_FOUND) {
		log_line(LOG_ERROR, "engine", "the output of %.*s: %s", STR_ARG(x->process_id),
		         b->error.message);
	}
	x->is_sealed = true;
	request_job(x->engine, x->session_id, false, record_end, x);
}

void processes_seal(struct process_run *x)
{
	struct blobs *b = x->engine->ports.blobs;

	b->ops->recover_seal(b, x->output_ref, on_sealed, x);
}

/*
 * The end is recorded after the rest of the output was copied: output_drained() seals,
 * on_sealed() reports.
 */
static void has_ended(struct process_run *x)
{
	x->has_ended = true;
	process_output_pump(x);
}

static void on_exited(void *owner, struct str id, const struct tool_end *exit)
{
	struct process_run *x = processes_find(owner, id);

	if (!x || x->has_ended)
		return;
	x->end = *exit;
	x->end.signal = arena_keep(end_mem(x), exit->signal);
	x->end.hosts = arena_keep(end_mem(x), exit->hosts);
	has_ended(x);
}

/*
 * Only now may the supervisor delete the exit record and the raw file: before, a crash
 * would lose how the process ended.
 */
void processes_durable(struct session *s)
{
	struct engine *e = s->engine;

	LIST_EACH_SAFE (&e->processes, node, tmp) {
		struct process_run *x = LIST_ITEM(node, struct process_run, node);

		if (!x->end_seq || x->end_seq > s->durable || !str_eq(x->session_id, s->id))
			continue;
		port_of(e)->ops->forget(port_of(e), x->process_id);
		e->ports.blobs->ops->drop_raw(e->ports.blobs, x->output_ref);
		run_free(x);
	}
}

void processes_stop(struct process_run *x, enum terminated_by by, const char *cause,
                    struct str reason, const struct rec_actor *actor, int64_t grace_ms)
{
	if (!x->stopped_by) {
		x->stopped_by = by;
		x->stop_cause = cause;
		x->stop_reason = arena_keep(end_mem(x), reason);
		x->stop_actor = actor ? rec_clone(end_mem(x), &rec_actor_desc, actor) : NULL;
	}
	port_of(x->engine)->ops->stop(port_of(x->engine), x->process_id, grace_ms);
}

/* The state says which processes are to be stopped; an intent is carried out when it is durable. */
void processes_reconcile(struct session *s)
{
	if (s->applied != s->durable || list_is_empty(&s->engine->processes))
		return;
	for (uint32_t i = 0; i < s->state->s->threads.count; i++) {
		const struct st_thread *th = s->state->s->threads.items[i];

		for (uint32_t n = 0; n < th->processes.count; n++) {
			const struct st_process *p = th->processes.items[n];
			struct process_run *x = p->stop_by && !process_is_over(p)
			                                ? processes_find(s->engine, p->process_id)
			                                : NULL;

			if (x && !x->stopped_by && !x->has_ended)
				processes_stop(
					x, p->stop_by,
					str_eq(p->stop_reason, STR("interrupt")) ? "interrupt_turn"
										 : "cancel_task",
					p->stop_reason, p->stop_actor, LIMIT_PROCESS_GRACE_MS);
		}
	}
}

/* ---- start ---- */

static const struct process_sink sink = { .output = on_output,
	                                  .violation = on_violation,
	                                  .exited = on_exited };

void processes_init(struct engine *e)
{
	list_init(&e->processes);
	list_init(&e->unsettled);
	if (port_of(e))
		port_of(e)->ops->listen(port_of(e), &sink, e);
}

void processes_free(struct engine *e)
{
	while (!list_is_empty(&e->processes))
		run_free(LIST_ITEM(e->processes.next, struct process_run, node));
}

void processes_began(struct session *s, struct str process_id)
{
	const struct st_process *p = process_live_find(s->state, process_id, NULL);

	if (p && p->background && !processes_find(s->engine, process_id))
		run_new(s, p);
}

static void recover_process(struct session *s, const struct st_process *p)
{
	struct engine *e = s->engine;
	struct process_run *x = processes_find(e, p->process_id);

	/*
	 * The session was dropped and is loaded again: an end that was not durable is recorded
	 * again.
	 */
	if (x) {
		x->end_seq = 0;
		if (x->is_sealed)
			request_job(e, x->session_id, false, record_end, x);
		return;
	}
	x = run_new(s, p);
	if (port_of(e) && port_of(e)->ops->find(port_of(e), p->process_id)) {
		process_output_pump(x);
		return;
	}
	/*
	 * The supervisor does not know the process: how it ended is unknown, and the event says
	 * so.
	 */
	x->end = (struct tool_end){ .exit = EXIT_UNSEEN, .survivors = -1 };
	has_ended(x);
}

static void recover_all(struct session *s)
{
	for (uint32_t i = 0; i < s->state->s->threads.count; i++) {
		const struct st_thread *th = s->state->s->threads.items[i];

		for (uint32_t n = 0; n < th->processes.count; n++) {
			const struct st_process *p = th->processes.items[n];

			if (p->background && !process_is_over(p))
				recover_process(s, p);
		}
	}
}

void processes_load(struct session *s, enum load_phase phase)
{
	if (phase == LOAD_RECOVERED)
		recover_all(s);
}

/*
 * Every session with open work has claimed its processes; all others belong to no session
 * and are ended.
 */
void processes_settle(struct engine *e)
{
	if (port_of(e))
		port_of(e)->ops->settle(port_of(e));
	process_output_sweep(e);
	while (!list_is_empty(&e->unsettled)) {
		struct request *r = LIST_ITEM(e->unsettled.next, struct request, node);

		list_remove(&r->node);
		query_list_processes(r, r->args);
	}
}

void processes_end(struct engine *e)
{
	LIST_EACH (&e->processes, node)
		processes_stop(LIST_ITEM(node, struct process_run, node), TERMINATED_BY_SHUTDOWN,
		               "shutdown", STR_NONE, NULL, LIMIT_PROCESS_GRACE_MS / 5);
}

/* ---- commands ---- */

static struct str process_id_of(const struct request *r)
{
	switch (r->command.command) {
	case COMMAND_WRITE_PROCESS_STDIN:
		return ((const struct cmd_write_process_stdin *)r->args)->process_id;
	case COMMAND_TERMINATE_PROCESS:
		return ((const struct cmd_terminate_process *)r->args)->process_id;
	case COMMAND_RESIZE_PROCESS:
		return ((const struct cmd_resize_process *)r->args)->process_id;
	default:
		return STR_NONE;
	}
}

static void write_now(struct request *r)
{
	const struct cmd_write_process_stdin *c = r->args;
	struct processes *p = port_of(r->engine);
	struct str bytes = c->data;
	struct error ignored;

	/* The decision has decoded it before. */
	if (c->base64 && !process_live_bytes(r->mem, c->data, &bytes))
		bytes = STR("");
	/* The process may have ended since; then its input is lost, and its end shows why. */
	if (p->ops->write(p, c->process_id, bytes, c->eof, &ignored) != OK)
		log_line(LOG_INFO, "engine", "input for %.*s: %s", STR_ARG(c->process_id),
		         ignored.message);
	request_reply(r);
}

static void resize_now(struct request *r)
{
	const struct cmd_resize_process *c = r->args;
	struct processes *p = port_of(r->engine);
	struct error why;

	if (p->ops->resize(p, c->process_id, (int)c->rows, (int)c->columns, &why) != OK)
		request_fail(r, ERROR_CODE_UNAVAILABLE, "%s", why.message);
	request_reply(r);
}

/* The reply waits for the end of the process (answer_waiting()). */
static void terminate_now(struct request *r)
{
	const struct cmd_terminate_process *c = r->args;
	struct process_run *x = processes_find(r->engine, c->process_id);
	const struct rec_actor actor = { .kind = ACTOR_KIND_USER,
		                         .via = r->caller.via,
		                         .principal = r->caller.principal,
		                         .channel_id = r->caller.channel_id };

	if (!x || x->end_seq) {
		request_fail(r, ERROR_CODE_ALREADY_ENDED, "it ended just now");
		request_reply(r);
		return;
	}
	r->session = NULL; /* it may leave memory in between */
	list_add(&x->waiting, &r->node);
	processes_stop(x, TERMINATED_BY_USER, "terminate_process", c->reason, &actor,
	               c->has_grace_ms ? c->grace_ms : LIMIT_PROCESS_GRACE_MS);
}

/*
 * Refuses before the decision what cannot be carried out after it: an event about input
 * that the process cannot receive would be wrong.
 */
bool processes_gather(struct request *r)
{
	struct str id = process_id_of(r);
	const struct st_process *p =
		str_is(id) ? process_live_find(r->session->state, id, NULL) : NULL;
	struct processes *port = port_of(r->engine);
	struct error why = { 0 };
	enum err code;

	if (!p || process_is_over(p) || !p->background)
		return false; /* refused by the decision */
	if (!processes_find(r->engine, id) || !port) {
		request_fail(r, ERROR_CODE_UNAVAILABLE, "%.*s cannot be reached", STR_ARG(id));
		request_wait(r);
		return true;
	}
	if (r->command.command != COMMAND_WRITE_PROCESS_STDIN)
		return false;
	code = port->ops->check(port, id, &why);
	if (!code)
		return false;
	request_fail(r,
	             code == ERR_BUSY        ? ERROR_CODE_OVERLOADED
	             : code == ERR_NOT_FOUND ? ERROR_CODE_ALREADY_ENDED
	                                     : ERROR_CODE_STDIN_CLOSED,
	             "%s", why.message);
	request_wait(r);
	return true;
}

void processes_accepted(struct request *r)
{
	if (r->command.command == COMMAND_WRITE_PROCESS_STDIN)
		r->then = write_now;
	else if (r->command.command == COMMAND_TERMINATE_PROCESS)
		r->then = terminate_now;
	else if (r->command.command == COMMAND_RESIZE_PROCESS)
		r->then = resize_now;
}

/*
 * The refusal leaves a warning in the log, because clients can show a process as running
 * that is gone.
 */
bool processes_refused(struct request *r)
{
	struct decision *d;

	if (!str_is(process_id_of(r)) || (r->response.code != ERROR_CODE_PROCESS_NOT_FOUND &&
	                                  r->response.code != ERROR_CODE_UNAVAILABLE))
		return false;
	d = apply_begin(r->session, NULL);
	input_process_live_unavailable(d, process_id_of(r),
	                               command_classes[r->command.command].name);
	apply_end(r->session, d);
	return false;
}

/* ---- lists ---- */

struct entry {
	struct str id, text;
};

struct entries {
	struct request *r;
	const struct cmd_list_processes *c;
	struct entry *items;
	size_t count, cap;
};

static bool is_listed(const struct entries *l, struct str id)
{
	for (size_t i = 0; i < l->count; i++)
		if (str_eq(l->items[i].id, id))
			return true;
	return false;
}

static void add_entry(struct entries *l, struct str id, struct buf *text)
{
	struct arena *mem = l->r->mem;

	if (l->count == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 64;

		l->items = arena_grow(mem, l->items, l->count * sizeof *l->items,
		                      cap * sizeof *l->items);
		l->cap = cap;
	}
	l->items[l->count++] =
		(struct entry){ arena_keep(mem, id), arena_keep(mem, buf_str(text)) };
}

static void add_state(struct entries *l, const struct session *s, bool running_only)
{
	for (uint32_t i = 0; i < s->state->s->threads.count; i++) {
		const struct st_thread *th = s->state->s->threads.items[i];

		for (uint32_t n = 0; n < th->processes.count; n++) {
			const struct st_process *p = th->processes.items[n];
			struct buf text = { 0 };
			struct json_writer w;

			if ((running_only && process_is_over(p)) ||
			    (l->c->status && p->status != l->c->status))
				continue;
			jw_init(&w, &text);
			process_view_write(&w, p, s->id);
			add_entry(l, p->process_id, &text);
			buf_done(&text);
		}
	}
}

/* For a process of a session that is not in memory, only the engine's own data is shown. */
static void add_run(struct entries *l, const struct process_run *x)
{
	struct buf text = { 0 };
	struct json_writer w;

	if (is_listed(l, x->process_id) || x->end_seq ||
	    (l->c->status && l->c->status != PROCESS_STATUS_RUNNING))
		return;
	jw_init(&w, &text);
	jw_obj(&w);
	JW_KSTR(&w, "processId", x->process_id);
	JW_KSTR(&w, "commandSummary", x->summary);
	JW_KSTR(&w, "status", process_status_word(PROCESS_STATUS_RUNNING));
	JW_KSTR(&w, "outputRef", x->output_ref);
	JW_KBOOL(&w, "background", true);
	if (x->is_tty)
		JW_KBOOL(&w, "tty", true);
	JW_KINT(&w, "outputBytes", x->bytes);
	JW_KSTR(&w, "sessionId", x->session_id);
	PART_TIME(&w, "startedAt", x->started_at);
	jw_obj_end(&w);
	add_entry(l, x->process_id, &text);
	buf_done(&text);
}

static int by_id(const void *a, const void *b)
{
	return str_cmp(((const struct entry *)a)->id, ((const struct entry *)b)->id);
}

static void write_placeholders(struct entries *l, struct json_writer *w)
{
	struct processes *p = l->r->engine->ports.processes;
	const struct str *paths;
	size_t count = p && p->ops->placeholders ? p->ops->placeholders(p, l->r->mem, &paths) : 0;

	if (!count)
		return;
	JW_KEY(w, "placeholders");
	jw_arr(w);
	for (size_t i = 0; i < count; i++)
		jw_str(w, paths[i]);
	jw_arr_end(w);
}

/* Sorted by id, so that a cursor stays valid while processes come and go. */
static void write_page(struct entries *l)
{
	uint32_t most = reply_page_size(l->c->has_limit, l->c->limit), given = 0;
	struct buf out = { 0 };
	struct json_writer w;
	size_t i = 0;

	if (l->count)
		qsort(l->items, l->count, sizeof *l->items, by_id);
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "processes");
	jw_arr(&w);
	while (i < l->count && str_is(l->c->cursor) && str_cmp(l->items[i].id, l->c->cursor) <= 0)
		i++;
	for (; i < l->count && given < most; i++, given++)
		jw_raw(&w, l->items[i].text);
	jw_arr_end(&w);
	if (!l->r->session)
		write_placeholders(l, &w);
	if (i < l->count)
		JW_KSTR(&w, "nextCursor", l->items[i - 1].id);
	jw_obj_end(&w);
	l->r->response.reply = arena_keep(l->r->mem, buf_str(&out));
	buf_done(&out);
}

/* For all sessions: running ones, from the states in memory and from the engine's runs. */
void query_list_processes(struct request *r, const struct cmd_list_processes *c)
{
	struct entries l = { .r = r, .c = c };
	struct map_slot *slot;

	if (!reply_check_least(r, "limit", c->has_limit, c->limit, 1))
		return;
	/* The list is complete only when every session has looked for its processes. */
	if (!r->session && !r->engine->is_settled) {
		list_add(&r->engine->unsettled, &r->node);
		return;
	}
	if (r->session) {
		add_state(&l, r->session, false);
	} else {
		for (size_t i = 0; map_next(&r->engine->sessions, &i, &slot);) {
			struct session *s = slot->value;

			if (s->phase == SESSION_LIVE)
				add_state(&l, s, true);
		}
		LIST_EACH (&r->engine->processes, node)
			add_run(&l, LIST_ITEM(node, struct process_run, node));
	}
	write_page(&l);
	request_wait(r);
}
