/*
 * conform live URL: plays scenarios against a runtime that runs already, over HTTP,
 * and checks the events that it serves.
 *
 * The runtime has its own model and settings, so `script` and `option` of a scenario
 * mean nothing here: those scenarios of the pack are played that have neither,
 * and those that the adapter brings.  Nothing can be killed.
 */
#include "app/cli/conform/conform_log.h"

#include "app/cli/conform/adapter.h"
#include "app/cli/conform/conform_guard.h"
#include "app/cli/conform/live_http.h"
#include "app/cli/conform/scenario.h"
#include "app/cli/print/out.h"
#include "base/jw.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define ADAPTER_BYTES_MAX (1u << 20)

struct live {
	struct live_url url;
	struct json adapter, pack;
	struct str headers;
	struct buf turn; /* id of the turn that was submitted last */
};

/* ---- the driver ---- */

static int live_call(void *arg, struct arena *mem, struct str command, struct str params,
                     struct json *ret)
{
	struct live *l = arg;
	struct adapter_call call;
	struct json v;
	struct str body;
	struct error e;
	int status;
	enum err code = json_read(mem, params, &v, &e);

	if (code == OK)
		code = adapter_call_of(mem, l->adapter, command, v, &call, &e);
	if (code == ERR_NOT_FOUND)
		return THOLE_ENDED;
	if (code == OK)
		code = live_http_ask(
			mem, &l->url,
			&(struct live_request){ call.method, call.path, l->headers, call.body },
			&status, &body, &e);
	if (code != OK || json_read(mem, body, ret, NULL) != OK)
		return THOLE_CLOSED;
	*ret = adapter_reply_of(mem, l->adapter, command, *ret);
	if (json_str(JSON_GET(*ret, "turnId")).len) {
		buf_clear(&l->turn);
		buf_add_str(&l->turn, json_str(JSON_GET(*ret, "turnId")));
	}
	return status >= 200 && status < 300 ? THOLE_OK : THOLE_REFUSED;
}

static void hand_over_list(struct live *l, struct arena *mem, struct str body, struct str place,
                           void (*take)(void *to, struct str event), void *to)
{
	struct json v, event;
	struct json_iter it;
	struct str key;

	if (json_read(mem, body, &v, NULL) != OK) {
		take(to, str_head(body, str_find_char(body, '\n') < 0
		                                ? body.len
		                                : (size_t)str_find_char(body, '\n')));
		return;
	}
	while (str_is(place) && place.len)
		v = json_get(v, str_cut(&place, '.'));
	it = json_iter(v);
	while (json_type(v) == JSON_ARR && json_next(&it, &key, &event))
		take(to, adapter_event_of(mem, l->adapter, json_text(mem, event)));
}

static void hand_over_frame(struct live *l, struct arena *mem, struct adapter_frame *f,
                            void (*take)(void *to, struct str event), void *to)
{
	if (f->data.len)
		take(to, adapter_event_of(mem, l->adapter, adapter_frame_text(mem, l->adapter, f)));
	f->data.len = 0;
	f->name = f->id = STR_NONE;
}

/* Lines of JSON, or server-sent events: several lines of data are one event. */
static void hand_over_lines(struct live *l, struct arena *mem, struct str body,
                            void (*take)(void *to, struct str event), void *to)
{
	CLEANUP(adapter_frame_done) struct adapter_frame f = { 0 };

	while (str_is(body)) {
		struct str line = str_trim(str_cut(&body, '\n')), value = line;
		struct str name = str_trim(str_cut(&value, ':'));

		value = str_trim(value);
		if (!line.len) {
			hand_over_frame(l, mem, &f, take, to);
		} else if (str_eq(name, STR("data"))) {
			buf_add_str(&f.data, value);
			buf_add_char(&f.data, ' '); /* a log has one line for each event */
		} else if (str_eq(name, STR("event"))) {
			f.name = value;
		} else if (str_eq(name, STR("id"))) {
			f.id = value;
		} else if (name.len && !str_eq(name, STR("retry"))) {
			take(to, adapter_event_of(mem, l->adapter, line));
		}
	}
	hand_over_frame(l, mem, &f, take, to);
}

static bool live_events(void *arg, struct str session, int64_t after,
                        void (*take)(void *to, struct str event), void *to)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct live *l = arg;
	struct str list = adapter_events_list(l->adapter), body;
	struct str headers = arena_printf(
		mem, "Accept: %s\r\n%.*s",
		str_is(list) ? "application/json" : "application/x-ndjson", STR_ARG(l->headers));
	struct adapter_call call;
	struct error e;
	int status;

	if (adapter_events_call(mem, l->adapter, session, buf_str(&l->turn), after, &call) != OK)
		return false;
	if (live_http_ask(mem, &l->url,
	                  &(struct live_request){ call.method, call.path, headers, call.body },
	                  &status, &body, &e) != OK ||
	    status != 200)
		return false;
	if (str_is(list))
		hand_over_list(l, mem, body, list, take, to);
	else
		hand_over_lines(l, mem, body, take, to);
	return true;
}

/* ---- the adapter ---- */

/* An adapter with its own key is for another runtime, which must not see the token of this one. */
static bool has_authorization(struct json adapter)
{
	struct json_iter it = json_iter(JSON_GET(adapter, "headers"));
	struct json value;
	struct str name;

	while (json_next(&it, &name, &value))
		if (name.len == strlen("Authorization") &&
		    strncasecmp(name.ptr, "Authorization", name.len) == 0)
			return true;
	return false;
}

