/*
 * Fetches and keeps the lists of one server, follows resources that were read, and writes the
 * server's messages to the diagnostic log.
 */
#include "mcp/offer/mcp_offers.h"

#include "base/jw.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "base/utf8.h"
#include "mcp/mcp_int.h"
#include "mcp/mcp_redact.h"

#define AGAIN_MS 1000 /* between two fetches of a list */
#define PAGES_MAX 256
#define CURSOR_MAX 4096
#define LOG_WINDOW_MS 60000
#define LOG_TEXT_MAX 500
#define REDACTED_MAX 16384 /* of a text whose beginning is logged */

/* ---- lists ---- */

static struct mcp_offers_list *list_of(struct mcp_call *c)
{
	return OWNER_OF(c, struct mcp_offers_list, call);
}

static bool is_offered(const struct mcp_server *s, enum mcp_rows_kind kind)
{
	const struct mcp_abilities *can = mcp_protocol_abilities(s->connection);

	return kind == MCP_ROWS_PROMPTS ? can->has_prompts : can->has_resources;
}

static void drop_next(struct mcp_offers_list *l)
{
	arena_free(l->next_mem);
	l->next_mem = NULL;
	l->next = NULL;
	l->next_count = l->next_room = l->next_bytes = l->next_left_out = l->pages = 0;
}

static void on_patience(struct loop_timer *t)
{
	struct mcp_offers_list *l = OWNER_OF(t, struct mcp_offers_list, patience);

	log_line(LOG_WARN, "mcp", "%.*s: %.*s got no answer in time", STR_ARG(l->server->c.name),
	         STR_ARG(mcp_rows_method(l->kind)));
	mcp_protocol_cancel(l->server->connection, &l->call, STR("it took too long"));
	drop_next(l);
}

static void fetch_page(struct mcp_offers_list *l, struct str cursor)
{
	CLEANUP(buf_done) struct buf params = { 0 };

	if (str_is(cursor))
		mcp_message_write_one(&params, STR("cursor"), cursor);
	else
		buf_add_c(&params, "{}");
	l->call = (struct mcp_call){
		.method = mcp_rows_method(l->kind),
		.params = arena_keep(l->next_mem, buf_str(&params)),
		.is_repeatable = true,
		.is_aside = true,
		.ended = l->call.ended,
	};
	loop_timer_start(l->server->set->o.loop, &l->patience, LIMIT_MCP_START_MS, on_patience);
	mcp_protocol_call(l->server->connection, &l->call);
}

static bool is_known(const struct mcp_offers_list *l, struct str id)
{
	for (size_t i = 0; i < l->next_count; i++)
		if (str_eq(l->next[i].id, id))
			return true;
	return false;
}

/* Names of prompts are commands, so each must be the only one; resources are read by their URI. */
static void take_row(struct mcp_offers_list *l, struct json v)
{
	struct mcp_row row;
	struct error e;

	if (l->next_count == LIMIT_MCP_ROWS || l->next_bytes >= LIMIT_MCP_ROWS_BYTES ||
	    mcp_rows_read(l->next_mem, l->kind, v, &row, &e) != OK ||
	    (l->kind == MCP_ROWS_PROMPTS && is_known(l, row.id))) {
		l->next_left_out++;
		return;
	}
	if (l->next_count == l->next_room) {
		size_t room = MAX((size_t)16, l->next_room * 2);

		l->next = arena_grow(l->next_mem, l->next, l->next_room * sizeof row,
		                     room * sizeof row);
		l->next_room = room;
	}
	l->next_bytes += mcp_rows_bytes(&row);
	l->next[l->next_count++] = row;
}

static void keep_list(struct mcp_offers_list *l)
{
	arena_free(l->mem);
	l->mem = l->next_mem;
	l->rows = l->next;
	l->count = l->next_count;
	l->left_out = l->next_left_out;
	l->next_mem = NULL;
	drop_next(l);
	if (l->left_out)
		log_line(LOG_WARN, "mcp", "%.*s: %.*s: %zu rows are left out",
		         STR_ARG(l->server->c.name), STR_ARG(mcp_rows_method(l->kind)),
		         l->left_out);
}

