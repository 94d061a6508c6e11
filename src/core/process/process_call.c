/*
 * The sandbox and the process of one tool call, from sandbox.applied to the
 * end of the process.  Processes that outlive their call are in
 * process_live.c.
 * spec: contracts/permission-and-sandbox, contracts/execution-environment; GAP-36
 */
#include "core/process/process.h"
#include "base/jw.h"
#include "core/tool/call_input.h"
#include "core/subagent/subagent_worktree.h"
#include "core/task/task_bounds.h"
#include "core/tool/tool_emit.h"
#include "base/utf8.h"
#include "policy/external_record.h"

#define SUMMARY_BYTES 500

static struct event *in_process(struct event *ev, const struct st_thread *th,
                                const struct st_turn *t, const struct st_call *c)
{
	decision_in_call(ev, th, t, c);
	ev->process_id = c->process_id;
	ev->output_ref = c->output_ref;
	return ev;
}

/* What the person added to the session's workspace; in a sandbox that only reads it is readable. */
static bool add_directories(struct arena *mem, struct list_str more, struct rec_sandbox_override *o)
{
	struct list_str *lists[] = { &o->read_roots, &o->write_roots };

	for (size_t k = 0; k < COUNT_OF(lists) && more.count; k++) {
		struct list_str old = *lists[k];

		*lists[k] = (struct list_str){ 0 }; /* the old one may belong to the state */
		for (uint32_t i = 0; i < old.count; i++)
			rec_list_str_add(mem, lists[k], old.items[i]);
		for (uint32_t i = 0; i < more.count; i++)
			if (rec_list_str_find(lists[k], more.items[i]) < 0)
				rec_list_str_add(mem, lists[k], more.items[i]);
	}
	return more.count > 0;
}

/*
 * Collects from five sources, in this order: what a person granted, obligations of policy records,
 * bounds of the task, worktrees of child agents, directories that the person added.  Narrowing members (at_most) are separate from
 * widening ones, so the order cannot weaken a limit.
 */
const struct rec_sandbox_override *process_call_override(struct arena *mem, const struct state *w,
                                                         const struct settings *settings,
                                                         const struct st_call *c)
{
	const struct rec_permission_decision *p = c->permission;
	struct rec_sandbox_override *o;
	struct task_bounds bounds;
	bool is_other;

	task_bounds_of(w, c->turn_id, &bounds);
	o = ARENA_NEW(mem, struct rec_sandbox_override);
	if (c->override)
		*o = *c->override;
	is_other =
		external_record_narrow(mem, BORROWED(struct rec_policy_record *, c->policy_records),
	                               c->policy_records.count, o);
	if (p)
		is_other |= external_record_narrow(mem, p->policy_records.items,
		                                   p->policy_records.count, o);
	is_other |= task_bounds_narrow(&bounds, o);
	is_other |= subagent_worktree_widen(mem, w, settings, c, o);
	is_other |= add_directories(mem, task_bounds_directories(w, settings, c->turn_id), o);
	return is_other ? o : c->override;
}

bool process_call_is_narrowed(struct arena *mem, const struct state *w,
                              const struct settings *settings, const struct st_call *c)
{
	const struct rec_sandbox_override *o = process_call_override(mem, w, settings, c);

	return o && (o->at_most || o->network_at_most);
}

/*
 * The sandbox is applied exactly or the call fails; there is no weaker second try (GAP-36).  The
 * event is durable before the process starts, so its profile is what a reader can rely on.
 */
