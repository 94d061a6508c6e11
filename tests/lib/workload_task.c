/*
 * Random work that outlives a turn: tasks and their graph, workers that claim it
 * and report late, twice or never, jobs, child agents.  Workers keep no state
 * here: any of them may report anything about any run that ever existed.
 */
#include "workload_int.h"

/* ---- choosing ---- */

static const char *const workers[] = { "ada", "bob", "cyd" };

static bool is_over(const struct st_task *task)
{
	switch (task->record->status) {
	case TASK_STATUS_COMPLETED:
	case TASK_STATUS_FAILED:
	case TASK_STATUS_CANCELLED:
	case TASK_STATUS_TIMED_OUT:
	case TASK_STATUS_LOST:
	case TASK_STATUS_ARCHIVED:
		return true;
	default:
		return false;
	}
}

/* Open ones more often than others; NULL: the state has none that a caller made. */
static const struct st_task *some_task(struct crash_run *t, struct seen *s)
{
	const struct state *w = invariant_state(s->log);
	const struct st_task *found = NULL;
	unsigned seen = 0;

	for (uint32_t i = 0; i < w->s->tasks.count; i++) {
		const struct st_task *task = w->s->tasks.items[i];
		unsigned weight = is_over(task) ? 1 : 6;

		if (task->implicit)
			continue;
		seen += weight;
		if (rng_below(&t->rng, seen) < weight)
			found = task;
	}
	return found;
}

/* An event of one of these two classes, from anywhere in the log. */
static const struct event *some_event(struct crash_run *t, struct seen *s, enum event_type one,
                                      enum event_type other)
{
	for (int i = 0; i < 60 && invariant_count(s->log); i++) {
		const struct event *ev = invariant_event(
			s->log, (size_t)rng_below(&t->rng, invariant_count(s->log)));

		if (ev->type == one || ev->type == other)
			return ev;
	}
	return NULL;
}

/* Mostly one that is open, now and then one that left the world long ago or never was. */
static struct str some_task_id(struct crash_run *t, struct seen *s)
{
	const struct st_task *task = rng_percent(&t->rng, 85) ? some_task(t, s) : NULL;
	const struct event *ev;

	if (task)
		return task->record->task_id;
	ev = some_event(t, s, EV_TASK_CREATED, EV_TASK_CREATED);
	return ev && rng_percent(&t->rng, 95) ? ev->task_id : STR("task_unheard_of");
}

/* "member":"value", with a comma in front, so often. */
static struct str maybe(struct crash_run *t, unsigned percent, const char *member, struct str value)
{
	if (!rng_percent(&t->rng, percent) || !str_is(value))
		return STR("");
	return arena_printf(t->mem, ",\"%s\":\"%.*s\"", member, STR_ARG(value));
}

static struct str raw(struct crash_run *t, unsigned percent, const char *text)
{
	return rng_percent(&t->rng, percent) ? str_from(text) : STR("");
}

/* {"sessionId":…,"taskId":…<rest>} */
static struct sent *tell(struct crash_run *t, const char *command, struct seen *s,
                         struct str task_id, struct str rest)
{
	return crash_run_send(t, command,
	                      arena_printf(t->mem,
	                                   "{\"sessionId\":\"%.*s\",\"taskId\":\"%.*s\"%.*s}",
	                                   STR_ARG(s->id), STR_ARG(task_id), STR_ARG(rest)),
	                      some_key(t, rng_percent(&t->rng, 10)));
}

/* ---- tasks ---- */

static struct str some_policy(struct crash_run *t)
{
	static const char *const policies[] = {
		"{\"maxAttempts\":3,\"backoff\":\"immediate\",\"nonRetryable\":[]}",
		"{\"maxAttempts\":2,\"backoff\":\"fixed\",\"backoffMs\":700,\"nonRetryable\":["
		"\"auth\"]}",
		"{\"maxAttempts\":3,\"backoff\":\"exponential\",\"backoffMs\":100,\"nonRetryable\":"
		"[],"
		"\"timeoutMs\":5000}",
		"{\"maxAttempts\":1,\"backoff\":\"immediate\",\"nonRetryable\":[],\"timeoutMs\":"
		"20000}",
	};

