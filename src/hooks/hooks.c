/*
 * The hook port: finds the hook, runs it as a command, an address or a call of
 * the embedding program, and ends it at its deadline.
 */
#include "hooks/hooks_claude.h"
#include "hooks/hooks_int.h"

static size_t set_list(struct hooks *port, const struct hook_info **ret)
{
	struct hook_set *s = OWNER_OF(port, struct hook_set, port);

	*ret = s->own.infos;
	return s->own.count;
}

/* Without the first, whose address comes with each call. */
static size_t set_services(struct hooks *port, const struct hook_info **ret)
{
	struct hook_set *s = OWNER_OF(port, struct hook_set, port);

	*ret = s->services.infos + 1;
	return s->services.count - 1;
}

/*
 * Every way to run may be dropped whether or not it was started; the arena holds the handle
 * itself, so it is freed last.
 */
static void free_run(struct hook_handle *h)
{
	loop_timer_stop(&h->timer);
	list_remove(&h->node);
	hooks_command_drop(h);
	hooks_http_drop(h);
	hooks_host_drop(h);
	buf_done(&h->out);
	buf_done(&h->err);
	arena_free(h->mem);
}

void hooks_tell(struct hook_handle *h, const struct hook_end *e)
{
	struct hook_end told = *e;

	/* Deadline and cancellation win over the end of the process, which they caused. */
	if (h->is_timed_out)
		told = (struct hook_end){ .result = HOOK_TIMED_OUT };
	else if (h->is_cancelled)
		told = (struct hook_end){ .result = HOOK_CANCELLED };
	told.out = h->row && h->row->is_claude ? hooks_claude_output(h->mem, buf_str(&h->out))
	                                       : buf_str(&h->out);
	told.err = buf_str(&h->err);
	told.left_out = h->left_out;
	h->end(h->owner, &told);
	free_run(h);
}

static void on_trouble(struct loop_timer *t)
{
	struct hook_handle *h = OWNER_OF(t, struct hook_handle, timer);

	hooks_tell(h,
	           &(struct hook_end){ .result = HOOK_NOT_STARTED, .message = buf_str(&h->err) });
}

void hooks_trouble(struct hook_handle *h, struct str message)
{
	buf_clear(&h->err);
	buf_add_str(&h->err, message);
	loop_timer_start(h->set->o.loop, &h->timer, 0, on_trouble);
}

/* At the deadline a command is killed, and its exit ends the run; a request has its own timeout. */
static void on_time(struct loop_timer *t)
{
	struct hook_handle *h = OWNER_OF(t, struct hook_handle, timer);

	if (hooks_host_is_answered(h))
		return; /* hook_queue_answer() has accepted the answer */
	h->is_timed_out = true;
	if (str_is(h->row->command))
		hooks_command_stop(h);
	else
		hooks_tell(h, &(struct hook_end){ .result = HOOK_TIMED_OUT });
}

/* Finds a hook by the name that events use for it. */
static const struct hook_row *find_row(const struct hook_list *l, struct str ref)
{
	for (size_t i = 0; i < l->count; i++)
		if (str_eq(l->rows[i].info.ref, ref))
			return &l->rows[i];
	return NULL;
}

const struct hook_row *hooks_find(struct hook_set *s, struct str cwd, struct str ref)
{
	const struct hook_row *found = find_row(&s->own, ref);

	if (!found)
		found = find_row(&s->services, ref);
	return found ? found : find_row(hooks_project_of_place(s, cwd), ref);
}

static struct sandbox_paths keep_list(struct arena *mem, const struct sandbox_paths *l)
{
	struct sandbox_paths kept = { ARENA_ARRAY(mem, struct str, l->count + 1), l->count };

	for (size_t i = 0; i < l->count; i++)
		kept.at[i] = arena_keep(mem, l->at[i]);
	return kept;
}

/* NULL: there is no such hook, or it is not trusted. */
static const struct hook_row *keep_row(struct hook_handle *h, const struct hook_start *start)
{
	const struct hook_row *found = hooks_find(h->set, start->cwd, start->ref);
	struct hook_row *row = ARENA_NEW(h->mem, struct hook_row);

	if (!found || found->info.trust == HOOK_TRUST_UNTRUSTED)
		return NULL;
	*row = (struct hook_row){ .info = { .timeout_ms = found->info.timeout_ms,
		                            .ref = arena_keep(h->mem, found->info.ref) },
		                  .command = arena_keep(h->mem, found->command),
		                  .url = arena_keep(h->mem,
		                                    found->is_stamp ? start->url : found->url),
		                  .secret = arena_keep(h->mem, found->secret),
		                  .previous_secret = arena_keep(h->mem, found->previous_secret),
		                  .is_cloudevent = found->is_cloudevent,
		                  .is_claude = found->is_claude,
		                  .is_host = found->is_host,
		                  .is_raw = found->is_raw,
		                  .is_stamp = found->is_stamp,
		                  .key = arena_keep(h->mem, found->key),
		                  .decides = found->decides,
		                  .has_no_sandbox = found->has_no_sandbox,
		                  .has_network = found->has_network,
		                  .hosts = keep_list(h->mem, &found->hosts),
		                  .secrets = keep_list(h->mem, &found->secrets) };
	return row;
}

