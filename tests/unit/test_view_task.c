/* Tasks, child agents and jobs. */
#include "core/fold_part.h"
#include "test_view_fixture.h"

/* ---- tasks ---- */

TEST(an_open_attempt_shares_the_status_of_its_task_in_the_words_it_has)
{
	static const struct {
		enum task_status task;
		const char *attempt, *native;
	} cases[] = {
		{ TASK_STATUS_RUNNING, "running", NULL },
		{ TASK_STATUS_WAITING_INPUT, "blocked", "waiting_input" },
		{ TASK_STATUS_WAITING_PERMISSION, "blocked", "waiting_permission" },
		{ TASK_STATUS_WAITING_RESOURCE, "blocked", "waiting_resource" },
		{ TASK_STATUS_PAUSED, "blocked", "paused" },
		{ TASK_STATUS_BLOCKED, "blocked", NULL },
		{ TASK_STATUS_CANCELLING, "running", "cancelling" },
		{ TASK_STATUS_LOST, "unknown", "lost" },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		HAND;
		struct st_task *t = add_task(&h, "task_1", cases[i].task);
		struct rec_task_attempt *a =
			rec_list_add(h.state->mem, &t->attempts, &rec_task_attempt_desc);
		struct json v;

		a->run_id = STR("run_1");
		a->attempt_id = STR("att_1");
		a->status = ATTEMPT_STATUS_RUNNING;
		v = VIEW(h.mem, view_task(w, h.state, t));
		CHECK_SAME(STR_AT(v, "attempts/0/status"), str_from(cases[i].attempt));
		CHECK_SAME(STR_AT(v, "attempts/0/nativeStatus"), str_from(cases[i].native));
	}
}

TEST(an_attempt_that_has_ended_keeps_its_own_status)
{
	HAND;
	struct st_task *t = add_task(&h, "task_1", TASK_STATUS_WAITING_PERMISSION);
	struct rec_task_attempt *a =
		rec_list_add(h.state->mem, &t->attempts, &rec_task_attempt_desc);
	struct json v;

	a->run_id = STR("run_0");
	a->attempt_id = STR("att_0");
	a->status = ATTEMPT_STATUS_FAILED;
	a->ended_at = NOON;
	v = VIEW(h.mem, view_task(w, h.state, t));
	CHECK_STR(STR_AT(v, "attempts/0/status"), "failed");
	CHECK(!json_is(at(v, "attempts/0/nativeStatus")));
}

static void check_has_fields(struct json v, const struct rec_desc *d)
{
	for (uint32_t i = 0; i < d->count; i++)
		if (!json_is(json_get(v, field_name(&d->fields[i]))))
			t_fail(__FILE__, __LINE__, "%s: %.*s is not shown", d->name,
			       STR_ARG(field_name(&d->fields[i])));
}

TEST(no_field_of_a_task_or_an_attempt_is_left_out)
{
	HAND;
	struct st_task *t = add_task(&h, "task_1", TASK_STATUS_RUNNING);
	struct json v;

	t->record = sample(h.mem, &rec_task_desc);
	rec_keep(h.state->mem, &rec_task_attempt_desc,
	         rec_list_add(h.state->mem, &t->attempts, &rec_task_attempt_desc),
	         sample(h.mem, &rec_task_attempt_desc));
	v = VIEW(h.mem, view_task(w, h.state, t));
	check_has_fields(v, &rec_task_desc);
	check_has_fields(at(v, "attempts/0"), &rec_task_attempt_desc);
	CHECK_INT(json_count(v), rec_task_desc.count);
}

TEST(the_progress_of_a_task_names_the_newest_step_of_its_active_turn)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_ACTING, STATUS_RUNNING);
	struct st_task *task = add_task(&h, "task_1", TASK_STATUS_RUNNING);
	struct st_step *step;
	struct json v = VIEW(h.mem, view_task(w, h.state, task));

	CHECK(!json_is(at(v, "progress/currentStepId")));
	for (int i = 1; i <= 2; i++) {
		step = rec_list_add(h.state->mem, &t->steps, &st_step_desc);
		step->step_id = i == 1 ? STR("step_1") : STR("step_2");
	}
	v = VIEW(h.mem, view_task(w, h.state, task));
	CHECK_STR(STR_AT(v, "progress/currentStepId"), "step_2");
	t->task_id = STR("task_other");
	v = VIEW(h.mem, view_task(w, h.state, task));
	CHECK(!json_is(at(v, "progress/currentStepId")));
}