static void list_begin(struct mcp_offers_list *l);

static void on_again(struct loop_timer *t)
{
	list_begin(OWNER_OF(t, struct mcp_offers_list, again));
}

/* Any number of announcements cause one fetch a second. */
static void list_again(struct mcp_offers_list *l)
{
	int64_t since = clock_mono_ms() - l->fetched_at;

	if (l->call.is_open)
		l->is_stale = true;
	else if (!loop_timer_is_running(&l->again))
		loop_timer_start(l->server->set->o.loop, &l->again, MAX(AGAIN_MS - since, 0),
		                 on_again);
}

static void log_failed(const struct mcp_offers_list *l, struct str why)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();

	why = mcp_redact(l->server, mem, str_head(why, REDACTED_MAX));
	log_line(LOG_WARN, "mcp", "%.*s: %.*s failed: %.*s", STR_ARG(l->server->c.name),
	         STR_ARG(mcp_rows_method(l->kind)), STR_ARG(str_head(why, 200)));
}

static void log_unended(const struct mcp_offers_list *l)
{
	log_line(LOG_WARN, "mcp",
	         "%.*s: %.*s does not end: %zu rows of its first %zu pages are kept",
	         STR_ARG(l->server->c.name), STR_ARG(mcp_rows_method(l->kind)), l->next_count,
	         l->pages);
}

static void page_came(struct mcp_call *c, const struct mcp_result *r)
{
	struct mcp_offers_list *l = list_of(c);
	struct json rows = json_get(r->whole, mcp_rows_member(l->kind)), v;
	struct str cursor = json_str(JSON_GET(r->whole, "nextCursor")), key;
	struct json_iter it = json_iter(rows);

	loop_timer_stop(&l->patience);
	l->fetched_at = clock_mono_ms();
	if (r->is_lost || r->is_refused || json_type(rows) != JSON_ARR) {
		log_failed(l, r->message);
		drop_next(l);
		return;
	}
	while (json_next(&it, &key, &v))
		take_row(l, v);
	if (cursor.len && cursor.len <= CURSOR_MAX && ++l->pages < PAGES_MAX &&
	    l->next_count < LIMIT_MCP_ROWS) {
		fetch_page(l, cursor);
		return;
	}
	if (cursor.len)
		log_unended(l);
	l->next_left_out += cursor.len > 0;
	keep_list(l);
	if (l->is_stale)
		list_again(l);
	l->is_stale = false;
}

static void list_begin(struct mcp_offers_list *l)
{
	if (l->call.is_open || !l->server->connection ||
	    !mcp_protocol_is_ready(l->server->connection))
		return;
	drop_next(l);
	l->next_mem = arena_new();
	fetch_page(l, STR_NONE);
}

void mcp_offers_begin(struct mcp_server *s)
{
	for (int k = 0; k < MCP_ROWS_KINDS; k++) {
		struct mcp_offers_list *l = &s->offered.lists[k];

		l->server = s;
		l->kind = (enum mcp_rows_kind)k;
		l->call.ended = page_came;
		l->is_stale = false;
		if (is_offered(s, l->kind))
			list_begin(l);
	}
	mcp_protocol_subscribe(s->connection, s->offered.followed, s->offered.followed_count);
}

const struct mcp_row *mcp_offers_find(const struct mcp_server *s, enum mcp_rows_kind kind,
                                      struct str id)
{
	const struct mcp_offers_list *l = &s->offered.lists[kind];

	for (size_t i = 0; i < l->count; i++)
		if (str_eq(l->rows[i].id, id))
			return &l->rows[i];
	return NULL;
}

/* ---- resources that were read ---- */

static size_t find_followed(const struct mcp_offers *o, struct str uri)
{
	for (size_t i = 0; i < o->followed_count; i++)
		if (str_eq(o->followed[i], uri))
			return i;
	return o->followed_count;
}

static void on_subscribe(struct loop_timer *t)
{
	struct mcp_server *s = OWNER_OF(t, struct mcp_server, offered.subscribe);

	if (s->connection)
		mcp_protocol_subscribe(s->connection, s->offered.followed,
		                       s->offered.followed_count);
}

