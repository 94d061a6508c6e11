/*
 * trial run: tasks with configurations, as a durable job.
 *
 *   assigned ─► started ─► running ─► stopping ─► verifying ─► scored ─► exported ─► reported
 *
 * The job and its items are in the runtime; this program is the worker of the
 * items.  Each step asks first whether it was done: a run that was killed at any
 * point is continued by typing its command again.  A trial is started once, under an id
 * that follows from the plan, and one that has ended is not repeated.
 */
#include "app/cli/trial/trial_plan.h"
#include "app/cli/trial/trial_stop.h"
#include "app/cli/trial/trial_verbs.h"
#include "app/cli/trial/trial_verifier.h"
#include "app/cli/trial/trial_workspace.h"
#include "base/gen/words.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WORKER "thole-trial-run"
#define LEASE_MS 3600000
#define POLL_MS 100
#define LOOK_EVERY 20 /* polls between two questions why a trial still runs */
#define BEAT_EVERY 6000
#define STOP_POLLS 600 /* for what the agent left running to end */
#define CONCURRENCY_MAX 64
#define ATTEMPTS 3
#define HASHED_IDS "2" /* in plan.txt: the ids are TRIAL_IDS_HASHED */

enum stage { STAGE_FREE, STAGE_ASSIGNED, STAGE_RUNNING, STAGE_STOPPING, STAGE_VERIFYING };

struct slot {
	enum stage stage;
	int at; /* index of its item */
	const char *dir;
	int polls;
	struct trial_verifier verifier;
};

enum item_state { ITEM_PENDING, ITEM_HELD, ITEM_DONE, ITEM_FAILED };

struct run {
	struct cli *c;
	struct trial_plan plan;
	enum item_state *states;
	struct slot *slots;
	int slot_count;
	int failed;
	struct arena *kept, *scratch; /* replies of polls go to scratch: a run may take days */
};

static const struct trial_item *item_of(const struct run *r, const struct slot *s)
{
	return &r->plan.items[s->at];
}

static struct str item_id(const struct run *r, int at)
{
	return arena_printf(r->c->mem, "item_%.*s_%d",
	                    STR_ARG(str_skip(r->plan.job, strlen("job_"))), at);
}

static const char *in_slot(const struct run *r, const struct slot *s, const char *name)
{
	return arena_printf(r->c->mem, "%s/%s", s->dir, name).ptr;
}

static void begin_item(struct run *r, struct params *p, int at)
{
	params_begin(p);
	params_str(p, "sessionId", r->plan.session);
	params_str(p, "jobId", r->plan.job);
	params_str(p, "jobItemId", item_id(r, at));
	params_cstr(p, "workerId", WORKER);
}

/* ---- the trial ---- */

/* NONE: it was not started. */
static int find_row(struct run *r, const struct trial_item *i, struct json *ret)
{
	struct params p;
	struct json reply;
	int code;

	params_begin(&p);
	params_str(&p, "trialId", i->trial);
	code = connection_call(r->c, "list_benchmark_trials", &p, &reply);
	*ret = code ? (struct json){ 0 } : json_at(JSON_GET(reply, "trials"), 0);
	return code;
}

static void put_benchmark(struct run *r, struct params *p, const struct trial_item *i)
{
	struct cli *c = r->c;
	struct str variable =
		json_str(JSON_GET(i->configuration->members, "singleChangedVariable"));
	struct str job = str_from(strrchr(r->plan.place, '/') + 1);

	JW_KEY(&p->w, "benchmark");
	jw_obj(&p->w);
	JW_KSTR(&p->w, "datasetId", r->plan.dataset);
	JW_KSTR(&p->w, "datasetVersion", r->plan.version);
	JW_KSTR(&p->w, "taskId", i->task->id);
	JW_KSTR(&p->w, "trialId", i->trial);
	JW_KSTR(&p->w, "configurationId", i->configuration->id);
	JW_KSTR(&p->w, "role", i->configuration->role);
	JW_KSTR(&p->w, "harborJobRef", arena_printf(c->mem, "jobs/%.*s", STR_ARG(job)));
	JW_KSTR(&p->w, "harborTrialRef",
	        arena_printf(c->mem, "jobs/%.*s/%.*s", STR_ARG(job), STR_ARG(i->trial)));
	JW_KOPT(&p->w, "singleChangedVariable", variable);
	jw_obj_end(&p->w);
	JW_KEY(&p->w, "dataset");
	jw_obj(&p->w);
	JW_KSTR(&p->w, "selectionPolicy", STR("all"));
	JW_KSTR(&p->w, "contentHash", r->plan.version);
	JW_KINT(&p->w, "taskCount", r->plan.task_count);
	jw_obj_end(&p->w);
	JW_KEY(&p->w, "refs");
	jw_obj(&p->w);
	JW_KSTR(&p->w, "taskTomlRef", arena_printf(c->mem, "%s/task.toml", i->task->dir));
	jw_obj_end(&p->w);
}