/*
 * Never fails directly: every error becomes an end that is delivered from the loop, after the
 * caller has stored the handle.
 */
static struct hook_handle *set_start(struct hooks *port, const struct hook_start *start,
                                     void (*end)(void *owner, const struct hook_end *e),
                                     void *owner)
{
	struct hook_set *s = OWNER_OF(port, struct hook_set, port);
	struct arena *mem = arena_new();
	struct hook_handle *h = ARENA_NEW(mem, struct hook_handle);

	h->mem = mem;
	h->set = s;
	h->end = end;
	h->owner = owner;
	h->row = keep_row(h, start);
	h->id = arena_keep(mem, start->run_id);
	h->input = arena_keep(mem, start->input);
	h->deny = arena_keep(mem, start->deny);
	h->trace = trace_context_keep(mem, start->trace);
	h->out.max = h->err.max = HOOK_OUTPUT_MAX;
	list_add(&s->runs, &h->node);
	if (!h->row) {
		hooks_trouble(h, STR("there is no such hook, or it is not trusted"));
		return h;
	}
	if (h->row->is_claude)
		h->input = hooks_claude_input(mem, h->input);
	loop_timer_start(s->o.loop, &h->timer, h->row->info.timeout_ms, on_time);
	if (str_is(h->row->command))
		hooks_command(h, start->cwd);
	else if (h->row->is_host)
		hooks_host(h);
	else
		hooks_http(h);
	return h;
}

/* The end is always delivered from the loop. */
static void on_cancelled(struct loop_timer *t)
{
	hooks_tell(OWNER_OF(t, struct hook_handle, timer),
	           &(struct hook_end){ .result = HOOK_CANCELLED });
}

static void set_cancel(struct hooks *port, struct hook_handle *h)
{
	struct hook_set *s = OWNER_OF(port, struct hook_set, port);

	if (h->is_cancelled)
		return;
	h->is_cancelled = true;
	/*
	 * The exit of the process ends the run; until then its output still belongs to the handle.
	 */
	if (h->job.is_running) {
		hooks_command_stop(h);
		return;
	}
	hooks_http_drop(h);
	hooks_host_drop(h);
	loop_timer_start(s->o.loop, &h->timer, 0, on_cancelled);
}

static void set_close(struct hooks *port)
{
	struct hook_set *s = OWNER_OF(port, struct hook_set, port);

	LIST_EACH_SAFE (&s->runs, node, next)
		free_run(LIST_ITEM(node, struct hook_handle, node));
	hooks_host_close_queue(s);
	hooks_project_forget_places(s);
	arena_free(s->mem);
}

static const struct hooks_ops set_ops = {
	.list = set_list,
	.services = set_services,
	.start = set_start,
	.cancel = set_cancel,
	.close = set_close,
	.list_at = hooks_project_list_at,
	.look = hooks_project_look,
	.project = hooks_project_of,
	.trust = hooks_project_trust,
	.rights = hooks_rights_of,
	.trust_program = hooks_rights_trust_program,
};

/* An unknown word leaves the default: the workspace, and no network. */
static void keep_agent(struct hook_set *s, const struct hooks_options *o)
{
	s->mode = SANDBOX_WORKSPACE_WRITE;
	s->network = SANDBOX_NETWORK_OFF;
	for (int m = SANDBOX_READ_ONLY; m <= SANDBOX_EXTERNAL; m++)
		if (str_eq(o->mode, sandbox_plan_mode_name((enum sandbox_plan_mode)m)))
			s->mode = (enum sandbox_plan_mode)m;
	for (int n = SANDBOX_NETWORK_OFF; n <= SANDBOX_NETWORK_FULL; n++)
		if (str_eq(o->network, sandbox_plan_network_name((enum sandbox_network)n)))
			s->network = (enum sandbox_network)n;
	s->hosts.at = ARENA_ARRAY(s->mem, struct str, o->host_count + 1);
	for (size_t i = 0; i < o->host_count; i++)
		s->hosts.at[s->hosts.count++] = arena_keep(s->mem, o->hosts[i]);
	s->o.data_dir = arena_keep(s->mem, o->data_dir);
}

enum err hooks_open(const struct hooks_options *o, struct hooks **ret, struct error *e)
{
	struct arena *mem = arena_new();
	struct hook_set *s = ARENA_NEW(mem, struct hook_set);
	struct str *env = ARENA_ARRAY(mem, struct str, o->env_count + 1);
	enum err code;

	s->mem = mem;
	s->o = *o;
	for (size_t i = 0; i < o->env_count; i++)
		env[i] = arena_keep(mem, o->env[i]);
	s->o.env = env;
	keep_agent(s, o);
	s->port.ops = &set_ops;
	list_init(&s->runs);
	list_init(&s->places);
	code = hooks_read(s, e);
	if (!code && str_is(o->in_process))
		code = hooks_host_open_queue(s, e);
	if (code)
		arena_free(mem);
	else
		*ret = &s->port;
	return code;
}
