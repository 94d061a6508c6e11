/* Ids that peers see. */
#include "a2a/a2a_id.h"

#include "base/os/id.h"

#define SEPARATOR '~'

struct str a2a_id_make(struct arena *mem, struct str session_id, struct str of_session)
{
	return arena_printf(mem, "%.*s%c%.*s", STR_ARG(session_id), SEPARATOR, STR_ARG(of_session));
}

bool a2a_id_read(struct str id, struct str *ret_session_id, struct str *ret_of_session)
{
	struct str rest = id, session = str_is(id) ? str_cut(&rest, SEPARATOR) : STR_NONE;

	if (!str_is(session) || !str_is(rest) || !id_is_valid(session) || !id_is_valid(rest))
		return false;
	*ret_session_id = session;
	*ret_of_session = rest;
	return true;
}
