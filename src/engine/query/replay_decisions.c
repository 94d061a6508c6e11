/*
 * replay_decisions: makes the decisions of a session again from its journal, page by page.
 *
 * Nothing is written, and the outside is not asked: the journal has its answers.
 * A text that a decision was given (settings, rules, large arguments) is read
 * when a group needs it, and the group is then given again.
 */
#include "base/jw.h"
#include "core/journal/journal_feed.h"
#include "core/journal/journal_report.h"
#include "core/journal/journal_settings.h"
#include "core/settings/settings_change.h"
#include "engine/engine_state.h"
#include "engine/retention/floor_text.h"
#include "engine/query/query.h"
#include "policy/rules.h"

/* Texts that are kept between groups: those of a long log need not fit into memory. */
#define TEXTS_MAX 64
#define TEXT_BYTES_MAX ((size_t)4 << 20)

/* A blob that was read; text absent: there is none. */
struct known_text {
	struct known_text *next;
	struct str ref, text;
};

struct replaying {
	struct request *request;
	struct journal_replay replay;
	struct journal_feed feed;
	struct arena *text_mem;
	struct known_text *texts;
	size_t text_count, text_bytes;
	struct journal_settings settings;
	struct store_read events; /* the current page */
	size_t at;                /* of its events */
	struct arena *page;       /* of its records */
	struct journal_row *records;
	size_t record_count, record_cap, record_at;
	uint64_t seq, through; /* read so far; records of the page so far */
	struct journal_report report;
	bool has_begun, is_unreadable;
};

/* ---- what the decisions are given ---- */

static struct known_text *find_text(const struct replaying *x, struct str ref)
{
	for (struct known_text *t = x->texts; t; t = t->next)
		if (str_eq(t->ref, ref))
			return t;
	return NULL;
}

/* Absent also while it is to be read first: `wants` says so. */
static struct str text_of(void *owner, struct str ref)
{
	struct replaying *x = owner;
	const struct known_text *t = find_text(x, ref);

	if (!t && str_is(ref))
		x->replay.wants = arena_keep(x->feed.mem, ref);
	return t ? t->text : STR_NONE;
}

static struct str blob_of(void *owner, struct arena *mem, struct str ref)
{
	return text_of(owner, ref);
}

/* The journal answers for these functions; they only show that there were answers. */
static void add_functions(struct settings *s, void *owner)
{
	const struct replaying *x = owner;
	const struct settings *now = &x->request->engine->settings;

	s->real = now->real;
	s->digest = now->digest;
	s->runs_code = now->runs_code;
	s->runs_hooks = now->runs_hooks;
	s->zone = now->zone;
	s->zone_owner = now->zone_owner;
	s->bind = now->bind;
	s->bind_owner = now->bind_owner;
}

static struct settings *settings_of(void *owner, struct arena *mem, const struct journal_refs *refs,
                                    const struct state *w)
{
	struct replaying *x = owner;

	return journal_settings_get(&x->settings, mem, refs);
}

static void forget_texts(struct replaying *x)
{
	arena_free(x->text_mem);
	x->text_mem = NULL;
	x->texts = NULL;
	x->text_count = x->text_bytes = 0;
}

/* Takes over nothing: what was read is copied. */
static void add_text(struct replaying *x, struct str ref, struct str text)
{
	struct known_text *t;

	if (!x->text_mem)
		x->text_mem = arena_new();
	t = ARENA_NEW(x->text_mem, struct known_text);
	t->ref = arena_keep(x->text_mem, ref);
	t->text = str_is(text) ? arena_keep(x->text_mem, text) : STR_NONE;
	t->next = x->texts;
	x->texts = t;
	x->text_count++;
	x->text_bytes += text.len;
}

/* ---- the reply ---- */

static void told(void *owner, const struct replay_group *g, const struct replay_result *result)
{
	struct replaying *x = owner;

	journal_report_add(&x->report, g, result);
	if (x->text_count > TEXTS_MAX || x->text_bytes > TEXT_BYTES_MAX)
		forget_texts(x);
}

static struct str reply_text(struct replaying *x)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	journal_report_write(&out, &x->report, &x->replay, 0);
	return arena_keep(x->request->mem, buf_str(&out));
}

