#include "workload_int.h"

#include "base/json.h"
#include "base/jw.h"
#include "memory_blobs.h"

#include <stdio.h>
#include <stdlib.h>

struct str workload_script(void)
{
	static struct buf text;
	const char *root = getenv("THOLE_SOURCE");
	char path[4096];
	FILE *f;
	int c;

	if (text.len)
		return buf_str(&text);
	snprintf(path, sizeof path, "%s/tests/sim/crash.json", root ? root : ".");
	f = fopen(path, "rb");
	if (!f) {
		fprintf(stderr, "workload: %s cannot be opened; set THOLE_SOURCE\n", path);
		exit(2);
	}
	while ((c = fgetc(f)) != EOF)
		buf_add_char(&text, (char)c);
	fclose(f);
	return buf_str(&text);
}

/* ---- choosing ---- */

static const char *const inputs[] = {
	"plain",       "plain",       "think",        "think",       "slow",        "flood",
	"wall",        "empty",       "json",         "short",       "refuse",      "toolong",
	"unmeasured",  "busy",        "overload",     "later",       "bad",         "cut",
	"cut",         "silence",     "hesitate",     "use look",    "use write",   "use write",
	"use remove",  "use big",     "use quotes",   "use broken",  "use grumpy",  "use forever",
	"use patient", "use patient", "use stubborn", "use weather", "use nothing", "use garbage",
	"use wrongly", "use several", "use several",  "use asking",  "use asking",  "question",
	"form",        "rounds",      "use words",
};

const char *some_input(struct crash_run *t)
{
	return PICK(&t->rng, inputs);
}

struct seen *some_session(struct crash_run *t)
{
	return t->session_count ? t->sessions[rng_below(&t->rng, t->session_count)] : NULL;
}

const struct st_thread *some_thread(struct crash_run *t, struct seen *s)
{
	const struct state *w = invariant_state(s->log);

	return w->s->threads.count ? w->s->threads.items[rng_below(&t->rng, w->s->threads.count)]
	                           : NULL;
}

const char *some_key(struct crash_run *t, bool may_be_old)
{
	if (rng_percent(&t->rng, 40))
		return NULL;
	return arena_printf(t->mem, "key-%llu",
	                    (unsigned long long)rng_below(&t->rng, may_be_old ? 20 : 1000000))
	        .ptr;
}

/* ---- submitting ---- */

static void put_str(struct json_writer *w, const char *key, struct str value)
{
	jw_kopt(w, str_from(key), value);
}

static struct str some_text(struct crash_run *t)
{
	struct buf b = { 0 };
	struct str kept;

	buf_add_c(&b, some_input(t));
	if (rng_percent(&t->rng, 5))
		for (int i = rng_range(&t->rng, 10, 4000); i > 0; i--)
			buf_add_c(&b, " über");
	kept = arena_keep(t->mem, buf_str(&b));
	buf_done(&b);
	return kept;
}

