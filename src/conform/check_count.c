/* How often events occur: for each id, and whether classes occur at all. */
#include "conform/event_select.h"
#include "conform/row_check.h"

struct counted {
	struct str id;
	int64_t count;
	bool is_wanted; /* an event of `each` has this id */
	struct log_spot spot;
	struct counted *next;
};

static struct counted *counted_of(struct check *c, const struct log_event *e, struct str id)
{
	struct str key = log_finding_key(e, id);
	struct counted *n = map_get(&c->known, key);

	if (n)
		return n;
	n = ARENA_NEW(e->p->log, struct counted);
	n->id = arena_keep(e->p->log, id);
	n->next = map_get(&c->known, STR("*"));
	map_put(&c->known, key, n);
	map_put(&c->known, STR("*"), n);
	return n;
}

void check_count_event(struct check *c, const struct log_event *e)
{
	bool is_counted = event_select_has(&c->on, e->type, e->v);
	bool is_each = event_select_has(&c->each, e->type, e->v);
	struct str id = is_counted || is_each ? event_select_id(e->v, c->per) : STR_NONE;
	struct counted *n = str_is(id) ? counted_of(c, e, id) : NULL;

	if (!n)
		return;
	if (is_counted && ++n->count > c->max)
		log_finding_add(e->p, c, &e->spot, "%.*s occurs %lld times for %.*s %.*s",
		                STR_ARG(e->type), (long long)n->count, STR_ARG(c->per),
		                STR_ARG(str_head(id, 80)));
	if (is_each && !n->is_wanted) {
		c->seen++;
		n->is_wanted = !e->is_partial;
		n->spot = log_finding_spot(e->p->log, &e->spot);
	}
}

void check_count_end(struct conform_pack *p, struct check *c)
{
	for (struct counted *n = map_get(&c->known, STR("*")); n; n = n->next)
		if (n->is_wanted && n->count < c->min)
			log_finding_add(
				p, c, &n->spot, "%.*s %.*s has %lld of the events %.*s, not %lld",
				STR_ARG(c->per), STR_ARG(str_head(n->id, 80)), (long long)n->count,
				STR_ARG(c->on.items[0].pattern), (long long)c->min);
}

/* Over all files: each pattern must occur once. */
void check_count_classes(struct check *c, const struct log_event *e)
{
	size_t found = 0;

	for (size_t i = 0; i < c->members.count; i++) {
		if (event_select_pattern(c->members.items[i], e->type))
			map_put(&c->known, c->members.items[i], c);
		found += map_get(&c->known, c->members.items[i]) != NULL;
	}
	if (found == c->members.count)
		c->seen++;
}
