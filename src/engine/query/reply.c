/* Shared by queries: a reply that is being built, the size of a page, a cursor. */
#include "engine/query/query.h"
#include "base/jw.h"
#include "engine/request/cursor.h"
#include "engine/engine_state.h"

void reply_begin(struct reply *p, struct request *r)
{
	*p = (struct reply){ .r = r };
	jw_init(&p->w, &p->out);
}

/* A view may show events that are not durable yet, so its reply waits for them like any other. */
void reply_end(struct reply *p)
{
	p->r->response.reply = arena_keep(p->r->mem, buf_str(&p->out));
	buf_done(&p->out);
	request_wait(p->r);
}

bool reply_check_least(struct request *r, const char *name, bool is_given, int64_t value,
                       int64_t least)
{
	if (!is_given || value >= least)
		return true;
	request_fail(r, ERROR_CODE_INVALID_VALUE, "%s: at least %lld", name, (long long)least);
	request_reply(r);
	return false;
}

/* A larger limit is lowered, not refused: clients page anyway. */
uint32_t reply_page_size(bool has_limit, int64_t limit)
{
	return has_limit ? (uint32_t)MIN(limit, LIMIT_LIST_ROWS) : LIMIT_LIST_ROWS_DEFAULT;
}

bool reply_from_cursor(struct store_read *read, struct str cursor)
{
	return !str_is(cursor) || cursor_read(cursor, &read->from_at, &read->from_key);
}
