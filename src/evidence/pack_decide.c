/*
 * Makes the decisions of a pack again from its journal, and compares them; with
 * other rules, shows those that would have been others.
 *
 * The pack is read twice: settings, texts, chain and journal first, because a
 * directory lists them behind the events, then event after event.
 */
#include "evidence/pack_decide.h"

#include "base/hash/base64.h"
#include "base/jw.h"
#include "core/journal/journal_feed.h"
#include "core/journal/journal_report.h"
#include "core/journal/journal_settings.h"
#include "core/replay/replay.h"
#include "evidence/pack_source.h"
#include "evidence/pack_verify.h"

#define HELD_MAX (512u << 20) /* bytes of all texts and records together */

struct held_file {
	struct held_file *next;
	struct str path, text;
};

struct held_record {
	uint64_t sequence;
	struct journal_feed_record record;
};

struct deciding {
	struct arena *mem;
	const struct pack_decide_options *options;
	struct held_file *files;
	struct str journal, chain, floor; /* texts of these files; absent: there is none */
	size_t bytes;
	struct held_record *records;
	size_t record_count, record_at;
	uint64_t *redacted; /* sequences of events whose text is not the original */
	size_t redacted_count, redacted_at;
	struct journal_settings settings;
	struct journal_replay replay;
	struct journal_feed feed;
	struct journal_report report;
	bool has_record; /* of a group so far */
	size_t holes;    /* groups without a record behind one that has one */
	struct pack_lines lines;
	struct error *error;
	enum err code;
};

/* ---- files that are held ---- */

static bool is_held(struct str path)
{
	return str_starts(path, STR("config/")) || str_starts(path, STR("texts/")) ||
	       str_eq(path, STR("journal.jsonl")) || str_eq(path, STR("chain.jsonl")) ||
	       str_eq(path, STR("floor.json"));
}

static void hold(struct deciding *d, struct str path, struct str text)
{
	struct held_file *f;

	if (str_eq(path, STR("journal.jsonl"))) {
		d->journal = text;
	} else if (str_eq(path, STR("chain.jsonl"))) {
		d->chain = text;
	} else if (str_eq(path, STR("floor.json"))) {
		d->floor = text;
	} else {
		f = ARENA_NEW(d->mem, struct held_file);
		*f = (struct held_file){ d->files, path, text };
		d->files = f;
	}
}

static enum err read_whole(struct deciding *d, struct pack_source *s, struct buf *text,
                           struct error *e)
{
	size_t got = 1;

	while (got) {
		char data[1 << 15];
		enum err code = pack_source_data(s, data, sizeof data, &got, e);

		if (code != OK)
			return code;
		d->bytes += got;
		if (d->bytes > HELD_MAX)
			return fail(e, ERR_TOO_LARGE, "the texts of the pack are too large");
		buf_add(text, data, got);
	}
	return OK;
}

static enum err hold_next(struct deciding *d, struct pack_source *s, struct error *e)
{
	struct archive_entry entry;
	struct buf text = { 0 };
	enum err code = pack_source_next(s, &entry, e);

	if (code != OK || !is_held(entry.path))
		return code;
	entry.path = arena_keep(d->mem, entry.path);
	code = read_whole(d, s, &text, e);
	if (code == OK)
		hold(d, entry.path, arena_keep(d->mem, buf_str(&text)));
	buf_done(&text);
	return code;
}

static enum err hold_files(struct deciding *d, const char *path, struct error *e)
{
	struct pack_source *s;
	enum err code = pack_source_open(path, &s, e);

	if (code != OK)
		return code;
	while (code == OK)
		code = hold_next(d, s, e);
	pack_source_close(s);
	return code == ERR_NOT_FOUND ? OK : code;
}

/* ---- the journal and the chain ---- */

static enum err read_bytes(struct deciding *d, struct json v, struct str *ret, struct error *e)
{
	struct buf bytes = { 0 };

	*ret = STR_NONE;
	if (!json_is(v))
		return OK;
	if (!base64_read(&bytes, json_str(v))) {
		buf_done(&bytes);
		return fail(e, ERR_INVALID, "journal.jsonl: a record is no base64");
	}
	*ret = bytes.len ? arena_keep(d->mem, buf_str(&bytes)) : STR("");
	buf_done(&bytes);
	return OK;
}

