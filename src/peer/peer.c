/* The set of remote agents: opened with the runtime, started when the engine runs. */
#include "peer/peer.h"

#include "base/json.h"
#include "jwt/jwt_signature.h"
#include "peer/peer_int.h"

static struct peer_set *set_of(const struct toolset *t)
{
	return OWNER_OF((struct toolset *)(uintptr_t)t, struct peer_set, port);
}

/* ---- the port ---- */

static size_t toolset_tools(struct toolset *t, const struct tool_info **ret)
{
	*ret = set_of(t)->tools;
	return set_of(t)->count;
}

static struct tool_handle *toolset_start(struct toolset *t, const struct tool_start *start,
                                         const struct tool_sink *sink, void *owner)
{
	return peer_tool_start(set_of(t), start, sink, owner);
}

static void toolset_cancel(struct toolset *t, struct tool_handle *h)
{
	(void)t;
	peer_tool_cancel(h);
}

/* Its output comes at once, at the end. */
static void toolset_pause(struct toolset *t, struct tool_handle *h)
{
	(void)t;
	(void)h;
}

static void toolset_close(struct toolset *t)
{
	struct peer_set *s = set_of(t);

	s->control = NULL;
	for (size_t i = 0; i < s->count; i++) {
		while (!list_is_empty(&s->peers[i].runs))
			peer_run_free(LIST_ITEM(s->peers[i].runs.next, struct peer_run, node));
		peer_card_stop(&s->peers[i]);
		arena_free(s->peers[i].card_mem);
		jwt_signature_release(&s->peers[i].keys);
	}
	peer_tool_close(s);
	arena_free(s->mem);
}

static const struct toolset_ops ops = {
	.tools = toolset_tools,
	.start = toolset_start,
	.cancel = toolset_cancel,
	.pause = toolset_pause,
	.resume = toolset_pause,
	.close = toolset_close,
};

/* ---- opening ---- */

static enum err open_set(const struct peer_options *o, struct peer_set **ret, struct error *e)
{
	struct arena *mem = arena_new_small();
	struct peer_set *s = ARENA_NEW(mem, struct peer_set);
	enum err code;

	s->mem = mem;
	s->o = *o;
	s->port.ops = &ops;
	s->next = peer_run_next;
	peer_list_init(s);
	list_init(&s->lookups);
	list_init(&s->handles);
	code = peer_config_read(s, e);
	if (code) {
		arena_free(mem);
		return code;
	}
	s->tools = ARENA_ARRAY(mem, struct tool_info, s->count + 1);
	for (size_t i = 0; i < s->count; i++)
		peer_tool_describe(&s->peers[i], &s->tools[i]);
	*ret = s;
	return OK;
}

enum err peer_check(const struct peer_options *o, struct error *e)
{
	struct peer_set *s;
	enum err code = open_set(o, &s, e);

	if (!code)
		arena_free(s->mem);
	return code;
}

enum err peer_open(const struct peer_options *o, struct toolset **ret, struct error *e)
{
	struct peer_set *s;
	enum err code = open_set(o, &s, e);

	if (!code)
		*ret = &s->port;
	return code;
}

void peer_start(struct toolset *t, struct control *control)
{
	struct peer_set *s = set_of(t);

	s->control = control;
	peer_log_start(s);
}

/* Open delegations stay open in the log; the next start continues them. */
void peer_stop(struct toolset *t)
{
	struct peer_set *s = set_of(t);

	if (!s->control || s->is_stopping)
		return;
	s->is_stopping = true;
	peer_log_stop(s);
	peer_tool_stop(s);
	for (size_t i = 0; i < s->count; i++) {
		LIST_EACH (&s->peers[i].runs, node) {
			struct peer_run *r = LIST_ITEM(node, struct peer_run, node);

			loop_timer_stop(&r->timer);
			loop_timer_stop(&r->cancel_by);
			peer_call_drop(r);
			peer_file_drop(r);
			peer_recall_stop(r);
			peer_report_forget(r);
		}
		peer_card_stop(&s->peers[i]);
	}
	loop_timer_stop(&s->news);
	peer_list_checked(s);
}

struct agents *peer_agents(struct toolset *t)
{
	return &set_of(t)->agents;
}

bool peer_is_busy(const struct toolset *t)
{
	return set_of(t)->run_count > 0;
}
