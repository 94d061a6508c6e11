/*
 * Diagnostics after an edit: the result of a file tool waits a moment for what language servers
 * say about the files that it changed.
 *
 *   call ends ──► checker of its directory ──► answer or deadline ──► the result, with the text
 *
 * A checker is `thole-supervisor diagnose` in a read-only sandbox without network, started at the
 * first edit in a directory.  It lives while it is used; a new deny rule needs a new one, because
 * the sandbox of a running process cannot be narrowed.
 */
#include "tools/tools_int.h"

#include "base/gen/languages.h"
#include "base/hash/sha256.h"
#include "base/jw.h"
#include "base/os/log.h"
#include "base/path/path.h"
#include "base/utf8.h"
#include "sandbox/sandbox_env.h"

#include <unistd.h>

#define CHECKERS_MAX 4
#define CHECKER_IDLE_MS 600000
#define FILES_MAX 16
#define ANSWER_MAX 262144
#define FOUND_MAX 40
#define MISSES_MAX 2
#define SLACK_MS 500 /* the checker keeps the time itself; this is for one that hangs */

struct checker {
	struct list node; /* the one used last comes last */
	struct supervisor_job job;
	struct tools *tools;
	struct arena *mem;
	struct str cwd, deny, id;
	struct sandbox_plan plan;
	struct stream *in, *out;
	struct buf queued, answer; /* queued: until it has started */
	struct list waiting;       /* tool_handle.checking */
	int64_t last_id;
	struct clock_timer timer;
	unsigned misses; /* calls in a row that got no answer */
	bool is_over;
};

/* ---- the list of servers ---- */

static bool are_strings(struct json list)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (!str_is(json_str(v)) || !json_str(v).len)
			return false;
	return json_type(list) == JSON_ARR && json_count(list) > 0;
}

static enum err write_server(struct json_writer *w, struct str name, struct json row,
                             struct error *e)
{
	struct json_iter it = json_iter(JSON_GET(row, "files"));
	struct json endings;
	struct str language;

	if (json_type(row) != JSON_OBJ || !are_strings(JSON_GET(row, "command")) ||
	    json_type(JSON_GET(row, "files")) != JSON_OBJ || !json_count(JSON_GET(row, "files")))
		return fail(e, ERR_INVALID,
		            "diagnostics.servers.%.*s: wants command, a list of words, and files, "
		            "endings by language: {\"python\": [\".py\"]}",
		            STR_ARG(name));
	while (json_next(&it, &language, &endings)) {
		if (!are_strings(endings))
			return fail(e, ERR_INVALID,
			            "diagnostics.servers.%.*s.files.%.*s: wants a list of endings",
			            STR_ARG(name), STR_ARG(language));
		jw_obj(w);
		JW_KSTR(w, "name", name);
		JW_KEY(w, "argv");
		jw_value(w, JSON_GET(row, "command"));
		JW_KSTR(w, "language", language);
		JW_KEY(w, "files");
		jw_value(w, endings);
		jw_obj_end(w);
	}
	return OK;
}

/* Those of the settings first: the first that takes a file gets it. */
enum err tools_diagnose_open(struct tools *t, struct json servers, struct error *e)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_iter it = json_iter(servers);
	struct json_writer w;
	struct json row;
	struct str name;

	list_init(&t->checkers);
	jw_init(&w, &text);
	jw_arr(&w);
	while (json_next(&it, &name, &row)) {
		enum err err = write_server(&w, name, row, e);

		if (err)
			return err;
	}
	jw_arr_end(&w);
	t->language_servers = text.len > 2 ? arena_printf(t->mem, "%.*s,%s]", (int)text.len - 1,
	                                                  text.ptr, LANGUAGE_SERVERS_JSON)
	                                   : STR("[" LANGUAGE_SERVERS_JSON "]");
	return OK;
}

/* ---- the process ---- */

static void checker_free(struct checker *c)
{
	struct clock *clock = c->tools->o.clock;

	clock->ops->stop(clock, &c->timer);
	supervisor_host_drop(c->tools->o.host, &c->job);
	stream_abandon(&c->in);
	stream_abandon(&c->out);
	buf_done(&c->queued);
	buf_done(&c->answer);
	list_remove(&c->node);
	c->tools->checker_count--;
	arena_free(c->mem);
}

