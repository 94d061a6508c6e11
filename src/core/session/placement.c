/* Where the directory of a session is; placement.h says what follows. */
#include "core/session/placement.h"

#include "base/gen/limits.h"
#include "base/path/path.h"
#include "core/budget/budget.h"
#include "core/process/process.h"
#include "core/task/task.h"

/* ---- queries ---- */

static const struct rec_node_workspace *workspace_named(const struct rec_node_place *own,
                                                        struct str name)
{
	for (uint32_t i = 0; i < own->workspaces.count; i++)
		if (str_eq(own->workspaces.items[i]->name, name))
			return own->workspaces.items[i];
	return NULL;
}

/* The innermost one that the directory is in. */
static const struct rec_node_workspace *workspace_around(const struct rec_node_place *own,
                                                         struct str cwd)
{
	const struct rec_node_workspace *best = NULL;

	for (uint32_t i = 0; i < own->workspaces.count; i++) {
		const struct rec_node_workspace *ws = own->workspaces.items[i];

		if (path_is_under(cwd, ws->path) && (!best || ws->path.len > best->path.len))
			best = ws;
	}
	return best;
}

static bool has_labels(const struct rec_node_place *own, const struct list_str *labels)
{
	for (uint32_t i = 0; i < labels->count; i++)
		if (rec_list_str_find(&own->labels, labels->items[i]) < 0)
			return false;
	return true;
}

static bool is_its_node(const struct rec_placement *p, const struct rec_node_place *own)
{
	return str_eq(p->node, own->name) ||
	       (str_is(p->machine) && str_is(own->machine) && str_eq(p->machine, own->machine));
}

bool placement_fits(const struct rec_placement *p, struct str cwd, const struct rec_node_place *own)
{
	const struct rec_node_workspace *ws;

	if (!p || !own)
		return true;
	if (!has_labels(own, &p->labels) || (str_is(p->node) && !is_its_node(p, own)))
		return false;
	if (!str_is(p->workspace))
		return true;
	ws = workspace_named(own, p->workspace);
	return ws && (ws->is_shared || str_is(p->node)) &&
	       (!str_is(cwd) || path_is_under(cwd, ws->path));
}

bool placement_is_met(const struct rec_placement_choice *c, struct str cwd,
                      const struct rec_node_place *own)
{
	const struct rec_node_workspace *ws;

	if (!has_labels(own, &c->labels) || (str_is(c->node) && !str_eq(c->node, own->name)))
		return false;
	ws = str_is(c->workspace) ? workspace_named(own, c->workspace) : NULL;
	return !str_is(c->workspace) || (ws && (!str_is(cwd) || path_is_under(cwd, ws->path)));
}

static bool is_of_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_' || c == '.';
}

bool placement_is_name(struct str text)
{
	if (!text.len || text.len > LIMIT_NODE_NAME_BYTES)
		return false;
	for (size_t i = 0; i < text.len; i++)
		if (!is_of_name(text.ptr[i]))
			return false;
	return true;
}

struct str placement_text(struct arena *mem, const struct rec_placement_choice *c)
{
	struct buf out = { 0 };
	struct str text;

	if (str_is(c->node))
		buf_printf(&out, "the name %.*s", STR_ARG(c->node));
	if (str_is(c->workspace))
		buf_printf(&out, "%sthe workspace %.*s", out.len ? ", " : "",
		           STR_ARG(c->workspace));
	for (uint32_t i = 0; i < c->labels.count; i++)
		buf_printf(&out, "%sthe label %.*s", out.len ? ", " : "",
		           STR_ARG(c->labels.items[i]));
	text = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return text;
}

/* ---- who continues what waits ---- */

#define KEY_OF(mem, kind, name) arena_printf((mem), "place:" kind ":%.*s", STR_ARG(name))

size_t placement_keys(struct arena *mem, const struct rec_placement *p,
                      struct str ret[PLACEMENT_KEYS])
{
	size_t count = 0;

	if (str_is(p->node))
		ret[count++] = KEY_OF(mem, "node", p->node);
	if (str_is(p->machine))
		ret[count++] = KEY_OF(mem, "machine", p->machine);
	/* Every node with the workspace, and the labels: placement_fits() decides. */
	if (!count && str_is(p->workspace))
		ret[count++] = KEY_OF(mem, "workspace", p->workspace);
	for (uint32_t i = 0; !count && i < p->labels.count; i++)
		ret[count++] = KEY_OF(mem, "label", p->labels.items[i]);
	return count;
}

size_t placement_keys_of_node(struct arena *mem, const struct rec_node_place *own,
                              const struct str **ret)
{
	struct str *keys =
		ARENA_ARRAY(mem, struct str, 2 + own->labels.count + own->workspaces.count);
	size_t count = 0;

	keys[count++] = KEY_OF(mem, "node", own->name);
	if (str_is(own->machine))
		keys[count++] = KEY_OF(mem, "machine", own->machine);
	for (uint32_t i = 0; i < own->workspaces.count; i++)
		if (own->workspaces.items[i]->is_shared)
			keys[count++] = KEY_OF(mem, "workspace", own->workspaces.items[i]->name);
	for (uint32_t i = 0; i < own->labels.count; i++)
		keys[count++] = KEY_OF(mem, "label", own->labels.items[i]);
	*ret = keys;
	return count;
}