static void put_configuration(struct params *p, const struct trial_item *i)
{
	static const char *const names[] = { "model", "fallback", "effort",
		                             "mode",  "profiles", "budgetUsd" };

	for (size_t n = 0; n < COUNT_OF(names); n++) {
		struct json v = json_get(i->configuration->members, str_from(names[n]));

		if (!json_is(v))
			continue;
		jw_key(&p->w, str_from(names[n]));
		jw_value(&p->w, v);
	}
}

static int start_trial(struct run *r, const struct slot *s)
{
	const struct trial_item *i = item_of(r, s);
	struct params p;
	struct json reply;

	params_begin(&p);
	put_benchmark(r, &p, i);
	put_configuration(&p, i);
	params_str(&p, "input", i->task->instruction);
	params_cstr(&p, "cwd", in_slot(r, s, "workspace"));
	params_str(&p, "title", i->trial);
	if (i->task->agent_s)
		params_int(&p, "timeoutSec", i->task->agent_s);
	params_str(&p, "idempotencyKey", i->trial);
	return connection_call(r->c, "start_benchmark_trial", &p, &reply);
}

static bool exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static int begin_trial(struct run *r, struct slot *s)
{
	struct json row;
	int code = find_row(r, item_of(r, s), &row);

	trial_workspace_sweep(r->c, s->dir);

	if (code)
		return code;
	s->stage = STAGE_RUNNING;
	if (json_is(row))
		return CODE_DONE;
	if (mkdir(s->dir, 0755) != 0 && errno != EEXIST) {
		out_error(r->c, "%s: %s.", out_safe(r->c->mem, str_from(s->dir)), strerror(errno));
		return CODE_FAILED;
	}
	if (!trial_workspace_make(r->c, s->dir, item_of(r, s)->task))
		return CODE_FAILED;
	return start_trial(r, s);
}

/* ---- waiting ---- */

/* A turn that a restart of the daemon interrupted is continued: its trial has not ended. */
static int look_why(struct run *r, struct json row)
{
	struct params p;
	struct json why;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", json_str(JSON_GET(row, "sessionId")));
	params_str(&p, "threadId", json_str(JSON_GET(row, "threadId")));
	code = connection_call(r->c, "explain_thread", &p, &why);
	if (code || !str_eq(json_str(JSON_GET(why, "waitingFor")), STR(WORD_WAIT_FOR_RESUME)))
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", json_str(JSON_GET(row, "sessionId")));
	params_str(&p, "threadId", json_str(JSON_GET(row, "threadId")));
	return connection_call(r->c, "resume_thread", &p, &why);
}

static int beat(struct run *r, const struct slot *s)
{
	struct params p;
	struct json reply;

	begin_item(r, &p, s->at);
	params_int(&p, "leaseMs", LEASE_MS);
	return connection_call(r->c, "heartbeat_job_item", &p, &reply);
}

static int end_item(struct run *r, struct slot *s, const char *why, struct json row);
static int finish_trial(struct run *r, struct slot *s);

static void use_scratch(struct run *r)
{
	r->c->mem = r->scratch;
}

static void end_scratch(struct run *r)
{
	r->c->mem = r->kept;
	arena_reset(r->scratch);
}

