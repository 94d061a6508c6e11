/* Checks the files of a pack, its chain and its events. */
#include "evidence/pack_verify.h"

#include "base/gen/limits.h"
#include "base/hash/sha256.h"
#include "base/jw.h"
#include "base/map.h"
#include "base/os/clock.h"
#include "catalog/gen/vocab.h"
#include "evidence/pack_documents.h"
#include "evidence/pack_findings.h"
#include "evidence/pack_journal.h"
#include "evidence/pack_redaction.h"
#include "evidence/pack_scope.h"
#include "evidence/pack_signature.h"
#include "evidence/pack_source.h"

#define DOCUMENT_MAX (16u << 20)
#define WRONG_EVENTS_MAX 3   /* that are named; and records */
#define SHOWN_MAX (1u << 18) /* hashes in memory; behind them one hash covers all */
#define SELF_HASH "\"self_hash\":\"sha256:"

/* A file as the manifest names it. */
struct named_file {
	struct str path;
	uint64_t size;
	struct sha256 hash;
	bool is_seen;
};

/* An event that has to be shown, with the hash of its line. */
struct shown_event {
	uint64_t sequence;
	struct sha256 hash;
};

struct verification {
	struct arena *mem, *line; /* of the whole; of one line */
	struct pack_source *source;
	struct pack_findings findings;
	struct pack_signature signature;
	struct map files; /* path → struct named_file */
	size_t file_count;
	uint64_t bytes;
	struct buf manifest, pack, replay;
	int rank; /* of the last file that has a place in the order */
	struct pack_lines lines;
	/* The chain. */
	bool is_broken; /* what follows a bad link cannot be judged */
	uint64_t first, last;
	struct sha256 before, link;
	int64_t states[CHAIN_STATE_COUNT];
	struct shown_event *shown;
	size_t shown_count, shown_cap, shown_at, wrong_events;
	unsigned char *shown_states; /* enum chain_state of each event that is shown */
	size_t state_cap;
	struct str redaction;
	struct sha256_stream rest_wanted, rest_found; /* of shown events behind SHOWN_MAX */
	struct json list, doc, replay_doc;            /* manifest.json, pack.json, replay.json */
	struct pack_scope scope;
	struct pack_journal journal;
	size_t wrong_records;
};

/* ---- findings ---- */

#define FIND(v, file, seq, byte, ...)                                                              \
	pack_findings_add(&(v)->findings, (file), (seq), (byte), __VA_ARGS__)

/* ---- lines ---- */

bool pack_verify_lines(struct pack_lines *l, struct str data,
                       void (*line)(void *arg, struct str line, uint64_t at), void *arg)
{
	while (data.len) {
		ptrdiff_t end = str_find_char(data, '\n');
		struct str part = end < 0 ? data : str_head(data, (size_t)end);

		if (l->held.len + part.len > LIMIT_EVIDENCE_LINE_BYTES)
			return false;
		if (end < 0) {
			buf_add_str(&l->held, part);
			return true;
		}
		if (l->held.len) {
			buf_add_str(&l->held, part);
			part = buf_str(&l->held);
		}
		line(arg, part, l->at);
		l->at += part.len + 1;
		buf_clear(&l->held);
		data = str_skip(data, (size_t)end + 1);
	}
	return true;
}

/* ---- chain.jsonl ---- */

static void add_rest(struct sha256_stream *s, uint64_t sequence, const struct sha256 *hash)
{
	sha256_more(s, str_of((const char *)&sequence, sizeof sequence));
	sha256_more(s, str_of((const char *)hash->state, SHA256_BYTES));
}

static void add_state(struct verification *v, uint32_t state)
{
	if (v->shown_count == v->state_cap) {
		size_t cap = v->state_cap ? v->state_cap * 2 : 1024;

		v->shown_states = arena_grow(v->mem, v->shown_states, v->shown_count, cap);
		v->state_cap = cap;
	}
	v->shown_states[v->shown_count] = (unsigned char)state;
}

