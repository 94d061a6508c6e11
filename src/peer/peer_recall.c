/* What a person decided about a delegation: from the event, now or from before the start. */
#include "base/json.h"
#include "peer/peer_int.h"

/* A person decided about a changed card, or answered the agent. */
void peer_recall_take(struct peer_run *r, struct json event)
{
	struct json p = JSON_GET(event, "payload");
	struct str decision = json_str(JSON_GET(p, "decision"));
	struct str ref = json_str(JSON_GET(p, "answerRef"));
	bool is_card = str_eq(json_str(JSON_GET(p, "actionType")), STR("escalation"));

	if (str_eq(decision, STR("cancel")))
		return;
	if (is_card)
		r->is_allowed = str_eq(decision, STR("allow"));
	if (is_card ? !r->is_allowed : !str_eq(decision, STR("answer"))) {
		r->is_declined = true;
	} else if (!is_card && str_is(ref)) {
		r->action_id = arena_keep(r->mem, json_str(JSON_GET(event, "actionId")));
		r->answer_ref = arena_keep(r->mem, ref);
		r->has_answer = r->is_answering = false;
		buf_clear(&r->answer);
	}
	r->told = 0;
	peer_state_hurry(r);
}

static void on_gap(void *owner, uint64_t from, uint64_t to, struct str mode, struct str snapshot)
{
	(void)owner;
	(void)from;
	(void)to;
	(void)mode;
	(void)snapshot;
}

/* ---- answers from before the start ---- */

static bool on_old_answer(void *owner, const struct control_event *ev)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct peer_run *r = owner;
	struct json event;

	if (json_read_trusted(mem, str_of(ev->body->data, ev->body->len), &event, NULL) == OK &&
	    str_eq(json_str(JSON_GET(event, "runId")), r->run_id))
		peer_recall_take(r, event);
	return true;
}

static void on_old_end(void *owner, enum stream_end why)
{
	struct peer_run *r = owner;

	(void)why;
	r->recall = NULL;
	/* Permission for a card is for the card that was shown; it is asked for again. */
	r->is_allowed = false;
	peer_state_later(r, 0);
}

static const struct control_sink recalling = { .event = on_old_answer,
	                                       .gap = on_gap,
	                                       .end = on_old_end };

void peer_recall_start(struct peer_run *r)
{
	struct control *c = r->peer->set->control;
	struct control_stream ask = { .session = r->session_id, .sink = &recalling, .owner = r };

	/* Only an agent that asked can have been answered. */
	if (r->remote.state != A2A_STATE_INPUT_REQUIRED &&
	    r->remote.state != A2A_STATE_AUTH_REQUIRED)
		return;
	ask.types[EV_ACTION_RESOLVED / 64] |= (uint64_t)1 << (EV_ACTION_RESOLVED % 64);
	r->recall = c->ops->subscribe(c, &ask);
}

void peer_recall_stop(struct peer_run *r)
{
	struct control *c = r->peer->set->control;

	if (r->recall && c)
		c->ops->unsubscribe(c, r->recall);
	r->recall = NULL;
}
