/*
 * Speaks the language server protocol with one server.
 *
 * Only what diagnostics need: initialize, documents with their whole content, and short answers
 * to what the server asks.  A message that is not understood ends the server, not this program.
 */
#include "diagnose/diagnose_server.h"

#include "base/jw.h"
#include "base/os/sys.h"
#include "diagnose/diagnose_frame.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGS_MAX 32
#define ENDINGS_MAX 16
#define INITIALIZE_ID 1

struct diagnose_server *diagnose_server_new(struct arena *mem, struct str cwd, struct json row)
{
	struct diagnose_server *s = ARENA_NEW(mem, struct diagnose_server);
	struct json_iter it = json_iter(JSON_GET(row, "argv"));
	size_t count = 0;
	struct json v;
	struct str key;

	*s = (struct diagnose_server){ .mem = mem, .cwd = cwd, .in = -1, .out = -1 };
	s->name = json_str(JSON_GET(row, "name"));
	s->language = json_str(JSON_GET(row, "language"));
	s->argv = ARENA_ARRAY(mem, char *, ARGS_MAX + 1);
	s->endings = ARENA_ARRAY(mem, struct str, ENDINGS_MAX);
	s->to.max = s->held.max = s->from.max = 2 * DIAGNOSE_FRAME_MAX;
	while (count < ARGS_MAX && json_next(&it, &key, &v))
		if (str_is(json_str(v)))
			s->argv[count++] = (char *)arena_keep(mem, json_str(v)).ptr;
	it = json_iter(JSON_GET(row, "files"));
	while (s->ending_count < ENDINGS_MAX && json_next(&it, &key, &v))
		s->endings[s->ending_count++] = json_str(v);
	return count && str_is(s->name) && str_is(s->language) && s->ending_count ? s : NULL;
}

bool diagnose_server_takes(const struct diagnose_server *s, struct str path)
{
	for (size_t i = 0; i < s->ending_count; i++)
		if (str_is(s->endings[i]) && s->endings[i].len && str_ends(path, s->endings[i]))
			return true;
	return false;
}

/* ---- messages ---- */

/* file:///ws/a%20b.c */
static void put_uri(struct buf *out, struct str path)
{
	buf_add_c(out, "file://");
	for (size_t i = 0; i < path.len; i++) {
		unsigned char c = (unsigned char)path.ptr[i];
		bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		                (c >= '0' && c <= '9') || strchr("/-._~", c);

		if (is_plain && c)
			buf_add_char(out, (char)c);
		else
			buf_printf(out, "%%%02X", c);
	}
}

static struct str uri_of(struct arena *mem, struct str path)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	put_uri(&out, path);
	return arena_keep(mem, buf_str(&out));
}

static void begin(struct json_writer *w, struct buf *text, const char *method)
{
	jw_init(w, text);
	jw_obj(w);
	JW_KSTR(w, "jsonrpc", STR("2.0"));
	if (method)
		JW_KSTR(w, "method", str_from(method));
}

static void send(struct diagnose_server *s, struct json_writer *w, struct buf *text)
{
	jw_obj_end(w);
	diagnose_frame_add(&s->to, buf_str(text));
	diagnose_server_write(s);
}

/* The protocol forbids documents before the answer to initialize. */
static void send_later(struct diagnose_server *s, struct json_writer *w, struct buf *text)
{
	if (s->state == DIAGNOSE_READY) {
		send(s, w, text);
		return;
	}
	jw_obj_end(w);
	diagnose_frame_add(&s->held, buf_str(text));
}

static void send_initialize(struct diagnose_server *s)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json_writer w;

	begin(&w, &text, "initialize");
	JW_KINT(&w, "id", INITIALIZE_ID);
	JW_KEY(&w, "params");
	jw_obj(&w);
	JW_KINT(&w, "processId", getpid());
	JW_KSTR(&w, "rootUri", uri_of(mem, s->cwd));
	JW_KEY(&w, "capabilities");
	jw_raw(&w, STR("{\"textDocument\":{\"publishDiagnostics\":{\"versionSupport\":true},"
	               "\"synchronization\":{\"didSave\":true}},"
	               "\"workspace\":{\"configuration\":true,\"workspaceFolders\":true}}"));
	JW_KEY(&w, "workspaceFolders");
	jw_arr(&w);
	jw_obj(&w);
	JW_KSTR(&w, "uri", uri_of(mem, s->cwd));
	JW_KSTR(&w, "name", STR("workspace"));
	jw_obj_end(&w);
	jw_arr_end(&w);
	jw_obj_end(&w);
	send(s, &w, &text);
}

