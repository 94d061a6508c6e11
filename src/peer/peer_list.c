/* Remote agents for display: what is known about each, and cards that are read on request. */
#include "peer/peer_int.h"

static struct peer_set *set_of(struct agents *a)
{
	return OWNER_OF(a, struct peer_set, agents);
}

static enum peer_status status_of(const struct peer *p)
{
	return !p->card_mem          ? PEER_STATUS_UNREAD
	       : str_is(p->card_why) ? PEER_STATUS_DOWN
	       : p->is_card_changed  ? PEER_STATUS_CARD_CHANGED
	                             : PEER_STATUS_READY;
}

static void fill_row(struct arena *mem, const struct peer *p, struct agent_row *ret)
{
	struct str *headers = ARENA_ARRAY(mem, struct str, p->header_count + 1);
	bool is_read = p->card_mem && !str_is(p->card_why);

	*ret = (struct agent_row){ .name = p->name,
		                   .card_url = p->card_url,
		                   .description = p->description,
		                   .status = peer_status_word(status_of(p)),
		                   .headers = headers,
		                   .header_count = p->header_count };
	for (size_t i = 0; i < p->header_count; i++)
		headers[i] = p->headers[i].name;
	LIST_EACH (&p->runs, node)
		ret->open++;
	if (p->card_mem && str_is(p->card_why))
		ret->detail = arena_keep(mem, p->card_why);
	if (p->is_card_changed)
		ret->detail = STR("Its card differs from the pinned one; the next delegation asks");
	if (!is_read)
		return;
	ret->agent = arena_keep(mem, p->agent.name);
	ret->version = arena_keep(mem, p->agent.version);
	ret->url = arena_keep(mem, p->agent.url);
	ret->binding = a2a_agent_binding_word(p->agent.binding);
	ret->card_hash = sha256_hex(mem, &p->agent.hash);
	if (str_is(p->signed_by))
		ret->signed_by = arena_keep(mem, p->signed_by);
}

static size_t list_agents(struct agents *a, struct arena *mem, const struct agent_row **ret)
{
	struct peer_set *s = set_of(a);
	struct agent_row *rows = ARENA_ARRAY(mem, struct agent_row, s->count + 1);

	for (size_t i = 0; i < s->count; i++)
		fill_row(mem, &s->peers[i], &rows[i]);
	*ret = rows;
	return s->count;
}

/* ---- checks ---- */

static bool is_meant(const struct agents_check *c, const struct peer *p)
{
	return !str_is(c->name) || str_eq(c->name, p->name);
}

static bool is_checked(const struct peer_set *s, const struct agents_check *c)
{
	for (size_t i = 0; i < s->count; i++)
		if (is_meant(c, &s->peers[i]) && s->peers[i].card_call)
			return false;
	return true;
}

void peer_list_checked(struct peer_set *s)
{
	LIST_EACH_SAFE (&s->checks, node, next) {
		struct agents_check *c = LIST_ITEM(node, struct agents_check, node);

		if (!s->is_stopping && !is_checked(s, c))
			continue;
		list_remove(&c->node);
		c->done(c);
	}
}

static void on_news(struct loop_timer *t)
{
	peer_list_checked(OWNER_OF(t, struct peer_set, news));
}

static void check_agents(struct agents *a, struct agents_check *c)
{
	struct peer_set *s = set_of(a);

	list_init(&c->node);
	list_add(&s->checks, &c->node);
	for (size_t i = 0; i < s->count && !s->is_stopping; i++)
		if (is_meant(c, &s->peers[i])) {
			s->peers[i].card_read_ms = 0;
			(void)peer_card_is_ready(&s->peers[i]);
		}
	loop_timer_start(s->o.loop, &s->news, 0, on_news);
}

static const struct agents_ops ops = { .list = list_agents, .check = check_agents };

void peer_list_init(struct peer_set *s)
{
	s->agents.ops = &ops;
	s->checked = peer_list_checked;
	list_init(&s->checks);
}
