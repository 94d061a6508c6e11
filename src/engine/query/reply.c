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

void reply_shows(struct reply *p, const struct session *s)
{
	if (s && s != p->r->session && s->phase == SESSION_LIVE && s->applied > s->durable)
		rec_list_str_add(p->r->mem, &p->shown, s->id);
}

/* Each session is waited for once: one that is never quiet does not keep the reply for ever. */
static void wait_for_next(struct request *r)
{
	struct list_str *shown = r->work;

	if (!shown->count) {
		request_reply(r);
		return;
	}
	r->then = wait_for_next;
	request_wait_for(r, session_find(r->engine, shown->items[--shown->count]));
}

/* A view may show events that are not durable yet, so its reply waits for them like any other. */
void reply_end(struct reply *p)
{
	struct request *r = p->r;

	r->response.reply = arena_keep(r->mem, buf_str(&p->out));
	buf_done(&p->out);
	if (p->shown.count) {
		r->work = ARENA_NEW(r->mem, struct list_str);
		*(struct list_str *)r->work = p->shown;
		r->then = wait_for_next;
	}
	request_wait(r);
}

void reply_add_export(struct reply *p, struct str key,
                      void write(struct json view, struct json_writer *w))
{
	struct str text = arena_keep(p->r->mem, buf_str(&p->out));
	struct json view, each;
	struct str name;

	if (json_read_trusted(p->r->mem, text, &view, NULL) != OK)
		return;
	buf_clear(&p->out);
	jw_init(&p->w, &p->out);
	jw_obj(&p->w);
	for (struct json_iter it = json_iter(view); json_next(&it, &name, &each);) {
		jw_key(&p->w, name);
		jw_value(&p->w, each);
	}
	jw_key(&p->w, key);
	write(view, &p->w);
	jw_obj_end(&p->w);
}

bool reply_check_form(struct request *r, enum event_form form, enum event_form has)
{
	struct str word = event_form_word(has);

	if (!form || form == has)
		return true;
	request_fail(r, ERROR_CODE_INVALID_VALUE, "as: this read has only %.*s", STR_ARG(word));
	request_reply(r);
	return false;
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