/* Values may name variables of the environment: "Bearer $TOKEN". */
static struct str headers_of(struct cli *c, struct json adapter)
{
	struct json_iter it = json_iter(JSON_GET(adapter, "headers"));
	const char *token = getenv("THOLE_CONFORM_TOKEN");
	struct buf out = { 0 };
	struct json value;
	struct str name, kept;

	if (token && !strpbrk(token, "\r\n") && !has_authorization(adapter))
		buf_printf(&out, "Authorization: Bearer %s\r\n", token);
	while (json_next(&it, &name, &value)) {
		struct str text = json_str(value), before = str_cut(&text, '$');
		const char *secret = str_is(text) ? getenv(arena_keep(c->mem, text).ptr) : "";

		if (secret && !strpbrk(secret, "\r\n"))
			buf_printf(&out, "%.*s: %.*s%s\r\n", STR_ARG(name), STR_ARG(before),
			           secret);
	}
	kept = arena_keep(c->mem, buf_str(&out));
	buf_done(&out);
	return kept;
}

static int read_adapter(struct cli *c, struct live *l)
{
	struct str text = STR("{}");
	struct error e = { 0 };

	if (c->opts.adapter)
		text = paths_read_file(c->mem, c->opts.adapter, ADAPTER_BYTES_MAX);
	if (!str_is(text)) {
		out_error(c, "The adapter cannot be read: %s.", strerror(errno));
		return CODE_USAGE;
	}
	if (json_read(c->mem, text, &l->adapter, &e) != OK || adapter_check(l->adapter, &e) != OK ||
	    live_http_url(c->mem, str_from(c->args[1]), &l->url, &e) != OK) {
		out_error(c, "Nothing was checked: %s.", out_safe(c->mem, str_from(e.message)));
		return CODE_USAGE;
	}
	l->headers = headers_of(c, l->adapter);
	return CODE_DONE;
}

/* ---- the scenarios ---- */

static bool write_log(const char *path, struct str text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool is_written = fd >= 0 && write(fd, text.ptr, text.len) == (ssize_t)text.len;

	if (fd >= 0)
		close(fd);
	return is_written;
}

static void play_live(struct cli *c, struct live *l, struct str name, struct str text,
                      struct json_writer *w)
{
	struct scenario_driver driver = { .arg = l,
		                          .call = live_call,
		                          .events = live_events,
		                          .patience_ms = c->opts.timeout_ms,
		                          .dir = c->data };
	struct scenario s;

	out_note(c, TONE_DIM, "playing %s", out_safe(c->mem, name));
	scenario_play(&s, &driver, text);
	write_log(arena_printf(c->mem, "%s/%.*s.jsonl", c->data, STR_ARG(name)).ptr,
	          buf_str(&s.log));
	scenario_play_write(&s, name, w);
	scenario_play_done(&s);
}

static bool is_file_name(struct str name)
{
	return name.len && name.len < 64 && name.ptr[0] != '.' && str_find_char(name, '/') < 0;
}

static bool needs_setup(struct str text)
{
	return str_starts(text, STR("script")) || str_starts(text, STR("option")) ||
	       str_find(text, STR("\nscript ")) >= 0 || str_find(text, STR("\noption ")) >= 0 ||
	       str_find(text, STR("\nrestart")) >= 0;
}

static struct str play_each(struct cli *c, struct live *l, struct json pack)
{
	struct json brought = JSON_GET(l->adapter, "scenarios"), text;
	struct json_iter own = json_iter(brought), its = json_iter(JSON_GET(pack, "scenarios"));
	struct buf results = { 0 };
	struct json_writer w;
	struct str name, kept;

	jw_init(&w, &results);
	jw_obj(&w);
	while (json_next(&own, &name, &text))
		if (is_file_name(name) && str_is(json_str(text)))
			play_live(c, l, name, json_str(text), &w);
	while (json_next(&its, &name, &text))
		if (is_file_name(name) && !json_is(json_get(brought, name)) &&
		    !needs_setup(json_str(text)))
			play_live(c, l, name, json_str(text), &w);
	jw_obj_end(&w);
	kept = arena_keep(c->mem, buf_str(&results));
	buf_done(&results);
	return kept;
}

static bool is_there(struct cli *c, struct live *l)
{
	struct live_request r = { STR("GET"), STR("/"), l->headers, STR_NONE };
	struct error e = { 0 };
	struct str body;
	int status;

	if (live_http_ask(c->mem, &l->url, &r, &status, &body, &e) == OK || e.code != ERR_IO)
		return true;
	out_error(c, "Nothing was checked: %s.", out_safe(c->mem, str_from(e.message)));
	return false;
}

static int play_and_check(struct cli *c, void *arg)
{
	struct live *l = arg;
	struct str results = play_each(c, l, l->pack);
	char *logs = (char *)c->data;

	return conform_log_report(c, &logs, 1, results);
}

int conform_live(struct cli *c)
{
	struct live l = { 0 };
	struct str text;
	int code = c->arg_count == 2 ? read_adapter(c, &l)
	                             : opt_usage(c, "`thole conform live` needs an address.");

	if (code != CODE_DONE)
		return code;
	text = conform_log_pack_text(c);
	if (!str_is(text) || json_read(c->mem, text, &l.pack, NULL) != OK || !is_there(c, &l))
		return CODE_USAGE;
	code = conform_guard(c, play_and_check, &l);
	buf_done(&l.turn);
	return code;
}
