/* Ids and addresses that MCP clients see. */
#include "mcp_serve/mcp_serve_id.h"

#include "base/buf.h"
#include "base/hash/sha256.h"
#include "base/os/id.h"

#include <inttypes.h>

#define FORM "form"
#define KEYED "keyed"
#define SEPARATOR '~'
#define HASH_DIGITS 8

struct str mcp_serve_id_pair(struct arena *mem, struct str session_id, struct str of_session)
{
	return arena_printf(mem, "%.*s%c%.*s", STR_ARG(session_id), SEPARATOR, STR_ARG(of_session));
}

/* The next part of an id, up to the separator; false: there is none. */
static bool next_part(struct str *rest, char separator, struct str *ret)
{
	if (!str_is(*rest))
		return false;
	*ret = str_cut(rest, separator);
	return id_is_valid(*ret);
}

bool mcp_serve_id_read_pair(struct str id, struct str *ret_session_id, struct str *ret_of_session)
{
	return next_part(&id, SEPARATOR, ret_session_id) &&
	       next_part(&id, SEPARATOR, ret_of_session) && !str_is(id);
}

struct str mcp_serve_id_task(struct arena *mem, const struct mcp_serve_task_id *id)
{
	return arena_printf(mem, "%.*s~%.*s~%.*s~%" PRIu64, STR_ARG(id->session_id),
	                    STR_ARG(id->task_id), STR_ARG(id->turn_id), id->first_sequence);
}

bool mcp_serve_id_read_task(struct str id, struct mcp_serve_task_id *ret)
{
	int64_t sequence;

	if (!next_part(&id, SEPARATOR, &ret->session_id) ||
	    !next_part(&id, SEPARATOR, &ret->task_id) ||
	    !next_part(&id, SEPARATOR, &ret->turn_id) || !str_is(id) ||
	    !str_to_i64(id, &sequence) || sequence < 1)
		return false;
	ret->first_sequence = (uint64_t)sequence;
	return true;
}

struct str mcp_serve_id_question(struct arena *mem, const struct mcp_serve_question_id *id)
{
	CLEANUP(buf_done) struct buf key = { 0 };

	for (size_t i = 0; str_is(id->key) && i < id->key.len; i++)
		buf_printf(&key, "%02x", (unsigned char)id->key.ptr[i]);
	return arena_printf(mem, "%.*s%c%s%.*s%c%.*s", STR_ARG(id->action_id), SEPARATOR,
	                    id->is_keyed ? KEYED : FORM, STR_ARG(buf_str(&key)), SEPARATOR,
	                    STR_ARG(mcp_serve_id_task(mem, &id->task)));
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_key(struct arena *mem, struct str text, struct str *ret)
{
	CLEANUP(buf_done) struct buf key = { 0 };

	if (text.len % 2)
		return false;
	for (size_t i = 0; i < text.len; i += 2) {
		if (digit(text.ptr[i]) < 0 || digit(text.ptr[i + 1]) < 0)
			return false;
		buf_add_char(&key, (char)(digit(text.ptr[i]) << 4 | digit(text.ptr[i + 1])));
	}
	*ret = text.len ? arena_keep(mem, buf_str(&key)) : STR("");
	return true;
}

bool mcp_serve_id_read_question(struct arena *mem, struct str text,
                                struct mcp_serve_question_id *ret)
{
	struct str form;

	if (!next_part(&text, SEPARATOR, &ret->action_id) || !next_part(&text, SEPARATOR, &form))
		return false;
	ret->is_keyed = str_starts(form, STR(KEYED));
	if (!ret->is_keyed && !str_starts(form, STR(FORM)))
		return false;
	form = str_skip(form, ret->is_keyed ? strlen(KEYED) : strlen(FORM));
	return read_key(mem, form, &ret->key) && str_is(text) &&
	       mcp_serve_id_read_task(text, &ret->task);
}

static struct str hash_of(struct arena *mem, struct str about)
{
	struct sha256 hash = sha256_of(about);

	return str_head(sha256_hex(mem, &hash), HASH_DIGITS);
}

struct str mcp_serve_id_state(struct arena *mem, const struct mcp_serve_question_id *id,
                              struct str about)
{
	return arena_printf(mem, "%.*s%c%.*s", STR_ARG(mcp_serve_id_question(mem, id)), SEPARATOR,
	                    STR_ARG(hash_of(mem, about)));
}

bool mcp_serve_id_read_state(struct arena *mem, struct str text, struct str about,
                             struct mcp_serve_question_id *ret)
{
	size_t tail = HASH_DIGITS + 1;

	return str_is(text) && text.len > tail && text.ptr[text.len - tail] == SEPARATOR &&
	       str_eq(str_skip(text, text.len - HASH_DIGITS), hash_of(mem, about)) &&
	       mcp_serve_id_read_question(mem, str_head(text, text.len - tail), ret);
}

bool mcp_serve_id_read_uri(struct str uri, enum mcp_serve_uri *ret_kind, struct str *ret_session_id,
                           struct str *ret_of_session)
{
	struct str head = STR("thole://sessions/"), rest, kind;

	if (!str_starts(uri, head))
		return false;
	rest = str_skip(uri, head.len);
	if (!next_part(&rest, '/', ret_session_id))
		return false;
	*ret_kind = MCP_SERVE_URI_SESSION;
	*ret_of_session = STR_NONE;
	if (!str_is(rest))
		return true;
	kind = str_cut(&rest, '/');
	if (str_eq(kind, STR("threads")))
		*ret_kind = MCP_SERVE_URI_THREAD;
	else if (str_eq(kind, STR("outputs")))
		*ret_kind = MCP_SERVE_URI_OUTPUT;
	else
		return false;
	return next_part(&rest, '/', ret_of_session) && !str_is(rest);
}