/* The copy of a workspace takes names of all its files. */
static bool refresh_workspace(struct run *r, struct slot *s)
{
	bool is_fresh;

	use_scratch(r);
	is_fresh = trial_workspace_refresh(r->c, s->dir);
	end_scratch(r);
	return is_fresh;
}

static int begin_verifier(struct run *r, struct slot *s)
{
	if (exists(in_slot(r, s, "verifier")))
		return finish_trial(r, s);
	if (!refresh_workspace(r, s))
		return end_item(r, s, "The workspace could not be copied for the verifier.",
		                (struct json){ 0 });
	if (!trial_verifier_start(r->c, item_of(r, s)->task, s->dir, &s->verifier))
		return CODE_SANDBOX;
	s->stage = STAGE_VERIFYING;
	return CODE_DONE;
}

static int poll_trial(struct run *r, struct slot *s, bool *ret_ended)
{
	struct json row;
	int code = find_row(r, item_of(r, s), &row);

	if (code)
		return code;
	if (!json_is(row)) {
		out_error(r->c, "%s is not listed.", out_safe(r->c->mem, item_of(r, s)->trial));
		return CODE_FAILED;
	}
	*ret_ended = !str_eq(json_str(JSON_GET(row, "status")), STR(WORD_STATUS_RUNNING));
	s->polls++;
	if (!*ret_ended && s->polls % BEAT_EVERY == 0)
		code = beat(r, s);
	return !code && !*ret_ended && s->polls % LOOK_EVERY == 0 ? look_why(r, row) : code;
}

static int wait_trial(struct run *r, struct slot *s)
{
	bool has_ended = false;
	int code;

	use_scratch(r);
	code = poll_trial(r, s, &has_ended);
	end_scratch(r);
	if (!code && has_ended) {
		s->stage = STAGE_STOPPING;
		s->polls = 0;
	}
	return code;
}

/* ---- what the agent left running ---- */

static int poll_rest(struct run *r, struct slot *s, bool *ret_gone)
{
	struct json row;
	int code = find_row(r, item_of(r, s), &row);

	return code ? code : trial_stop_rest(r->c, json_str(JSON_GET(row, "sessionId")), ret_gone);
}

static int wait_rest(struct run *r, struct slot *s)
{
	bool is_gone = false;
	int code;

	use_scratch(r);
	code = poll_rest(r, s, &is_gone);
	end_scratch(r);
	if (code)
		return code;
	if (is_gone)
		return begin_verifier(r, s);
	return ++s->polls < STOP_POLLS
	               ? CODE_DONE
	               : end_item(r, s, "Processes of the agent could not be stopped.",
	                          (struct json){ 0 });
}

/* ---- the score ---- */

/* The runtime keeps the first reward; a second attempt finds it there. */
static int send_score(struct run *r, struct slot *s, struct json row)
{
	const struct trial_item *i = item_of(r, s);
	struct trial_score_place at = {
		.place = in_slot(r, s, "verifier"),
		.session = json_str(JSON_GET(row, "sessionId")),
		.trial = i->trial,
		.verifier = arena_printf(r->c->mem, "sha256:%.*s", STR_ARG(i->task->tests)).ptr,
		.status = WORD_STATUS_COMPLETED,
	};
	struct json reply;

	return json_is(JSON_GET(row, "reward")) ? CODE_DONE : trial_score_send(r->c, &at, &reply);
}

static int finish_trial(struct run *r, struct slot *s)
{
	struct json row, reply;
	int code = find_row(r, item_of(r, s), &row);

	if (code)
		return code;
	if (send_score(r, s, row) != CODE_DONE) {
		trial_verifier_set_aside(r->c, in_slot(r, s, "verifier"));
		return end_item(r, s, "The verifier left no reward that can be recorded.", row);
	}
	code = find_row(r, item_of(r, s), &row);
	if (!code && !exists(in_slot(r, s, "export")))
		code = trial_export_to(r->c, row, in_slot(r, s, "export"), &reply);
	return code ? code : end_item(r, s, NULL, row);
}

/* ---- the item ---- */

