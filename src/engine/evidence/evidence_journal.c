/*
 * journal.jsonl of a pack: what each decision was given, one record per line.
 *
 * The records are read twice, like the events: once to count and hash, once to
 * write.  They are as the store has them; no rule removes anything from them.
 */
#include "engine/evidence/evidence_export.h"

#include "base/hash/base64.h"
#include "base/jw.h"
#include "engine/retention/floor_text.h"

static void records_read(struct export *x);

static void put_bytes(struct json_writer *w, struct str key, struct str bytes)
{
	struct buf text = { 0 };

	base64_write(&text, bytes);
	jw_kstr(w, key, buf_str(&text));
	buf_done(&text);
}

static void take_row(struct export *x, const struct journal_row *row)
{
	struct json_writer w;

	buf_clear(&x->line);
	jw_init(&w, &x->line);
	jw_obj(&w);
	JW_KINT(&w, "sequence", (int64_t)row->seq);
	if (str_is(row->key))
		put_bytes(&w, STR("key"), row->key);
	if (row->body.ptr) /* absent: damaged on disk */
		put_bytes(&w, STR("record"), row->body);
	jw_obj_end(&w);
	buf_add_char(&x->line, '\n');
	x->journal.take(x, buf_str(&x->line));
}

static void page_read(struct store_read *read)
{
	struct request *r = read->owner;
	struct export *x = r->work;

	if (request_read_failed(read))
		return;
	for (size_t i = 0; i < read->journal_count; i++)
		take_row(x, &read->journal[i]);
	/* After an erasure the rest is not needed: the caller compares what it got. */
	x->journal.at = x->is_stale ? x->mark.seq : read->scanned;
	port_store_read_done(read);
	records_read(x);
}

static void records_read(struct export *x)
{
	struct request *r = x->request;

	if (x->journal.at >= x->mark.seq) {
		x->journal.end(x);
		return;
	}
	r->read = (struct store_read){ .kind = READ_JOURNAL,
		                       .session = x->scope.session_id,
		                       .after = x->journal.at,
		                       .until = x->mark.seq,
		                       .done = page_read,
		                       .owner = r };
	x->engine->ports.store->ops->read(x->engine->ports.store, &r->read);
}

/* Behind a floor the first records depend on a key that went with the removed events. */
static void records_begin(struct export *x)
{
	x->journal.at = x->floor;
	if (str_is(x->journal.key))
		take_row(x, &(struct journal_row){ x->floor, x->journal.key, STR_NONE });
	records_read(x);
}

static void count_line(struct export *x, struct str line)
{
	x->journal.stream.size += line.len;
	sha256_more(&x->journal.stream.sum, line);
}

bool evidence_journal_check(struct request *r, const struct cmd_export_evidence *c)
{
	bool is_narrow = str_is(c->thread_id) || str_is(c->turn_id) || str_is(c->task_id) ||
	                 str_is(c->job_id);

	if (!c->decisions)
		return true;
	if (is_narrow || (c->redact && c->redact != EVIDENCE_REDACTION_RULES))
		request_fail(r, ERROR_CODE_INVALID_VALUE,
		             "decisions: only for a whole session, and with redact rules");
	else if (!(r->caller.scopes & SCOPE_BIT(SCOPE_ADMIN)))
		request_fail(
			r, ERROR_CODE_FORBIDDEN,
			"decisions needs the scope admin: they hold balances of the installation");
	else
		return true;
	return false;
}

void evidence_journal_floor(struct export *x, struct str floor)
{
	if (x->journal.is_wanted)
		x->journal.key = floor_text_key(x->mem, floor);
}

void evidence_journal_count(struct export *x, void (*end)(struct export *x))
{
	if (!x->journal.is_wanted) {
		end(x);
		return;
	}
	sha256_begin(&x->journal.stream.sum);
	x->journal.take = count_line;
	x->journal.end = end;
	records_begin(x);
}

void evidence_journal_write(struct export *x, void (*put)(struct export *x, struct str line),
                            void (*end)(struct export *x))
{
	x->journal.take = put;
	x->journal.end = end;
	records_begin(x);
}