static void add_shown(struct verification *v, uint64_t sequence, uint32_t state,
                      const struct sha256 *hash)
{
	add_state(v, state);
	if (v->shown_count >= SHOWN_MAX) {
		add_rest(&v->rest_wanted, sequence, hash);
		v->shown_count++;
		return;
	}
	if (v->shown_count == v->shown_cap) {
		size_t cap = v->shown_cap ? v->shown_cap * 2 : 1024;

		v->shown = arena_grow(v->mem, v->shown, v->shown_count * sizeof *v->shown,
		                      cap * sizeof *v->shown);
		v->shown_cap = cap;
	}
	v->shown[v->shown_count++] = (struct shown_event){ sequence, *hash };
}

/* Only an event whose text was removed has a line with another hash. */
static bool read_shown(struct json doc, uint32_t state, struct sha256 *ret, bool *ret_is_shown)
{
	struct json shown = JSON_GET(doc, "shown");

	*ret_is_shown = json_type(shown) != JSON_NONE;
	if (!*ret_is_shown)
		return true;
	return (state == CHAIN_STATE_REDACTED || state == CHAIN_STATE_ERASED) &&
	       pack_documents_hash(shown, ret);
}

static void take_link(void *arg, struct str line, uint64_t at)
{
	struct verification *v = arg;
	struct arena *mem = v->line;
	struct sha256 digest, shown;
	bool is_shown;
	uint32_t state;
	struct json doc;
	int64_t sequence;

	if (v->is_broken)
		return;
	v->is_broken = true;
	arena_reset(mem);
	if (json_read(mem, line, &doc, NULL) != OK ||
	    (sequence = json_int(JSON_GET(doc, "sequence"), 0)) < 1 ||
	    !pack_documents_hash(JSON_GET(doc, "digest"), &digest) ||
	    !(state = rec_enum_read(&enum_chain_state, json_str(JSON_GET(doc, "state")))) ||
	    !read_shown(doc, state, &shown, &is_shown) ||
	    (is_shown && !pack_redaction_shows(state, v->redaction))) {
		FIND(v, STR("chain.jsonl"), v->last ? (int64_t)v->last + 1 : -1, (int64_t)at,
		     "the line is not a link of the chain");
		return;
	}
	if (v->last && (uint64_t)sequence != v->last + 1) {
		FIND(v, STR("chain.jsonl"), (int64_t)v->last + 1, (int64_t)at,
		     "the chain lacks this event; event %lld follows", (long long)sequence);
		return;
	}
	v->is_broken = false;
	if (!v->last)
		v->first = (uint64_t)sequence;
	v->last = (uint64_t)sequence;
	v->link = sha256_link_hash(&v->link, &digest);
	v->states[state]++;
	if (state == CHAIN_STATE_PRESENT)
		add_shown(v, v->last, state, &digest);
	else if (is_shown)
		add_shown(v, v->last, state, &shown);
}

/* ---- events.jsonl ---- */

/* NULL: the line is an event of this session with this sequence. */
static const char *fault_of(struct verification *v, struct str line, uint32_t state, int64_t want,
                            int64_t *ret)
{
	struct str session = json_str(JSON_GET(JSON_GET(v->doc, "scope"), "session_id"));
	struct json doc;

	arena_reset(v->line);
	*ret = 0;
	if (json_read_wrapped(v->line, line, &doc, NULL) != OK || json_type(doc) != JSON_OBJ)
		return "the line is not an event";
	*ret = json_int(JSON_GET(doc, "sequence"), 0);
	if (*ret < 1 || (want && *ret != want))
		return "the event says that it is another one";
	if (!str_eq(json_str(JSON_GET(doc, "sessionId")), session))
		return "the event is of another session";
	if (!json_str(JSON_GET(doc, "type")).len)
		return "the event has no type";
	if (!pack_scope_has(&v->scope, doc))
		return "the event is not part of what the pack covers";
	return pack_redaction_fault(doc, state, v->redaction);
}