/* A line at or before the first event has the key that the records behind it need. */
static enum err read_record(struct deciding *d, struct str line, struct error *e)
{
	struct held_record *r = &d->records[d->record_count];
	struct json v;
	int64_t sequence;
	enum err code = json_read(d->mem, line, &v, e);

	if (code != OK)
		return code;
	sequence = json_int(JSON_GET(v, "sequence"), -1);
	if (sequence < 0 || (d->record_count && r[-1].sequence >= (uint64_t)sequence))
		return fail(e, ERR_INVALID, "journal.jsonl: the records are not in order");
	r->sequence = (uint64_t)sequence;
	code = read_bytes(d, JSON_GET(v, "key"), &r->record.key, e);
	if (code == OK)
		code = read_bytes(d, JSON_GET(v, "record"), &r->record.body, e);
	d->record_count += code == OK;
	return code;
}

static size_t count_lines(struct str text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += text.ptr[i] == '\n';
	return count;
}

static enum err read_journal(struct deciding *d, struct error *e)
{
	struct str rest = d->journal;
	enum err code = OK;

	d->records = ARENA_ARRAY(d->mem, struct held_record, count_lines(rest) + 1);
	while (code == OK && rest.len) {
		struct str line = str_cut(&rest, '\n');

		if (line.len)
			code = read_record(d, line, e);
	}
	return code;
}

/* Events whose text in the pack is not the recorded one cannot be compared. */
static enum err read_chain(struct deciding *d, struct error *e)
{
	struct str rest = d->chain;
	struct arena *mem = arena_new();
	enum err code = OK;

	d->redacted = ARENA_ARRAY(d->mem, uint64_t, count_lines(rest) + 1);
	while (code == OK && rest.len) {
		struct str line = str_cut(&rest, '\n');
		struct json v;

		if (!line.len)
			continue;
		arena_reset(mem);
		code = json_read(mem, line, &v, e);
		if (code == OK &&
		    !str_eq(json_str(JSON_GET(v, "state")), chain_state_word(CHAIN_STATE_PRESENT)))
			d->redacted[d->redacted_count++] =
				(uint64_t)json_int(JSON_GET(v, "sequence"), 0);
	}
	arena_free(mem);
	return code;
}

/* ---- what the decisions are given ---- */

static bool is_path_of(struct str path, struct str ref)
{
	struct str name = path;

	if (str_starts(path, STR("texts/")))
		return str_eq(str_skip(path, 6), ref);
	name = str_skip(path, 7);
	if (!str_ends(name, STR(".json")) || name.len != ref.len + 5)
		return false;
	/* The ref of rules has a colon, and a path has not. */
	for (size_t i = 0; i < ref.len; i++)
		if (name.ptr[i] != (ref.ptr[i] == ':' ? '-' : ref.ptr[i]))
			return false;
	return true;
}

static struct str text_of(const struct deciding *d, struct str ref)
{
	for (const struct held_file *f = d->files; f && str_is(ref); f = f->next)
		if (is_path_of(f->path, ref))
			return f->text;
	return STR_NONE;
}

static struct str blob_of(void *owner, struct arena *mem, struct str ref)
{
	return text_of(owner, ref);
}

static struct str settings_text(void *owner, struct str ref)
{
	return text_of(owner, ref);
}

static void add_functions(struct settings *s, void *owner)
{
	const struct deciding *d = owner;

	d->options->add_functions(s, d->options->owner);
}

static struct settings *settings_of(void *owner, struct arena *mem, const struct journal_refs *refs,
                                    const struct state *w)
{
	struct deciding *d = owner;

	return journal_settings_get(&d->settings, mem, refs);
}

static void told(void *owner, const struct replay_group *g, const struct replay_result *result)
{
	struct deciding *d = owner;

	/* Records may be missing at the beginning, where retention removed their key. */
	if (result->verdict == REPLAY_NOT_RECORDED)
		d->holes += d->has_record;
	else
		d->has_record = true;
	journal_report_add(&d->report, g, result);
}

/* ---- the events ---- */

static const struct journal_feed_record *record_at(struct deciding *d, uint64_t sequence)
{
	while (d->record_at < d->record_count && d->records[d->record_at].sequence < sequence)
		d->record_at++;
	return d->record_at < d->record_count && d->records[d->record_at].sequence == sequence
	               ? &d->records[d->record_at].record
	               : NULL;
}

