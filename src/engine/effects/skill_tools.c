/*
 * read_skill: a model reads the text of a skill, or a file of its folder.
 *
 * Skills of the user lie outside of the workspace, where file tools do not
 * reach; this tool offers the files of a skill and nothing else.  Rules that
 * deny a path apply here too, and a project's skill has to be trusted.
 */
#include "engine/effects/skill_tools.h"

#include "base/gen/tool_args.h"
#include "engine/gen/skill_tools_table.h"
#include "engine/settings/extensions.h"
#include "engine/engine_state.h"

struct skill_tools {
	struct toolset base;
	struct engine *engine;
	struct list calls;
};

struct tool_handle {
	struct list node;
	struct skill_tools *set;
	struct arena *mem;
	struct tool_sink sink;
	void *owner;
	struct context_read read;
	bool is_cancelled;
};

static void call_free(struct tool_handle *h)
{
	list_remove(&h->node);
	arena_free(h->read.mem);
	arena_free(h->mem);
}

static void call_end(struct tool_handle *h, const struct tool_end *e)
{
	list_remove(&h->node);
	list_init(&h->node);
	h->sink.end(h->owner, e);
	call_free(h);
}

static void end_failed(struct tool_handle *h, struct tool_error error)
{
	struct tool_end end = { .executed = EXECUTED_NO, .survivors = -1 };

	tool_end_fail(&end, &error);
	call_end(h, &end);
}

static const struct context_extension *find_skill(const struct context_read *r)
{
	for (size_t i = 0; i < r->extension_count; i++)
		if (!str_is(r->extensions[i].error) && str_eq(r->extensions[i].name, r->wanted))
			return &r->extensions[i];
	return NULL;
}

static void end_file(struct tool_handle *h)
{
	const struct context_read *r = &h->read;

	if (r->file_missing || !str_is(r->file_text)) {
		end_failed(h, tool_error_no_skill_file(h->mem, r->wanted, r->wanted_file));
		return;
	}
	h->sink.output(h->owner, r->file_text);
	call_end(h, &(struct tool_end){ .executed = EXECUTED_YES, .survivors = -1 });
}

static void end_skill(struct tool_handle *h, const struct context_extension *x)
{
	const struct context_read *r = &h->read;

	h->sink.output(h->owner,
	               arena_printf(h->mem, "[skill %.*s, %.*s]\n\n%.*s\n", STR_ARG(x->name),
	                            STR_ARG(x->path), STR_ARG(x->body)));
	if (r->beside.len)
		h->sink.output(h->owner,
		               arena_printf(h->mem,
		                            "\n[files of this skill; read one with `file`]\n%.*s",
		                            STR_ARG(r->beside)));
	call_end(h, &(struct tool_end){ .executed = EXECUTED_YES, .survivors = -1 });
}

static void on_read(struct context_read *r)
{
	struct tool_handle *h = OWNER_OF(r, struct tool_handle, read);
	const struct context_extension *x = find_skill(r);
	struct str trusted = extensions_trusted(h->set->engine, h->mem, r->project);

	if (h->is_cancelled)
		call_end(h, &(struct tool_end){ .cancelled = true,
		                                .executed = EXECUTED_PARTLY,
		                                .survivors = -1 });
	else if (!x)
		end_failed(h, tool_error_no_skill(h->mem, r->wanted));
	else if (!extensions_is_trusted(x, trusted))
		end_failed(h, tool_error_skill_not_trusted(h->mem, r->wanted));
	else if (str_is(r->wanted_file))
		end_file(h);
	else
		end_skill(h, x);
}

/* ---- the toolset ---- */

static size_t set_tools(struct toolset *t, const struct tool_info **ret)
{
	(void)t;
	*ret = skill_tools_table;
	return COUNT_OF(skill_tools_table);
}

static struct tool_handle *set_start(struct toolset *t, const struct tool_start *start,
                                     const struct tool_sink *sink, void *owner)
{
	struct skill_tools *set = OWNER_OF(t, struct skill_tools, base);
	struct context *c = set->engine->ports.context;
	struct arena *mem = arena_new();
	struct tool_handle *h = ARENA_NEW(mem, struct tool_handle);
	struct tool_args_read_skill a;
	struct json args = { NULL };

	/* The schema was checked before the call got here. */
	if (json_read(mem, start->args, &args, NULL) != OK)
		args = (struct json){ NULL };
	a = tool_args_read_skill(args);
	*h = (struct tool_handle){ .set = set, .mem = mem, .sink = *sink, .owner = owner };
	h->read = (struct context_read){
		.cwd = arena_keep(mem, start->cwd),
		.deny = arena_keep(mem, start->deny),
		.kinds = CONTEXT_KIND_BIT(EXTENSION_KIND_SKILL),
		.wanted = arena_keep(mem, a.name),
		.wanted_file = a.file.len ? arena_keep(mem, a.file) : STR_NONE,
		.done = on_read,
	};
	list_add(&set->calls, &h->node);
	c->ops->read(c, &h->read);
	return h;
}

/* What is read now is dropped when it arrives. */
static void set_cancel(struct toolset *t, struct tool_handle *h)
{
	(void)t;
	h->is_cancelled = true;
}

static void set_nothing(struct toolset *t, struct tool_handle *h)
{
	(void)t, (void)h; /* results are small */
}

/* The context is closed before, so nothing is read any more. */
static void set_close(struct toolset *t)
{
	struct skill_tools *set = OWNER_OF(t, struct skill_tools, base);

	while (!list_is_empty(&set->calls))
		call_free(LIST_ITEM(set->calls.next, struct tool_handle, node));
}

static const struct toolset_ops set_ops = {
	.tools = set_tools,
	.start = set_start,
	.cancel = set_cancel,
	.pause = set_nothing,
	.resume = set_nothing,
	.close = set_close,
};

struct toolset *skill_tools_new(struct engine *e)
{
	struct skill_tools *set = ARENA_NEW(e->mem, struct skill_tools);

	set->base.ops = &set_ops;
	set->engine = e;
	list_init(&set->calls);
	return &set->base;
}