static void finish(struct replaying *x)
{
	struct request *r = x->request;

	if (!r->response.code)
		r->response.reply = reply_text(x);
	journal_settings_done(&x->settings);
	journal_feed_done(&x->feed);
	journal_replay_done(&x->replay);
	arena_free(x->page);
	forget_texts(x);
	journal_report_done(&x->report);
	request_reply(r);
}

static void give_up(struct replaying *x, const char *why)
{
	request_fail(x->request, ERROR_CODE_SESSION_UNREADABLE, "%s", why);
	finish(x);
}

/* ---- pages ---- */

static void read_now(struct replaying *x, struct store_read *to, struct store_read read)
{
	struct store *store = x->request->engine->ports.store;

	*to = read;
	to->owner = x;
	store->ops->read(store, to);
}

static void run(struct replaying *x);

static void text_read(struct store_read *read)
{
	struct replaying *x = read->owner;

	add_text(x, x->replay.wants, read->result == OK ? read->blob.data : STR_NONE);
	port_store_read_done(read);
	if (journal_feed_end(&x->feed))
		run(x);
	else
		give_up(x, "an event cannot be read");
}

static const struct journal_feed_record *record_at(struct replaying *x, uint64_t seq,
                                                   struct journal_feed_record *ret)
{
	while (x->record_at < x->record_count && x->records[x->record_at].seq < seq)
		x->record_at++;
	if (x->record_at == x->record_count || x->records[x->record_at].seq != seq)
		return NULL;
	*ret = (struct journal_feed_record){ x->records[x->record_at].key,
		                             x->records[x->record_at].body };
	return ret;
}

/* False: a text has to be read first, or the log ends here. */
static bool feed_page(struct replaying *x)
{
	for (; x->at < x->events.event_count; x->at += x->feed.has_taken) {
		const struct event_row *row = &x->events.events[x->at];
		struct journal_feed_record record;

		if (!journal_feed_event(&x->feed, row->seq, bytes_str(row->body), row->is_erased,
		                        record_at(x, row->seq, &record))) {
			x->is_unreadable = true;
			return false;
		}
		if (x->feed.is_waiting) {
			x->at += x->feed.has_taken;
			return false;
		}
	}
	return true;
}

static void next_page(struct replaying *x);

static void run(struct replaying *x)
{
	if (!x->feed.is_waiting && feed_page(x)) {
		bool more = x->events.more;

		x->seq = x->events.scanned;
		if (more) {
			port_store_read_done(&x->events);
			next_page(x);
			return;
		}
		x->is_unreadable = !journal_feed_end(&x->feed);
		if (!x->feed.is_waiting && !x->is_unreadable) {
			port_store_read_done(&x->events);
			finish(x);
			return;
		}
	}
	if (x->is_unreadable) {
		port_store_read_done(&x->events);
		give_up(x, "an event cannot be read");
		return;
	}
	read_now(x, &x->request->read,
	         (struct store_read){
			 .kind = READ_BLOB, .key = x->replay.wants, .done = text_read });
}

static void records_read(struct store_read *read)
{
	struct replaying *x = read->owner;

	if (read->result != OK) {
		port_store_read_done(read);
		port_store_read_done(&x->events);
		give_up(x, "the journal cannot be read");
		return;
	}
	for (size_t i = 0; i < read->journal_count; i++) {
		if (x->record_count == x->record_cap) {
			size_t cap = x->record_cap ? x->record_cap * 2 : 64;

			x->records =
				arena_grow(x->page, x->records, x->record_cap * sizeof *x->records,
			                   cap * sizeof *x->records);
			x->record_cap = cap;
		}
		x->records[x->record_count++] =
			(struct journal_row){ read->journal[i].seq,
			                      arena_keep(x->page, read->journal[i].key),
			                      arena_keep(x->page, read->journal[i].body) };
	}
	x->through = read->scanned;
	port_store_read_done(read);
	if (x->through >= x->events.scanned)
		run(x);
	else
		read_now(x, &x->request->read,
		         (struct store_read){ .kind = READ_JOURNAL,
		                              .session = x->request->session_id,
		                              .after = x->through,
		                              .until = x->events.scanned,
		                              .done = records_read });
}

