#include "tools/tools_int.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define PROBE_WAIT_MS 5000
#define END_WAIT_MS 3000

/* ---- what the supervisor says ---- */

static struct tool_handle *find_call(struct tools *t, struct str id)
{
	LIST_EACH (&t->calls, node) {
		struct tool_handle *h = LIST_ITEM(node, struct tool_handle, node);

		if (h->is_running && str_is(id) && str_eq(h->id, id))
			return h;
	}
	return NULL;
}

static void on_ready(void *owner, pid_t pid)
{
	(void)owner, (void)pid;
}

static void on_started(void *owner, const struct hand_started *s)
{
	struct tool_handle *h = find_call(owner, s->id);
	const int fds[] = { s->pidfd, s->stdin_fd, s->stdout_fd, s->stderr_fd, s->pty_fd };

	if (h) {
		call_started(h, s);
		return;
	}
	for (size_t i = 0; i < COUNT_OF(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static void on_refused(void *owner, const struct hand_refused *r)
{
	struct tool_handle *h = find_call(owner, r->id);

	if (h)
		call_refused(h, r);
}

static void on_violation(void *owner, const struct hand_violation *v)
{
	struct tool_handle *h = find_call(owner, v->id);

	if (h)
		call_violation(h, v);
}

static void on_exited(void *owner, struct str id, const struct hand_exit *x)
{
	struct tool_handle *h = find_call(owner, id);

	if (h)
		call_exited(h, x);
}

static void on_probed(void *owner, struct json host)
{
	struct tools *t = owner;

	t->is_probed = sandbox_host_read(t->host_mem, host, &t->host, &t->probe_error) == OK;
	if (!t->is_probed)
		t->is_gone = true; /* of another version: not to be used */
}

/* Ending a call may start the next supervisor, and with it a new list. */
static void on_gone(void *owner)
{
	struct tools *t = owner;

	watch_stop(&t->watch);
	t->is_gone = true;
	LIST_EACH (&t->calls, node) {
		struct tool_handle *h = LIST_ITEM(node, struct tool_handle, node);

		if (h->is_running)
			call_lost(h);
	}
}

static void on_output(void *owner, struct str id, int64_t out, int64_t err)
{
	(void)owner, (void)id, (void)out, (void)err; /* of background processes */
}

static void on_listed(void *owner, const struct hand_process *p)
{
	(void)owner, (void)p;
}

static void on_opened(void *owner, const struct hand_started *s)
{
	(void)owner, (void)s;
}

static void on_done(void *owner, int64_t req)
{
	(void)owner, (void)req;
}

static const struct hand_client_ops hand_ops = { .ready = on_ready,
	                                         .started = on_started,
	                                         .refused = on_refused,
	                                         .violation = on_violation,
	                                         .output = on_output,
	                                         .exited = on_exited,
	                                         .listed = on_listed,
	                                         .probed = on_probed,
	                                         .opened = on_opened,
	                                         .done = on_done,
	                                         .gone = on_gone };

/* ---- the supervisor's life ---- */

static void on_watch(struct watch *w)
{
	struct tools *t = OWNER_OF(w, struct tools, watch);

	hand_client_step(t->hand);
	tools_flush(t);
}

void tools_flush(struct tools *t)
{
	if (t->is_gone || hand_client_fd(t->hand) < 0)
		return;
	if (!watch_start(t->o.loop, &t->watch, hand_client_fd(t->hand),
	                 hand_client_wants_write(t->hand), on_watch))
		log_line(LOG_ERROR, "tools", "the supervisor cannot be watched");
}

static void forget_hand(struct tools *t)
{
	watch_stop(&t->watch);
	hand_client_free(t->hand, 0);
	t->hand = NULL;
	t->is_probed = t->is_gone = false;
	t->probe_error = (struct error){ 0 };
	arena_free(t->host_mem);
	t->host_mem = NULL;
}

/* A few milliseconds, once: without the answer nobody can say which cage there will be. */
static enum err probe(struct tools *t, struct error *e)
{
	int64_t end = clock_mono_ms() + PROBE_WAIT_MS;

	hand_client_probe(t->hand, t->home);
	while (!t->is_probed && !t->is_gone) {
		struct pollfd fd = { .fd = hand_client_fd(t->hand), .events = POLLIN };
		int64_t left = end - clock_mono_ms();

		if (left <= 0)
			return fail(e, ERR_TIMEOUT, "%s does not answer", t->o.hand.ptr);
		poll(&fd, 1, (int)left);
		hand_client_step(t->hand);
	}
	if (t->is_gone && t->probe_error.code)
		return fail(e, t->probe_error.code, "%s: %s", t->o.hand.ptr,
		            t->probe_error.message);
	return t->is_gone ? fail(e, ERR_CLOSED, "%s ended at once", t->o.hand.ptr) : OK;
}

enum err tools_hand(struct tools *t, struct error *e)
{
	struct hand_options o = { .path = t->o.hand.ptr };
	enum err err;

	if (t->hand && t->is_probed && !t->is_gone)
		return OK;
	forget_hand(t);
	t->host_mem = arena_new();
	err = hand_client_start(&o, &hand_ops, t, &t->hand, e);
	if (!err)
		err = probe(t, e);
	if (err) {
		forget_hand(t);
		return err;
	}
	t->learned_count = 0;
	tools_flush(t);
	return OK;
}

/* ---- the toolset ---- */

static size_t toolset_tools(struct toolset *port, const struct tool_info **ret)
{
	struct tools *t = OWNER_OF(port, struct tools, port);

	*ret = t->infos;
	return t->count;
}

static void toolset_close(struct toolset *port)
{
	struct tools *t = OWNER_OF(port, struct tools, port);

	LIST_EACH_SAFE (&t->calls, node, next)
		call_drop(LIST_ITEM(node, struct tool_handle, node));
	watch_stop(&t->watch);
	/* its end is the end of everything it started; nothing shall be left when we return */
	hand_client_free(t->hand, END_WAIT_MS);
	arena_free(t->host_mem);
	arena_free(t->mem);
}

static const struct toolset_ops toolset_ops = {
	.tools = toolset_tools,
	.bind = tool_bind,
	.start = call_start,
	.cancel = call_cancel,
	.pause = call_pause,
	.resume = call_resume,
	.close = toolset_close,
};

static bool is_taken(const struct tools_options *o, struct str name)
{
	for (size_t i = 0; i < o->taken_count; i++)
		if (str_eq(o->taken[i], name))
			return true;
	return false;
}

const struct tool_row *tools_find(const struct tools *t, struct str name)
{
	for (size_t i = 0; i < t->count; i++)
		if (str_eq(t->infos[i].name, name))
			for (size_t k = 0; k < tool_row_count; k++)
				if (str_eq(tool_rows[k].info.name, name))
					return &tool_rows[k];
	return NULL;
}

static struct str real_home(struct arena *mem)
{
	const char *home = getenv("HOME");
	char full[PATH_MAX];

	return home && realpath(home, full) ? arena_keep(mem, str_from(full)) : STR_NONE;
}

/* The words of the settings; a mode that the catalogue knows and no cage has is an error. */
static enum err read_words(struct tools *t, const struct tools_options *o, struct error *e)
{
	for (int m = SANDBOX_READ_ONLY; m <= SANDBOX_EXTERNAL; m++)
		if (str_eq(o->mode, sandbox_mode_name((enum sandbox_mode)m)))
			t->mode = (enum sandbox_mode)m;
	for (int n = SANDBOX_NETWORK_OFF; n <= SANDBOX_NETWORK_FULL; n++)
		if (str_eq(o->network, sandbox_network_name((enum sandbox_network)n)))
			t->network = (enum sandbox_network)n;
	if (!str_eq(o->mode, sandbox_mode_name(t->mode)))
		return fail(e, ERR_UNSUPPORTED, "sandbox.mode: no cage is called %.*s",
		            STR_ARG(o->mode));
	if (!str_eq(o->network, sandbox_network_name(t->network)))
		return fail(e, ERR_UNSUPPORTED, "sandbox.network: no cage has %.*s",
		            STR_ARG(o->network));
	return OK;
}

static void keep_options(struct tools *t, const struct tools_options *o)
{
	char full[PATH_MAX];

	t->o = *o;
	t->o.hand = arena_keep(t->mem, o->hand);
	t->o.data_dir = str_is(o->data_dir) && realpath(arena_keep(t->mem, o->data_dir).ptr, full)
	                        ? arena_keep(t->mem, str_from(full))
	                        : STR_NONE;
	t->env.at = ARENA_ARRAY(t->mem, struct str, o->env_count + 1);
	for (size_t i = 0; i < o->env_count; i++)
		t->env.at[t->env.count++] = arena_keep(t->mem, o->env[i]);
	t->o.env = t->o.taken = NULL;
	t->o.env_count = t->o.taken_count = 0;
	t->home = real_home(t->mem);

	uint8_t entropy[16];
	struct id_source ids;

	o->clock->ops->entropy(o->clock, entropy);
	id_source_init(&ids, 0, entropy);
	t->nonce = id_make_hex(t->mem, &ids, 32);
}

enum err tools_open(const struct tools_options *o, struct toolset **ret, struct error *e)
{
	struct arena *mem = arena_new();
	struct tools *t = ARENA_NEW(mem, struct tools);

	t->mem = mem;
	t->port.ops = &toolset_ops;
	list_init(&t->calls);
	keep_options(t, o);

	enum err err = read_words(t, o, e);

	if (!err && access(t->o.hand.ptr, X_OK) != 0)
		err = fail_errno(e, ERR_NOT_FOUND, "%s", t->o.hand.ptr);
	if (err) {
		arena_free(mem);
		return err;
	}
	t->infos = ARENA_ARRAY(mem, struct tool_info, tool_row_count);
	for (size_t i = 0; i < tool_row_count; i++)
		if (!is_taken(o, tool_rows[i].info.name))
			t->infos[t->count++] = tool_rows[i].info;
	*ret = &t->port;
	return OK;
}
