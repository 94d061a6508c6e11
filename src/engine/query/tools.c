/* The tools that every session has, without a session: for clients that call them directly. */
#include "engine/query/query.h"
#include "engine/settings/toolsets.h"
#include "engine/engine_state.h"

#define LOOK_AGAIN_MS 50
#define PATIENCE_MS 10000 /* then the list has what is there */

/* mcp__SERVER__* stands for all tools of a server. */
static bool is_meant(struct str pattern, struct str name)
{
	size_t head = pattern.len ? pattern.len - 1 : 0;

	if (head && pattern.ptr[head] == '*')
		return str_starts(name, str_head(pattern, head));
	return str_eq(pattern, name);
}

static bool is_wanted(const struct list_str *names, struct str name)
{
	for (uint32_t i = 0; i < names->count; i++)
		if (is_meant(names->items[i], name))
			return true;
	return !names->count;
}

static struct rec_listed_tool row_of(const struct tool_info *t)
{
	return (struct rec_listed_tool){
		.tool_name = t->name,
		.description = t->description,
		.input_schema = t->input_schema,
		.output_schema = t->output_schema,
		.is_read_only = t->is_read_only,
		.is_destructive = t->is_destructive,
		.runtime_owner = str_is(t->owner) ? t->owner : STR("unknown"),
		.native_name = t->native_name,
		.annotations = t->annotations,
		.is_added = t->is_added,
		.has_is_added = t->is_added,
	};
}

static void on_timer(struct clock_timer *t)
{
	request_restart(OWNER_OF(t, struct request, timer));
}

bool query_tools_waits(struct request *r)
{
	struct clock *c = r->engine->ports.clock;

	if (!toolsets_are_coming(r->engine, STR_NONE, STR_NONE) ||
	    c->ops->mono_ms(c) - r->began_ms >= PATIENCE_MS)
		return false;
	r->timer.fire = on_timer;
	c->ops->start(c, &r->timer, LOOK_AGAIN_MS);
	return true;
}

/* A tool of one provider is run by that provider, so it cannot be called without its model. */
void query_list_tools(struct request *r, const struct cmd_list_tools *c)
{
	const struct settings *s = &r->engine->settings;
	struct reply_list_tools reply = { 0 };

	if (query_tools_waits(r))
		return;
	for (size_t i = 0; i < s->tool_count; i++)
		if (!str_is(s->tools[i].only_for) && is_wanted(&c->names, s->tools[i].name))
			*(struct rec_listed_tool *)rec_list_add(
				r->mem, &reply.tools, &rec_listed_tool_desc) = row_of(&s->tools[i]);
	r->response.reply = rec_text(r->mem, &reply_list_tools_desc, &reply);
	request_reply(r);
}