/* ---- sessions that are created ---- */

static bool is_empty(const struct rec_placement_choice *c)
{
	return !str_is(c->workspace) && !str_is(c->node) && !c->labels.count;
}

struct str placement_bad_name(const struct rec_placement_choice *c)
{
	if (str_is(c->node) && !placement_is_name(c->node))
		return c->node;
	if (str_is(c->workspace) && !placement_is_name(c->workspace))
		return c->workspace;
	for (uint32_t i = 0; i < c->labels.count; i++)
		if (!placement_is_name(c->labels.items[i]))
			return c->labels.items[i];
	return STR_NONE;
}

static bool check_names(struct decision *d, const struct rec_placement_choice *c)
{
	struct str bad = placement_bad_name(c);

	if (is_empty(c))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "placement: name a node, a workspace or labels");
	else if (str_is(bad))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "placement: \"%.*s\" is no name: letters, digits, -, _ and ., at "
		                "most %d of them",
		                STR_ARG(str_head(bad, 60)), LIMIT_NODE_NAME_BYTES);
	return !d->refusal;
}

/* Where this node has the directory.  A caller that names the node means this one. */
static struct rec_placement *here(struct decision *d, struct str cwd,
                                  const struct rec_placement_choice *c)
{
	const struct rec_node_place *own = d->settings->place;
	const struct rec_node_workspace *ws = c && str_is(c->workspace)
	                                              ? workspace_named(own, c->workspace)
	                                      : str_is(cwd) ? workspace_around(own, cwd)
	                                                    : NULL;
	bool is_named = c && str_is(c->node);
	bool is_anywhere = !is_named && (ws ? ws->is_shared : !str_is(cwd));
	struct rec_placement *p =
		KEPT(d, struct rec_placement, .workspace = ws ? ws->name : STR_NONE);

	if (!is_anywhere)
		p->node = own->name;
	if (!is_anywhere && !is_named)
		p->machine = own->machine;
	if (c)
		p->labels = c->labels;
	return p;
}

static bool check_choice(struct decision *d, const struct rec_placement_choice *c)
{
	if (!check_names(d, c))
		return false;
	if (d->settings->place)
		return true;
	decision_refuse(d, ERROR_CODE_PLACEMENT_UNMET,
	                "placement: no other node shares this store; leave it out");
	return false;
}

bool placement_take(struct decision *d, const struct rec_placement_choice *c, struct str cwd,
                    struct rec_placement **ret)
{
	*ret = NULL;
	if (!c)
		return true;
	if (!check_choice(d, c))
		return false;
	if (!placement_is_met(c, cwd, d->settings->place)) {
		decision_refuse(
			d, ERROR_CODE_PLACEMENT_UNMET, "placement: node %.*s does not have %.*s",
			STR_ARG(d->settings->place->name), STR_ARG(placement_text(d->mem, c)));
		return false;
	}
	*ret = here(d, cwd, c);
	return true;
}

struct str placement_dir(const struct rec_node_place *own, const struct rec_placement_choice *c,
                         struct str cwd)
{
	const struct rec_node_workspace *ws =
		own && c && str_is(c->workspace) ? workspace_named(own, c->workspace) : NULL;

	return !str_is(cwd) && ws ? ws->path : cwd;
}

struct rec_placement *placement_of_directory(struct decision *d, struct str cwd)
{
	const struct rec_node_place *own = d->settings->place;

	return own && own->is_reached && str_is(cwd) ? here(d, cwd, NULL) : NULL;
}

static bool has_background(const struct state *w)
{
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_thread *th = w->s->threads.items[i];

		for (uint32_t n = 0; n < th->processes.count; n++)
			if (th->processes.items[n]->background &&
			    !process_is_over(th->processes.items[n]))
				return true;
	}
	return false;
}

/* What this node knows of the workspace: another one may have it differently. */
static bool check_move(struct decision *d, const struct rec_placement_choice *c, struct str cwd)
{
	const struct rec_node_workspace *ws = workspace_named(d->settings->place, c->workspace);

	if (!str_is(c->node) && !str_is(c->workspace))
		decision_refuse(d, ERROR_CODE_MISSING_FIELD,
		                "placement: name the node or the workspace with the files");
	else if (ws && !path_is_under(cwd, ws->path))
		decision_refuse(d, ERROR_CODE_PLACEMENT_UNMET,
		                "placement: the workspace %.*s is %.*s, and the session is in %.*s",
		                STR_ARG(ws->name), STR_ARG(ws->path), STR_ARG(cwd));
	else if (ws && !ws->is_shared && !str_is(c->node))
		decision_refuse(
			d, ERROR_CODE_PLACEMENT_UNMET,
			"placement: each node has a workspace %.*s of its own; name the node",
			STR_ARG(ws->name));
	else if (has_background(d->w))
		decision_refuse(d, ERROR_CODE_SESSION_ACTIVE,
		                "placement: a background process runs on the node with the "
		                "directory; stop it first");
	return !d->refusal;
}

