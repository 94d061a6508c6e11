/*
 * Reads stored events and says in one line what happened.  The catalogue
 * declares that line per event class (app/gen/event_lines.h).
 */
#include "app/cli/print/shown_event.h"

#include "app/cli/print/out.h"
#include "app/gen/event_lines.h"
#include "base/os/clock.h"

/* False for lines that are no event, such as a gap.  raw is kept by reference. */
bool shown_event_read(struct arena *mem, struct str raw, struct shown_event *ret)
{
	struct json v;
	int64_t at = 0;

	if (json_read_trusted(mem, raw, &v, NULL) != OK || !str_is(json_str(JSON_GET(v, "type"))))
		return false;
	if (!clock_time_read(json_str(JSON_GET(v, "timestamp")), &at))
		at = 0;
	*ret = (struct shown_event){
		.raw = raw,
		.v = v,
		.payload = JSON_GET(v, "payload"),
		.type = json_str(JSON_GET(v, "type")),
		.session = json_str(JSON_GET(v, "sessionId")),
		.thread = json_str(JSON_GET(v, "threadId")),
		.turn = json_str(JSON_GET(v, "turnId")),
		.action = json_str(JSON_GET(v, "actionId")),
		.tool_call = json_str(JSON_GET(v, "toolCallId")),
		.sequence = json_int(JSON_GET(v, "sequence"), 0),
		.at = at,
	};
	return true;
}

bool shown_event_is(const struct shown_event *f, const char *type)
{
	return str_eq(f->type, str_from(type));
}

struct str shown_event_str(const struct shown_event *f, const char *key)
{
	return json_str(json_get(f->payload, str_from(key)));
}

struct json shown_event_path(struct json v, struct str path)
{
	while (str_is(path)) {
		struct str key = str_cut(&path, '.');
		int64_t index;

		v = json_type(v) == JSON_ARR && str_to_i64(key, &index) ? json_at(v, (size_t)index)
		                                                        : json_get(v, key);
	}
	return v;
}

/* ---- one line ---- */

struct line {
	struct arena *mem;
	const struct shown_event *f;
	struct buf out;
};

/* format: the word behind the colon of {member:format} in the catalogue's line. */
static void add_value(struct line *l, struct json v, struct str format)
{
	struct arena *mem = l->mem;

	if (str_eq(format, STR("ms")))
		buf_add_c(&l->out, out_span(mem, json_int(v, 0)));
	else if (str_eq(format, STR("usd")))
		buf_add_c(&l->out, out_usd(mem, v));
	else if (str_eq(format, STR("bytes")))
		buf_add_c(&l->out, out_bytes(mem, json_int(v, 0)));
	else if (str_eq(format, STR("until")))
		buf_add_c(&l->out, out_until(mem, json_str(v)));
	else
		buf_add_c(&l->out,
		          out_safe_cut(mem,
		                       json_type(v) == JSON_STR ? json_str(v) : json_text(mem, v),
		                       400));
}

/* "^" in front names a member of the envelope, otherwise of the payload. */
static struct json member(const struct line *l, struct str *spec)
{
	struct str path = str_cut(spec, ':');

	if (str_starts(path, STR("^")))
		return shown_event_path(l->f->v, str_skip(path, 1));
	return shown_event_path(l->f->payload, path);
}

/* False: a member is missing. */
static bool add_part(struct line *l, struct str text)
{
	bool is_whole = true;

	while (text.len) {
		ptrdiff_t at = str_find_char(text, '{');
		struct json v;
		struct str spec;

		buf_add_str(&l->out, at < 0 ? text : str_head(text, (size_t)at));
		if (at < 0)
			break;
		text = str_skip(text, (size_t)at + 1);
		spec = str_cut(&text, '}');
		v = member(l, &spec);
		if (json_is(v) && json_type(v) != JSON_NULL)
			add_value(l, v, spec);
		else
			is_whole = false;
	}
	return is_whole;
}

/* A part in brackets is left out as a whole if one of its members is missing. */
static void add_line(struct line *l, struct str text)
{
	while (text.len) {
		ptrdiff_t at = str_find_char(text, '[');
		size_t before;

		add_part(l, at < 0 ? text : str_head(text, (size_t)at));
		if (at < 0)
			return;
		text = str_skip(text, (size_t)at + 1);
		before = l->out.len;
		if (!add_part(l, str_cut(&text, ']')))
			l->out.len = before;
	}
}

const char *shown_event_summary(struct arena *mem, const struct shown_event *f)
{
	struct line l = { .mem = mem, .f = f };
	struct str text = json_str(JSON_GET(f->v, "statusReason"));
	struct str kept;

	for (size_t i = 0; i < COUNT_OF(event_lines); i++)
		if (shown_event_is(f, event_lines[i].type)) {
			add_line(&l, str_from(event_lines[i].text));
			text = buf_str(&l.out);
			break;
		}
	kept = str_from(l.out.len ? arena_keep(mem, text).ptr : out_safe(mem, text));
	buf_done(&l.out);
	return kept.ptr;
}