/* The place of the oldest that no client watches; the count if there is none. */
static size_t find_replaceable(const struct mcp_offers *o)
{
	int64_t now = clock_mono_ms();

	for (size_t i = 0; i < o->followed_count; i++)
		if (o->watched_until[i] <= now)
			return i;
	return o->followed_count;
}

/*
 * The new list is in memory of its own, so that names of the oldest ones do not pile up.  False: there
 * is no room.
 */
static bool keep_followed(struct mcp_offers *o, struct str uri)
{
	bool is_full = o->followed_count == LIMIT_MCP_SUBSCRIPTIONS;
	size_t left_out = is_full ? find_replaceable(o) : SIZE_MAX, count = 0;
	struct arena *mem;

	if (is_full && left_out == o->followed_count)
		return false;
	mem = arena_new();
	struct str *names = ARENA_ARRAY(mem, struct str, LIMIT_MCP_SUBSCRIPTIONS);
	bool *changed = ARENA_ARRAY(mem, bool, LIMIT_MCP_SUBSCRIPTIONS);
	uint64_t *at = ARENA_ARRAY(mem, uint64_t, LIMIT_MCP_SUBSCRIPTIONS);
	int64_t *until = ARENA_ARRAY(mem, int64_t, LIMIT_MCP_SUBSCRIPTIONS);

	for (size_t i = 0; i < o->followed_count; i++) {
		if (i == left_out)
			continue;
		names[count] = arena_keep(mem, o->followed[i]);
		changed[count] = o->is_changed[i];
		at[count] = o->changed_at[i];
		until[count++] = o->watched_until[i];
	}
	names[count++] = arena_keep(mem, uri);
	arena_free(o->followed_mem);
	o->followed_mem = mem;
	o->followed = names;
	o->is_changed = changed;
	o->changed_at = at;
	o->watched_until = until;
	o->followed_count = count;
	return true;
}

/* Its place; the count: there is no room. */
static size_t follow(struct mcp_server *s, struct str uri)
{
	struct mcp_offers *o = &s->offered;
	size_t at = find_followed(o, uri);

	if (at < o->followed_count)
		return at;
	if (uri.len > LIMIT_MCP_URI_BYTES || !keep_followed(o, uri))
		return o->followed_count;
	if (!loop_timer_is_running(&o->subscribe))
		loop_timer_start(s->set->o.loop, &o->subscribe, 0, on_subscribe);
	return o->followed_count - 1;
}

void mcp_offers_follow(struct mcp_server *s, struct str uri)
{
	size_t at;

	if (!s->connection || !mcp_protocol_abilities(s->connection)->has_subscribe)
		return;
	at = follow(s, uri);
	if (at < s->offered.followed_count)
		s->offered.is_changed[at] = false;
}

/* Until the client has asked again, also if that takes a while. */
bool mcp_offers_watch(struct mcp_server *s, struct json uris)
{
	int64_t until = clock_mono_ms() + 2 * LIMIT_MCP_WATCH_MS;
	struct json_iter it = json_iter(uris);
	struct json each;
	struct str key;

	while (json_type(uris) == JSON_ARR && json_next(&it, &key, &each)) {
		size_t at;

		if (!str_is(json_str(each)))
			continue;
		at = follow(s, json_str(each));
		if (at == s->offered.followed_count)
			return false;
		s->offered.watched_until[at] = until;
	}
	return true;
}

bool mcp_offers_changes(const struct mcp_server *s, struct json uris, uint64_t after,
                        struct buf *out)
{
	struct json_iter it = json_iter(uris);
	struct json_writer w;
	struct json each;
	struct str key;
	bool is_any = false;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KEY(&w, "uris");
	jw_arr(&w);
	while (json_type(uris) == JSON_ARR && json_next(&it, &key, &each)) {
		size_t at;

		if (!str_is(json_str(each)))
			continue;
		at = find_followed(&s->offered, json_str(each));
		if (at == s->offered.followed_count || s->offered.changed_at[at] <= after)
			continue;
		is_any = true;
		jw_str(&w, json_str(each));
	}
	jw_arr_end(&w);
	JW_KINT(&w, "after", (int64_t)s->offered.changes);
	jw_obj_end(&w);
	return is_any;
}

