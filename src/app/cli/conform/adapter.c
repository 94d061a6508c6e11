/*
 * Renames.  "fields" maps our names to places of theirs ("a.b|c": the first that is
 * there); nothing else of theirs is changed.
 */
#include "app/cli/conform/adapter.h"

#include "base/jw.h"

#include <stdio.h>

/* ---- the form ---- */

static bool is_one_of(struct str name, const char *const *names)
{
	for (; *names; names++)
		if (str_eq(name, str_from(*names)))
			return true;
	return false;
}

static enum err check_members(struct json v, const char *where, const char *const *names,
                              struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	if (json_is(v) && json_type(v) != JSON_OBJ)
		return fail(e, ERR_INVALID, "%s is no object", where);
	while (json_next(&it, &key, &each))
		if (!is_one_of(key, names))
			return fail(e, ERR_INVALID, "%s has the unknown member \"%.*s\"", where,
			            STR_ARG(str_head(key, 64)));
	return OK;
}

static enum err check_texts(struct json v, const char *where, struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	if (json_is(v) && json_type(v) != JSON_OBJ)
		return fail(e, ERR_INVALID, "%s is no object", where);
	while (json_next(&it, &key, &each))
		if (!json_str(each).len || str_find_char(json_str(each), '\n') >= 0 ||
		    str_find_char(json_str(each), '\r') >= 0)
			return fail(e, ERR_INVALID, "\"%.*s\" of %s is no text of one line",
			            STR_ARG(str_head(key, 64)), where);
	return OK;
}

static bool is_path(struct json v)
{
	struct str path = json_str(v);

	return !json_is(v) || (str_starts(path, STR("/")) && str_find_char(path, ' ') < 0 &&
	                       str_find_char(path, '\r') < 0 && str_find_char(path, '\n') < 0);
}

static bool is_method(struct json v)
{
	static const char *const methods[] = { "GET", "POST", "PUT", "DELETE", NULL };

	return !json_is(v) || is_one_of(json_str(v), methods);
}

static enum err check_command(struct json row, struct str name, struct error *e)
{
	static const char *const members[] = { "method", "path", "body", "reply", NULL };
	enum err code = check_members(row, "a command", members, e);

	if (code == OK && (!is_path(JSON_GET(row, "path")) || !is_method(JSON_GET(row, "method"))))
		return fail(e, ERR_INVALID, "command %.*s has no usable method or path",
		            STR_ARG(str_head(name, 64)));
	return code == OK ? check_texts(JSON_GET(row, "reply"), "a reply", e) : code;
}

static enum err check_events(struct json events, struct error *e)
{
	static const char *const members[] = { "method", "path",  "body", "list",
		                               "fields", "types", NULL };
	enum err code = check_members(events, "events", members, e);

	if (code == OK && !is_path(JSON_GET(events, "path")))
		return fail(e, ERR_INVALID, "the path of events does not begin with /");
	if (code == OK && !is_method(JSON_GET(events, "method")))
		return fail(e, ERR_INVALID, "events have no usable method");
	if (code == OK)
		code = check_texts(JSON_GET(events, "fields"), "fields", e);
	return code == OK ? check_texts(JSON_GET(events, "types"), "types", e) : code;
}

static enum err check_commands(struct json commands, struct error *e)
{
	struct json_iter it = json_iter(commands);
	struct json row;
	struct str name;
	enum err code = OK;

	if (json_is(commands) && json_type(commands) != JSON_OBJ)
		return fail(e, ERR_INVALID, "commands is no object");
	while (code == OK && json_next(&it, &name, &row))
		code = check_command(row, name, e);
	return code;
}

static enum err check_scenarios(struct json scenarios, struct error *e)
{
	struct json_iter it = json_iter(scenarios);
	struct json text;
	struct str name;

	if (json_is(scenarios) && json_type(scenarios) != JSON_OBJ)
		return fail(e, ERR_INVALID, "scenarios is no object");
	while (json_next(&it, &name, &text))
		if (!json_str(text).len)
			return fail(e, ERR_INVALID, "scenario \"%.*s\" is no text",
			            STR_ARG(str_head(name, 64)));
	return OK;
}

enum err adapter_check(struct json adapter, struct error *e)
{
	static const char *const members[] = { "name",   "headers",   "commands",
		                               "events", "scenarios", NULL };
	enum err code;

	if (json_type(adapter) != JSON_OBJ)
		return fail(e, ERR_INVALID, "the adapter is no object");
	code = check_members(adapter, "the adapter", members, e);
	if (code == OK)
		code = check_commands(JSON_GET(adapter, "commands"), e);
	if (code == OK)
		code = check_texts(JSON_GET(adapter, "headers"), "headers", e);
	if (code == OK)
		code = check_scenarios(JSON_GET(adapter, "scenarios"), e);
	return code == OK ? check_events(JSON_GET(adapter, "events"), e) : code;
}