	return arena_printf(t->mem, ",\"retryPolicy\":%s", PICK(&t->rng, policies));
}

static void create_task(struct crash_run *t)
{
	static const char *const acceptances[] = {
		",\"acceptance\":[{\"id\":\"good\",\"kind\":\"text\"}]",
		",\"acceptance\":[{\"id\":\"proof\",\"kind\":\"evidence\",\"ref\":\"ev-1\"}]",
		",\"acceptance\":[{\"id\":\"file\",\"kind\":\"artifact\",\"ref\":\"NOTES.md\"}]",
	};
	static const char *const constraints[] = { "{\"timeMs\":30000}", "{\"costUsd\":0.00001}",
		                                   "{\"costUsd\":3,\"timeMs\":900000}",
		                                   "{\"tools\":[\"look\"]}" };
	static const char *const priorities[] = { "low", "normal", "high", "urgent", "odd" };
	struct seen *s = some_session(t);
	const struct st_thread *th = s ? some_thread(t, s) : NULL;
	struct str parent = s && rng_percent(&t->rng, 30) ? some_task_id(t, s) : STR_NONE;
	struct buf b = { 0 };

	buf_printf(&b, "{\"objective\":\"%s\"", some_input(t));
	if (s && rng_percent(&t->rng, 95))
		buf_printf(&b, ",\"sessionId\":\"%.*s\"", STR_ARG(s->id));
	if (rng_percent(&t->rng, 25))
		buf_printf(&b, ",\"taskId\":\"task-%d\"",
		           (int)rng_below(&t->rng, rng_percent(&t->rng, 20) ? 6 : 100000));
	buf_add_str(&b, maybe(t, 12, "threadId", th ? th->thread_id : STR_NONE));
	buf_add_str(&b, maybe(t, 100, "parentTaskId", parent));
	buf_add_str(&b, maybe(t, 40, "priority", str_from(PICK(&t->rng, priorities))));
	buf_add_str(&b, maybe(t, 50, "taskKind", STR("dig")));
	if (rng_percent(&t->rng, 12))
		buf_printf(&b, ",\"constraints\":%s", PICK(&t->rng, constraints));
	buf_add_str(&b, raw(t, 12, PICK(&t->rng, acceptances)));
	if (rng_percent(&t->rng, 50))
		buf_add_str(&b, some_policy(t));
	buf_add_str(&b, raw(t, 40, ",\"start\":true"));
	buf_add_str(&b, raw(t, 3, ",\"create\":\"never\""));
	buf_add_char(&b, '}');
	crash_run_send(t, "create_task", arena_keep(t->mem, buf_str(&b)), some_key(t, false));
	buf_done(&b);
}

static struct str some_worker(struct crash_run *t)
{
	return arena_printf(t->mem, ",\"worker\":{\"kind\":\"%s\"%.*s}",
	                    rng_percent(&t->rng, 4)    ? "peer"
	                    : rng_percent(&t->rng, 10) ? "agent"
	                                               : "external",
	                    STR_ARG(maybe(t, 30, "workerId", str_from(PICK(&t->rng, workers)))));
}

static void start_task(struct crash_run *t, struct seen *s)
{
	const struct st_thread *th = some_thread(t, s);
	struct str worker = rng_percent(&t->rng, 60) ? some_worker(t) : STR("");

	tell(t, "start_task", s, some_task_id(t, s),
	     arena_printf(t->mem, "%.*s%.*s%.*s", STR_ARG(worker),
	                  STR_ARG(maybe(t, 15, "threadId", th ? th->thread_id : STR_NONE)),
	                  STR_ARG(maybe(t, 15, "input", str_from(some_input(t))))));
}

static void update_task(struct crash_run *t, struct seen *s)
{
	static const char *const changes[] = {
		",\"title\":\"renamed\"",
		",\"objective\":\"use look\"",
		",\"priority\":\"urgent\"",
		",\"constraints\":{\"costUsd\":9}",
		",\"acceptance\":[]",
		",\"metadata\":{\"n\":1}",
		"",
	};

	tell(t, "update_task", s, some_task_id(t, s),
	     arena_printf(t->mem, "%s%.*s", PICK(&t->rng, changes),
	                  STR_ARG(raw(t, 10, ",\"expectedVersion\":7"))));
}

