/*
 * What a tool server asks of a model, during the call of its tool.
 *
 *   want ──► ASKED ──► DUE ──► RUNS ──► the answer, as that of a question
 *     └─────────────────┘
 *
 * The core decides; the request is kept here, because a call that a restart has
 * lost needs no answer.  The text of the answer is what the child's events say.
 */
#include "base/jw.h"
#include "core/gen/inputs.h"
#include "core/subagent/sampling.h"
#include "engine/effects/effects.h"
#include "engine/session/apply.h"

static void sample_end(struct effect_run *x)
{
	x->sample.stage = SAMPLE_NONE;
	arena_free(x->sample.mem);
	x->sample.mem = NULL;
	buf_done(&x->sample.text);
}

void tool_sampling_free(struct effect_run *x)
{
	sample_end(x);
}

/* Without a durable event: nothing was decided. */
static void refuse(struct effect_run *x, struct str why)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str words = arena_keep(mem, why);

	sample_end(x);
	if (x->tool && !x->is_cancelling && x->toolset->ops->response)
		x->toolset->ops->response(x->toolset, x->tool, TOOL_DISMISS, words);
}

/* Secrets are removed as from every output: what is asked is stored and sent to a model. */
static void keep_request(struct effect_run *x, const struct sampling_request *r)
{
	struct arena *mem = arena_new();
	struct sampling_part *parts = ARENA_ARRAY(mem, struct sampling_part, r->part_count + 1);
	struct sampling_request *kept = &x->sample.request;
	struct scrub *scrub = x->engine->ports.scrub;

	for (size_t i = 0; i < r->part_count; i++)
		parts[i] = (struct sampling_part){
			.is_assistant = r->parts[i].is_assistant,
			.text = tool_redactions_text(scrub, &x->scrub, mem, r->parts[i].text),
			.media_type = arena_keep(mem, r->parts[i].media_type),
			.base64 = arena_keep(mem, r->parts[i].base64),
		};
	*kept = *r;
	kept->server = arena_keep(mem, r->server);
	kept->model = arena_keep(mem, r->model);
	kept->system = tool_redactions_text(scrub, &x->scrub, mem, r->system);
	kept->parts = parts;
	x->sample.mem = mem;
}

static const struct event *find_event(const struct decision *d, enum event_type type)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->events[i]->type == type)
			return d->events[i];
	return NULL;
}

static void ask_person(struct effect_run *x)
{
	struct decision *d = apply_begin(x->session, NULL);
	struct str why = arena_keep(
		x->sample.mem, input_sampling_ask(d, x->turn_id, x->object_id, &x->sample.request));
	const struct event *asked = find_event(d, EV_ACTION_REQUIRED);

	x->sample.stage = SAMPLE_ASKED;
	x->asking = asked ? arena_keep(x->mem, asked->action_id) : STR_NONE;
	apply_end(x->session, d);
	if (!asked)
		refuse(x, why);
}

void tool_sampling_advance(struct effect_run *x)
{
	struct tool_sample *s = &x->sample;
	const struct event *begun;
	struct decision *d;
	struct str why;

	if (!x->session || s->stage != SAMPLE_DUE ||
	    sampling_is_busy(x->session->state, x->turn_id, s->request.server))
		return;
	d = apply_begin(x->session, NULL);
	why = arena_keep(s->mem, input_sampling_begin(d, x->turn_id, x->object_id, &s->request));
	begun = find_event(d, EV_TURN_SUBMITTED);
	/* Before the end of the decision, which looks at what is due again. */
	s->stage = begun ? SAMPLE_RUNS : SAMPLE_NONE;
	if (begun) {
		s->turn_id = arena_keep(s->mem, begun->turn_id);
		s->stop = STOP_REASON_END_TURN;
		s->is_long = false;
	}
	apply_end(x->session, d);
	if (!begun)
		refuse(x, why);
}

void tool_sampling_want(struct effect_run *x, const struct sampling_request *r)
{
	x->asking = STR_NONE;
	x->has_answer = false; /* of an earlier question, which the tool has settled itself */
	sample_end(x);
	keep_request(x, r);
	if (!x->session) {
		refuse(x, STR("the session is gone"));
	} else if (r->asks) {
		ask_person(x);
	} else {
		x->sample.stage = SAMPLE_DUE;
		tool_sampling_advance(x);
	}
}