/* ---- places ---- */

static struct json walk(struct json v, struct str path)
{
	while (str_is(path)) {
		struct str name = str_cut(&path, '.');

		v = json_type(v) == JSON_OBJ ? json_get(v, name) : (struct json){ 0 };
	}
	return v;
}

static struct json place_of(struct json v, struct str place)
{
	struct json found = { 0 };

	while (str_is(place) && !json_is(found))
		found = walk(v, str_cut(&place, '|'));
	return found;
}

static void write_type(struct json_writer *w, struct json types, struct json value)
{
	struct str ours = json_str(json_get(types, json_str(value)));

	if (str_is(ours))
		jw_str(w, ours);
	else
		jw_value(w, value);
}

static bool is_inside(struct str key)
{
	return str_starts(key, STR("payload."));
}

/* The payload with the members that "payload.NAME" of fields takes from elsewhere. */
static void write_payload(struct json_writer *w, struct json fields, struct json v,
                          struct json payload)
{
	struct json_iter ours = json_iter(fields), theirs = json_iter(payload);
	struct json place, value;
	struct str key;

	if (json_type(payload) != JSON_OBJ) {
		jw_value(w, payload);
		return;
	}
	jw_obj(w);
	while (json_next(&theirs, &key, &value)) {
		jw_key(w, key);
		jw_value(w, value);
	}
	while (json_next(&ours, &key, &place)) {
		struct str name = is_inside(key) ? str_skip(key, strlen("payload.")) : STR_NONE;

		value = place_of(v, json_str(place));
		if (!str_is(name) || !json_is(value) || json_is(json_get(payload, name)))
			continue;
		jw_key(w, name);
		jw_value(w, value);
	}
	jw_obj_end(w);
}

/* Our names first, then what else is there; STR_NONE when v is no object. */
static struct str rename_members(struct arena *mem, struct json fields, struct json types,
                                 struct json v)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_iter ours = json_iter(fields), theirs = json_iter(v);
	struct json_writer w;
	struct json place, value;
	struct str key;

	jw_init(&w, &out);
	jw_obj(&w);
	while (json_next(&ours, &key, &place)) {
		value = place_of(v, json_str(place));
		if (!json_is(value) || is_inside(key))
			continue;
		jw_key(&w, key);
		if (str_eq(key, STR("payload")))
			write_payload(&w, fields, v, value);
		else
			write_type(&w, str_eq(key, STR("type")) ? types : (struct json){ 0 },
			           value);
	}
	while (json_next(&theirs, &key, &value)) {
		if (json_is(json_get(fields, key)) || str_starts(key, STR("@")))
			continue;
		jw_key(&w, key);
		write_type(&w, str_eq(key, STR("type")) ? types : (struct json){ 0 }, value);
	}
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}

/* ---- commands ---- */

static void add_encoded(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];
		bool is_plain = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
		                (c && strchr("-._~", c));

		if (is_plain)
			buf_add_char(out, (char)c);
		else
			buf_printf(out, "%%%02X", c);
	}
}

static size_t name_length(struct str s)
{
	size_t n = 0;

	while (n < s.len && (((s.ptr[n] | 32) >= 'a' && (s.ptr[n] | 32) <= 'z')))
		n++;
	return n;
}

static enum err fill_path(struct arena *mem, struct str path, struct json params, struct str *ret,
                          struct error *e)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	while (str_is(path)) {
		struct json value;
		size_t len;

		buf_add_str(&out, str_cut(&path, '$'));
		if (!str_is(path))
			break;
		len = name_length(path);
		value = json_get(params, str_head(path, len));
		if (!json_is(value))
			return fail(e, ERR_INVALID, "$%.*s is not known", (int)MIN(len, 64),
			            path.ptr);
		add_encoded(&out,
		            json_type(value) == JSON_STR ? json_str(value) : json_text(mem, value));
		path = str_skip(path, len);
	}
	*ret = arena_keep(mem, buf_str(&out));
	return OK;
}

/* A string "$name" becomes the value of that parameter; without it the member is left out. */
static void write_filled(struct json_writer *w, struct json v, struct json params)
{
	struct json_iter it = json_iter(v);
	struct str text = json_str(v), key;
	struct json each;

	if (json_type(v) != JSON_OBJ && json_type(v) != JSON_ARR) {
		jw_value(w, str_starts(text, STR("$")) ? json_get(params, str_skip(text, 1)) : v);
		return;
	}
	json_type(v) == JSON_OBJ ? jw_obj(w) : jw_arr(w);
	while (json_next(&it, &key, &each)) {
		struct str name = json_str(each);

		if (str_starts(name, STR("$")) && !json_is(json_get(params, str_skip(name, 1))))
			continue;
		if (str_is(key))
			jw_key(w, key);
		write_filled(w, each, params);
	}
	json_type(v) == JSON_OBJ ? jw_obj_end(w) : jw_arr_end(w);
}