static void take_event(void *arg, struct str line, uint64_t at)
{
	struct verification *v = arg;
	struct sha256 hash = sha256_of(line);
	bool is_kept = v->shown_at < MIN(v->shown_count, (size_t)SHOWN_MAX);
	const struct shown_event *want = is_kept ? &v->shown[v->shown_at] : NULL;
	const char *fault;
	int64_t sequence;

	if (v->shown_at >= v->shown_count) {
		if (v->shown_at++ == v->shown_count)
			FIND(v, STR("events.jsonl"), -1, (int64_t)at,
			     "lines follow that the chain does not show");
		return;
	}
	fault = fault_of(v, line, v->shown_states[v->shown_at++],
	                 want ? (int64_t)want->sequence : 0, &sequence);
	if (!want)
		add_rest(&v->rest_found, (uint64_t)sequence, &hash);
	if (want && !sha256_eq(&hash, &want->hash))
		fault = "the event does not have the hash that the chain names";
	/* After a lost line every other one is wrong, and the first of them says where. */
	if (fault && v->wrong_events++ < WRONG_EVENTS_MAX)
		FIND(v, STR("events.jsonl"), want ? (int64_t)want->sequence : sequence, (int64_t)at,
		     "%s", fault);
}

static void check_scope(struct verification *v)
{
	if (!pack_scope_end(&v->scope))
		FIND(v, STR("events.jsonl"), -1, -1,
		     "an event is of a turn or thread that the pack does not cover");
}

/* All events that are shown have come, and those behind SHOWN_MAX are the right ones. */
static void check_shown(struct verification *v)
{
	struct sha256 wanted = sha256_end(&v->rest_wanted), found = sha256_end(&v->rest_found);

	if (v->shown_at < MIN(v->shown_count, (size_t)SHOWN_MAX))
		FIND(v, STR("events.jsonl"), (int64_t)v->shown[v->shown_at].sequence, -1,
		     "the event is missing: the chain shows it");
	else if (v->shown_at < v->shown_count)
		FIND(v, STR("events.jsonl"), -1, -1, "%zu events are missing: the chain shows them",
		     v->shown_count - v->shown_at);
	else if (!sha256_eq(&wanted, &found))
		FIND(v, STR("events.jsonl"), -1, -1,
		     "behind the first %u events, one does not have the hash that the chain names",
		     SHOWN_MAX);
}

/* ---- journal.jsonl ---- */

static void take_record(void *arg, struct str line, uint64_t at)
{
	struct verification *v = arg;
	const char *fault;
	int64_t sequence;

	if (!at)
		pack_journal_begin(&v->journal, v->first, v->last);
	arena_reset(v->line);
	fault = pack_journal_fault(&v->journal, v->line, line, &sequence);
	if (fault && v->wrong_records++ < WRONG_EVENTS_MAX)
		FIND(v, STR("journal.jsonl"), sequence, (int64_t)at, "%s", fault);
}

/* ---- the manifest ---- */

static bool own_hash_is_right(struct verification *v)
{
	struct str text = buf_str(&v->manifest);
	size_t tail = sizeof SELF_HASH - 1 + 2 * SHA256_BYTES + 3; /* the last member */
	size_t digits = text.len - tail + sizeof SELF_HASH - 1;
	struct sha256 want, own;

	if (text.len < tail || !str_starts(str_skip(text, text.len - tail), STR(SELF_HASH)) ||
	    !str_ends(text, STR("\"}\n")) ||
	    !sha256_read_hex(str_of(text.ptr + digits, 2 * SHA256_BYTES), &want))
		return false;
	memset(v->manifest.ptr + digits, '0', 2 * SHA256_BYTES);
	own = sha256_of(buf_str(&v->manifest));
	return sha256_eq(&own, &want);
}

static bool take_named(struct verification *v, struct json entry)
{
	struct named_file *f = ARENA_NEW(v->mem, struct named_file);
	int64_t size = json_int(JSON_GET(entry, "size"), -1);

	f->path = arena_keep(v->mem, json_str(JSON_GET(entry, "path")));
	f->size = (uint64_t)size;
	if (size < 0 || !archive_read_path_is_safe(f->path) || map_get(&v->files, f->path) ||
	    !pack_documents_hash(JSON_GET(entry, "hash"), &f->hash))
		return false;
	map_put(&v->files, f->path, f);
	return true;
}

