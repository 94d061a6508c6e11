/* Reads get_time_use and writes it as one line; a daemon without that read gives no line. */
#include "app/cli/follow/time_line.h"

#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "base/buf.h"

#define TURNS 1000 /* as many as the read shows */

static const struct {
	const char *label, *key;
} parts[] = { { "model", "modelMs" },
	      { "people", "peopleMs" },
	      { "tools", "toolMs" },
	      { "resources", "resourceMs" },
	      { "runtime and disk", "runtimeMs" } };

static struct json time_of(struct json reply, struct str turn)
{
	struct json_iter it = json_iter(JSON_GET(reply, "turns"));
	struct json row;
	struct str key;

	if (!str_is(turn))
		return JSON_GET(reply, "session");
	while (json_next(&it, &key, &row))
		if (str_eq(json_str(JSON_GET(row, "turnId")), turn))
			return JSON_GET(row, "time");
	return (struct json){ 0 };
}

static const char *text_of(struct cli *c, struct json time, int64_t whole)
{
	struct buf out = { 0 };
	struct str text;

	buf_printf(&out, "%s", out_span(c->mem, whole));
	for (size_t i = 0; i < COUNT_OF(parts); i++)
		buf_printf(&out, "%s %s %s", i ? "," : ":", parts[i].label,
		           out_span(c->mem, json_int(json_get(time, str_from(parts[i].key)), 0)));
	text = arena_printf(c->mem, "%.*s", STR_ARG(buf_str(&out)));
	buf_done(&out);
	return text.ptr;
}

const char *time_line_text(struct cli *c, struct str session, struct str turn)
{
	struct params p;
	struct json reply, time;
	int64_t whole;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	params_int(&p, "limit", str_is(turn) ? TURNS : 1);
	if (connection_try(c, "get_time_use", &p, true, &reply) != THOLE_OK)
		return NULL;
	time = time_of(reply, turn);
	whole = json_int(JSON_GET(time, "durationMs"), 0);
	return whole ? text_of(c, time, whole) : NULL;
}
