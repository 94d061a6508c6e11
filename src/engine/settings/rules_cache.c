/*
 * The current rules and tools of a session's directory, read before a decision
 * that depends on them.
 *
 * The rules of one directory are parsed once, until they change; the session's
 * log records when they have changed (core/approval/permission_decide.c).
 */
#include "engine/settings/rules_cache.h"

#include "base/os/log.h"
#include "core/settings/settings_read.h"
#include "core/settings/settings_text.h"
#include "engine/session/session_place.h"
#include "engine/settings/project_tools.h"
#include "engine/settings/settings_check.h"
#include "engine/settings/settings_hooks.h"
#include "engine/settings/settings_record.h"
#include "engine/engine_state.h"
#include "policy/rules.h"

#define PLACES_MAX 64

struct policy_place {
	struct list node;
	struct arena *mem;
	struct str cwd, ref, trouble;
	struct rules rules;
	struct str text; /* the record of rules; kept in test runs alone */
	uint64_t beat;   /* of the engine at the last check */
};

static void place_free(struct policy_place *p)
{
	list_remove(&p->node);
	arena_free(p->mem);
}

static struct policy_place *place_find(struct engine *e, struct str cwd)
{
	LIST_EACH (&e->places, node) {
		struct policy_place *p = LIST_ITEM(node, struct policy_place, node);

		if (str_eq(p->cwd, cwd))
			return p;
	}
	return NULL;
}

static bool is_current(const struct policy_place *p, const struct policy_now *now)
{
	bool has_trouble = str_is(now->trouble);

	return str_eq(p->ref, now->ref) && has_trouble == str_is(p->trouble) &&
	       (!has_trouble || str_eq(p->trouble, now->trouble));
}

/* Fails closed: rules that cannot be combined deny every call. */
static struct policy_place *place_new(struct engine *e, struct str cwd,
                                      const struct policy_now *now)
{
	CLEANUP(arena_freep) struct arena *record = arena_new();
	struct arena *mem = arena_new();
	struct policy_place *p = ARENA_NEW(mem, struct policy_place);
	struct error why;
	struct str text;

	p->mem = mem;
	p->cwd = arena_keep(mem, cwd);
	p->ref = arena_keep(mem, now->ref);
	p->trouble = str_is(now->trouble) ? arena_keep(mem, now->trouble) : STR_NONE;
	p->rules.mem = mem;
	if (str_is(p->trouble))
		log_line(LOG_WARN, "engine",
		         "rules cannot be understood, so every call in %.*s asks: %.*s. Repair or "
		         "remove the file.",
		         STR_ARG(p->cwd), STR_ARG(p->trouble));
	/* Each file was checked by itself; together they may exceed the limit. */
	if (settings_read_rules(&p->rules, arena_keep(mem, now->rules), &why) != OK)
		log_line(LOG_ERROR, "engine", "rules: %s", why.message);
	text = settings_text_rules(record, now->rules, p->trouble);
	settings_record_rules(e, p->ref, text);
	p->text = e->is_strict ? arena_keep(mem, text) : STR_NONE;
	list_add(&e->places, &p->node);
	return p;
}

/* At the limit the oldest entry leaves; its directory is parsed again at its next use. */
static struct policy_place *place_look(struct engine *e, struct str cwd)
{
	struct policy *port = e->ports.policy;
	struct policy_now now = port->ops->look(port, cwd);
	struct policy_place *p = place_find(e, cwd);

	if (p && is_current(p, &now))
		return p;
	if (p) {
		place_free(p);
	} else if (e->place_count == PLACES_MAX) {
		place_free(LIST_ITEM(e->places.next, struct policy_place, node));
	} else {
		e->place_count++;
	}
	return place_new(e, cwd, &now);
}

/* Does this step decide anything that rules affect? */
static bool is_about_to_decide(const struct session *s)
{
	for (uint32_t i = 0; i < s->state->s->threads.count; i++) {
		const struct st_thread *th = s->state->s->threads.items[i];

		for (uint32_t n = 0; n < th->calls.count; n++)
			if (!call_is_over(th->calls.items[n]) && !th->calls.items[n]->dispatched)
				return true;
	}
	return false;
}

void rules_cache_at(struct engine *e, struct str cwd, struct settings *mine)
{
	if (e->ports.policy)
		mine->rules = &place_look(e, cwd)->rules;
}

/*
 * Files are checked only before a decision that they can affect: a session that streams a
 * response makes many decisions a second.
 */
const struct settings *rules_cache_settings(struct session *s, struct arena *mem, bool is_asked)
{
	struct engine *e = s->engine;
	struct str cwd = session_place_cwd(s);
	struct policy_place *p;
	struct settings *mine = ARENA_NEW(mem, struct settings);
	uint64_t tools;
	size_t hooks;

	settings_record_look(e);
	*mine = e->settings;
	mine->session = s->state;
	tools = project_tools_fill(e, cwd, s->id, mine);
	hooks = settings_hooks_fill(e, cwd, mem, mine);
	if (tools || hooks)
		settings_record_fill(e, mem, tools, hooks, mine);
	if (!e->ports.policy)
		return mine;
	p = place_find(e, cwd);
	/* Commands of one iteration share one check. */
	if (!p || (p->beat != e->beat && (is_asked || is_about_to_decide(s)))) {
		p = place_look(e, cwd);
		p->beat = e->beat;
	}
	mine->rules = &p->rules;
	mine->rules_ref = p->ref;
	mine->rules_trouble = p->trouble;
	return mine;
}

/* The text behind rules_ref, in test runs; absent: there are no rules. */
static struct str text_of_rules(struct session *s, struct arena *mem)
{
	struct engine *e = s->engine;

	if (e->ports.policy)
		return place_find(e, session_place_cwd(s))->text;
	return str_is(e->settings.rules_ref) ? settings_text_rules(mem, e->options.rules, STR_NONE)
	                                     : STR_NONE;
}

void rules_cache_prepare(struct session *s, struct decision *d)
{
	d->settings = rules_cache_settings(s, d->mem, d->call != NULL);
	if (s->engine->is_strict)
		settings_check_reread(s->engine, text_of_rules(s, d->mem), d);
}

void rules_cache_free(struct engine *e)
{
	while (e->places.next && !list_is_empty(&e->places))
		place_free(LIST_ITEM(e->places.next, struct policy_place, node));
}