static bool is_redacted(struct deciding *d, uint64_t sequence)
{
	while (d->redacted_at < d->redacted_count && d->redacted[d->redacted_at] < sequence)
		d->redacted_at++;
	return d->redacted_at < d->redacted_count && d->redacted[d->redacted_at] == sequence;
}

static void take_event(void *arg, struct str line, uint64_t at)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct deciding *d = arg;
	struct json v;
	uint64_t sequence;

	if (d->code != OK)
		return;
	d->code = json_read(mem, line, &v, d->error);
	if (d->code != OK)
		return;
	sequence = (uint64_t)json_int(JSON_GET(v, "sequence"), 0);
	/* All texts are held, so that it never waits. */
	if (!journal_feed_event(&d->feed, sequence, line, is_redacted(d, sequence),
	                        record_at(d, sequence)))
		d->code = fail(d->error, ERR_INVALID, "event %llu cannot be read",
		               (unsigned long long)sequence);
}

static enum err feed_file(struct deciding *d, struct pack_source *s, struct error *e)
{
	size_t got = 1;

	while (got && d->code == OK) {
		char data[1 << 15];
		enum err code = pack_source_data(s, data, sizeof data, &got, e);

		if (code != OK)
			return code;
		if (!pack_verify_lines(&d->lines, str_of(data, got), take_event, d))
			return fail(e, ERR_TOO_LARGE, "events.jsonl: a line is too long");
	}
	return d->code;
}

static enum err feed_events(struct deciding *d, const char *path, struct error *e)
{
	struct archive_entry entry;
	struct pack_source *s;
	enum err code = pack_source_open(path, &s, e);

	if (code != OK)
		return code;
	while ((code = pack_source_next(s, &entry, e)) == OK)
		if (str_eq(entry.path, STR("events.jsonl"))) {
			code = feed_file(d, s, e);
			break;
		}
	pack_source_close(s);
	if (code == OK && !journal_feed_end(&d->feed))
		code = fail(e, ERR_INVALID, "the last event cannot be read");
	return code;
}

/* ---- all of it ---- */

static enum err begin_at_floor(struct deciding *d, struct error *e)
{
	struct replay folded;
	enum err code;

	if (!str_is(d->floor))
		return OK;
	replay_init(&folded);
	code = replay_floor(&folded, d->floor, e);
	if (code == OK) {
		state_free(d->replay.w);
		d->replay.w = folded.state;
		folded.state = state_new();
		if (d->record_count && !d->records[0].record.body.ptr &&
		    str_is(d->records[0].record.key))
			(void)!journal_read_key(&d->replay.reader, d->records[0].record.key);
	}
	replay_done(&folded);
	return code;
}

static enum err decide(struct deciding *d, const char *path, struct error *e)
{
	enum err code = hold_files(d, path, e);

	if (code == OK && !str_is(d->journal))
		return fail(e, ERR_INVALID,
		            "the pack has no journal; `thole export evidence --decisions` adds it");
	if (code == OK)
		code = read_journal(d, e);
	if (code == OK)
		code = read_chain(d, e);
	if (code == OK)
		code = begin_at_floor(d, e);
	return code == OK ? feed_events(d, path, e) : code;
}

enum err pack_decide(const char *path, const struct pack_decide_options *options,
                     struct buf *report, bool *ret_is_same, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct deciding d = { .mem = mem, .options = options, .error = e };
	enum err code;

	d.settings = (struct journal_settings){ .mem = mem,
		                                .change = options->change,
		                                .rules = options->rules,
		                                .text = settings_text,
		                                .add_functions = add_functions,
		                                .owner = &d };
	journal_replay_init(&d.replay, state_new(), settings_of, blob_of, &d);
	d.replay.is_what_if = options->rules || options->change;
	d.feed = (struct journal_feed){ .replay = &d.replay, .told = told, .owner = &d };
	code = decide(&d, path, e);
	if (code == OK)
		journal_report_write(report, &d.report, &d.replay, d.holes);
	*ret_is_same = code == OK && journal_report_is_good(&d.replay) && !d.holes;
	journal_settings_done(&d.settings);
	journal_feed_done(&d.feed);
	journal_replay_done(&d.replay);
	journal_report_done(&d.report);
	buf_done(&d.lines.held);
	return code;
}
