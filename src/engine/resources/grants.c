/*
 * Grants with a scope beyond their session.
 *
 * A session that gives one has it copied into an event of the system session,
 * whose grants are available to every decision (settings.ledger_view).  If a
 * crash prevents the copy, the grant was not given: the person is asked again.
 */
#include "core/fold_part.h"

#include "core/gen/inputs.h"
#include "engine/nodes/node_share.h"
#include "engine/nodes/node_system.h"
#include "engine/resources/grants.h"

#include "core/approval/permission.h"
#include "engine/session/apply.h"
#include "engine/engine_state.h"

#define SYSTEM STR("sess_system")

struct share {
	struct list node;
	struct engine *engine;
	struct arena *mem;
	struct ev_policy_changed *change;
};

static struct share *share_new(const struct ev_policy_changed *change)
{
	struct arena *mem = arena_new();
	struct share *sh = ARENA_NEW(mem, struct share);

	sh->mem = mem;
	sh->change = rec_clone(mem, &ev_policy_changed_desc, change);
	return sh;
}

static void share_free(struct share *sh)
{
	list_remove(&sh->node);
	arena_free(sh->mem);
}

static void record_shared_grant(struct session *s, void *arg)
{
	struct share *sh = arg;

	if (s && s->phase == SESSION_LIVE) {
		struct decision *d = apply_begin(s, NULL);

		input_permission_decide_shared_grant(d, sh->change);
		apply_end(s, d);
	} else if (sh->engine->nodes) {
		node_share(sh->engine, sh->change); /* another node owns it */
	}
	share_free(sh);
}

/*
 * A fold must not decide, so the grant is only copied here; grants_over() passes it on.
 * The view of all sessions follows the system session event by event, so a grant counts
 * when the system session has it.
 */
void grants_folded(struct session *s, const struct event *ev)
{
	const struct ev_policy_changed *p = ev->payload;

	if (ev->type != EV_POLICY_CHANGED)
		return;
	if (str_eq(s->id, SYSTEM)) {
		state_fold(s->engine->ledger_view, ev);
		return;
	}
	if (p->change != POLICY_CHANGE_GRANT_ADDED || p->scope <= GRANT_SCOPE_SESSION)
		return;
	list_add(&s->engine->to_share, &share_new(p)->node);
}

static void share_now(struct engine *e, struct share *sh)
{
	sh->engine = e;
	list_add(&e->sharing, &sh->node);
	request_job(e, SYSTEM, true, record_shared_grant, sh);
}

void grants_share(struct engine *e, const struct ev_policy_changed *change)
{
	share_now(e, share_new(change));
}

void grants_over(struct engine *e)
{
	while (!list_is_empty(&e->to_share)) {
		struct share *sh = LIST_ITEM(e->to_share.next, struct share, node);

		list_remove(&sh->node);
		share_now(e, sh);
	}
}

void grants_foreign(struct engine *e, const struct event *ev)
{
	if (ev->type == EV_POLICY_CHANGED)
		state_fold(e->ledger_view, ev);
}

void grants_take(struct engine *e, const struct session *s)
{
	struct arena *mem = e->ledger_view->mem;

	e->ledger_view->s->grants.count = 0;
	for (uint32_t i = 0; s && s->state && i < s->state->s->grants.count; i++)
		rec_keep(mem, &st_grant_desc,
		         rec_list_add(mem, &e->ledger_view->s->grants, &st_grant_desc),
		         s->state->s->grants.items[i]);
}

/* The grants of the system session at the start; later ones arrive through grants_folded(). */
static void copy_shared_grants(struct session *s, void *arg)
{
	struct engine *e = arg;

	grants_take(e, s);
	node_system_learnt(e, s);
	e->recovering--;
	LISTENERS_CALL(e->listeners->start_moved, e);
}

void grants_learn(struct engine *e)
{
	e->recovering++;
	request_job_with(e, SYSTEM, false, ELSEWHERE_READ, copy_shared_grants, e);
}

void grants_init(struct engine *e)
{
	list_init(&e->to_share);
	list_init(&e->sharing);
	e->ledger_view = state_new();
	e->settings.ledger_view = e->ledger_view;
}

void grants_free(struct engine *e)
{
	while (!list_is_empty(&e->to_share))
		share_free(LIST_ITEM(e->to_share.next, struct share, node));
	while (!list_is_empty(&e->sharing))
		share_free(LIST_ITEM(e->sharing.next, struct share, node));
	state_free(e->ledger_view);
}