bool mcp_offers_has_changed(const struct mcp_server *s, struct str uri)
{
	size_t at = find_followed(&s->offered, uri);

	return at < s->offered.followed_count && s->offered.is_changed[at];
}

/* A server may also name a resource below one that is followed; only exact names count. */
static void note_updated(struct mcp_server *s, struct str uri)
{
	size_t at = find_followed(&s->offered, uri);

	if (at == s->offered.followed_count)
		return;
	s->offered.is_changed[at] = true;
	s->offered.changed_at[at] = ++s->offered.changes;
	mcp_ask_changed(s);
}

/* ---- messages for the log ---- */

static bool is_serious(struct str level)
{
	return str_is(level) &&
	       rec_enum_read(&enum_tool_log_level, level) >= TOOL_LOG_LEVEL_WARNING;
}

/* At most so many a minute; what is left out is counted in the first line of the next one. */
static void note_log(struct mcp_server *s, struct json params)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct mcp_offers *o = &s->offered;
	struct json data = JSON_GET(params, "data");
	struct str text = json_type(data) == JSON_STR ? json_str(data) : json_text(mem, data);
	CLEANUP(buf_done) struct buf safe = { 0 };
	int64_t now = clock_mono_ms();

	if (!is_serious(json_str(JSON_GET(params, "level"))))
		return;
	if (!o->log_since || now - o->log_since >= LOG_WINDOW_MS) {
		if (o->log_lines > LIMIT_MCP_LOG_LINES)
			log_line(LOG_WARN, "mcp", "%.*s: %u messages of it were left out",
			         STR_ARG(s->c.name), o->log_lines - (unsigned)LIMIT_MCP_LOG_LINES);
		o->log_since = now;
		o->log_lines = 0;
	}
	if (++o->log_lines > LIMIT_MCP_LOG_LINES)
		return;
	text = mcp_redact(s, mem, str_head(text, REDACTED_MAX));
	utf8_add_safe(&safe, utf8_preview(mem, str_head(text, 4 * LOG_TEXT_MAX), LOG_TEXT_MAX),
	              false);
	log_line(LOG_WARN, "mcp", "%.*s says: %.*s", STR_ARG(s->c.name), STR_ARG(buf_str(&safe)));
}

void mcp_offers_noted(struct mcp_server *s, enum mcp_note note, struct json params)
{
	switch (note) {
	case MCP_NOTE_RESOURCES:
		if (is_offered(s, MCP_ROWS_RESOURCES) && s->offered.lists[0].server) {
			list_again(&s->offered.lists[MCP_ROWS_RESOURCES]);
			list_again(&s->offered.lists[MCP_ROWS_TEMPLATES]);
		}
		break;
	case MCP_NOTE_PROMPTS:
		if (is_offered(s, MCP_ROWS_PROMPTS) && s->offered.lists[0].server)
			list_again(&s->offered.lists[MCP_ROWS_PROMPTS]);
		break;
	case MCP_NOTE_UPDATED:
		note_updated(s, json_str(JSON_GET(params, "uri")));
		break;
	case MCP_NOTE_LOG:
		note_log(s, params);
		break;
	}
}

/* ---- its life ---- */

void mcp_offers_end(struct mcp_server *s)
{
	loop_timer_stop(&s->offered.subscribe);
	for (int k = 0; k < MCP_ROWS_KINDS; k++) {
		struct mcp_offers_list *l = &s->offered.lists[k];

		loop_timer_stop(&l->again);
		loop_timer_stop(&l->patience);
		if (s->connection && l->call.is_open)
			mcp_protocol_cancel(s->connection, &l->call, STR("over"));
		drop_next(l);
	}
}

void mcp_offers_free(struct mcp_server *s)
{
	for (int k = 0; k < MCP_ROWS_KINDS; k++)
		arena_free(s->offered.lists[k].mem);
	arena_free(s->offered.followed_mem);
}