static void send_initialized(struct diagnose_server *s)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	begin(&w, &text, "initialized");
	JW_KEY(&w, "params");
	jw_raw(&w, STR("{}"));
	send(s, &w, &text);
}

/* The first time didOpen, later the whole content as one change, then didSave. */
static void send_text(struct diagnose_server *s, const struct diagnose_document *d,
                      struct str content)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	bool is_open = d->version > 1;
	struct json_writer w;

	begin(&w, &text, is_open ? "textDocument/didChange" : "textDocument/didOpen");
	JW_KEY(&w, "params");
	jw_obj(&w);
	JW_KEY(&w, "textDocument");
	jw_obj(&w);
	JW_KSTR(&w, "uri", uri_of(mem, d->path));
	JW_KINT(&w, "version", d->version);
	if (!is_open) {
		JW_KSTR(&w, "languageId", s->language);
		JW_KSTR(&w, "text", content);
	}
	jw_obj_end(&w);
	if (is_open) {
		JW_KEY(&w, "contentChanges");
		jw_arr(&w);
		jw_obj(&w);
		JW_KSTR(&w, "text", content);
		jw_obj_end(&w);
		jw_arr_end(&w);
	}
	jw_obj_end(&w);
	send_later(s, &w, &text);
}

static void send_save(struct diagnose_server *s, const struct diagnose_document *d)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json_writer w;

	begin(&w, &text, "textDocument/didSave");
	JW_KEY(&w, "params");
	jw_obj(&w);
	JW_KEY(&w, "textDocument");
	jw_obj(&w);
	JW_KSTR(&w, "uri", uri_of(mem, d->path));
	jw_obj_end(&w);
	jw_obj_end(&w);
	send_later(s, &w, &text);
}

/* Settings: none, one null per question; everything else: null, "done". */
static void answer(struct diagnose_server *s, struct json id, struct str method, struct json params)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	begin(&w, &text, NULL);
	JW_KEY(&w, "id");
	jw_value(&w, id);
	JW_KEY(&w, "result");
	if (str_eq(method, STR("workspace/configuration"))) {
		jw_arr(&w);
		for (size_t i = 0; i < json_count(JSON_GET(params, "items")); i++)
			jw_raw(&w, STR("null"));
		jw_arr_end(&w);
	} else {
		jw_raw(&w, STR("null"));
	}
	send(s, &w, &text);
}

/* ---- process ---- */

static void fail_server(struct diagnose_server *s)
{
	if (s->in >= 0)
		close(s->in);
	if (s->out >= 0)
		close(s->out);
	s->in = s->out = -1;
	s->state = DIAGNOSE_GONE;
	if (s->pid > 0) {
		kill(s->pid, SIGKILL);
		waitpid(s->pid, NULL, 0);
	}
	s->pid = 0;
	buf_done(&s->to);
	buf_done(&s->held);
	buf_done(&s->from);
}

static void run_child(struct diagnose_server *s, int in, int out)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	signal(SIGPIPE, SIG_DFL);
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || (null >= 0 && dup2(null, 2) < 0) ||
	    chdir(s->cwd.ptr) != 0)
		_exit(126);
	execvp(s->argv[0], s->argv);
	_exit(127);
}

static void start(struct diagnose_server *s)
{
	int to[2] = { -1, -1 }, from[2] = { -1, -1 };

	s->state = DIAGNOSE_GONE;
	if (pipe2(to, O_CLOEXEC) != 0)
		return;
	if (pipe2(from, O_CLOEXEC) != 0) {
		close(to[0]);
		close(to[1]);
		return;
	}
	s->pid = fork();
	if (s->pid == 0)
		run_child(s, to[0], from[1]);
	close(to[0]);
	close(from[1]);
	s->in = to[1];
	s->out = from[0];
	if (s->pid < 0 || fcntl(s->in, F_SETFL, O_NONBLOCK) != 0 ||
	    fcntl(s->out, F_SETFL, O_NONBLOCK) != 0) {
		fail_server(s);
		return;
	}
	s->state = DIAGNOSE_STARTING;
	send_initialize(s);
}

/* ---- documents ---- */