/* Calls that still wait get their result without diagnostics. */
static void checker_end(struct checker *c)
{
	c->is_over = true;
	LIST_EACH_SAFE (&c->waiting, node, next) {
		struct tool_handle *h = LIST_ITEM(node, struct tool_handle, checking);

		list_remove(&h->checking);
		h->checker = NULL;
		h->diagnosed(h, STR_NONE);
	}
	checker_free(c);
}

static void on_idle(struct clock_timer *timer)
{
	checker_end(OWNER_OF(timer, struct checker, timer));
}

static void touch(struct checker *c)
{
	struct clock *clock = c->tools->o.clock;

	clock->ops->start(clock, &c->timer, CHECKER_IDLE_MS);
	list_remove(&c->node);
	list_add(&c->tools->checkers, &c->node);
}

/* ---- answers ---- */

static struct str shown_path(struct str path, struct str cwd)
{
	return path_is_under(path, cwd) && path.len > cwd.len + 1 ? str_skip(path, cwd.len + 1)
	                                                          : path;
}

/* The lines that compilers write, which models know. */
static struct str text_of_answer(struct arena *mem, struct json answer, struct str cwd)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_iter it = json_iter(JSON_GET(answer, "diagnostics"));
	int64_t left = json_int(JSON_GET(answer, "left"), 0);
	size_t count = 0;
	struct json v;
	struct str key;

	while (count++ < FOUND_MAX && json_next(&it, &key, &v)) {
		struct str path = json_str(JSON_GET(v, "path"));

		if (!text.len)
			buf_printf(&text, "\nDiagnostics of %.*s after this change:\n",
			           STR_ARG(json_str(JSON_GET(v, "server"))));
		buf_printf(&text, "%.*s:%lld:%lld: %.*s: ", STR_ARG(shown_path(path, cwd)),
		           (long long)json_int(JSON_GET(v, "line"), 0),
		           (long long)json_int(JSON_GET(v, "column"), 0),
		           STR_ARG(json_str(JSON_GET(v, "severity"))));
		/* one line each: a message could pass for another one */
		utf8_add_safe(&text, json_str(JSON_GET(v, "message")), false);
		buf_add_char(&text, '\n');
	}
	if (left)
		buf_printf(&text, "… and %lld more\n", (long long)left);
	return text.len ? arena_keep(mem, buf_str(&text)) : STR_NONE;
}

static void take_answer(struct checker *c, struct str line)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json answer;
	int64_t id;

	if (json_read(mem, line, &answer, NULL) != OK)
		return;
	id = json_int(JSON_GET(answer, "id"), 0);
	LIST_EACH_SAFE (&c->waiting, node, next) {
		struct tool_handle *h = LIST_ITEM(node, struct tool_handle, checking);

		if (h->check_id != id)
			continue;
		list_remove(&h->checking);
		h->checker = NULL;
		c->misses = 0;
		h->diagnosed(h, text_of_answer(h->mem, answer, h->cwd));
		return;
	}
}

static void on_answer(struct stream *s, struct str bytes)
{
	struct checker *c = stream_user(s);
	ptrdiff_t at;

	buf_add_str(&c->answer, bytes);
	if (c->answer.overflowed) {
		checker_end(c);
		return;
	}
	while ((at = str_find_char(buf_str(&c->answer), '\n')) >= 0) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct str line = arena_keep(mem, str_head(buf_str(&c->answer), (size_t)at));

		buf_drop(&c->answer, (size_t)at + 1);
		take_answer(c, line);
	}
}

static void on_gone(struct stream *s)
{
	checker_end(stream_user(s));
}

static void on_unread(struct stream *s, struct str bytes)
{
	(void)s, (void)bytes;
}

static void on_in_gone(struct stream *s)
{
	struct checker *c = stream_user(s);

	stream_abandon(&c->in);
}

static const struct stream_ops out_ops = { .on_read = on_answer, .on_gone = on_gone };
static const struct stream_ops in_ops = { .on_read = on_unread, .on_gone = on_in_gone };

static struct checker *checker_of(struct supervisor_job *j)
{
	return OWNER_OF(j, struct checker, job);
}

static struct stream *open_stream(struct checker *c, int fd, const struct stream_ops *ops)
{
	struct stream *s = NULL;

	if (fd < 0 || stream_open_fd(c->tools->o.loop, fd, &s, NULL) != OK)
		return NULL;
	stream_own(s, ops, c);
	return s;
}

