/*
 * Opens the runtime for a verb and sends commands to it.
 *
 *   --here ──► a runtime in this process
 *   else   ──► the daemon's socket ──► none listens: start one (daemon.c)
 *
 * A broken connection is opened again once for commands that may be repeated.
 */
#include "app/cli/connection.h"

#include "base/jw.h"
#include "base/utf8.h"
#include "app/cli/daemon.h"
#include "app/cli/print/out.h"
#include "app/cli/remote/remote.h"
#include "app/cli/wait_notice.h"
#include "app/cli/cli_settings.h"
#include "app/harden.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define RESTART_MS 2000

/* ---- opening ---- */

static int code_of_open(int thole_code)
{
	return thole_code == THOLE_STORE  ? CODE_STORE
	       : thole_code == THOLE_BUSY ? CODE_FAILED
	                                  : CODE_CONFIG;
}

static void tell_busy(struct cli *c, bool is_address)
{
	if (is_address) {
		fprintf(stderr, "  Another program listens there; choose another --listen.\n");
		return;
	}
	if (c->opts.here) {
		fprintf(stderr, "  One process owns a data directory. Omit --here, or use another "
		                "--data.\n");
		return;
	}
	fprintf(stderr,
	        "  One process owns a data directory. `thole ps` connects to it; or use another "
	        "--data.\n"
	        "  To replace it, stop it first: %s\n",
	        daemon_stop_text(c));
}

int connection_print_open_error(struct cli *c, const struct thole_error *e)
{
	const char *where = e->code == THOLE_CONFIG ? cli_settings_where(e->message) : NULL;
	struct str message = str_from(e->message);

	/* The library sees one merged layer; cli_settings_where() knows the file. */
	if (str_starts(message, STR("options: ")))
		message = str_skip(message, 9);
	out_error(c, "%s%s%s.", where ? where : "", where ? ": " : "", out_safe(c->mem, message));
	if (e->code == THOLE_BUSY)
		tell_busy(c, str_starts(message, STR("listen on ")));
	return code_of_open(e->code);
}

/*
 * A temporary directory is removed at exit, so background processes must end with it, and no other
 * store may get a log whose outputs are in it.
 */
static const char *with_no_leftovers(struct cli *c, const char *overrides)
{
	const char *rest = overrides && overrides[1] != '}' ? overrides + 1 : "}";
	bool says_stop = !c->only_reads && overrides && strstr(overrides, "\"process.on_stop\"");

	return arena_printf(c->mem, "{\"store.url\":\"\"%s%s%s%s",
	                    says_stop ? "" : ",\"process.on_stop\":\"terminate\"",
	                    c->only_reads ? ",\"store.read_only\":true" : "",
	                    rest[0] == '}' ? "" : ",", rest)
	        .ptr;
}

/*
 * Without --data a temporary directory is used: a runtime in this process must not compete with
 * the daemon for the user's data.
 */
static int open_here(struct cli *c)
{
	struct thole_options o = { .script = c->opts.script, .unattended = c->opts.unattended };
	const char *kept = c->data; /* a temporary directory has no keys of its own */
	struct cli_settings s;
	struct thole_error e = { 0 };
	int code = CODE_DONE;

	if (!c->opts.data && !c->is_temporary)
		code = paths_make_temporary(c);
	if (!code)
		code = cli_settings_read(c, &s);
	if (code)
		return code;
	o.config = s.config;
	o.project = s.project;
	o.overrides = c->is_temporary ? with_no_leftovers(c, s.overrides) : s.overrides;
	o.data_dir = c->data;
	o.key_dir = c->is_temporary ? kept : NULL;
	o.rule_files = s.rule_files;
	o.socket = "";
	harden();
	c->t = thole_open(&o, &e);
	return c->t ? CODE_DONE : connection_print_open_error(c, &e);
}

/* A running daemon keeps its settings, so --set for it is an error and not ignored. */
static int check_settings(struct cli *c)
{
	const char *what = c->opts.script               ? "--script"
	                   : c->opts.allow_hosts        ? "--allow-hosts"
	                   : c->opts.cli_settings.count ? "--set (-c)"
	                                                : NULL;

	if (!what)
		return CODE_DONE;
	out_error(c, "%s cannot change a daemon that is running already for %s.", what, c->data);
	fprintf(stderr, "  Use --here, another --data, or stop it: %s\n", daemon_stop_text(c));
	connection_close(c);
	return CODE_CONFIG;
}

/* A key that cannot be one is reported and not used; the message names its variable. */
static void tell_refused_key(struct cli *c, struct arena *mem, const char *reply)
{
	struct json v;

	if (reply && json_read_trusted(mem, str_from(reply), &v, NULL) == OK)
		out_note(c, TONE_PLAIN, "A key of the environment is not used: %s",
		         out_safe(c->mem, json_str(JSON_GET(v, "detail"))));
}