static struct diagnose_document *document_of(struct diagnose_server *s, struct str path)
{
	for (struct diagnose_document *d = s->documents; d; d = d->next)
		if (str_eq(d->path, path))
			return d;
	return NULL;
}

static void publish(struct diagnose_server *s, struct json params, int64_t now)
{
	struct str uri = json_str(JSON_GET(params, "uri"));
	int64_t version = json_int(JSON_GET(params, "version"), INT64_MAX);
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (struct diagnose_document *d = s->documents; d; d = d->next) {
		struct str text;

		if (!str_is(uri) || !str_eq(uri_of(mem, d->path), uri) || version < d->version)
			continue;
		text = json_text(mem, JSON_GET(params, "diagnostics"));
		arena_free(d->mem);
		d->mem = arena_new();
		d->found = (struct json){ NULL };
		d->is_published = true;
		s->published_at = now;
		if (json_read(d->mem, text, &d->found, NULL) != OK)
			d->found = (struct json){ NULL };
	}
}

void diagnose_server_check(struct diagnose_server *s, struct str path, struct str text)
{
	struct diagnose_document *d = document_of(s, path);

	if (s->state == DIAGNOSE_IDLE)
		start(s);
	if (s->state == DIAGNOSE_GONE)
		return;
	if (!d) {
		d = ARENA_NEW(s->mem, struct diagnose_document);
		*d = (struct diagnose_document){ .path = arena_keep(s->mem, path),
			                         .next = s->documents };
		s->documents = d;
	}
	d->version++;
	d->is_wanted = true;
	d->is_published = false;
	send_text(s, d, text);
	if (d->version > 1)
		send_save(s, d);
}

/* ---- reading and writing ---- */

void diagnose_server_write(struct diagnose_server *s)
{
	ssize_t n;

	if (s->to.overflowed || s->held.overflowed) {
		fail_server(s);
		return;
	}
	while (s->in >= 0 && s->to.len) {
		n = write(s->in, s->to.ptr, s->to.len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			fail_server(s);
			return;
		}
		buf_drop(&s->to, (size_t)n);
	}
}

static void take_message(struct diagnose_server *s, struct json m, int64_t now)
{
	struct str method = json_str(JSON_GET(m, "method"));
	struct json id = JSON_GET(m, "id");

	if (str_is(method) && json_is(id))
		answer(s, id, method, JSON_GET(m, "params"));
	else if (str_is(method) && str_eq(method, STR("textDocument/publishDiagnostics")))
		publish(s, JSON_GET(m, "params"), now);
	else if (!str_is(method) && json_int(id, 0) == INITIALIZE_ID &&
	         s->state == DIAGNOSE_STARTING) {
		if (json_is(JSON_GET(m, "error"))) {
			fail_server(s);
			return;
		}
		s->state = DIAGNOSE_READY;
		send_initialized(s);
		buf_add_str(&s->to, buf_str(&s->held));
		buf_done(&s->held);
		diagnose_server_write(s);
	}
}

static void take_all(struct diagnose_server *s, int64_t now)
{
	while (s->out >= 0) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct json m;
		struct str body;
		struct error e;

		if (s->from.overflowed || diagnose_frame_next(&s->from, mem, &body, &e) != OK) {
			fail_server(s);
			return;
		}
		if (!str_is(body))
			return;
		if (json_read(mem, body, &m, &e) != OK) {
			fail_server(s);
			return;
		}
		take_message(s, m, now);
	}
}

void diagnose_server_read(struct diagnose_server *s, int64_t now)
{
	char part[65536];
	ssize_t n;

	while (s->out >= 0) {
		n = read(s->out, part, sizeof part);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			fail_server(s);
			return;
		}
		buf_add(&s->from, part, (size_t)n);
		take_all(s, now);
	}
}

bool diagnose_server_is_done(const struct diagnose_server *s)
{
	if (s->state == DIAGNOSE_IDLE || s->state == DIAGNOSE_GONE)
		return true;
	for (const struct diagnose_document *d = s->documents; d; d = d->next)
		if (d->is_wanted && !d->is_published)
			return false;
	return true;
}

void diagnose_server_begin(struct diagnose_server *s)
{
	for (struct diagnose_document *d = s->documents; d; d = d->next)
		d->is_wanted = false;
}

void diagnose_server_end(struct diagnose_server *s)
{
	fail_server(s);
	for (struct diagnose_document *d = s->documents; d; d = d->next)
		arena_free(d->mem);
}