static void read_manifest(struct verification *v)
{
	int64_t count = 0, wrong = 0;
	struct json entry;
	struct json_iter it;
	struct str key;

	if (!own_hash_is_right(v))
		FIND(v, STR("manifest.json"), -1, -1, "the manifest does not have its own hash");
	if (json_read(v->mem, buf_str(&v->manifest), &v->list, NULL) != OK) {
		FIND(v, STR("manifest.json"), -1, -1, "not JSON");
		return;
	}
	it = json_iter(JSON_GET(v->list, "files"));
	for (; json_next(&it, &key, &entry); count++)
		wrong += !take_named(v, entry);
	if (wrong)
		FIND(v, STR("manifest.json"), -1, -1,
		     "%lld of %lld entries of the manifest are invalid", (long long)wrong,
		     (long long)count);
}

/* pack.json comes before the chain, so the chain starts from what it says. */
static void begin_chain(struct verification *v)
{
	struct json range;

	if (json_read(v->mem, buf_str(&v->pack), &v->doc, NULL) != OK)
		return;
	range = JSON_GET(v->doc, "range");
	v->redaction = json_str(JSON_GET(v->doc, "redaction"));
	pack_scope_init(&v->scope, v->mem, JSON_GET(v->doc, "scope"));
	if (pack_documents_hash(JSON_GET(range, "before"), &v->before))
		v->link = v->before;
}

/* ---- files ---- */

static void take_data(struct verification *v, struct str path, struct str data)
{
	struct buf *whole = str_eq(path, STR("manifest.json")) ? &v->manifest
	                    : str_eq(path, STR("pack.json"))   ? &v->pack
	                    : str_eq(path, STR("replay.json")) ? &v->replay
	                                                       : NULL;
	bool is_fine = true;

	if (whole)
		is_fine = whole->len + data.len <= DOCUMENT_MAX;
	if (whole && is_fine)
		buf_add_str(whole, data);
	if (str_eq(path, STR("chain.jsonl")))
		is_fine = pack_verify_lines(&v->lines, data, take_link, v);
	else if (str_eq(path, STR("events.jsonl")))
		is_fine = pack_verify_lines(&v->lines, data, take_event, v);
	else if (str_eq(path, STR("journal.jsonl")))
		is_fine = pack_verify_lines(&v->lines, data, take_record, v);
	if (!pack_signature_take(&v->signature, path, data))
		is_fine = false;
	if (!is_fine)
		FIND(v, path, -1, (int64_t)v->lines.at, "longer than a pack may have");
}

static void end_of_lines(struct verification *v, struct str path)
{
	if (v->lines.held.len)
		FIND(v, path, -1, (int64_t)v->lines.at, "the last line has no end");
}

/* Each file is judged by those before it, so another order would judge by nothing. */
static void check_order(struct verification *v, struct str path)
{
	int rank = pack_source_rank(path);

	if (rank >= 0 && rank < v->rank)
		FIND(v, path, -1, -1, "the file comes too late: a pack has an order of files");
	v->rank = MAX(v->rank, rank);
}

static enum err read_file(struct verification *v, const struct archive_entry *entry,
                          struct error *e)
{
	struct str path = arena_keep(v->mem, entry->path);
	struct named_file *named = map_get(&v->files, path);
	bool is_manifest = str_eq(path, STR("manifest.json"));
	struct sha256_stream sum;
	struct sha256 hash;
	uint64_t size = 0;
	size_t got = 1;