static void put_result(struct run *r, struct params *p, struct json row)
{
	struct json value = JSON_GET(JSON_GET(row, "reward"), "value");

	JW_KEY(&p->w, "output");
	jw_obj(&p->w);
	JW_KSTR(&p->w, "trialId", json_str(JSON_GET(row, "trialId")));
	JW_KSTR(&p->w, "status", json_str(JSON_GET(row, "status")));
	JW_KEY(&p->w, "reward");
	jw_value(&p->w, value);
	jw_obj_end(&p->w);
	out_note(r->c, TONE_PLAIN, "%s  %s, reward %s", out_field(r->c, row, "trialId"),
	         out_field(r->c, row, "status"), out_safe(r->c->mem, json_text(r->c->mem, value)));
}

static void put_error(struct run *r, struct slot *s, struct params *p, const char *why)
{
	JW_KEY(&p->w, "error");
	jw_obj(&p->w);
	JW_KSTR(&p->w, "category", STR(WORD_ERROR_CATEGORY_VERIFIER_ERROR));
	JW_KSTR(&p->w, "message", str_from(why));
	jw_obj_end(&p->w);
	out_note(r->c, TONE_PLAIN, "%s  no score: %s", out_safe(r->c->mem, item_of(r, s)->trial),
	         why);
}

/* An item with attempts left is pending again; the runtime says which. */
static int read_items(struct run *r);

/* why: there is no score.  NULL: there is one. */
static int end_item(struct run *r, struct slot *s, const char *why, struct json row)
{
	struct params p;
	struct json reply;
	int code;

	trial_workspace_restore(r->c, s->dir);
	trial_workspace_sweep(r->c, s->dir);
	begin_item(r, &p, s->at);
	if (why)
		put_error(r, s, &p, why);
	else
		put_result(r, &p, row);
	params_key(r->c, &p);
	code = connection_call(r->c, "report_job_item", &p, &reply);
	if (!why)
		r->states[s->at] = ITEM_DONE;
	*s = (struct slot){ 0 };
	return code || !why ? code : read_items(r);
}

static enum item_state state_of(struct json item)
{
	struct str word = json_str(JSON_GET(item, "status"));

	return str_eq(word, STR(WORD_JOB_ITEM_STATUS_RUNNING)) ? ITEM_HELD
	       : str_eq(word, STR(WORD_JOB_ITEM_STATUS_REPORTED)) ||
	                       str_eq(word, STR(WORD_JOB_ITEM_STATUS_COMPLETED))
	               ? ITEM_DONE
	       : str_eq(word, STR(WORD_JOB_ITEM_STATUS_FAILED)) ? ITEM_FAILED
	                                                        : ITEM_PENDING;
}

static int read_pages(struct run *r)
{
	struct str cursor = STR_NONE;
	int at;

	do {
		struct params p;
		struct json reply, item;
		struct json_iter it;
		struct str key;
		int code;

		params_begin(&p);
		params_str(&p, "sessionId", r->plan.session);
		params_str(&p, "jobId", r->plan.job);
		params_int(&p, "limit", 256);
		params_str(&p, "cursor", cursor);
		code = connection_call(r->c, "list_job_items", &p, &reply);
		if (code)
			return code;
		it = json_iter(JSON_GET(reply, "items"));
		while (json_next(&it, &key, &item)) {
			at = (int)json_int(JSON_GET(item, "index"), -1);
			if (at >= 0 && at < r->plan.item_count)
				r->states[at] = state_of(item);
		}
		cursor = json_str(JSON_GET(reply, "nextCursor"));
	} while (cursor.len);
	return CODE_DONE;
}

static int read_items(struct run *r)
{
	int code;

	use_scratch(r);
	code = read_pages(r);
	end_scratch(r);
	return code;
}

static int assign(struct run *r, int at)
{
	struct params p;
	struct json reply;

	begin_item(r, &p, at);
	params_int(&p, "leaseMs", LEASE_MS);
	params_key(r->c, &p);
	return connection_call(r->c, "assign_job_item", &p, &reply);
}

static bool is_in_slot(const struct run *r, int at)
{
	for (int i = 0; i < r->slot_count; i++)
		if (r->slots[i].stage != STAGE_FREE && r->slots[i].at == at)
			return true;
	return false;
}

