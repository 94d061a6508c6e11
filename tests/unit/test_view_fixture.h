#ifndef TESTS_UNIT_TEST_VIEW_FIXTURE_H
#define TESTS_UNIT_TEST_VIEW_FIXTURE_H
/* States made by hand, and what their views show. */
#include "base/jw.h"
#include "core/fold_part.h"
#include "core/view/view.h"

#include "lib/t.h"

static struct error e;

/* ---- looking at JSON ---- */

/* Strict reading: a key that a view writes twice is an error. */
static inline struct json parsed(struct arena *mem, struct buf *out)
{
	struct json v = { 0 };

	if (json_read(mem, buf_str(out), &v, &e) != OK)
		t_fail(__FILE__, __LINE__, "%s in %.2000s", e.message, buf_str(out).ptr);
	buf_done(out);
	return v;
}

#define VIEW(mem, call)                                                                            \
	({                                                                                         \
		struct buf view_out = { 0 };                                                       \
		struct json_writer writer, *w = &writer;                                           \
		jw_init(w, &view_out);                                                             \
		call;                                                                              \
		parsed((mem), &view_out);                                                          \
	})

/* "threads/0/wait/for": members by name, items by number. */
static inline struct json at(struct json v, const char *path)
{
	struct str rest = str_from(path);

	while (str_is(rest) && rest.len) {
		struct str part = str_cut(&rest, '/');
		uint64_t index;

		if (json_type(v) == JSON_ARR && str_to_u64(part, &index))
			v = json_at(v, index);
		else
			v = json_get(v, part);
	}
	return v;
}
#define STR_AT(v, path) json_str(at((v), (path)))
#define INT_AT(v, path) json_int(at((v), (path)), -1)

/* ---- worlds made by hand ---- */

static const struct model_info some_models[] = {
	{ .provider = STR("scripted"), .model = STR("demo"), .has_credential = true },
	{ .provider = STR("openai"), .model = STR("gpt-5.4") },
};

static inline struct settings some_settings(void)
{
	return (struct settings){
		.config = &settings_config_defaults,
		.runtime_id = STR("rt_01m7f6ymm084g7zwyrd6z1rv0w"),
		.models = some_models,
		.model_count = COUNT_OF(some_models),
		.mode = PERMISSION_MODE_DEFAULT,
		.is_interactive = true,
		.on_busy = DELIVERY_QUEUE,
	};
}

struct hand {
	struct arena *mem; /* views */
	struct state *state;
	struct st_thread *th;
	struct settings settings;
};

static inline void hand_done(struct hand *h)
{
	arena_free(h->mem);
	state_free(h->state);
}

#define NOON ((int64_t)1794916800000) /* 2026-11-17T12:00:00Z */
#define NOON_TEXT "2026-11-17T12:00:00.000Z"

static inline struct st_thread *add_thread(struct hand *h, const char *id)
{
	struct st_thread *th = rec_list_add(h->state->mem, &h->state->s->threads, &st_thread_desc);

	th->thread_id = str_from(id);
	th->kind = THREAD_KIND_MAIN;
	th->status = THREAD_STATUS_IDLE;
	th->profile_status = STATUS_IDLE;
	th->created_at = th->updated_at = NOON;
	return th;
}

static inline struct hand hand_new(void)
{
	struct hand h = { .mem = arena_new(), .state = state_new(), .settings = some_settings() };
	struct st_session *s = h.state->s;

	s->session_id = STR("sess_1");
	s->created_at = s->updated_at = NOON;
	s->sequence = 2;
	h.th = add_thread(&h, "thr_1");
	return h;
}
#define HAND CLEANUP(hand_done) struct hand h = hand_new()

static inline struct st_turn *add_turn(struct hand *h, const char *id, enum turn_stage stage,
                                       enum status status)
{
	struct st_turn *t = rec_list_add(h->state->mem, &h->th->turns, &st_turn_desc);

	t->turn_id = str_from(id);
	t->kind = TURN_KIND_USER;
	t->stage = stage;
	t->status = status;
	t->task_id = STR("task_1");
	t->run_id = STR("run_1");
	t->provider = STR("scripted");
	t->model = STR("demo");
	t->submitted_at = NOON;
	t->user_turn = ++h->th->turn_count;
	t->submitted_sequence = 10 * t->user_turn;
	if (stage == TURN_STAGE_QUEUED)
		rec_list_str_add(h->state->mem, &h->th->order, t->turn_id);
	else if (stage != TURN_STAGE_ENDED)
		h->th->active_turn_id = t->turn_id;
	else
		t->ended_sequence = t->submitted_sequence + 5;
	if (stage != TURN_STAGE_QUEUED && stage != TURN_STAGE_ACCEPTED)
		t->started_at = NOON;
	return t;
}