	check_order(v, path);
	sha256_begin(&sum);
	buf_clear(&v->lines.held);
	v->lines.at = 0;
	while (got) {
		char data[1 << 15];
		enum err code = pack_source_data(v->source, data, sizeof data, &got, e);

		if (code != OK)
			return code;
		size += got;
		sha256_more(&sum, str_of(data, got));
		take_data(v, path, str_of(data, got));
	}
	hash = sha256_end(&sum);
	v->bytes += size;
	v->file_count++;
	pack_signature_seen(&v->signature, path, &hash);
	if (is_manifest) {
		read_manifest(v);
		return OK;
	}
	end_of_lines(v, path);
	if (str_eq(path, STR("pack.json")))
		begin_chain(v);
	else if (str_eq(path, STR("replay.json")) &&
	         json_read(v->mem, buf_str(&v->replay), &v->replay_doc, NULL) != OK)
		FIND(v, path, -1, -1, "not JSON");
	if (!named && pack_signature_is_outside(path))
		return OK;
	if (!named)
		FIND(v, path, -1, -1, "the manifest does not name this file");
	else if (size != named->size)
		FIND(v, path, -1, -1, "%llu bytes instead of %llu", (unsigned long long)size,
		     (unsigned long long)named->size);
	else if (!sha256_eq(&hash, &named->hash))
		FIND(v, path, -1, -1, "the file does not have the hash that the manifest names");
	if (named)
		named->is_seen = true;
	return OK;
}

static enum err read_files(struct verification *v, struct error *e)
{
	struct archive_entry entry;
	enum err code = pack_source_next(v->source, &entry, e);

	if (code == OK && !str_eq(entry.path, STR("manifest.json")))
		return fail(e, ERR_INVALID,
		            "not an evidence pack: it does not begin with manifest.json");
	while (code == OK) {
		code = read_file(v, &entry, e);
		if (code == OK)
			code = pack_source_next(v->source, &entry, e);
	}
	if (code == ERR_NOT_FOUND && !v->file_count)
		return fail(e, ERR_INVALID, "not an evidence pack: it has no files");
	return code == ERR_NOT_FOUND ? OK : code;
}

/* ---- the whole ---- */

static void check_missing(struct verification *v)
{
	struct map_slot *slot;

	for (size_t i = 0; map_next(&v->files, &i, &slot);) {
		const struct named_file *f = slot->value;

		if (!f->is_seen)
			FIND(v, f->path, -1, -1, "the file is missing");
	}
}

/* A log begins at event 1 behind zeros, or where retention has cut it. */
static void check_start(struct verification *v, struct json range)
{
	int64_t from = json_int(JSON_GET(range, "from_sequence"), 0);
	struct json expired = JSON_GET(range, "expired_through");
	int64_t through = json_int(expired, json_type(expired) == JSON_NONE ? 0 : -1);

	if (through < 0 || from < 1 || from - 1 != through)
		FIND(v, STR("pack.json"), -1, -1,
		     "the range begins at event %lld, which is not behind the expired ones",
		     (long long)from);
	if (from == 1 && !sha256_eq(&v->before, &(struct sha256){ 0 }))
		FIND(v, STR("pack.json"), -1, -1, "the chain of a whole log begins with zeros");
}

static void check_counts(struct verification *v, struct json counts)
{
	for (size_t i = 1; i < CHAIN_STATE_COUNT; i++) {
		struct str word = enum_word(&enum_chain_state, (uint32_t)i);

		if (json_int(json_get(counts, word), -1) != v->states[i])
			FIND(v, STR("pack.json"), -1, -1,
			     "it counts other events (%.*s) than the chain has", STR_ARG(word));
	}
}

/* What pack.json says of the chain. */
static void check_range(struct verification *v)
{
	struct json range = JSON_GET(v->doc, "range");
	struct sha256 head, link;

	if (!pack_documents_hash(JSON_GET(range, "before"), &v->before) ||
	    !pack_documents_hash(JSON_GET(range, "head"), &head)) {
		FIND(v, STR("pack.json"), -1, -1,
		     "it does not say where the chain begins and ends");
		return;
	}
	check_start(v, range);
	if (v->is_broken)
		return;
	if (!v->last) {
		FIND(v, STR("chain.jsonl"), -1, -1, "the chain is empty");
		return;
	}
	check_counts(v, JSON_GET(range, "events"));
	pack_redaction_count(&v->findings, v->doc, v->states);
	if ((int64_t)v->first != json_int(JSON_GET(range, "from_sequence"), 0) ||
	    (int64_t)v->last != json_int(JSON_GET(range, "to_sequence"), 0)) {
		FIND(v, STR("chain.jsonl"), (int64_t)v->last, -1,
		     "the chain has the events %llu to %llu, and pack.json says otherwise",
		     (unsigned long long)v->first, (unsigned long long)v->last);
		return;
	}
	link = v->link;
	if (!sha256_eq(&link, &head))
		FIND(v, STR("chain.jsonl"), (int64_t)v->last, -1,
		     "the chain does not lead to the head that pack.json names");
}