/* Items that an earlier run held come first: they are assigned already.  -1: there is none. */
static int next_item(const struct run *r, bool *ret_held)
{
	for (int held = 1; held >= 0; held--)
		for (int i = 0; i < r->plan.item_count; i++)
			if (r->states[i] == (held ? ITEM_HELD : ITEM_PENDING) &&
			    !is_in_slot(r, i)) {
				*ret_held = held;
				return i;
			}
	return -1;
}

static int fill_slot(struct run *r, struct slot *s)
{
	bool is_held;
	int at = next_item(r, &is_held);
	int code;

	if (at < 0)
		return CODE_DONE;
	code = is_held ? CODE_DONE : assign(r, at);
	if (code)
		return code;
	r->states[at] = ITEM_HELD;
	*s = (struct slot){ .stage = STAGE_ASSIGNED,
		            .at = at,
		            .dir = arena_printf(r->c->mem, "%s/%.*s", r->plan.place,
		                                STR_ARG(r->plan.items[at].trial))
		                           .ptr };
	return CODE_DONE;
}

static int wait_verifier(struct run *r, struct slot *s)
{
	const char *why;

	if (!trial_verifier_has_ended(r->c, &s->verifier, &why))
		return CODE_DONE;
	return why ? end_item(r, s, why, (struct json){ 0 }) : finish_trial(r, s);
}

static int advance(struct run *r, struct slot *s)
{
	switch (s->stage) {
	case STAGE_FREE:
		return fill_slot(r, s);
	case STAGE_ASSIGNED:
		return begin_trial(r, s);
	case STAGE_RUNNING:
		return wait_trial(r, s);
	case STAGE_STOPPING:
		return wait_rest(r, s);
	case STAGE_VERIFYING:
		return wait_verifier(r, s);
	}
	return CODE_DONE;
}

/* ---- the job ---- */

/*
 * One program works at a place; the lock goes with the program.  The file says which plan and
 * which ids the place has; without a number they are those of an earlier release.
 */
static int open_place(struct run *r)
{
	struct cli *c = r->c;
	const char *plan = arena_printf(c->mem, "%s/plan.txt", r->plan.place).ptr;
	const char *parent =
		arena_keep(c->mem, str_of(r->plan.place,
	                                  (size_t)(strrchr(r->plan.place, '/') - r->plan.place)))
			.ptr;
	struct str before, hash;
	bool is_plain;
	int fd, code;

	if ((mkdir(parent, 0755) != 0 && errno != EEXIST) ||
	    (mkdir(r->plan.place, 0755) != 0 && errno != EEXIST) ||
	    (fd = open(plan, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644)) < 0) {
		out_error(c, "%s: %s.", out_safe(c->mem, str_from(r->plan.place)), strerror(errno));
		return CODE_USAGE;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		out_error(c, "Another program runs the trials of %s.", r->plan.place);
		return CODE_FAILED;
	}
	before = str_trim(paths_read_fd(c->mem, fd, 4096));
	hash = str_cut(&before, ' ');
	if ((hash.len && !str_eq(hash, r->plan.hash)) ||
	    (str_is(before) && !str_eq(before, STR(HASHED_IDS))))
		return opt_usage(c,
		                 "%s has trials of other tasks or configurations; give -o "
		                 "another place.",
		                 r->plan.place);
	is_plain = hash.len && !str_is(before);
	code = trial_plan_add_items(c, &r->plan, is_plain ? TRIAL_IDS_PLAIN : TRIAL_IDS_HASHED);
	if (!code && !hash.len && dprintf(fd, "%.*s " HASHED_IDS "\n", STR_ARG(r->plan.hash)) < 0)
		return CODE_FAILED;
	return code;
}

static void put_items(struct run *r, struct params *p)
{
	JW_KEY(&p->w, "items");
	jw_arr(&p->w);
	for (int i = 0; i < r->plan.item_count; i++)
		jw_str(&p->w, r->plan.items[i].trial);
	jw_arr_end(&p->w);
}