/* The caller says that the files are there.  A new directory keeps the labels. */
bool placement_move(struct decision *d, const struct rec_placement_choice *c, struct str cwd,
                    struct rec_placement **ret)
{
	const struct st_session *s = d->w->s;

	*ret = NULL;
	if (c && (!check_choice(d, c) || !check_move(d, c, str_is(cwd) ? cwd : s->cwd)))
		return false;
	if (c) {
		*ret = KEPT(d, struct rec_placement, .workspace = c->workspace, .node = c->node,
		            .labels = c->labels);
		return true;
	}
	*ret = placement_of_directory(d, cwd);
	if (*ret && s->placement)
		(*ret)->labels = s->placement->labels;
	return true;
}

/* ---- what waits ---- */

bool placement_is_here(const struct decision *d)
{
	const struct st_session *s = d->w->s;

	return placement_fits(s->placement, s->cwd, d->settings->place);
}

static struct str whose_place(struct decision *d, const struct rec_placement *p)
{
	if (str_is(p->node))
		return arena_printf(d->mem, "node %.*s", STR_ARG(p->node));
	return str_is(p->workspace) ? arena_printf(d->mem, "a node with the workspace %.*s",
	                                           STR_ARG(p->workspace))
	                            : STR("a node with its labels");
}

static void emit_wait(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	struct str whose = whose_place(d, d->w->s->placement);
	struct str title = arena_printf(d->mem, "Waiting for %.*s", STR_ARG(whose));
	struct str detail =
		arena_printf(d->mem, "the directory of the session is on %.*s", STR_ARG(whose));
	struct rec_wait *wait = KEPT(
		d, struct rec_wait, .for_ = WAIT_FOR_NODE, .since = d->now, .deadline = STR("none"),
		.ended_by = STRINGS(d, arena_printf(d->mem, "the start of %.*s", STR_ARG(whose)),
	                            STR("update_session with another placement"),
	                            STR("interrupt_turn")));
	struct event *ev = decision_in_turn(
		EMIT(d, TASK_WAITING, task_waiting, .for_ = WAIT_FOR_NODE, .wait = wait), th, t);

	ev->status = STATUS_WAITING_RESOURCE;
	ev->task = KEPT(d, struct rec_task, .task_id = t->task_id,
	                .status = TASK_STATUS_WAITING_RESOURCE, .status_reason = detail);
	ev = decision_in_turn(EMIT(d, RUN_STATUS, run_status, .kind = RUN_STATUS_KIND_RESOURCE_WAIT,
	                           .title = title, .detail = detail, .wait = wait),
	                      th, t);
	ev->status = STATUS_WAITING_RESOURCE;
	ev->phase = PHASE_WAITING;
}

/* A question that is pending, or a call that its client runs: that is what the turn waits for. */
static bool has_outstanding(const struct st_thread *th, const struct st_turn *t)
{
	for (uint32_t i = 0; i < th->actions.count; i++)
		if (action_is_pending(th->actions.items[i]) &&
		    str_eq(th->actions.items[i]->turn_id, t->turn_id))
			return true;
	for (uint32_t i = 0; i < th->calls.count; i++) {
		const struct st_call *c = th->calls.items[i];

		if (str_eq(c->turn_id, t->turn_id) && c->dispatched && !call_is_over(c))
			return true;
	}
	return false;
}

/* Turns of the runtime have no task, and show no wait. */
bool placement_await(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	bool is_said = t->waiting_for == WAIT_FOR_NODE && t->status == STATUS_WAITING_RESOURCE;

	if (is_said || has_outstanding(th, t) || !str_is(t->task_id) ||
	    !state_task(d->w, t->task_id))
		return false;
	emit_wait(d, th, t);
	return true;
}

/* Before its start the task has no run that could continue: task.started follows. */
bool placement_arrive(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	struct event *ev;

	if (t->waiting_for != WAIT_FOR_NODE)
		return false;
	if (t->stage != TURN_STAGE_ACCEPTED) {
		budget_emit_room(d, th, t, STR("node"));
		return true;
	}
	ev = decision_in_turn(EMIT(d, RUN_STATUS, run_status, .kind = RUN_STATUS_KIND_NODE_ARRIVED,
	                           .title = arena_printf(d->mem, "Continuing on node %.*s",
	                                                 STR_ARG(d->settings->place->name)),
	                           .detail = STR("it has the directory of the session")),
	                      th, t);
	ev->status = STATUS_ACCEPTED;
	ev->phase = PHASE_PREPARING;
	return true;
}

bool placement_is_awaited(const struct state *w)
{
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_turn *t = state_thread_active(w->s->threads.items[i]);

		if (t && t->waiting_for == WAIT_FOR_NODE)
			return true;
	}
	return false;
}