bool tool_sampling_withdraw(struct effect_run *x)
{
	struct tool_sample *s = &x->sample;
	struct decision *d;
	bool was_asked = s->stage == SAMPLE_ASKED;

	if (!s->stage)
		return false;
	if (s->stage == SAMPLE_RUNS && x->session) {
		d = apply_begin(x->session, NULL);
		s->stage = SAMPLE_NONE;
		input_sampling_stop(d, s->turn_id);
		apply_end(x->session, d);
	}
	sample_end(x);
	return !was_asked;
}

/* ---- the answer ---- */

static struct str stop_word(enum stop_reason stop)
{
	return stop == STOP_REASON_MAX_TOKENS      ? STR("maxTokens")
	       : stop == STOP_REASON_STOP_SEQUENCE ? STR("stopSequence")
	                                           : STR("endTurn");
}

static struct str answer_of(struct effect_run *x, const struct st_turn *t)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "text", buf_str(&x->sample.text));
	JW_KSTR(&w, "model", t && str_is(t->model) ? t->model : STR("unknown"));
	JW_KSTR(&w, "stopReason", stop_word(x->sample.stop));
	jw_obj_end(&w);
	return arena_keep(x->mem, buf_str(&out));
}

/* The tool gets it when the event is durable. */
static void answer(struct effect_run *x, enum tool_answer response, struct str content)
{
	sample_end(x);
	x->has_answer = true;
	x->response = response;
	x->content = content;
}

static void turn_over(struct effect_run *x, const struct event *ev)
{
	const struct ev_turn_failed *failed = ev->payload;
	const struct st_turn *t = state_turn(x->session->state, ev->turn_id, NULL);

	if (ev->type == EV_TURN_FAILED)
		answer(x, TOOL_DISMISS,
		       str_is(failed->message) ? arena_keep(x->mem, failed->message)
		                               : STR("the model did not answer"));
	else if (x->sample.is_long)
		answer(x, TOOL_DISMISS, STR("the answer is too long"));
	else
		answer(x, TOOL_ACCEPT, answer_of(x, t));
}

/* A request that is repeated begins its text again. */
static void of_turn(struct effect_run *x, const struct event *ev)
{
	const struct ev_model_delta *delta = ev->payload;
	const struct ev_model_completed *completed = ev->payload;

	switch (ev->type) {
	case EV_MODEL_REQUESTED:
		buf_clear(&x->sample.text);
		break;
	case EV_MODEL_DELTA:
		if (x->sample.text.len + delta->text.len > LIMIT_SAMPLING_ANSWER_BYTES)
			x->sample.is_long = true;
		else if (delta->kind == DELTA_KIND_TEXT)
			buf_add_str(&x->sample.text, delta->text);
		break;
	case EV_MODEL_COMPLETED:
		x->sample.stop = completed->stop_reason;
		break;
	case EV_TURN_COMPLETED:
	case EV_TURN_FAILED:
		turn_over(x, ev);
		break;
	default:
		break;
	}
}

/* A person who is asked and does not answer has not refused. */
static void decided(struct effect_run *x, const struct event *ev)
{
	const struct ev_action_resolved *p = ev->payload;

	x->asking = STR_NONE;
	if (p->decision == APPROVAL_DECISION_ALLOW)
		x->sample.stage = SAMPLE_DUE;
	else if (ev->status == STATUS_COMPLETED)
		answer(x, TOOL_DECLINE, STR("the user did not allow it"));
	else
		answer(x, TOOL_DISMISS, STR("no person has allowed it in time"));
}

void tool_sampling_folded(struct effect_run *x, const struct event *ev)
{
	struct tool_sample *s = &x->sample;

	if (s->stage == SAMPLE_RUNS && str_is(ev->turn_id) && str_eq(ev->turn_id, s->turn_id))
		of_turn(x, ev);
	else if (s->stage == SAMPLE_ASKED && ev->type == EV_ACTION_RESOLVED && str_is(x->asking) &&
	         str_eq(x->asking, ev->action_id))
		decided(x, ev);
}