void process_call_sandbox(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                          const struct st_call *c, const struct tool_info *tool)
{
	struct str cwd = task_bounds_cwd(d->w, d->settings, t->turn_id);
	struct tool_sandbox sandbox = { 0 };
	enum err err = ERR_UNSUPPORTED;
	struct error why = { 0 };
	struct event *ev;

	if (d->settings->bind)
		err = d->settings->bind(d->settings, d->mem, tool->name, call_input_text(d, c), cwd,
		                        process_call_override(d->mem, d->w, d->settings, c),
		                        &sandbox, &why);
	if (err) {
		struct str cause = why.code ? str_from(why.message) : STR("this machine has none");

		/* A request that no sandbox can fulfil is not a lack of this machine. */
		tool_emit_failed(d, th, t, c, STATUS_FAILED,
		                 err == ERR_INVALID ? tool_error_bad_request(d->mem, cause)
		                                    : tool_error_no_sandbox(d->mem, cause));
		return;
	}
	ev = decision_in_call(EMIT(d, SANDBOX_APPLIED, sandbox_applied, .mode = sandbox.mode,
	                           .tier = sandbox.tier, .degraded = sandbox.is_degraded,
	                           .reason = sandbox.reason),
	                      th, t, c);
	ev->status = STATUS_RUNNING;
	ev->item = turn_item(d, c->step_id, c->kind, c->index, STATUS_RUNNING);
	ev->sandbox_profile = sandbox.profile;
	/* The ref of its output, readable from the first byte on (GAP-54). */
	ev->output_ref = decision_new_id(d, "out");
	if (tool->is_command)
		ev->process_id = decision_new_id(d, "proc");
}

/* What a user could grant so that this would have been allowed; NULL: nothing. */
static struct rec_sandbox_override *needs_of(struct arena *mem, struct str text)
{
	struct rec_sandbox_override *o = ARENA_NEW(mem, struct rec_sandbox_override);
	struct json v;

	if (!str_is(text) || json_read_trusted(mem, text, &v, NULL) != OK ||
	    rec_read(mem, v, &rec_sandbox_override_desc, REC_TRUSTED, o, NULL) != OK)
		return NULL;
	return o;
}

struct event *process_call_emit_violation(struct decision *d, const struct tool_violation *v)
{
	return EMIT(d, SANDBOX_VIOLATION, sandbox_violation, .kind = v->kind,
	            .operation = v->operation, .path = v->path, .host = v->host, .port = v->port,
	            .has_port = v->port > 0, .syscall = v->syscall, .errno_ = v->err_name,
	            .rule = v->rule, .address = v->address, .blocked = v->is_blocked,
	            .fallback = v->has_fallback, .has_fallback = v->has_fallback,
	            .would_allow = v->would_allow, .count = v->count, .has_count = v->count > 1,
	            .needs = needs_of(d->mem, v->needs));
}

void process_call_violation(struct decision *d, struct str turn_id, struct str call_id,
                            const struct tool_violation *v)
{
	const struct st_thread *th;
	const struct st_turn *t = state_turn(d->w, turn_id, &th);
	const struct st_call *c = t ? state_thread_call(th, call_id) : NULL;
	struct event *ev;

	if (!c || call_is_over(c) || !c->dispatched)
		return;
	/* A tool that was unknown at the dispatch got no sandbox.applied, which has to come first. */
	if (!c->sandbox_mode && !str_is(c->process_id))
		return;
	ev = decision_in_call(process_call_emit_violation(d, v), th, t, c);
	ev->process_id = c->process_id;
}

/* Each simple command as the list of its words. */
static struct list_str words_of(struct decision *d, const struct st_call *c)
{
	struct list_str out = { .items = ARENA_ARRAY(d->mem, struct str, 1) };

	for (uint32_t i = 0; c->permission && i < c->permission->subcommands.count; i++) {
		const struct rec_subcommand *s = c->permission->subcommands.items[i];
		struct buf text = { 0 };
		struct json_writer w;

		jw_init(&w, &text);
		jw_arr(&w);
		for (uint32_t n = 0; n < s->argv.count; n++)
			jw_str(&w, s->argv.items[n]);
		jw_arr_end(&w);
		rec_list_str_add(d->mem, &out, arena_keep(d->mem, buf_str(&text)));
		buf_done(&text);
	}
	return out;
}