static void job_started(struct supervisor_job *j, const struct supervisor_started *s)
{
	struct checker *c = checker_of(j);

	if (s->pidfd >= 0)
		close(s->pidfd);
	if (s->stderr_fd >= 0)
		close(s->stderr_fd);
	c->in = open_stream(c, s->stdin_fd, &in_ops);
	c->out = open_stream(c, s->stdout_fd, &out_ops);
	if (!c->in || !c->out) {
		checker_end(c);
		return;
	}
	stream_write(c->in, buf_str(&c->queued));
	buf_done(&c->queued);
	stream_resume(c->out);
}

static void job_refused(struct supervisor_job *j, const struct supervisor_refused *r)
{
	log_line(LOG_WARN, "diagnostics", "language servers cannot run: %.*s", STR_ARG(r->reason));
	checker_end(checker_of(j));
}

static void job_exited(struct supervisor_job *j, const struct supervisor_exit *x)
{
	(void)x;
	checker_end(checker_of(j));
}

static void job_lost(struct supervisor_job *j)
{
	checker_end(checker_of(j));
}

static const struct supervisor_job_ops job_ops = {
	.started = job_started, .refused = job_refused, .exited = job_exited, .lost = job_lost
};

/* Caches of servers go to the private home and /tmp; the workspace is read-only. */
static void env_of(struct checker *c, struct sandbox_paths *ret)
{
	struct tools *t = c->tools;
	struct sandbox_paths own = { ARENA_ARRAY(c->mem, struct str, 2), 0 };

	own.at[own.count++] = STR("CARGO_TARGET_DIR=/tmp/thole-target");
	for (char *const *v = t->o.environ; v && *v; v++)
		if (str_starts(str_from(*v), STR("PATH=")) && own.count < 2)
			own.at[own.count++] =
				arena_printf(c->mem, "PATH=%.*s",
			                     STR_ARG(sandbox_env_path(c->mem, &c->plan,
			                                              str_skip(str_from(*v), 5))));
	sandbox_env(c->mem, t->o.environ, &t->env, &own, ret);
}

/* What a tool that reads files may see, with programs of the system; nothing can be written. */
static enum err make_plan(struct checker *c, struct error *e)
{
	struct tools *t = c->tools;
	struct sandbox_limits limits = sandbox_plan_default_limits;
	struct str hidden[2];
	struct sha256 name =
		sha256_of(arena_printf(c->mem, "%.*s %.*s", STR_ARG(t->nonce), STR_ARG(c->id)));
	/* Also where commands have no sandbox: no user is asked before a server runs. */
	struct sandbox_profile w = {
		.mode = SANDBOX_READ_ONLY,
		.cwd = c->cwd,
		.home = supervisor_host_home(t->o.host),
		.read = supervisor_host_machine(t->o.host)->own_roots,
		.deny = { hidden, 0 },
		.network = SANDBOX_NETWORK_OFF,
		.is_fail_closed = t->o.is_fail_closed,
		.tmp_dir = arena_printf(c->mem, "/tmp/thole-%.*s",
		                        STR_ARG(str_head(sha256_hex(c->mem, &name), 20))),
		.limits = &limits,
	};

	/* it runs as long as it is used, and its answers are bounded line by line */
	limits.timeout_ms = limits.inactivity_ms = limits.max_output_bytes = limits.max_cpu_s = 0;
	if (t->o.max_memory_bytes)
		limits.max_memory_bytes = t->o.max_memory_bytes;
	if (str_is(t->o.data_dir) && path_is_under(t->o.data_dir, c->cwd))
		hidden[w.deny.count++] = t->o.data_dir;
	if (str_is(t->o.cache_dir) && path_is_under(t->o.cache_dir, c->cwd) &&
	    access(t->o.cache_dir.ptr, F_OK) == 0)
		hidden[w.deny.count++] = t->o.cache_dir;
	sandbox_plan_read_deny_rules(c->mem, c->deny.len ? c->deny : STR_NONE, &w.deny_rules);
	return sandbox_plan_make(c->mem, supervisor_host_machine(t->o.host), &w, &c->plan, e);
}

static void write_first_line(struct checker *c)
{
	struct json_writer w;

	jw_init(&w, &c->queued);
	jw_obj(&w);
	JW_KSTR(&w, "cwd", c->cwd);
	JW_KEY(&w, "servers");
	jw_raw(&w, c->tools->language_servers);
	jw_obj_end(&w);
	buf_add_char(&c->queued, '\n');
}