static void retry_task(struct crash_run *t, struct seen *s)
{
	struct str worker = rng_percent(&t->rng, 30) ? some_worker(t) : STR("");

	tell(t, "retry_task", s, some_task_id(t, s),
	     arena_printf(t->mem, ",\"reason\":\"once more\"%.*s%.*s", STR_ARG(worker),
	                  STR_ARG(maybe(t, 20, "input", str_from(some_input(t))))));
}

static void cancel_task(struct crash_run *t, struct seen *s)
{
	static const char *const spreads[] = { "self", "children", "processes",
		                               "children_and_processes" };

	tell(t, "cancel_task", s, some_task_id(t, s),
	     maybe(t, 40, "propagation", str_from(PICK(&t->rng, spreads))));
}

static void link_tasks(struct crash_run *t, struct seen *s, const char *command)
{
	static const char *const joins[] = { "blocks",     "blocks", "blocked_by",
		                             "blocked_by", "parent", "source_task" };
	struct str from = some_task_id(t, s), to = some_task_id(t, s);
	bool is_other = rng_percent(&t->rng, 8);

	crash_run_send(
		t, command,
		arena_printf(t->mem,
	                     "{\"sessionId\":\"%.*s\",\"fromTaskId\":\"%.*s\",\"%s\":\"%.*s\","
	                     "\"relationship\":\"%s\"}",
	                     STR_ARG(s->id), STR_ARG(from), is_other ? "targetId" : "toTaskId",
	                     STR_ARG(to), is_other ? "evidence" : PICK(&t->rng, joins)),
		some_key(t, false));
}

/* Anybody may end a task, with or without naming its run. */
static void end_task(struct crash_run *t, struct seen *s)
{
	if (rng_percent(&t->rng, 60))
		tell(t, "complete_task", s, some_task_id(t, s),
		     arena_printf(t->mem, "%.*s%.*s",
		                  STR_ARG(raw(t, 50, ",\"acceptance\":[\"good\"]")),
		                  STR_ARG(raw(t, 40, ",\"evidenceRefs\":[\"ev-1\"]"))));
	else
		tell(t, "fail_task", s, some_task_id(t, s),
		     STR(",\"error\":{\"category\":\"network\",\"message\":\"gone\"}"));
}

static void task_schedule_step(struct crash_run *t, struct seen *s)
{
	uint64_t n = rng_below(&t->rng, 100);

	if (n < 28)
		start_task(t, s);
	else if (n < 34)
		update_task(t, s);
	else if (n < 42)
		tell(t, "pause_task", s, some_task_id(t, s), STR(""));
	else if (n < 50)
		tell(t, "resume_task", s, some_task_id(t, s), STR(""));
	else if (n < 60)
		cancel_task(t, s);
	else if (n < 70)
		retry_task(t, s);
	else if (n < 76)
		end_task(t, s);
	else if (n < 81)
		tell(t, "archive_task", s, some_task_id(t, s), STR(""));
	else if (n < 94)
		link_tasks(t, s, "link_tasks");
	else
		link_tasks(t, s, "unlink_tasks");
}

/* ---- workers ---- */

static void claim(struct crash_run *t, struct seen *s)
{
	struct buf b = { 0 };

	buf_printf(&b, "{\"workerId\":\"%s\"", PICK(&t->rng, workers));
	if (rng_percent(&t->rng, 70))
		buf_printf(&b, ",\"sessionId\":\"%.*s\"", STR_ARG(s->id));
	buf_add_str(&b, maybe(t, 35, "taskId", some_task_id(t, s)));
	buf_add_str(&b, raw(t, 40, ",\"taskKind\":\"dig\""));
	if (rng_percent(&t->rng, 50))
		buf_printf(&b, ",\"leaseMs\":%d",
		           rng_percent(&t->rng, 5) ? 3 : (int)rng_range(&t->rng, 100, 20000));
	buf_add_char(&b, '}');
	crash_run_send(t, "claim_task", arena_keep(t->mem, buf_str(&b)), some_key(t, false));
	buf_done(&b);
}