static void write_counts(struct json_writer *w, const struct verification *v)
{
	JW_KEY(w, "events");
	jw_obj(w);
	for (size_t i = 1; i < CHAIN_STATE_COUNT; i++)
		jw_kint(w, enum_word(&enum_chain_state, (uint32_t)i), v->states[i]);
	jw_obj_end(w);
}

static void write_report(struct buf *out, const struct verification *v)
{
	struct json range = JSON_GET(v->doc, "range");
	int64_t expired = json_int(JSON_GET(range, "expired_through"), 0);
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "status", v->findings.count ? STR("broken") : STR("whole"));
	JW_KOPT(&w, "evidenceId", json_str(JSON_GET(v->doc, "evidence_pack_id")));
	JW_KEY(&w, "scope");
	jw_value(&w, JSON_GET(v->doc, "scope"));
	JW_KINT(&w, "fromSequence", (int64_t)v->first);
	JW_KINT(&w, "toSequence", (int64_t)v->last);
	JW_KBOOL(&w, "partial", json_bool(JSON_GET(range, "partial"), false));
	if (expired)
		JW_KINT(&w, "expiredThrough", expired);
	JW_KOPT(&w, "headHash", json_str(JSON_GET(range, "head")));
	write_counts(&w, v);
	JW_KEY(&w, "outputs");
	jw_value(&w, JSON_GET(v->doc, "outputs"));
	JW_KINT(&w, "files", (int64_t)v->file_count);
	JW_KINT(&w, "bytes", (int64_t)v->bytes);
	pack_signature_write(&w, &v->signature);
	pack_findings_write(&w, &v->findings);
	jw_obj_end(&w);
}

enum err pack_verify(const char *path, struct buf *report, bool *ret_is_whole, struct error *e)
{
	struct pack_trust any = { .now = clock_wall_ms() };

	return pack_verify_trust(path, &any, report, ret_is_whole, e);
}

enum err pack_verify_trust(const char *path, const struct pack_trust *trust, struct buf *report,
                           bool *ret_is_whole, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(arena_freep) struct arena *line = arena_new();
	struct verification v = { .mem = mem, .line = line, .findings.mem = mem, .scope.mem = mem };
	struct error why;
	enum err code = pack_source_open(path, &v.source, &why);

	sha256_begin(&v.rest_wanted);
	sha256_begin(&v.rest_found);
	v.signature = (struct pack_signature){ mem, &v.findings, *trust };
	if (code == ERR_IO || code == ERR_NOT_FOUND) {
		*e = why;
		return code;
	}
	if (code == OK)
		code = read_files(&v, &why);
	if (code != OK)
		FIND(&v, STR_NONE, -1, -1, "%s", why.message);
	if (code == OK) {
		check_missing(&v);
		check_range(&v);
		check_shown(&v);
		check_scope(&v);
		pack_documents_check(&(struct pack_documents){ mem, &v.findings, v.list, v.doc,
		                                               v.replay_doc, buf_str(&v.pack),
		                                               buf_str(&v.replay) });
		pack_signature_check(&v.signature, v.doc);
	}
	write_report(report, &v);
	*ret_is_whole = !v.findings.count;
	pack_source_close(v.source);
	map_done(&v.files);
	buf_done(&v.manifest);
	buf_done(&v.pack);
	buf_done(&v.replay);
	buf_done(&v.lines.held);
	pack_signature_done(&v.signature);
	return OK;
}