static struct str summary_of(struct decision *d, const struct st_call *c)
{
	struct json args;

	if (json_read_trusted(d->mem, call_input_text(d, c), &args, NULL) != OK)
		return c->tool_name;
	return utf8_preview(d->mem, json_str(JSON_GET(args, "command")), SUMMARY_BYTES);
}

/* Why the directory or the sandbox differs from the session's. */
static struct str override_reason(struct decision *d, const struct st_call *c, struct str cwd)
{
	struct str usual = task_bounds_cwd(d->w, d->settings, c->turn_id);
	struct str wanted = STR_NONE;
	struct json args;
	bool is_elsewhere;

	if (json_read_trusted(d->mem, call_input_text(d, c), &args, NULL) == OK)
		wanted = json_str(JSON_GET(args, "cwd"));
	is_elsewhere = str_is(wanted) && !str_eq(cwd, usual);
	if (!is_elsewhere)
		return c->override ? STR("an approval granted access beyond the sandbox")
		                   : STR_NONE;
	return arena_printf(d->mem, "the call asks for the directory %.*s%s", STR_ARG(wanted),
	                    c->override ? "; an approval granted access beyond the sandbox" : "");
}

/*
 * The directory and limits come from the profile that was applied, not from the arguments: that is
 * what the process really has.
 */
void process_call_started(struct decision *d, struct str turn_id, struct str call_id, int64_t pid)
{
	const struct st_thread *th;
	const struct st_turn *t = state_turn(d->w, turn_id, &th);
	const struct st_call *c = t ? state_thread_call(th, call_id) : NULL;
	const struct tool_info *tool = c ? turn_call_tool(d, c) : NULL;
	const struct rec_sandbox_profile *sandbox = th ? th->cage : NULL;
	bool is_background = tool && tool->is_background;
	struct str cwd = sandbox && str_is(sandbox->cwd) ? sandbox->cwd : d->settings->cwd;
	struct event *ev;

	if (!c || call_is_over(c) || !str_is(c->process_id) || process_in_thread(th, c->process_id))
		return;
	ev = in_process(
		EMIT(d, PROCESS_STARTED, process_started, .command_summary = summary_of(d, c),
	             .subcommands = words_of(d, c), .cwd = cwd,
	             .override_reason = override_reason(d, c, cwd),
	             .tty = sandbox && sandbox->process_limits && sandbox->process_limits->tty,
	             .destructive = c->permission && c->permission->destructive,
	             .sandbox_mode = c->sandbox_mode,
	             .network = sandbox && sandbox->network ? sandbox->network->mode
	                                                    : NETWORK_MODE_OFF,
	             .justification = arena_printf(d->mem, "requested by the model in %.*s",
	                                           STR_ARG(c->tool_call_id)),
	             .background = is_background,
	             .on_turn_end = is_background ? ON_TURN_END_KEEP : ON_TURN_END_TERMINATE,
	             .pid = pid, .has_pid = pid > 0),
		th, t, c);
	ev->status = STATUS_RUNNING;
}

void process_call_output(struct decision *d, struct str turn_id, struct str call_id, int64_t offset,
                         int64_t bytes, int64_t chunks, bool is_binary)
{
	const struct st_thread *th;
	const struct st_turn *t = state_turn(d->w, turn_id, &th);
	const struct st_call *c = t ? state_thread_call(th, call_id) : NULL;
	const struct st_process *p = c ? process_in_thread(th, c->process_id) : NULL;

	if (!p || process_is_over(p))
		return;
	in_process(EMIT(d, PROCESS_OUTPUT, process_output, .stream = PROCESS_STREAM_STDOUT,
	                .offset = offset, .bytes = bytes, .chunks = chunks, .binary = is_binary,
	                .has_binary = is_binary),
	           th, t, c);
}

static struct list_str printed_refs(struct decision *d, const struct st_call *c)
{
	return str_is(c->output_ref) ? STRINGS(d, c->output_ref) : NO_STRINGS;
}