/* A run, under way or long ended, and its worker. */
struct run {
	struct str task_id, run_id, worker_id;
};

static bool some_run(struct crash_run *t, struct seen *s, struct run *ret)
{
	const struct st_task *task = rng_percent(&t->rng, 75) ? some_task(t, s) : NULL;
	const struct event *ev;

	if (task && task->attempts.count) {
		/* The last one more often than those before it. */
		uint64_t back =
			rng_percent(&t->rng, 75) ? 0 : rng_below(&t->rng, task->attempts.count);
		const struct rec_task_attempt *a =
			task->attempts.items[task->attempts.count - 1 - back];

		*ret = (struct run){ task->record->task_id, a->run_id,
			             a->worker ? a->worker->worker_id : STR_NONE };
		return true;
	}
	ev = some_event(t, s, EV_TASK_ATTEMPT_STARTED, EV_TASK_ATTEMPT_FAILED);
	if (!ev)
		return false;
	*ret = (struct run){ ev->task_id, ev->run_id,
		             ev->worker ? ev->worker->worker_id : STR_NONE };
	return true;
}

static void report(struct crash_run *t, struct seen *s)
{
	struct run r;
	uint64_t n = rng_below(&t->rng, 100);
	struct str run;

	if (!some_run(t, s, &r))
		return;
	run = arena_printf(t->mem, ",\"runId\":\"%.*s\"", STR_ARG(r.run_id));
	if (!str_is(r.worker_id) || rng_percent(&t->rng, 8))
		r.worker_id = str_from(PICK(&t->rng, workers));
	if (n < 35)
		tell(t, "heartbeat_task", s, r.task_id,
		     arena_printf(t->mem, "%.*s,\"workerId\":\"%.*s\"", STR_ARG(run),
		                  STR_ARG(r.worker_id)));
	else if (n < 50)
		tell(t, "append_task_progress", s, r.task_id,
		     arena_printf(t->mem, "%.*s,\"percent\":%d,\"phase\":\"working\"", STR_ARG(run),
		                  (int)rng_below(&t->rng, 104)));
	else if (n < 80)
		tell(t, "complete_task", s, r.task_id,
		     arena_printf(t->mem, "%.*s,\"summary\":\"done by %.*s\"%.*s%.*s", STR_ARG(run),
		                  STR_ARG(r.worker_id),
		                  STR_ARG(raw(t, 60, ",\"acceptance\":[\"good\"]")),
		                  STR_ARG(raw(t, 60, ",\"evidenceRefs\":[\"ev-1\"]"))));
	else
		tell(t, "fail_task", s, r.task_id,
		     arena_printf(t->mem,
		                  "%.*s,\"error\":{\"category\":\"%s\",\"message\":\"it broke\"}",
		                  STR_ARG(run), rng_percent(&t->rng, 70) ? "network" : "auth"));
}

/* ---- jobs ---- */

static void create_job(struct crash_run *t)
{
	struct seen *s = some_session(t);
	struct buf b = { 0 };

	buf_add_c(&b, "{\"instruction\":\"Do this:\",\"items\":[");
	for (int64_t i = 0, n = rng_percent(&t->rng, 3) ? 0 : rng_range(&t->rng, 1, 6); i < n; i++)
		buf_printf(&b, "%s\"%s\"", i ? "," : "", some_input(t));
	buf_add_char(&b, ']');
	if (s && rng_percent(&t->rng, 92))
		buf_printf(&b, ",\"sessionId\":\"%.*s\"", STR_ARG(s->id));
	if (rng_percent(&t->rng, 30))
		buf_printf(&b, ",\"jobId\":\"job-%d\"",
		           (int)rng_below(&t->rng, rng_percent(&t->rng, 20) ? 4 : 100000));
	if (s)
		buf_add_str(&b, maybe(t, 20, "taskId", some_task_id(t, s)));
	if (rng_percent(&t->rng, 60))
		buf_printf(&b, ",\"concurrency\":%d", (int)rng_range(&t->rng, 1, 3));
	if (rng_percent(&t->rng, 60))
		buf_printf(&b, ",\"maxAttempts\":%d", (int)rng_range(&t->rng, 1, 3));
	buf_add_str(&b, raw(t, 8, ",\"maxRuntimeMs\":20000"));
	buf_add_str(&b, raw(t, 8, ",\"budgetUsd\":0.0001"));
	buf_add_str(&b, raw(t, 10, ",\"start\":false"));
	buf_add_str(&b, raw(t, 20, ",\"outputSchema\":{\"type\":\"object\"}"));
	buf_add_char(&b, '}');
	crash_run_send(t, "create_job", arena_keep(t->mem, buf_str(&b)), some_key(t, false));
	buf_done(&b);
}