/* The daemon has another working directory, so a relative path becomes absolute. */
static struct str lent_value(struct arena *mem, struct str variable, const char *value)
{
	static const struct str paths[] = { STR("GOOGLE_APPLICATION_CREDENTIALS"),
		                            STR("CLOUDSDK_CONFIG"),
		                            STR("AWS_SHARED_CREDENTIALS_FILE"),
		                            STR("AWS_CONFIG_FILE") };
	char here[PATH_MAX];

	for (size_t i = 0; i < COUNT_OF(paths); i++)
		if (str_eq(paths[i], variable) && value[0] != '/' && getcwd(here, sizeof here))
			return arena_printf(mem, "%s/%s", here, value);
	return str_from(value);
}

/* False: the variable is not set.  One call per key: one that cannot be used does not keep the others back. */
static bool lend_key(struct cli *c, struct arena *mem, struct str variable)
{
	const char *value = getenv(arena_keep(mem, variable).ptr);
	char *reply = NULL;
	struct params p;

	if (!value || !*value || !utf8_is_valid(str_from(value)))
		return false;
	params_begin(&p);
	jw_key(&p.w, STR("keys"));
	jw_obj(&p.w);
	jw_kstr(&p.w, variable, lent_value(mem, variable, value));
	jw_obj_end(&p.w);
	jw_obj_end(&p.w);
	buf_add_char(&p.text, 0);
	if (thole_call(c->t, "lend_keys", p.text.ptr, &reply) == THOLE_REFUSED)
		tell_refused_key(c, mem, reply);
	explicit_bzero(p.text.ptr, p.text.len);
	params_done(&p);
	thole_free(reply);
	return true;
}

/*
 * Lends the keys of this environment to the connection: the daemon may have been started without
 * them.  A daemon that knows no such command is older and looks in its own environment.
 */
static void lend_keys(struct cli *c)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	char *text = NULL;
	struct json known = { 0 }, row, name;
	struct str key;

	if (thole_call(c->t, "list_providers", "{}", &text) == THOLE_OK &&
	    json_read_trusted(mem, str_from(text), &known, NULL) != OK)
		known = (struct json){ 0 };
	struct json_iter rows = json_iter(JSON_GET(known, "providers"));

	while (json_next(&rows, &key, &row)) {
		struct json_iter names = json_iter(JSON_GET(row, "keyVariables"));
		struct json_iter parts = json_iter(JSON_GET(row, "lentVariables"));

		/* The first variable that is set counts; of an account all parts do. */
		while (json_next(&names, &key, &name) && !lend_key(c, mem, json_str(name)))
			;
		while (json_next(&parts, &key, &name))
			lend_key(c, mem, json_str(name));
	}
	thole_free(text);
}

/*
 * A stopped daemon (SIGSTOP, ^Z) accepts connections in the kernel but never answers, so it is
 * detected before the first call.
 */
static int open_daemon(struct cli *c)
{
	int code = CODE_FAILED, pid;

	c->t = thole_connect(c->socket, NULL);
	if (c->t && c->is_remote) /* keys of this machine stay here */
		return check_settings(c);
	if (c->t && daemon_is_stopped(c, &pid)) {
		out_error(c, "The daemon (process %d) is stopped by a signal and does not answer.",
		          pid);
		fprintf(stderr, "  To continue it, run: kill -CONT %d\n", pid);
		connection_close(c);
		return CODE_FAILED;
	}
	if (c->t) {
		code = check_settings(c);
		if (!code)
			lend_keys(c);
		return code;
	}
	if (c->opts.no_start) {
		out_error(c, "No daemon listens at %s.", c->is_remote ? remote_host(c) : c->socket);
		return CODE_FAILED;
	}
	c->t = daemon_start(c, &code);
	if (c->t)
		lend_keys(c);
	return c->t ? CODE_DONE : code;
}

int connection_open(struct cli *c)
{
	if (c->t)
		return CODE_DONE;
	return c->opts.here ? open_here(c) : open_daemon(c);
}

/* The copy of a read-only directory is opened in this process; no daemon may own it. */
int connection_open_to_read(struct cli *c)
{
	if (c->t || c->is_remote || !read_only_is(c))
		return connection_open(c);
	return connection_open_copy(c);
}

int connection_open_copy(struct cli *c)
{
	int code = read_only_prepare(c);

	c->only_reads = c->opts.here = true;
	return code ? code : open_here(c);
}

bool connection_is_up(struct cli *c)
{
	struct thole *t = thole_connect(c->socket, NULL);

	thole_close(t);
	return t != NULL;
}

void connection_close(struct cli *c)
{
	thole_close(c->t);
	c->t = NULL;
}