/*
 * How each kind of exit that is neither a code nor a stop is reported; indexed by enum
 * process_exit.
 */
struct failure {
	enum status status;
	enum error_category category;
	const char *reason, *message;
};

static const struct failure failures[] = {
	[EXIT_BY_SIGNAL] = { STATUS_FAILED, ERROR_CATEGORY_PROCESS_FAILED, "signal",
	                     "a signal ended it" },
	[EXIT_BY_TIMEOUT] = { STATUS_TIMED_OUT, ERROR_CATEGORY_TIMEOUT, "timeout",
	                      "it exceeded its time limit" },
	[EXIT_BY_SILENCE] = { STATUS_TIMED_OUT, ERROR_CATEGORY_TIMEOUT, "inactivity",
	                      "it exceeded its time limit without output" },
	[EXIT_BY_LIMIT] = { STATUS_FAILED, ERROR_CATEGORY_PROCESS_FAILED, "limit",
	                    "it exceeded its limit of memory or processes" },
	[EXIT_NEVER_BEGAN] = { STATUS_FAILED, ERROR_CATEGORY_SPAWN_FAILED, "spawn",
	                       "it could not be started" },
	[EXIT_UNSEEN] = { STATUS_LOST, ERROR_CATEGORY_LOST, "lost", "its exit status is unknown" },
};

struct list_rec process_call_reached_hosts(struct decision *d, struct str text)
{
	struct list_rec out = { 0 };
	struct json list, v;
	struct json_iter it;
	struct str key;

	if (!str_is(text) || json_read_trusted(d->mem, text, &list, NULL) != OK ||
	    json_type(list) != JSON_ARR)
		return out;
	it = json_iter(list);
	while (json_next(&it, &key, &v)) {
		struct rec_reached_host *h = rec_list_add(d->mem, &out, &rec_reached_host_desc);

		h->host = json_str(JSON_GET(v, "host"));
		h->port = json_int(JSON_GET(v, "port"), 0);
		h->has_port = h->port > 0;
		h->count = json_int(JSON_GET(v, "count"), 0);
	}
	return out;
}

struct list_str process_call_limits_reached(struct decision *d, const struct tool_end *e)
{
	struct list_str out = { 0 };

	if (e->was_full)
		rec_list_str_add(d->mem, &out, STR("maxProcesses"));
	if (e->dropped_bytes)
		rec_list_str_add(d->mem, &out, STR("maxOutputBytes"));
	return out;
}

/* An exit that was not seen leaves liveness unknown: the process tree may still exist. */
struct event *process_call_emit_failed(struct decision *d, const struct tool_end *e,
                                       struct list_str refs, int64_t duration_ms)
{
	const struct failure *f = &failures[e->exit];
	bool is_unseen = e->exit == EXIT_UNSEEN;
	struct list_rec hosts = process_call_reached_hosts(d, e->hosts);
	struct event *ev = EMIT(d, PROCESS_FAILED, process_failed, .category = f->category,
	                        .reason = str_from(f->reason),
	                        .liveness = !is_unseen ? LIVENESS_GONE : LIVENESS_UNKNOWN,
	                        .exit_state = is_unseen ? HONESTY_UNKNOWN : 0,
	                        .durable_output_bytes = e->output_bytes,
	                        .has_durable_output_bytes = true, .output_refs = refs,
	                        .message = str_is(e->message) ? e->message : str_from(f->message),
	                        .duration_ms = duration_ms, .has_duration_ms = duration_ms >= 0,
	                        .hosts = REACHED(hosts), LIMITS_REACHED(d, e));

	ev->status = f->status;
	if (str_is(e->signal))
		ev->native_status = arena_printf(d->mem, "signal:%.*s", STR_ARG(e->signal));
	return ev;
}

/* The end of a call comes later than that of its process: its changes are looked up in between. */
static int64_t run_ms(const struct decision *d, const struct st_process *p,
                      const struct tool_end *e)
{
	return e->run_ms > 0 ? e->run_ms : since(d, p->started_at);
}