static void read_records(struct replaying *x)
{
	arena_free(x->page);
	x->page = arena_new();
	x->records = NULL;
	x->record_count = x->record_cap = x->record_at = 0;
	x->at = 0;
	read_now(x, &x->request->read,
	         (struct store_read){ .kind = READ_JOURNAL,
	                              .session = x->request->session_id,
	                              .after = x->seq,
	                              .until = x->events.scanned,
	                              .done = records_read });
}

/* The state that replaces what retention removed. */
static void floor_read(struct store_read *read)
{
	struct replaying *x = read->owner;
	struct state *w = NULL;
	struct sha256 hash;
	uint64_t seq = 0;
	bool is_read = read->result == OK && load_floor_read(read->blob.data, &w, &seq, &hash) &&
	               seq == x->events.floor_seq;
	struct str key = is_read ? floor_text_key(x->request->mem, read->blob.data) : STR_NONE;

	port_store_read_done(read);
	if (!is_read) {
		state_free(w);
		port_store_read_done(&x->events);
		give_up(x, "the state at the floor of the log cannot be read");
		return;
	}
	state_free(x->replay.w);
	x->replay.w = w;
	/* Without it records up to the next key are not_recorded. */
	if (str_is(key))
		(void)!journal_read_key(&x->replay.reader, key);
	x->seq = seq;
	read_records(x);
}

static void page_read(struct store_read *read)
{
	struct replaying *x = read->owner;

	if (read->result != OK || !read->head_seq) {
		if (read->result == OK)
			request_fail_no_session(x->request, read->removed_by);
		else
			request_fail(x->request, ERROR_CODE_SESSION_UNREADABLE, "%s",
			             read->error.message);
		port_store_read_done(read);
		finish(x);
		return;
	}
	if (!x->has_begun && read->floor_seq) {
		x->has_begun = true;
		read_now(x, &x->request->read,
		         (struct store_read){
				 .kind = READ_BLOB, .key = read->floor_ref, .done = floor_read });
		return;
	}
	x->has_begun = true;
	read_records(x);
}

static void next_page(struct replaying *x)
{
	read_now(x, &x->events,
	         (struct store_read){ .kind = READ_EVENTS,
	                              .session = x->request->session_id,
	                              .after = x->seq,
	                              .done = page_read });
}

/* ---- the request ---- */

/* The rules of a file, instead of all that were in force; those of the session stay. */
static bool take_rules(struct request *r, struct str text, const struct rules **ret)
{
	struct rules *rules = ARENA_NEW(r->mem, struct rules);
	struct error why = { 0 };

	rules->mem = r->mem;
	if (rules_add(rules, text, (struct rule_origin){ .source = RULE_USER }, &why) != OK) {
		request_fail(r, ERROR_CODE_INVALID_VALUE, "rules: %s", why.message);
		request_reply(r);
		return false;
	}
	*ret = rules;
	return true;
}

static bool take_settings(struct request *r, struct str text, struct settings_change **ret)
{
	struct error why = { 0 };
	struct json file;

	if (json_read(r->mem, text, &file, &why) == OK &&
	    settings_change_read(r->mem, file, ret, &why) == OK)
		return true;
	request_fail(r, ERROR_CODE_INVALID_VALUE, "settings: %s", why.message);
	request_reply(r);
	return false;
}

void query_replay_decisions(struct request *r, const struct cmd_replay_decisions *c)
{
	struct replaying *x = ARENA_NEW(r->mem, struct replaying);
	struct settings_change *change = NULL;
	const struct rules *rules = NULL;

	if (str_is(c->rules) && !take_rules(r, c->rules, &rules))
		return;
	if (str_is(c->settings) && !take_settings(r, c->settings, &change))
		return;
	x->request = r;
	x->settings = (struct journal_settings){ .mem = r->mem,
		                                 .change = change,
		                                 .rules = rules,
		                                 .text = text_of,
		                                 .add_functions = add_functions,
		                                 .owner = x };
	journal_replay_init(&x->replay, state_new(), settings_of, blob_of, x);
	x->replay.is_what_if = rules || change;
	x->feed = (struct journal_feed){ .replay = &x->replay, .told = told, .owner = x };
	next_page(x);
}