static inline struct st_call *add_call(struct hand *h, const struct st_turn *t, const char *id,
                                       const char *tool)
{
	struct st_call *c = rec_list_add(h->state->mem, &h->th->calls, &st_call_desc);

	c->tool_call_id = str_from(id);
	c->step_id = STR("step_1");
	c->turn_id = t->turn_id;
	c->tool_name = str_from(tool);
	c->kind = ITEM_KIND_TOOL_CALL;
	c->status = STATUS_RUNNING;
	c->executed = EXECUTED_UNKNOWN;
	c->dispatched = true;
	c->started_at = NOON;
	return c;
}

static inline struct st_action *add_action(struct hand *h, const struct st_turn *t, const char *id,
                                           enum action_type type)
{
	struct st_action *a = rec_list_add(h->state->mem, &h->th->actions, &st_action_desc);
	bool asks = type == ACTION_TYPE_STRUCTURED_INPUT;

	a->action_id = str_from(id);
	a->action_type = type;
	a->status = ACTION_STATUS_PENDING;
	a->thread_id = h->th->thread_id;
	a->turn_id = t->turn_id;
	a->task_id = t->task_id;
	a->prompt = asks ? STR("Which licence?") : STR("Allow shell?");
	a->schema = STR("{\"type\":\"object\"}");
	a->decision_kind = asks ? DECISION_KIND_ANSWER_OR_DECLINE : DECISION_KIND_ALLOW_OR_DENY;
	a->requested_at = NOON;
	a->expires_at = NOON + 60000;
	a->on_expiry = asks ? APPROVAL_DECISION_DECLINE : APPROVAL_DECISION_DENY;
	rec_list_str_add(h->state->mem, &a->ended_by, STR("respond_action"));
	rec_list_str_add(h->state->mem, &a->ended_by, STR("expiry"));
	return a;
}

static inline struct st_task *add_task(struct hand *h, const char *id, enum task_status status)
{
	struct st_task *t = rec_list_add(h->state->mem, &h->state->s->tasks, &st_task_desc);

	t->record = ARENA_NEW(h->state->mem, struct rec_task);
	t->record->task_id = str_from(id);
	t->record->thread_id = h->th->thread_id;
	t->record->turn_id = STR("turn_1");
	t->record->status = status;
	t->record->current_run_id = STR("run_1");
	t->record->created_at = t->record->updated_at = NOON;
	return t;
}

static inline void set_wait(struct hand *h, enum wait_for what, int64_t until, const char *who)
{
	h->th->wait = ARENA_NEW(h->state->mem, struct rec_wait);
	h->th->wait->for_ = what;
	h->th->wait->since = NOON;
	h->th->wait->until = until;
	rec_list_str_add(h->state->mem, &h->th->wait->ended_by, str_from(who));
}

static inline void set_outcome(struct hand *h, struct st_turn *t, enum status status)
{
	h->th->last_outcome = ARENA_NEW(h->state->mem, struct rec_last_outcome);
	h->th->last_outcome->turn_id = t->turn_id;
	h->th->last_outcome->status = status;
	t->status = status;
}

#define SESSION(h) VIEW((h).mem, view_session(w, (h).state, &(h).settings))
#define THREAD(h) VIEW((h).mem, view_thread(w, (h).state, &(h).settings, (h).th))
#define WHY(h) VIEW((h).mem, view_explain(w, (h).state, (h).th, STR_NONE))

/* ---- samples ---- */

/* A value of the right form for a field; records are filled by the same rule. */
static inline void write_sample(struct json_writer *w, const struct rec_desc *d, unsigned depth)
{
	jw_obj(w);
	for (uint32_t i = 0; i < d->count; i++) {
		const struct field *f = &d->fields[i];
		bool is_deep = (f->type == FIELD_REC || f->type == FIELD_LIST_REC) && !f->required;

		if (is_deep && depth > 3)
			continue;
		jw_key(w, field_name(f));
		switch (f->type) {
		case FIELD_INT:
		case FIELD_REAL:
		case FIELD_USD:
			jw_int(w, 1);
			break;
		case FIELD_BOOL:
			jw_bool(w, true);
			break;
		case FIELD_TIME:
			jw_time(w, NOON);
			break;
		case FIELD_ENUM:
			jw_str(w, f->words->words[1]);
			break;
		case FIELD_REC:
			write_sample(w, f->rec, depth + 1);
			break;
		case FIELD_LIST_REC:
			jw_arr(w);
			write_sample(w, f->rec, depth + 1);
			jw_arr_end(w);
			break;
		case FIELD_LIST_STR:
		case FIELD_LIST_ID:
			jw_arr(w);
			jw_str(w, STR("x"));
			jw_arr_end(w);
			break;
		default:
			jw_str(w, STR("x"));
		}
	}
	jw_obj_end(w);
}

static inline void *sample(struct arena *mem, const struct rec_desc *d)
{
	struct json v = VIEW(mem, write_sample(w, d, 0));
	void *rec = arena_alloc(mem, d->size);

	CHECK_OK(rec_read(mem, v, d, REC_TRUSTED, rec, &e), &e);
	return rec;
}

#endif