static struct str body_of(struct arena *mem, struct json row, struct json params)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	if (json_is(JSON_GET(row, "body")))
		write_filled(&w, JSON_GET(row, "body"), params);
	else
		jw_value(&w, params);
	return arena_keep(mem, buf_str(&out));
}

enum err adapter_call_of(struct arena *mem, struct json adapter, struct str command,
                         struct json params, struct adapter_call *ret, struct error *e)
{
	struct json commands = JSON_GET(adapter, "commands"), row = json_get(commands, command);
	struct str path = json_str(JSON_GET(row, "path"));

	if (json_is(commands) && !json_is(row))
		return fail(e, ERR_NOT_FOUND, "the adapter has no command %.*s", STR_ARG(command));
	ret->method =
		json_is(JSON_GET(row, "method")) ? json_str(JSON_GET(row, "method")) : STR("POST");
	if (!str_is(path))
		path = arena_printf(mem, "/v1/commands/%.*s", STR_ARG(command));
	ret->body = str_eq(ret->method, STR("GET")) ? STR_NONE : body_of(mem, row, params);
	return fill_path(mem, path, params, &ret->path, e);
}

struct json adapter_reply_of(struct arena *mem, struct json adapter, struct str command,
                             struct json reply)
{
	struct json fields = JSON_GET(json_get(JSON_GET(adapter, "commands"), command), "reply");
	struct json renamed;

	if (!json_is(fields) || json_type(reply) != JSON_OBJ)
		return reply;
	if (json_read_trusted(mem, rename_members(mem, fields, (struct json){ 0 }, reply), &renamed,
	                      NULL) != OK)
		return reply;
	return renamed;
}

/* ---- events ---- */

enum err adapter_events_call(struct arena *mem, struct json adapter, struct str session,
                             struct str turn, int64_t after, struct adapter_call *ret)
{
	struct json events = JSON_GET(adapter, "events"), params;
	struct str path = json_str(JSON_GET(events, "path"));
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	jw_obj(&w);
	JW_KSTR(&w, "session", session);
	JW_KSTR(&w, "turn", str_is(turn) ? turn : STR(""));
	JW_KINT(&w, "after", after);
	jw_obj_end(&w);
	if (!str_is(path))
		path = STR("/v1/events?session=$session&after=$after&follow=0");
	if (json_read(mem, arena_keep(mem, buf_str(&text)), &params, NULL) != OK)
		return ERR_INVALID;
	ret->method = json_is(JSON_GET(events, "method")) ? json_str(JSON_GET(events, "method"))
	                                                  : STR("GET");
	ret->body = json_is(JSON_GET(events, "body")) ? body_of(mem, events, params) : STR_NONE;
	return fill_path(mem, path, params, &ret->path, NULL);
}

/* An id on the wire is text; one of digits is meant as a number. */
static void write_frame_id(struct json_writer *w, struct str id)
{
	uint64_t number;

	JW_KEY(w, "@id");
	if (str_to_u64(id, &number) && number <= INT64_MAX)
		jw_int(w, (int64_t)number);
	else
		jw_str(w, id);
}

struct str adapter_frame_text(struct arena *mem, struct json adapter, const struct adapter_frame *f)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct str data = str_trim(buf_str(&f->data)), key;
	struct json_writer w;
	struct json v, each;
	struct json_iter it;

	if (!json_is(JSON_GET(JSON_GET(adapter, "events"), "fields")) ||
	    json_read(mem, data, &v, NULL) != OK || json_type(v) != JSON_OBJ)
		return arena_keep(mem, data);
	jw_init(&w, &out);
	jw_obj(&w);
	if (str_is(f->name))
		JW_KSTR(&w, "@event", f->name);
	if (str_is(f->id))
		write_frame_id(&w, f->id);
	it = json_iter(v);
	while (json_next(&it, &key, &each)) {
		jw_key(&w, key);
		jw_value(&w, each);
	}
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}

void adapter_frame_done(struct adapter_frame *f)
{
	buf_done(&f->data);
}

struct str adapter_events_list(struct json adapter)
{
	return json_str(JSON_GET(JSON_GET(adapter, "events"), "list"));
}

struct str adapter_event_of(struct arena *mem, struct json adapter, struct str event)
{
	struct json events = JSON_GET(adapter, "events"), v;

	if (!json_is(JSON_GET(events, "fields")) && !json_is(JSON_GET(events, "types")))
		return event;
	if (json_read(mem, event, &v, NULL) != OK || json_type(v) != JSON_OBJ)
		return event;
	return rename_members(mem, JSON_GET(events, "fields"), JSON_GET(events, "types"), v);
}
