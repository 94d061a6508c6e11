/* Lists of values are joined; a second credential or path is an error of the caller. */
#include "grpc/grpc_head.h"

#define FIELD_OVERHEAD 32 /* what HTTP/2 counts for each field */

static const struct {
	const char *name;
	bool is_list;
} passed[GRPC_HEAD_PASSED] = {
	[GRPC_HEAD_AUTHORIZATION] = { "authorization", false },
	[GRPC_HEAD_VERSION] = { "a2a-version", false },
	[GRPC_HEAD_EXTENSIONS] = { "a2a-extensions", true },
	[GRPC_HEAD_TRACEPARENT] = { "traceparent", false },
	[GRPC_HEAD_TRACESTATE] = { "tracestate", true },
	[GRPC_HEAD_BAGGAGE] = { "baggage", true },
	[GRPC_HEAD_FORWARDED_FOR] = { "x-forwarded-for", true },
};

const char *grpc_head_name(enum grpc_head_passed which)
{
	return passed[which].name;
}

static void set_field(struct grpc_head *h, struct arena *mem, struct str *field, const char *name,
                      struct str value, bool is_list)
{
	if (!str_is(*field))
		*field = arena_keep(mem, value);
	else if (is_list)
		*field = arena_printf(mem, "%.*s, %.*s", STR_ARG(*field), STR_ARG(value));
	else
		h->repeated = name;
}

void grpc_head_add(struct grpc_head *h, struct arena *mem, struct str name, struct str value,
                   size_t max)
{
	const struct {
		const char *name;
		struct str *field;
	} own[] = { { ":method", &h->method },
		    { ":path", &h->path },
		    { "content-type", &h->content_type },
		    { "grpc-encoding", &h->encoding },
		    { "grpc-timeout", &h->timeout } };

	h->bytes += name.len + value.len + FIELD_OVERHEAD;
	if (h->bytes > max)
		return;
	for (size_t i = 0; i < COUNT_OF(own); i++)
		if (str_eq(name, str_from(own[i].name)))
			set_field(h, mem, own[i].field, own[i].name, value, false);
	for (size_t i = 0; i < GRPC_HEAD_PASSED; i++)
		if (str_eq(name, str_from(passed[i].name)))
			set_field(h, mem, &h->passed[i], passed[i].name, value, passed[i].is_list);
}

bool grpc_head_is_grpc(struct str type)
{
	if (!str_is(type) || !str_starts(type, STR("application/grpc")))
		return false;
	type = str_skip(type, sizeof "application/grpc" - 1);
	if (str_starts(type, STR("+proto")))
		type = str_skip(type, sizeof "+proto" - 1);
	return !type.len || type.ptr[0] == ';' || type.ptr[0] == ' ';
}