TEST(a_waiting_task_names_its_blocker)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_ACTING, STATUS_WAITING_PERMISSION);
	struct st_task *task = add_task(&h, "task_1", TASK_STATUS_WAITING_PERMISSION);
	struct json v;

	add_action(&h, t, "act_1", ACTION_TYPE_TOOL_PERMISSION);
	add_action(&h, t, "act_2", ACTION_TYPE_TOOL_PERMISSION);
	v = VIEW(h.mem, view_blocked_tasks(w, h.state, STR_NONE));
	CHECK_INT(json_count(v), 1);
	CHECK_STR(STR_AT(v, "0/blocker/kind"), "action");
	CHECK_STR(STR_AT(v, "0/blocker/actionId"), "act_1");
	CHECK_STR(STR_AT(v, "0/since"), NOON_TEXT);
	CHECK_STR(STR_AT(v, "0/requiredActionIds/1"), "act_2");
	CHECK_INT(json_count(VIEW(h.mem, view_blocked_tasks(w, h.state, STR("thr_2")))), 0);
	task->record->status = TASK_STATUS_RUNNING;
	CHECK_INT(json_count(VIEW(h.mem, view_blocked_tasks(w, h.state, STR_NONE))), 0);
}

TEST(a_lost_task_is_blocked_until_its_turn_is_given_up)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_LOST, STATUS_LOST);
	struct json v;

	add_task(&h, "task_1", TASK_STATUS_LOST);
	v = VIEW(h.mem, view_tasks(w, h.state));
	CHECK_STR(STR_AT(v, "blockedTasks/0/blocker/kind"), "run");
	CHECK_STR(STR_AT(v, "blockedTasks/0/blocker/status"), "lost");
	CHECK_INT(INT_AT(v, "taskSummary/lost"), 1);
	CHECK_INT(INT_AT(v, "taskSummary/active"), 0);
	CHECK_INT(INT_AT(v, "taskSummary/terminal"), 0);
	CHECK_STR(STR_AT(v, "tasks/0/relationships/0/status"), "active");
	t->stage = TURN_STAGE_ENDED;
	v = VIEW(h.mem, view_tasks(w, h.state));
	CHECK_INT(json_count(at(v, "blockedTasks")), 0);
	CHECK_INT(INT_AT(v, "taskSummary/terminal"), 1);
	CHECK_STR(STR_AT(v, "taskSummary/recentTerminal/0"), "task_1");
	CHECK_STR(STR_AT(v, "tasks/0/relationships/0/status"), "ended");
}

TEST(a_task_can_be_shown_in_a_world_that_knows_nothing_else)
{
	HAND;
	struct st_task *t = add_task(&h, "task_1", TASK_STATUS_LOST);
	struct state alone = { .mem = h.mem, .s = ARENA_NEW(h.mem, struct st_session) };
	struct json v = VIEW(h.mem, view_task(w, &alone, t));

	CHECK_STR(STR_AT(v, "status"), "lost");
	CHECK_STR(STR_AT(v, "relationships/0/status"), "active");
}

TEST(edges_between_tasks_are_the_graph_and_the_thread_is_not)
{
	HAND;
	struct st_task *t = add_task(&h, "task_2", TASK_STATUS_BLOCKED);
	struct rec_task_relationship *edge =
		rec_list_add(h.state->mem, &t->record->relationships, &rec_task_relationship_desc);
	struct json v;

	edge->kind = EDGE_KIND_BLOCKED_BY;
	edge->target_id = STR("task_1");
	edge->status = EDGE_STATUS_ACTIVE;
	v = VIEW(h.mem, view_tasks(w, h.state));
	CHECK_INT(json_count(at(v, "taskGraph/edges")), 1);
	CHECK_STR(STR_AT(v, "taskGraph/edges/0/sourceId"), "task_2");
	CHECK_STR(STR_AT(v, "blockedTasks/0/blocker/taskId"), "task_1");
	CHECK_INT(json_count(at(v, "tasks/0/relationships")), 2);
	edge->status = EDGE_STATUS_SATISFIED;
	v = VIEW(h.mem, view_tasks(w, h.state));
	CHECK_STR(STR_AT(v, "blockedTasks/0/blocker/kind"), "resource");
}

/* ---- child agents and jobs ---- */

static struct st_job *add_job(struct hand *h)
{
	struct st_job *j = rec_list_add(h->state->mem, &h->state->s->jobs, &st_job_desc);