/* A daemon under a service manager returns by itself, so it is awaited before one is started. */
int connection_again(struct cli *c)
{
	int code = CODE_FAILED;

	if (c->before_again)
		c->before_again(c->before_again_arg);
	connection_close(c);
	if (c->opts.here) {
		out_error(c, "The runtime has stopped.");
		return CODE_STORE;
	}
	if (c->is_remote) {
		code = remote_again(c, false);
		c->t = code ? NULL : thole_connect(c->socket, NULL);
		return c->t ? CODE_DONE : CODE_FAILED;
	}
	c->t = daemon_await(c, RESTART_MS);
	if (!c->t && c->opts.no_start)
		out_error(c, "The daemon went away.");
	else if (!c->t)
		c->t = daemon_start(c, &code);
	if (c->t)
		lend_keys(c);
	return c->t ? CODE_DONE : code;
}

/* ---- calls ---- */

/* A turn becomes a part of the trace that the environment of this process names. */
static void add_trace(struct params *p, const char *command)
{
	const char *parent = getenv("TRACEPARENT"), *state = getenv("TRACESTATE");

	if (strcmp(command, "submit_turn") || !parent || !utf8_is_valid(str_from(parent)))
		return;
	JW_KEY(&p->w, "_meta");
	jw_obj(&p->w);
	JW_KSTR(&p->w, "traceparent", str_from(parent));
	if (state && utf8_is_valid(str_from(state)))
		JW_KSTR(&p->w, "tracestate", str_from(state));
	jw_obj_end(&p->w);
}

/* A refusal is an answer and is never repeated. */
int connection_try(struct cli *c, const char *command, struct params *p, bool may_repeat,
                   struct json *ret)
{
	struct wait_notice wait_notice;
	char *text = NULL;
	int code;

	add_trace(p, command);
	jw_obj_end(&p->w);
	buf_add_char(&p->text, 0);
	wait_notice_watch(&wait_notice, c);
	code = thole_call(c->t, command, p->text.ptr, &text);
	if (code != THOLE_OK && code != THOLE_REFUSED && may_repeat && !c->opts.here &&
	    connection_again(c) == CODE_DONE)
		code = thole_call(c->t, command, p->text.ptr, &text);
	wait_notice_end(&wait_notice);
	params_done(p);
	*ret = (struct json){ 0 };
	if (text && json_read_trusted(c->mem, str_from(text), ret, NULL) != OK)
		code = THOLE_INVALID;
	thole_free(text);
	return code;
}

int connection_call(struct cli *c, const char *command, struct params *p, struct json *ret)
{
	int code = connection_open(c);

	if (code) {
		params_done(p);
		return code;
	}
	code = connection_try(c, command, p, true, ret);
	return code == THOLE_OK ? CODE_DONE : cli_failure_print(c, code, *ret);
}

/* ---- pages ---- */

int connection_list(struct cli *c, const char *command, const char *rows_key,
                    const struct filter *only, bool (*visit)(void *arg, struct json row), void *arg)
{
	struct str cursor = STR_NONE;
	struct wait_notice wait_notice;
	struct json reply, row;
	struct str key;
	int code;

	do {
		struct params p;

		params_begin(&p);
		if (only)
			params_raw(&p, only->key, str_from(only->json));
		params_int(&p, "limit", 256);
		params_str(&p, "cursor", cursor);
		wait_notice_begin(&wait_notice, c, false);
		code = connection_call(c, command, &p, &reply);
		wait_notice_end(&wait_notice);
		if (code)
			return code;
		struct json_iter it = json_iter(json_get(reply, str_from(rows_key)));

		while (json_next(&it, &key, &row))
			if (!visit(arg, row))
				return CODE_DONE;
		cursor = json_str(JSON_GET(reply, "nextCursor"));
	} while (cursor.len);
	return CODE_DONE;
}

const struct filter *connection_label_filter(struct cli *c, struct filter *ret)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	if (!c->opts.labels.count)
		return NULL;
	jw_init(&w, &out);
	jw_arr(&w);
	for (int i = 0; i < c->opts.labels.count; i++)
		jw_str(&w, str_from(c->opts.labels.items[i]));
	jw_arr_end(&w);
	*ret = (struct filter){ "labels", arena_keep(c->mem, buf_str(&out)).ptr };
	return ret;
}

/* ---- streams ---- */

/*
 * Without a problem text the connection broke before the answer; then one more attempt is made.
 */
struct thole_stream *connection_subscribe(struct cli *c, struct params *p, int *ret_code)
{
	char *problem = NULL;
	struct thole_stream *s;
	struct json v = { 0 };

	jw_obj_end(&p->w);
	buf_add_char(&p->text, 0);
	s = thole_subscribe(c->t, p->text.ptr, &problem);
	if (!s && !problem && !c->opts.here && connection_again(c) == CODE_DONE)
		s = thole_subscribe(c->t, p->text.ptr, &problem);
	params_done(p);
	if (!s) {
		if (problem && json_read_trusted(c->mem, str_from(problem), &v, NULL) != OK)
			v = (struct json){ 0 };
		*ret_code = cli_failure_print(c, problem ? THOLE_REFUSED : THOLE_CLOSED, v);
	}
	thole_free(problem);
	return s;
}