static void job_run_step(struct crash_run *t, struct seen *s)
{
	static const char *const outputs[] = {
		",\"output\":{\"is\":\"done\"}", ",\"output\":[1]",
		",\"error\":{\"category\":\"network\",\"message\":\"gone\"}", ""
	};
	const struct state *w = invariant_state(s->log);
	const struct st_job *j;
	uint64_t n = rng_below(&t->rng, 100);
	int64_t index;
	struct str item;

	if (!w->s->jobs.count || rng_percent(&t->rng, 20)) {
		create_job(t);
		return;
	}
	j = w->s->jobs.items[rng_below(&t->rng, w->s->jobs.count)];
	index = rng_range(&t->rng, 0, j->record->progress->total);
	/* What is next in line, or at a worker, more often than the rest. */
	if (rng_percent(&t->rng, 50))
		index = j->record->item_cursor;
	else if (j->running.count && rng_percent(&t->rng, 60))
		index = j->running.items[rng_below(&t->rng, j->running.count)]->index;
	item = str_starts(j->record->job_id, STR("job_")) ? str_skip(j->record->job_id, 4)
	                                                  : j->record->job_id;
	item = arena_printf(t->mem,
	                    "{\"sessionId\":\"%.*s\",\"jobId\":\"%.*s\",\"jobItemId\":"
	                    "\"item_%.*s_%lld\"",
	                    STR_ARG(s->id), STR_ARG(j->record->job_id), STR_ARG(item),
	                    (long long)index);
	if (n < 8)
		crash_run_send(t, "cancel_job",
		               arena_printf(t->mem, "{\"sessionId\":\"%.*s\",\"jobId\":\"%.*s\"}",
		                            STR_ARG(s->id), STR_ARG(j->record->job_id)),
		               some_key(t, false));
	else if (n < 30)
		crash_run_send(t, "retry_job_item", arena_printf(t->mem, "%.*s}", STR_ARG(item)),
		               some_key(t, false));
	else if (n < 60)
		crash_run_send(t, "assign_job_item",
		               arena_printf(t->mem, "%.*s,\"workerId\":\"%s\",\"leaseMs\":%d}",
		                            STR_ARG(item), PICK(&t->rng, workers),
		                            (int)rng_range(&t->rng, 100, 20000)),
		               some_key(t, false));
	else
		crash_run_send(t, "report_job_item",
		               arena_printf(t->mem, "%.*s%.*s%s}", STR_ARG(item),
		                            STR_ARG(maybe(t, 30, "workerId",
		                                          str_from(PICK(&t->rng, workers)))),
		                            PICK(&t->rng, outputs)),
		               some_key(t, false));
}

/* ---- child agents ---- */