static void put_input(struct crash_run *t, struct json_writer *w)
{
	JW_KEY(w, "input");
	if (rng_percent(&t->rng, 60)) {
		jw_str(w, rng_percent(&t->rng, 2) ? STR("  ") : some_text(t));
		return;
	}
	jw_arr(w);
	for (int i = rng_range(&t->rng, 1, 2); i > 0; i--) {
		jw_obj(w);
		JW_KSTR(w, "type", rng_percent(&t->rng, 3) ? STR("image") : STR("text"));
		JW_KSTR(w, "text", some_text(t));
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

static void put_place(struct crash_run *t, struct json_writer *w)
{
	struct seen *s = some_session(t);
	const struct st_thread *th;

	if (!s || rng_percent(&t->rng, 12)) {
		/* one of a few, so that it is made twice at the same time now and then */
		if (rng_percent(&t->rng, 60))
			put_str(w, "sessionId",
			        arena_printf(t->mem, "mine-%d", (int)rng_below(&t->rng, 4)));
		if (rng_percent(&t->rng, 10))
			put_str(w, "threadId",
			        arena_printf(t->mem, "thread-%d", (int)rng_below(&t->rng, 4)));
		return;
	}
	put_str(w, "sessionId", s->id);
	th = some_thread(t, s);
	if (rng_percent(&t->rng, 5))
		put_str(w, "threadId",
		        arena_printf(t->mem, "thread-%d", (int)rng_below(&t->rng, 4)));
	else if (th && rng_percent(&t->rng, 30))
		put_str(w, "threadId", th->thread_id);
}

static struct str some_turn_id(struct crash_run *t)
{
	if (rng_percent(&t->rng, 50))
		return STR_NONE;
	return arena_printf(t->mem, "turn-%d",
	                    (int)rng_below(&t->rng, rng_percent(&t->rng, 20) ? 8 : 100000));
}

/* A turn without a model. */
static void put_call(struct crash_run *t, struct json_writer *w)
{
	static const char *const calls[] = {
		"{\"tool\":\"look\",\"arguments\":{\"at\":\"it\"}}",
		"{\"tool\":\"look\",\"arguments\":{\"at\":7}}",
		"{\"tool\":\"peek\",\"arguments\":{\"at\":\"it\"}}",
		"{\"tool\":\"patient_look\"}",
		"{\"tool\":\"write\",\"arguments\":{\"text\":\"words\"}}",
		"{\"tool\":\"missing\"}",
	};

	JW_KEY(w, "call");
	jw_raw(w, str_from(PICK(&t->rng, calls)));
}

static void submit(struct crash_run *t)
{
	static const char *const deliveries[] = { "queue", "queue",     "steer",
		                                  "steer", "interrupt", "reject" };
	struct buf b = { 0 };
	struct json_writer w;

	jw_init(&w, &b);
	jw_obj(&w);
	put_place(t, &w);
	put_str(&w, "turnId", some_turn_id(t));
	put_input(t, &w);
	if (rng_percent(&t->rng, 65))
		put_str(&w, "delivery", str_from(PICK(&t->rng, deliveries)));
	if (rng_percent(&t->rng, 5))
		put_str(&w, "create", STR("never"));
	if (rng_percent(&t->rng, 8))
		put_call(t, &w);
	if (rng_percent(&t->rng, 8)) {
		JW_KEY(&w, "budgetUsd");
		jw_real(&w, rng_percent(&t->rng, 30)   ? 0.000001
		            : rng_percent(&t->rng, 50) ? 0.06
		                                       : 5.0);
	}
	if (rng_percent(&t->rng, 4))
		put_str(&w, "model",
		        rng_percent(&t->rng, 50) ? STR("missing/model")
		                                 : STR("scripted/slow_store"));
	if (rng_percent(&t->rng, 4)) {
		JW_KEY(&w, "outputSchema");
		jw_raw(&w, STR("{\"type\":\"object\"}"));
	}
	if (rng_percent(&t->rng, 4)) {
		JW_KEY(&w, "metadata");
		jw_raw(&w, STR("{\"ticket\":7,\"tags\":[\"a\",\"b\"]}"));
	}
	if (rng_percent(&t->rng, 3))
		put_str(&w, "expectedTurnId", STR("turn-1"));
	jw_obj_end(&w);
	crash_run_send(t, "submit_turn", buf_str(&b), some_key(t, rng_percent(&t->rng, 15)));
	buf_done(&b);
}

/* ---- answering ---- */

static const struct st_action *some_action(struct crash_run *t, struct seen **ret)
{
	const struct st_action *found = NULL;
	unsigned seen = 0;

	/* Pending ones more often than others, all sessions alike. */
	for (size_t i = 0; i < t->session_count; i++) {
		const struct state *w = invariant_state(t->sessions[i]->log);

		for (uint32_t n = 0; n < w->s->threads.count; n++) {
			const struct st_thread *th = w->s->threads.items[n];

			for (uint32_t k = 0; k < th->actions.count; k++) {
				unsigned weight = action_is_pending(th->actions.items[k]) ? 12 : 1;

				seen += weight;
				if (rng_below(&t->rng, seen) < weight) {
					found = th->actions.items[k];
					*ret = t->sessions[i];
				}
			}
		}
	}
	return found;
}

static void put_decision(struct crash_run *t, struct json_writer *w, const struct st_action *a)
{
	static const char *const scopes[] = { "once", "turn", "session", "forever" };
	bool is_permission = a->action_type == ACTION_TYPE_TOOL_PERMISSION;

	if (rng_percent(&t->rng, 8)) { /* of the other kind */
		put_str(w, "decision", is_permission ? STR("answer") : STR("allow"));
		return;
	}
	if (is_permission && rng_percent(&t->rng, 70)) {
		put_str(w, "decision", STR("allow"));
		if (rng_percent(&t->rng, 30))
			put_str(w, "scope", str_from(PICK(&t->rng, scopes)));
		if (rng_percent(&t->rng, 15)) {
			JW_KEY(w, "input");
			jw_raw(w, rng_percent(&t->rng, 70) ? STR("{\"text\":\"edited\"}")
			                                   : STR("{\"text\":[]}"));
		}
		return;
	}
	if (is_permission) {
		put_str(w, "decision", STR("deny"));
		if (rng_percent(&t->rng, 30))
			put_str(w, "reason", STR("not today"));
		return;
	}
	if (rng_percent(&t->rng, 25)) {
		put_str(w, "decision", STR("decline"));
		return;
	}
	put_str(w, "decision", STR("answer"));
	if (rng_percent(&t->rng, 90)) {
		JW_KEY(w, "payload");
		jw_raw(w, rng_percent(&t->rng, 45)   ? STR("{\"answer\":\"up\"}")
		          : rng_percent(&t->rng, 80) ? STR("{\"count\":3}")
		                                     : STR("{\"answer\":17}"));
	}
}

static void respond(struct crash_run *t)
{
	struct seen *s = NULL;
	const struct st_action *a = some_action(t, &s);
	struct buf b = { 0 };
	struct json_writer w;

	if (!a)
		return;
	jw_init(&w, &b);
	jw_obj(&w);
	put_str(&w, "sessionId", s->id);
	put_str(&w, "actionId", rng_percent(&t->rng, 3) ? STR("act_unheard_of") : a->action_id);
	put_decision(t, &w, a);
	jw_obj_end(&w);
	crash_run_send(t, "respond_action", buf_str(&b), some_key(t, false));
	buf_done(&b);
}

/* ---- the rest ---- */

static void interrupt(struct crash_run *t)
{
	static const char *const policies[] = { "keep", "continue", "clear" };
	struct seen *s = some_session(t);
	const struct st_thread *th = s ? some_thread(t, s) : NULL;
	struct buf b = { 0 };
	struct json_writer w;

	if (!s)
		return;
	jw_init(&w, &b);
	jw_obj(&w);
	put_str(&w, "sessionId", s->id);
	if (th && rng_percent(&t->rng, 30))
		put_str(&w, "threadId", th->thread_id);
	else if (th && th->turns.count && rng_percent(&t->rng, 50))
		put_str(&w, "turnId",
		        th->turns.items[rng_below(&t->rng, th->turns.count)]->turn_id);
	if (rng_percent(&t->rng, 70))
		put_str(&w, "queuePolicy", str_from(PICK(&t->rng, policies)));
	if (rng_percent(&t->rng, 6))
		put_str(&w, "expectedTurnId", STR("turn-3"));
	jw_obj_end(&w);
	crash_run_send(t, "interrupt_turn", buf_str(&b), some_key(t, false));
	buf_done(&b);
}

static void resume(struct crash_run *t)
{
	struct seen *s = some_session(t);

	if (s)
		crash_run_send(t, "resume_thread",
		               arena_printf(t->mem, "{\"sessionId\":\"%.*s\"}", STR_ARG(s->id)),
		               some_key(t, false));
}

static void shuffle_queue(struct crash_run *t)
{
	static const char *const commands[] = { "promote_queued_turn", "move_queued_turn",
		                                "remove_queued_turn" };
	const char *command = PICK(&t->rng, commands);
	struct seen *s = some_session(t);
	const struct st_thread *th = s ? some_thread(t, s) : NULL;
	struct buf b = { 0 };
	struct json_writer w;

	if (!th || (!th->order.count && rng_percent(&t->rng, 90)))
		return;
	jw_init(&w, &b);
	jw_obj(&w);
	put_str(&w, "sessionId", s->id);
	put_str(&w, "queuedTurnId",
	        th->order.count ? th->order.items[rng_below(&t->rng, th->order.count)]
	                        : STR("turn-7"));
	if (strcmp(command, "move_queued_turn") == 0)
		JW_KINT(&w, "position", rng_range(&t->rng, 0, th->order.count + 1));
	jw_obj_end(&w);
	crash_run_send(t, command, buf_str(&b), some_key(t, false));
	buf_done(&b);
}

static void administer(struct crash_run *t)
{
	struct seen *s = some_session(t);

	if (rng_percent(&t->rng, 30))
		crash_run_send(
			t, "create_session",
			rng_percent(&t->rng, 50)
				? arena_printf(t->mem,
		                               "{\"sessionId\":\"mine-%d\",\"title\":\"made\"}",
		                               (int)rng_below(&t->rng, 4))
				: STR("{\"title\":\"made\"}"),
			some_key(t, false));
	else if (s)
		crash_run_send(t, "update_session",
		               arena_printf(t->mem, "{\"sessionId\":\"%.*s\",%s}", STR_ARG(s->id),
		                            rng_percent(&t->rng, 50)
		                                    ? "\"title\":\"renamed\""
		                                    : "\"archived\":true,\"cwd\":\"/elsewhere\""),
		               some_key(t, false));
}

/* Trims most of a session's log, or some of it, or more than there is. */
static void trim(struct crash_run *t)
{
	struct seen *s = some_session(t);

	if (s)
		crash_run_send(
			t, "trim_log",
			arena_printf(t->mem, "{\"sessionId\":\"%.*s\",\"%s\":%llu}", STR_ARG(s->id),
		                     rng_percent(&t->rng, 50) ? "through" : "keep",
		                     (unsigned long long)rng_below(&t->rng,
		                                                   invariant_count(s->log) + 5)),
			some_key(t, false));
}

/* Refused while something runs or waits in it. */
static void delete (struct crash_run *t)
{
	struct seen *s = some_session(t);

	if (s)
		crash_run_send(t, "delete_session",
		               arena_printf(t->mem, "{\"sessionId\":\"%.*s\"}", STR_ARG(s->id)),
		               some_key(t, false));
}

static void look(struct crash_run *t)
{
	static const char *const reads[] = { "get_session",  "get_thread_read",   "explain_thread",
		                             "list_queue",   "list_actions",      "list_tasks",
		                             "list_threads", "list_sessions",     "list_events",
		                             "verify_log",   "get_tool_inventory" };
	struct seen *s = some_session(t);
	const char *command = PICK(&t->rng, reads);

	if (s)
		crash_run_send(
			t, command,
			strcmp(command, "list_sessions") == 0
				? STR("{}")
				: arena_printf(t->mem, "{\"sessionId\":\"%.*s\"}", STR_ARG(s->id)),
			NULL);
}

static bool has_name(const struct sent *n)
{
	return str_is(n->key) || (strcmp(n->command, "submit_turn") == 0 &&
	                          str_find(n->params, STR("\"turnId\":\"turn-")) >= 0);
}

static void read_along(struct crash_run *t)
{
	struct seen *s = some_session(t);

	if (s && rng_percent(&t->rng, 60))
		crash_run_read(t, s, rng_below(&t->rng, invariant_count(s->log) + 1));
	else
		crash_run_resume_readers(t);
}

static void forget_one(struct crash_run *t)
{
	if (t->sent_count)
		crash_run_forget(t, t->sent[t->sent_count - 1]);
}

/* The client did not hear the answer, or thinks so. */
static void repeat(struct crash_run *t)
{
	for (int i = 0; i < 8 && t->sent_count; i++) {
		const struct sent *n = t->sent[rng_below(&t->rng, t->sent_count)];

		if (!command_classes[catalog_command_find(str_from(n->command))].mutates ||
		    !has_name(n))
			continue;
		/* Another command may have taken the same key since, or before. */
		for (size_t k = 0; k < t->sent_count; k++) {
			const struct sent *o = t->sent[k];

			if (o->command == n->command && str_is(o->key) && str_eq(o->key, n->key) &&
			    !o->code && o->is_answered) {
				n = o;
				break;
			}
		}
		crash_run_repeat(t, n->repeats ? n->repeats : n);
		return;
	}
}

static void pass_time(struct crash_run *t)
{
	uint64_t n = rng_below(&t->rng, 100);

	if (n < 60) {
		crash_run_turn(t, (unsigned)rng_range(&t->rng, 1, 4));
	} else if (n < 80) {
		for (int64_t i = rng_range(&t->rng, 1, 8); i > 0 && crash_run_lives(t); i--) {
			sim_advance(t->sim, 500);
			crash_run_turn(t, 2);
		}
	} else if (n < 92) {
		crash_run_settle(t);
	} else if (n < 97) {
		crash_run_run(t, rng_range(&t->rng, 10, 3000));
	} else if (n < 98) {
		crash_run_leap(t, rng_range(&t->rng, 1000, 700000));
	} else if (n < 99) {
		sim_set_wall(t->sim, rng_range(&t->rng, -90000, 90000));
	} else {
		crash_run_settle(t);
		crash_run_compare(t);
	}
}

void workload_step(struct crash_run *t)
{
	uint64_t n = rng_below(&t->rng, 100);

	if (!crash_run_lives(t))
		return;
	if (rng_percent(&t->rng, t->o.work_percent))
		workload_task_step(t);
	else if (n < 30)
		submit(t);
	else if (n < 52)
		respond(t);
	else if (n < 59)
		interrupt(t);
	else if (n < 66)
		resume(t);
	else if (n < 73)
		shuffle_queue(t);
	else if (n < 76)
		administer(t);
	else if (n < 77)
		trim(t);
	else if (n < 78)
		delete (t);
	else if (n < 82)
		look(t);
	else if (n < 85)
		read_along(t);
	else if (n < 87)
		crash_run_channel(t, (unsigned)rng_below(&t->rng, CRASH_RUN_CHANNELS),
		                  rng_percent(&t->rng, 70), rng_percent(&t->rng, 60));
	else if (n < 88)
		forget_one(t);
	else if (n < 94)
		repeat(t);
	else
		crash_run_run(t, rng_range(&t->rng, 50, 1500));
	if (rng_percent(&t->rng, 85))
		pass_time(t);
}

struct crash_run_process workload_run(struct crash_run *t)
{
	static const int64_t snapshots[] = { 7, 30, 100, 1000 };
	static const int64_t evictions[] = { 1000, 20000, 300000 };
	struct crash_run_process r = {
		.resume_by_itself = rng_percent(&t->rng, 25),
		.unattended = rng_percent(&t->rng, 6),
		.snapshot_events = PICK(&t->rng, snapshots),
		.idle_evict_ms = PICK(&t->rng, evictions),
		.down_ms = rng_range(&t->rng, 0, 2000),
	};
	static const enum permission_mode modes[] = { PERMISSION_MODE_PLAN, PERMISSION_MODE_BYPASS,
		                                      PERMISSION_MODE_UNTRUSTED,
		                                      PERMISSION_MODE_NEVER };

	r.retain_events = rng_percent(&t->rng, 12) ? rng_range(&t->rng, 20, 150) : 0;
	r.tasks = rng_percent(&t->rng, 60) ? rng_range(&t->rng, 1, 2) : 0;
	r.tracing = rng_percent(&t->rng, 25);
	r.mode = rng_percent(&t->rng, 12) ? PICK(&t->rng, modes) : PERMISSION_MODE_DEFAULT;
	unsigned how_long = (unsigned)rng_below(&t->rng, 100);

	if (how_long < 10)
		r.down_ms = rng_range(&t->rng, 0, 1500000);
	else if (how_long < 14)
		r.down_ms = -rng_range(&t->rng, 0, 100000);
	return r;
}

/* Inside an operation of the disk, soon or late, or between two turns of the wheel. */
static void plan_cut(struct crash_run *t)
{
	static const enum disk_op ops[] = { DISK_SYNC, DISK_SYNC, DISK_WRITE, DISK_ANY_OP };
	struct disk_plan p = { .fault = rng_percent(&t->rng, 70) ? DISK_CUT : DISK_CUT_AFTER,
		               .on = PICK(&t->rng, ops),
		               .keep = DISK_KEEP_SEED };

	if (rng_percent(&t->rng, 35))
		return;
	p.at = (uint64_t)rng_range(&t->rng, 1,
	                           t->o.is_brief              ? 25
	                           : rng_percent(&t->rng, 50) ? 60
	                                                      : 300);
	if (p.on != DISK_SYNC)
		p.at *= 6;
	disk_plan(t->disk, &p);
}

/* The disk fills up, and some time later there is room again. */
static void fill_disk(struct crash_run *t)
{
	disk_plan(t->disk, &(struct disk_plan){ .fault = DISK_FULL,
	                                        .on = DISK_WRITE,
	                                        .at = (uint64_t)rng_range(&t->rng, 1, 200) });
	t->o.may_be_full = true;
	for (int64_t i = rng_range(&t->rng, 1, 25); i > 0 && crash_run_lives(t); i--)
		workload_step(t);
	disk_plan(t->disk, &(struct disk_plan){ 0 });
	disk_make_room(t->disk);
	crash_run_settle(t);
	if (t->sim && sim_fatal(t->sim) && disk_cuts(t->disk) == t->cuts)
		crash_run_fail(t, "a full disk ended the process: %s", sim_fatal(t->sim)->message);
}

/* One run, until a power cut, a kill, or an orderly end. */
static void work_and_end(struct crash_run *t, int64_t least, int64_t most)
{
	struct crash_run_process run = workload_run(t);

	plan_cut(t);
	memory_blobs_break(t->memory_blobs, rng_percent(&t->rng, 4));
	if (crash_run_start(t, &run))
		for (int64_t i = rng_range(&t->rng, least, most); i > 0 && crash_run_lives(t); i--)
			workload_step(t);
	if (crash_run_lives(t) && rng_percent(&t->rng, 10))
		fill_disk(t);
	disk_plan(t->disk, &(struct disk_plan){ 0 });
	if (crash_run_lives(t) && rng_percent(&t->rng, 12))
		crash_run_stop(t);
	else
		crash_run_cut(t, DISK_KEEP_SEED);
}

/* The last but one: everything comes to its end. */
static bool finish(struct crash_run *t)
{
	struct crash_run_process run = workload_run(t);

	memory_blobs_break(t->memory_blobs, false);
	run.unattended = false;
	if (crash_run_start(t, &run))
		crash_run_finish(t);
	return crash_run_lives(t);
}

void workload_brief(struct crash_run *t)
{
	work_and_end(t, 2, 10);
	if (!crash_run_why(t) && finish(t))
		crash_run_stop(t);
}

void workload_trial(struct crash_run *t)
{
	struct crash_run_process run;

	for (int64_t runs = rng_range(&t->rng, 1, 4); runs > 0 && !crash_run_why(t); runs--)
		work_and_end(t, 5, 70);
	if (crash_run_why(t) || !finish(t))
		return;
	if (rng_percent(&t->rng, 20))
		crash_run_read_outputs(t);
	if (!crash_run_lives(t))
		return;
	crash_run_stop(t);
	run = workload_run(t);
	if (crash_run_start(t, &run))
		crash_run_stop(t);
}