static void emit_failed(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        const struct st_call *c, const struct tool_end *e,
                        const struct st_process *p)
{
	in_process(process_call_emit_failed(d, e, p ? printed_refs(d, c) : NO_STRINGS,
	                                    p ? run_ms(d, p, e) : -1),
	           th, t, c);
}

/*
 * Ends with a code are results, whatever the code (GAP-37).  A stop is reported as terminated only
 * if the survivors were counted.  Everything else is a failure; what is not known about it is said
 * to be unknown.
 */
void process_call_end(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      const struct st_call *c, const struct tool_end *e)
{
	const struct st_process *p = process_in_thread(th, c->process_id);
	struct list_rec hosts = process_call_reached_hosts(d, e->hosts);
	struct event *ev;

	if (!str_is(c->process_id) || (p && process_is_over(p)) || (!p && e->exit == EXIT_NONE) ||
	    process_left_by_call(th, c))
		return;
	if (p && e->exit == EXIT_BY_CODE) {
		ev = in_process(EMIT(d, PROCESS_COMPLETED, process_completed,
		                     .exit_code = e->exit_code, .duration_ms = run_ms(d, p, e),
		                     .output_refs = printed_refs(d, c),
		                     .max_rss_bytes = e->max_rss_bytes,
		                     .has_max_rss_bytes = e->max_rss_bytes > 0, .cpu_ms = e->cpu_ms,
		                     .has_cpu_ms = e->cpu_ms > 0, .hosts = REACHED(hosts),
		                     LIMITS_REACHED(d, e)),
		                th, t, c);
		ev->status = STATUS_COMPLETED;
		if (e->exit_code)
			ev->native_status =
				arena_printf(d->mem, "exit:%lld", (long long)e->exit_code);
		return;
	}
	if (p && e->exit == EXIT_BY_STOP && e->survivors >= 0) {
		ev = in_process(EMIT(d, PROCESS_TERMINATED, process_terminated,
		                     .by = TERMINATED_BY_USER, .cause = STR("interrupt_turn"),
		                     .signal = e->signal, .escalated = e->is_escalated,
		                     .duration_ms = run_ms(d, p, e), .survivors = e->survivors,
		                     .output_refs = printed_refs(d, c), .hosts = REACHED(hosts)),
		                th, t, c);
		ev->status = STATUS_CANCELLED;
		ev->native_status = arena_printf(d->mem, "signal:%.*s", STR_ARG(e->signal));
		return;
	}
	struct tool_end known = *e;

	if (e->exit == EXIT_NONE || e->exit == EXIT_BY_CODE || e->exit == EXIT_BY_STOP)
		known.exit = p ? EXIT_UNSEEN : EXIT_NEVER_BEGAN;
	emit_failed(d, th, t, c, &known, p);
}

/*
 * The process tree of a call does not outlive the runtime, so liveness is `gone`; only the exit is
 * unknown.  Background processes are looked for instead.
 */
void process_call_lose(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       const struct st_call *c, const struct tool_end *printed)
{
	const struct st_process *p = process_in_thread(th, c->process_id);
	struct event *ev;

	if (!p || process_is_over(p) || p->background)
		return;
	ev = in_process(EMIT(d, PROCESS_FAILED, process_failed, .category = ERROR_CATEGORY_LOST,
	                     .reason = STR("runtime_restart"), .liveness = LIVENESS_GONE,
	                     .exit_state = HONESTY_UNKNOWN,
	                     .durable_output_bytes = printed ? printed->output_bytes : 0,
	                     .has_durable_output_bytes = true,
	                     .output_refs = printed ? printed_refs(d, c) : NO_STRINGS),
	                th, t, c);
	ev->status = STATUS_LOST;
	ev->status_reason =
		STR("the runtime stopped while it ran; its process tree is gone, its exit "
	            "is unknown");
}
