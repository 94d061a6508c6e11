/*
 * Events as CloudEvents 1.0.2, for brokers and webhooks: the stored envelope is
 * the data, and what routers look at is beside it.
 */
#include "export/export.h"

#include "base/util.h"

#include <stdio.h>

static void put_traceparent(struct json ev, struct json_writer *w)
{
	struct str trace = json_str(JSON_GET(ev, "traceId")),
		   span = json_str(JSON_GET(ev, "spanId")),
		   flags = json_str(JSON_GET(ev, "traceFlags"));
	char text[64];
	int len;

	if (trace.len != 32 || span.len != 16)
		return;
	len = snprintf(text, sizeof text, "00-%.*s-%.*s-%.*s", STR_ARG(trace), STR_ARG(span),
	               STR_ARG(flags.len == 2 ? flags : STR("01")));
	JW_KSTR(w, "traceparent", str_of(text, (size_t)len));
}

/* Texts of the extension are strings, and sorted as such: a number has 20 digits. */
static void put_sequence(struct json ev, struct json_writer *w)
{
	char text[24];
	int len = snprintf(text, sizeof text, "%020llu",
	                   (unsigned long long)json_uint(JSON_GET(ev, "sequence"), 0));

	JW_KSTR(w, "sequence", str_of(text, (size_t)len));
}

static void put_joined(struct json_writer *w, const char *key, const char *prefix, struct str s)
{
	char text[320];
	int len = snprintf(text, sizeof text, "%s%.*s", prefix, STR_ARG(s));

	jw_kstr(w, str_from(key), str_of(text, MIN((size_t)len, sizeof text - 1)));
}

bool cloudevents_write(struct json ev, struct json_writer *w, struct str *ret_name)
{
	struct str type = json_str(JSON_GET(ev, "type"));
	enum event_type known = (enum event_type)rec_enum_read(&enum_event_type, type);

	if (known == EV_ABSENT)
		return false;
	*ret_name = event_type_word(known);
	jw_obj(w);
	JW_KSTR(w, "specversion", STR("1.0"));
	put_joined(w, "type", "dev.agentruntime.", type);
	JW_KSTR(w, "id", json_str(JSON_GET(ev, "eventId")));
	put_joined(w, "source", "/runtimes/", json_str(JSON_GET(ev, "runtimeId")));
	JW_KOPT(w, "subject", json_str(JSON_GET(ev, "sessionId")));
	JW_KOPT(w, "time", json_str(JSON_GET(ev, "timestamp")));
	put_sequence(ev, w);
	put_traceparent(ev, w);
	JW_KSTR(w, "datacontenttype", STR("application/json"));
	JW_KEY(w, "data");
	jw_value(w, ev);
	jw_obj_end(w);
	return true;
}