static struct checker *checker_new(struct tools *t, const struct tool_handle *h)
{
	struct arena *mem = arena_new();
	struct checker *c = ARENA_NEW(mem, struct checker);
	struct str argv[] = { supervisor_host_program(t->o.host), STR("diagnose") };
	struct supervisor_run run = { .argv = { argv, COUNT_OF(argv) }, .stdin_pipe = true };
	struct error e;

	*c = (struct checker){ .tools = t, .mem = mem, .timer = { .fire = on_idle } };
	c->cwd = arena_keep(mem, h->cwd);
	c->deny = arena_keep(mem, h->deny);
	c->id = arena_printf(mem, "diagnose_%.*s", STR_ARG(h->id));
	c->answer.max = ANSWER_MAX;
	list_init(&c->waiting);
	if (supervisor_host_ready(t->o.host, &e) != OK || make_plan(c, &e) != OK) {
		log_line(LOG_WARN, "diagnostics", "language servers cannot run: %s", e.message);
		arena_free(mem);
		return NULL;
	}
	list_add(&t->checkers, &c->node);
	t->checker_count++;
	write_first_line(c);
	env_of(c, &run.env);
	run.id = c->id;
	run.plan = &c->plan;
	c->job.ops = &job_ops;
	touch(c);
	supervisor_host_run(t->o.host, &c->job, &run);
	return c;
}

/* ---- calls ---- */

/* One of the same directory and deny rules; another one there must go, its sandbox is too wide. */
static struct checker *find_checker(struct tools *t, const struct tool_handle *h)
{
	LIST_EACH_SAFE (&t->checkers, node, next) {
		struct checker *c = LIST_ITEM(node, struct checker, node);

		if (!str_eq(c->cwd, h->cwd))
			continue;
		if (str_eq(c->deny, h->deny) && !c->is_over)
			return c;
		checker_end(c);
	}
	while (t->checker_count >= CHECKERS_MAX)
		checker_end(LIST_ITEM(t->checkers.next, struct checker, node));
	return checker_new(t, h);
}

static size_t write_files(struct json_writer *w, const struct tool_handle *h)
{
	size_t count = 0;

	for (size_t i = 0; i < h->ending.end.change_count && count < FILES_MAX; i++) {
		const struct tool_change *change = &h->ending.end.changes[i];
		struct str path = change->path;

		if (!str_is(path) || change->change == ARTIFACT_CHANGE_DELETED)
			continue;
		if (path.ptr[0] != '/')
			path = arena_printf(h->mem, "%.*s/%.*s", STR_ARG(h->cwd), STR_ARG(path));
		/* elsewhere the checker's sandbox shows nothing */
		if (!path_is_under(path, h->cwd))
			continue;
		jw_str(w, path);
		count++;
	}
	return count;
}

bool tools_diagnose_begin(struct tool_handle *h, tools_diagnosed *done)
{
	struct tools *t = h->tools;
	CLEANUP(buf_done) struct buf text = { 0 };
	struct checker *c;
	struct json_writer w;
	size_t count;

	if (t->o.diagnose_wait_ms <= 0 || t->mode == SANDBOX_EXTERNAL || h->is_cancelled ||
	    h->ending.end.failed || !h->ending.end.change_count)
		return false;
	jw_init(&w, &text);
	jw_obj(&w);
	JW_KEY(&w, "files");
	jw_arr(&w);
	count = write_files(&w, h);
	jw_arr_end(&w);
	c = count ? find_checker(t, h) : NULL;
	if (!c)
		return false;
	h->check_id = ++c->last_id;
	JW_KINT(&w, "id", h->check_id);
	JW_KINT(&w, "waitMs", t->o.diagnose_wait_ms);
	jw_obj_end(&w);
	buf_add_char(&text, '\n');
	h->checker = c;
	h->diagnosed = done;
	list_add(&c->waiting, &h->checking);
	touch(c);
	if (c->in)
		stream_write(c->in, buf_str(&text));
	else
		buf_add_str(&c->queued, buf_str(&text));
	return true;
}

int64_t tools_diagnose_patience(const struct tools *t)
{
	return t->o.diagnose_wait_ms + SLACK_MS;
}

/* A checker that hangs is replaced. */
void tools_diagnose_drop(struct tool_handle *h)
{
	struct checker *c = h->checker;

	if (!c)
		return;
	list_remove(&h->checking);
	h->checker = NULL;
	if (++c->misses >= MISSES_MAX)
		checker_end(c);
}

void tools_diagnose_close(struct tools *t)
{
	LIST_EACH_SAFE (&t->checkers, node, next)
		checker_end(LIST_ITEM(node, struct checker, node));
}