static int open_job(struct run *r)
{
	struct cli *c = r->c;
	struct params p;
	struct json reply;
	int code = connection_open(c);

	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", r->plan.session);
	params_str(&p, "jobId", r->plan.job);
	params_cstr(&p, "cwd", r->plan.place);
	params_cstr(&p, "instruction", "Trials; thole trial run is the worker of the items.");
	params_int(&p, "concurrency", r->slot_count);
	params_int(&p, "maxAttempts", c->opts.has_attempts ? c->opts.attempts : ATTEMPTS);
	params_bool(&p, "start", false);
	put_items(r, &p);
	code = connection_try(c, "create_job", &p, true, &reply);
	if (code == THOLE_OK)
		out_note(c, TONE_DIM, "%d trials in %s", r->plan.item_count, r->plan.place);
	else if (code == THOLE_REFUSED &&
	         str_eq(json_str(JSON_GET(reply, "code")), STR("id_conflict")))
		out_note(c, TONE_DIM, "continuing %s", r->plan.place);
	else
		return cli_failure_print(c, code, reply);
	return read_items(r);
}

/* The job ends when it is started and no item is left. */
static int close_job(struct run *r)
{
	struct params p;
	struct json reply;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", r->plan.session);
	params_str(&p, "jobId", r->plan.job);
	code = connection_call(r->c, "get_job", &p, &reply);
	if (code || !str_eq(json_str(JSON_GET(JSON_GET(reply, "job"), "status")),
	                    STR(WORD_JOB_STATUS_PENDING)))
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", r->plan.session);
	params_str(&p, "jobId", r->plan.job);
	params_key(r->c, &p);
	return connection_call(r->c, "start_job", &p, &reply);
}

static bool is_over(const struct run *r)
{
	bool is_held;

	for (int i = 0; i < r->slot_count; i++)
		if (r->slots[i].stage != STAGE_FREE)
			return false;
	return next_item(r, &is_held) < 0;
}

static int work(struct run *r)
{
	struct timespec pause = { .tv_nsec = POLL_MS * 1000000l };
	int code = CODE_DONE;

	while (!code && !is_over(r)) {
		for (int i = 0; i < r->slot_count && !code; i++)
			code = advance(r, &r->slots[i]);
		nanosleep(&pause, NULL);
	}
	return code;
}

static void put_sums(struct run *r)
{
	int done = 0;

	for (int i = 0; i < r->plan.item_count; i++) {
		done += r->states[i] == ITEM_DONE;
		r->failed += r->states[i] == ITEM_FAILED;
	}
	printf("%d trials scored, %d without a score, in %s\n", done, r->failed, r->plan.place);
	if (r->plan.configuration_count == 2 && !r->failed)
		printf("  thole trial compare %.*s %.*s --dataset %.*s\n",
		       STR_ARG(r->plan.configurations[0].id), STR_ARG(r->plan.configurations[1].id),
		       STR_ARG(r->plan.dataset));
}

int trial_run(struct cli *c)
{
	struct run r = { .c = c,
		         .slot_count = c->opts.has_concurrency ? (int)c->opts.concurrency : 1 };
	int code;

	if (c->opts.has_concurrency &&
	    (c->opts.concurrency < 1 || c->opts.concurrency > CONCURRENCY_MAX))
		return opt_usage(c, "--concurrency is between 1 and %d.", CONCURRENCY_MAX);
	if (c->opts.host)
		return opt_usage(c,
		                 "Trials run on this machine: their workspaces and verifiers are "
		                 "here. Leave -H out.");
	code = trial_plan_read(c, &r.plan);
	code = code ? code : open_place(&r);
	if (code)
		return code;
	r.states = ARENA_ARRAY(c->mem, enum item_state, r.plan.item_count);
	r.slots = ARENA_ARRAY(c->mem, struct slot, r.slot_count);
	memset(r.slots, 0, sizeof *r.slots * (size_t)r.slot_count);
	r.kept = c->mem;
	r.scratch = arena_new();
	code = open_job(&r);
	code = code ? code : work(&r);
	code = code ? code : close_job(&r);
	arena_free(r.scratch);
	if (code)
		return code;
	put_sums(&r);
	return r.failed ? CODE_FAILED : CODE_DONE;
}
