/* Ids that clients see, made of ours. */
#include "openai/openai_api_id.h"

#include "base/gen/limits.h"

/* Longer ones are ids of nothing, so they are not asked for. */
static bool is_part(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (c <= ' ' || c >= 0x7f || c == '"' || c == '\\')
			return false;
	}
	return s.len > 0 && s.len <= LIMIT_ID_BYTES;
}

bool openai_api_id_read(struct str id, const char *prefix, struct openai_api_id *ret)
{
	struct str rest;

	if (!str_is(id) || !str_starts(id, str_from(prefix)))
		return false;
	rest = str_skip(id, str_from(prefix).len);
	ret->session_id = str_cut(&rest, '~');
	ret->object_id = str_is(rest) ? str_cut(&rest, '~') : STR_NONE;
	ret->rest = rest;
	return is_part(ret->session_id) && is_part(ret->object_id) &&
	       (!str_is(rest) || is_part(rest));
}

bool openai_api_id_read_conversation(struct str id, struct str *ret_session_id)
{
	if (!str_is(id) || !str_starts(id, STR(OPENAI_API_ID_CONVERSATION)))
		return false;
	*ret_session_id = str_skip(id, strlen(OPENAI_API_ID_CONVERSATION));
	return is_part(*ret_session_id) && str_find_char(*ret_session_id, '~') < 0;
}

struct str openai_api_id_conversation(struct arena *mem, struct str session_id)
{
	return arena_printf(mem, OPENAI_API_ID_CONVERSATION "%.*s", STR_ARG(session_id));
}

struct str openai_api_id_make(struct arena *mem, const char *prefix, struct str session_id,
                              struct str object_id)
{
	return arena_printf(mem, "%s%.*s~%.*s", prefix, STR_ARG(session_id), STR_ARG(object_id));
}

struct str openai_api_id_response(struct arena *mem, const char *prefix, struct str session_id,
                                  struct str turn_id, uint64_t first_sequence)
{
	return arena_printf(mem, "%s%.*s~%.*s~%llu", prefix, STR_ARG(session_id), STR_ARG(turn_id),
	                    (unsigned long long)first_sequence);
}
