/*
 * Sends checkpoints to the places that the operator names: anchor.command and
 * anchor.url.  One at a time to each; a newer checkpoint replaces one that waits,
 * because it covers it.  A failed one is tried again with the next tick.
 */
#include "engine/maintenance/anchor_parts.h"

#include "base/memory.h"
#include "base/os/log.h"
#include "core/gen/inputs.h"
#include "core/runtime_events.h"
#include "engine/session/apply.h"
#include "engine/session/session_place.h"
#include "engine/engine_state.h"

struct anchor_place {
	struct anchors *anchors;
	struct str ref; /* absent: the settings name none */
	const char *name;
	struct buf waiting, sent; /* not sent yet; being sent */
	bool is_busy;
	bool is_failing; /* the last one failed, and an event says so */
	struct error why;
};

struct anchor_sending {
	struct anchor_place places[2];
};

static void place_feed(struct anchor_place *p);

/* One event for each time that a place stops taking them. */
static void record_failure(struct session *s, void *arg)
{
	struct anchor_place *p = arg;
	struct decision *d;

	if (!s || s->phase != SESSION_LIVE)
		return;
	d = apply_begin(s, NULL);
	input_runtime_events_warning(
		d, WARNING_CATEGORY_OTHER,
		arena_printf(d->mem, "a checkpoint was not sent: %s: %s", p->name, p->why.message));
	apply_end(s, d);
}

static bool has_taken(struct anchor_place *p, const struct hook_end *end)
{
	struct str rest = end->err, said = str_head(str_cut(&rest, '\n'), 200);

	if (end->result == HOOK_ANSWERED && (!end->has_exit_code || !end->exit_code))
		return true;
	if (end->result == HOOK_ANSWERED)
		fail(&p->why, ERR_IO, "it ended with code %lld: %.*s", (long long)end->exit_code,
		     STR_ARG(said));
	else if (end->result == HOOK_TIMED_OUT)
		fail(&p->why, ERR_TIMEOUT, "it took too long");
	else
		fail(&p->why, ERR_IO, "%.*s", STR_ARG(end->message));
	return false;
}

static void on_end(void *owner, const struct hook_end *end)
{
	struct anchor_place *p = owner;
	bool was_failing = p->is_failing;

	p->is_busy = false;
	p->is_failing = !has_taken(p, end);
	if (p->is_failing && !p->waiting.len)
		buf_add_str(&p->waiting, buf_str(&p->sent));
	if (p->is_failing && !was_failing) {
		log_line(LOG_WARN, "anchor", "a checkpoint was not sent: %s: %s", p->name,
		         p->why.message);
		request_job_late(p->anchors->engine,
		                 session_place_node(p->anchors->engine, p->anchors->engine->mem),
		                 true, ELSEWHERE_NONE, record_failure, p);
	}
	if (!p->is_failing)
		place_feed(p);
}

static void place_feed(struct anchor_place *p)
{
	struct engine *e = p->anchors->engine;
	struct hooks *hooks = e->ports.hooks;
	struct hook_start start = { .run_id = STR("anchor"),
		                    .ref = p->ref,
		                    .cwd = e->settings.cwd };

	if (p->is_busy || !p->waiting.len || e->is_stopping)
		return;
	buf_clear(&p->sent);
	buf_add_str(&p->sent, buf_str(&p->waiting));
	buf_clear(&p->waiting);
	p->is_busy = true;
	start.input = buf_str(&p->sent);
	hooks->ops->start(hooks, &start, on_end, p);
}

void anchor_send(struct anchors *a, struct str note)
{
	for (size_t i = 0; a->sending && i < COUNT_OF(a->sending->places); i++) {
		struct anchor_place *p = &a->sending->places[i];

		if (!str_is(p->ref))
			continue;
		buf_clear(&p->waiting);
		buf_add_str(&p->waiting, note);
		place_feed(p);
	}
}

void anchor_send_again(struct anchors *a)
{
	for (size_t i = 0; a->sending && i < COUNT_OF(a->sending->places); i++)
		if (str_is(a->sending->places[i].ref))
			place_feed(&a->sending->places[i]);
}

void anchor_send_init(struct anchors *a)
{
	const struct config_values *config = a->engine->options.config;

	if (!a->engine->ports.hooks || (!config->anchor_command.len && !config->anchor_url.len))
		return;
	a->sending = memory_zeroed(1, sizeof *a->sending);
	if (config->anchor_command.len)
		a->sending->places[0] = (struct anchor_place){ .anchors = a,
			                                       .ref = STR("hook:anchor:command"),
			                                       .name = "anchor.command" };
	if (config->anchor_url.len)
		a->sending->places[1] = (struct anchor_place){ .anchors = a,
			                                       .ref = STR("hook:anchor:url"),
			                                       .name = "anchor.url" };
}

/* What runs is ended with the hooks, and does not call back any more. */
void anchor_send_free(struct anchors *a)
{
	for (size_t i = 0; a->sending && i < COUNT_OF(a->sending->places); i++) {
		buf_done(&a->sending->places[i].waiting);
		buf_done(&a->sending->places[i].sent);
	}
	memory_free(a->sending);
	a->sending = NULL;
}