static void spawn(struct crash_run *t, struct seen *s)
{
	const struct st_thread *th = some_thread(t, s);
	struct buf b = { 0 };

	if (!th)
		return;
	buf_printf(&b,
	           "{\"sessionId\":\"%.*s\",\"parentThreadId\":\"%.*s\",\"role\":\"scout\""
	           "%.*s%.*s",
	           STR_ARG(s->id), STR_ARG(th->thread_id),
	           STR_ARG(maybe(t, 80, "input", str_from(some_input(t)))),
	           STR_ARG(maybe(t, 40, "parentTaskId", some_task_id(t, s))));
	if (rng_percent(&t->rng, 15))
		buf_printf(&b, ",\"subagentId\":\"sub-%d\"", (int)rng_below(&t->rng, 4));
	buf_add_str(&b, raw(t, 15,
	                    ",\"isolation\":{\"prompt\":\"own\",\"workspace\":\"shared\",\"tools\":"
	                    "[\"look\"],\"permissionMode\":\"plan\",\"memory\":\"none\"}"));
	buf_add_str(&b, raw(t, 10, ",\"budgetUsd\":0.0001"));
	buf_add_char(&b, '}');
	crash_run_send(t, "spawn_subagent", arena_keep(t->mem, buf_str(&b)), some_key(t, false));
	buf_done(&b);
}

static void agent_step(struct crash_run *t, struct seen *s)
{
	static const char *const deliveries[] = { "queue", "steer", "interrupt", "reject" };
	const struct state *w = invariant_state(s->log);
	uint64_t n = rng_below(&t->rng, 100), count = w->s->subagents.count;
	struct str id, child;

	if (!count || n < 25) {
		spawn(t, s);
		return;
	}
	id = rng_percent(&t->rng, 3)
	             ? STR("sub_unheard_of")
	             : w->s->subagents.items[rng_below(&t->rng, count)]->record->subagent_id;
	child = arena_printf(t->mem, "{\"sessionId\":\"%.*s\",\"subagentId\":\"%.*s\"",
	                     STR_ARG(s->id), STR_ARG(id));
	if (n < 55)
		crash_run_send(t, "send_subagent_input",
		               arena_printf(t->mem, "%.*s,\"input\":\"%s\"%.*s}", STR_ARG(child),
		                            some_input(t),
		                            STR_ARG(maybe(t, 60, "delivery",
		                                          str_from(PICK(&t->rng, deliveries))))),
		               some_key(t, false));
	else if (n < 70)
		crash_run_send(t, "wait_subagents",
		               arena_printf(t->mem,
		                            "{\"sessionId\":\"%.*s\",\"subagentIds\":[\"%.*s\"],"
		                            "\"timeoutMs\":%d}",
		                            STR_ARG(s->id), STR_ARG(id),
		                            (int)rng_range(&t->rng, 0, 5000)),
		               NULL);
	else if (n < 85)
		crash_run_send(t, "resume_subagent", arena_printf(t->mem, "%.*s}", STR_ARG(child)),
		               some_key(t, false));
	else
		crash_run_send(t, "close_subagent", arena_printf(t->mem, "%.*s}", STR_ARG(child)),
		               some_key(t, false));
}

/* ---- looking ---- */

static void look(struct crash_run *t, struct seen *s)
{
	static const char *const reads[] = { "list_tasks", "list_jobs", "list_subagents" };
	const struct state *w = invariant_state(s->log);

	if (rng_percent(&t->rng, 40))
		tell(t, "get_task", s, some_task_id(t, s), STR(""));
	else if (w->s->jobs.count && rng_percent(&t->rng, 40))
		crash_run_send(
			t, rng_percent(&t->rng, 50) ? "get_job" : "list_job_items",
			arena_printf(t->mem, "{\"sessionId\":\"%.*s\",\"jobId\":\"%.*s\"}",
		                     STR_ARG(s->id),
		                     STR_ARG(w->s->jobs.items[rng_below(&t->rng, w->s->jobs.count)]
		                                     ->record->job_id)),
			NULL);
	else
		crash_run_send(t, PICK(&t->rng, reads),
		               arena_printf(t->mem, "{\"sessionId\":\"%.*s\"}", STR_ARG(s->id)),
		               NULL);
}

void workload_task_step(struct crash_run *t)
{
	struct seen *s = some_session(t);
	uint64_t n = rng_below(&t->rng, 100);

	if (!s || n < 14)
		create_task(t);
	else if (n < 42)
		task_schedule_step(t, s);
	else if (n < 52)
		claim(t, s);
	else if (n < 68)
		report(t, s);
	else if (n < 82)
		job_run_step(t, s);
	else if (n < 95)
		agent_step(t, s);
	else
		look(t, s);
}