	j->record = sample(h->mem, &rec_job_desc);
	j->record->status = JOB_STATUS_RUNNING;
	j->record->max_attempts = 2;
	j->record->assigned_thread_ids = (struct list_str){ 0 };
	rec_list_str_add(h->state->mem, &j->record->assigned_thread_ids, h->th->thread_id);
	return j;
}

/* SNP-11 */
TEST(children_and_jobs_name_their_threads_until_they_are_over)
{
	HAND;
	struct st_subagent *s =
		rec_list_add(h.state->mem, &h.state->s->subagents, &st_subagent_desc);
	struct st_job *j = add_job(&h);
	struct rec_subagent_job_section record;
	struct json v;

	s->record = sample(h.mem, &rec_subagent_desc);
	s->record->status = SUBAGENT_STATUS_RUNNING;
	s->record->thread_id = STR("thr_child");
	v = VIEW(h.mem, view_subagents_and_jobs(w, h.state));
	CHECK_OK(rec_read(h.mem, v, &rec_subagent_job_section_desc, REC_TRUSTED, &record, &e), &e);
	CHECK_INT(json_count(at(v, "subagents")), 1);
	CHECK_INT(json_count(at(v, "jobs")), 1);
	CHECK_STR(STR_AT(v, "assignedThreadIds/0"), "thr_child");
	CHECK_SAME(STR_AT(v, "assignedThreadIds/1"), h.th->thread_id);
	CHECK(json_bool(at(v, "recoverable"), false));
	CHECK_INT(INT_AT(v, "sequence"), h.state->s->sequence);
	s->record->status = SUBAGENT_STATUS_CLOSED;
	j->record->status = JOB_STATUS_COMPLETED;
	v = VIEW(h.mem, view_subagents_and_jobs(w, h.state));
	CHECK_INT(json_count(at(v, "subagents")), 1);
	CHECK_INT(json_count(at(v, "assignedThreadIds")), 0);
}

TEST(a_thread_shows_the_children_it_made_and_the_jobs_that_are_its_own)
{
	HAND;
	struct st_thread *other = rec_list_add(h.state->mem, &h.state->s->threads, &st_thread_desc);
	struct st_subagent *s =
		rec_list_add(h.state->mem, &h.state->s->subagents, &st_subagent_desc);
	struct st_job *j = add_job(&h);
	struct st_task *t = add_task(&h, "task_1", TASK_STATUS_RUNNING);
	struct json v;

	other->thread_id = STR("thr_child");
	s->record = sample(h.mem, &rec_subagent_desc);
	s->record->parent_thread_id = h.th->thread_id;
	s->record->thread_id = other->thread_id;
	j->record->task_id = t->record->task_id;
	CHECK_INT(json_count(at(THREAD(h), "subagents")), 1);
	CHECK_INT(json_count(at(THREAD(h), "jobs")), 1);
	v = VIEW(h.mem, view_thread(w, h.state, &h.settings, other));
	CHECK_INT(json_count(at(v, "subagents")), 0);
	CHECK_INT(json_count(at(v, "jobs")), 0);
	t->record->thread_id = other->thread_id;
	CHECK_INT(json_count(at(THREAD(h), "jobs")), 0);
	j->record->task_id = STR_NONE; /* of the session, so of its main thread */
	CHECK_INT(json_count(at(THREAD(h), "jobs")), 1);
	v = VIEW(h.mem, view_thread(w, h.state, &h.settings, other));
	CHECK_INT(json_count(at(v, "jobs")), 0);
}

TEST(a_job_in_the_middle_of_a_last_attempt_does_not_outlive_a_restart)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_SAMPLING, STATUS_RUNNING);
	struct st_job *j = add_job(&h);
	struct st_job_item *i = rec_list_add(h.state->mem, &j->running, &st_job_item_desc);

	i->thread_id = h.th->thread_id;
	i->turn_id = t->turn_id;
	i->attempts = 1;
	t->model_request_id = STR("req_1");
#define RECOVERABLE                                                                                \
	json_bool(at(VIEW(h.mem, view_subagents_and_jobs(w, h.state)), "recoverable"), false)
	CHECK(RECOVERABLE);
	i->attempts = 2;
	CHECK(!RECOVERABLE);
	CHECK(!json_bool(at(SESSION(h), "subagentJobSummary/recoverable"), true));
	t->model_request_id = STR_NONE; /* it is parked: a restart takes nothing from it */
	CHECK(RECOVERABLE);
#undef RECOVERABLE
}

/* SNP-05 */

TEST_MAIN()
