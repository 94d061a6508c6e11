/* The revision of this program and of its events; node_rev.h says what it is for. */
#include "engine/nodes/node_rev.h"

#include "base/os/log.h"
#include "core/decision.h"
#include "engine/nodes/nodes.h"
#include "engine/engine_state.h"

#include <stdlib.h>
#include <string.h>

static const char *test_text(void)
{
	const char *strict = getenv("THOLE_STRICT");

	return strict && strcmp(strict, "1") == 0 ? getenv("THOLE_TEST_REV") : NULL;
}

uint32_t node_rev_of_program(void)
{
	const char *text = test_text();

	return text ? (uint32_t)strtoul(text, NULL, 10) : CATALOG_REV;
}

void node_rev_init(struct node_rev *r)
{
	const char *at = test_text();

	r->program = node_rev_of_program();
	for (size_t i = 0; i < EV_COUNT; i++)
		r->of_class[i] = event_classes[i].since;
	while (at && (at = strchr(at, ' '))) {
		size_t len = strcspn(++at, " ");

		r->of_class[rec_enum_read(&enum_event_type, str_of(at, len))] = r->program;
	}
}

uint32_t node_rev_of(const struct session *s, enum event_type type)
{
	return s->engine->nodes ? s->engine->nodes->rev.of_class[type] : 0;
}

static struct store_versions versions_of(const struct engine *e)
{
	struct store *st = e->ports.store;
	struct store_versions v;

	st->nodes->versions(st, &v);
	return v;
}

bool node_rev_is_mixed(const struct engine *e)
{
	return e->nodes && versions_of(e).is_mixed;
}

bool node_rev_is_early(const struct engine *e, enum event_type type)
{
	return e->nodes->rev.of_class[type] > versions_of(e).common_rev;
}

/* The first event of a decision in the system session that is too early; NULL: there is none. */
static const struct event *early_event(const struct session *s, const struct decision *d)
{
	if (!s || !s->engine->nodes || !str_eq(s->id, NODE_SYSTEM))
		return NULL;
	for (size_t i = 0; i < d->count; i++)
		if (node_rev_is_early(s->engine, d->events[i]->type))
			return d->events[i];
	return NULL;
}

void node_rev_check(const struct session *s, struct decision *d)
{
	const struct event *ev = d->refusal ? NULL : early_event(s, d);

	if (ev)
		decision_refuse(d, ERROR_CODE_UPGRADE_UNFINISHED, NODE_REV_TOO_EARLY,
		                STR_ARG(event_type_word(ev->type)));
}

bool node_rev_leaves_out(const struct session *s, const struct decision *d)
{
	const struct event *ev = d->call ? NULL : early_event(s, d);

	if (ev)
		log_line(LOG_WARN, "engine",
		         "%.*s is not recorded in %.*s: a node of an older version lives, which "
		         "does not know it",
		         STR_ARG(event_type_word(ev->type)), STR_ARG(s->id));
	return ev;
}
