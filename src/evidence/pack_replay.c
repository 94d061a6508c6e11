/* Folds the events of a pack, and compares the read models with those in it. */
#include "evidence/pack_verify.h"

#include "base/jw.h"
#include "core/replay/replay.h"
#include "evidence/pack_documents.h"
#include "evidence/pack_findings.h"
#include "evidence/pack_source.h"

#define VIEW_MAX (256u << 20)

struct replaying {
	struct arena *mem;
	struct pack_source *source;
	struct pack_findings findings;
	struct replay replay;
	struct pack_lines lines;
	struct buf text;  /* of the file that is being read whole */
	bool is_redacted; /* the events are not there, so nothing can be folded */
	bool is_other;    /* the pack was folded by another version of the read models */
	struct json expected;
	size_t views, expected_count;
	int64_t refused;
};

#define FIND(p, file, seq, byte, ...)                                                              \
	pack_findings_add(&(p)->findings, (file), (seq), (byte), __VA_ARGS__)

static void take_event(void *arg, struct str line, uint64_t at)
{
	struct replaying *p = arg;
	struct error why;
	struct event *ev;

	if (replay_read(&p->replay, line, &ev, &why) == OK) {
		replay_fold(&p->replay, ev);
		return;
	}
	if (!p->refused++)
		FIND(p, STR("events.jsonl"), -1, (int64_t)at, "not an event of this catalogue: %s",
		     why.message);
}

/* The hash that replay.json expects of a view. */
static bool is_expected(const struct replaying *p, struct str path, const struct sha256 *hash)
{
	struct json_iter it = json_iter(p->expected);
	struct json entry;
	struct str key;

	while (json_next(&it, &key, &entry)) {
		struct sha256 want;

		if (str_eq(json_str(JSON_GET(entry, "path")), path))
			return pack_documents_hash(JSON_GET(entry, "hash"), &want) &&
			       sha256_eq(&want, hash);
	}
	return false;
}

/* The first byte that differs. */
static void compare_view(struct replaying *p, struct str path, size_t view)
{
	struct buf made = { 0 };
	struct str kept = buf_str(&p->text), fresh;
	struct sha256 hash;
	size_t at = 0;

	if (p->is_other)
		return;
	replay_view_write(&made, &p->replay, view);
	fresh = buf_str(&made);
	hash = sha256_of(fresh);
	while (at < kept.len && at < fresh.len && kept.ptr[at] == fresh.ptr[at])
		at++;
	if (at < kept.len || at < fresh.len)
		FIND(p, path, -1, (int64_t)at, "the replay gives another text from this byte on");
	else if (!is_expected(p, path, &hash))
		FIND(p, path, -1, -1, "the replay gives another hash than replay.json expects");
	p->views++;
	buf_done(&made);
}

static bool is_view(struct str path, size_t *ret_view)
{
	for (size_t i = 0; i < replay_view_count(); i++)
		if (str_eq(path, replay_view_path(i))) {
			*ret_view = i;
			return true;
		}
	return false;
}

/* Which read models must result, and of which version. */
static void take_case(struct replaying *p, struct str path)
{
	struct json doc, step;
	int64_t version;

	if (json_read(p->mem, buf_str(&p->text), &doc, NULL) != OK) {
		FIND(p, path, -1, -1, "not JSON");
		return;
	}
	p->is_redacted = str_eq(json_str(JSON_GET(doc, "determinism")), STR("unavailable"));
	p->expected = JSON_GET(doc, "expected_outputs");
	p->expected_count = json_count(p->expected);
	step = json_at(JSON_GET(doc, "replay_steps"), 0);
	version = json_int(JSON_GET(step, "fold_version"), 0);
	p->is_other = !p->is_redacted && version != FOLD_VERSION;
	if (p->is_other)
		FIND(p, path, -1, -1,
		     "its read models are of version %lld, and this build makes version %d",
		     (long long)version, FOLD_VERSION);
}

/* All read models that replay.json expects were compared, and all that there are. */
static void check_views(struct replaying *p)
{
	if (p->is_redacted || p->is_other)
		return;
	if (p->views != replay_view_count() || p->views != p->expected_count)
		FIND(p, STR_NONE, -1, -1,
		     "%zu read models are in the pack, %zu are expected, and a replay gives %zu",
		     p->views, p->expected_count, replay_view_count());
}

static void take_file(struct replaying *p, struct str path)
{
	struct error why;
	size_t view;

	if (str_eq(path, STR("floor.json")) &&
	    replay_floor(&p->replay, buf_str(&p->text), &why) != OK)
		FIND(p, path, -1, -1, "not a state that this version reads: %s", why.message);
	if (str_eq(path, STR("replay.json")))
		take_case(p, path);
	if (is_view(path, &view))
		compare_view(p, path, view);
}

static bool is_log(struct str path)
{
	return str_eq(path, STR("events.jsonl"));
}

/* Files that are read whole. */
static bool is_needed(struct str path)
{
	size_t view;

	return str_eq(path, STR("floor.json")) || str_eq(path, STR("replay.json")) ||
	       is_view(path, &view);
}

static bool is_wanted(struct str path)
{
	return is_log(path) || is_needed(path);
}

static enum err read_file(struct replaying *p, struct str path, struct error *e)
{
	bool is_events = is_log(path), is_whole = is_needed(path);
	size_t got = 1;

	buf_clear(&p->text);
	while (got) {
		char data[1 << 15];
		enum err code = pack_source_data(p->source, data, sizeof data, &got, e);

		if (code != OK)
			return code;
		if (is_events && !pack_verify_lines(&p->lines, str_of(data, got), take_event, p))
			return fail(e, ERR_TOO_LARGE, "events.jsonl: a line is too long");
		if (is_whole && p->text.len + got > VIEW_MAX)
			return fail(e, ERR_TOO_LARGE, "%.*s: too large", STR_ARG(path));
		if (is_whole)
			buf_add(&p->text, data, got);
	}
	take_file(p, path);
	return OK;
}

static void write_report(struct buf *out, const struct replaying *p)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "status",
	        p->findings.count ? STR("different")
	        : p->is_redacted  ? STR("not_recorded")
	                          : STR("same"));
	JW_KINT(&w, "events", (int64_t)p->replay.events);
	JW_KINT(&w, "sequence", p->replay.state->s->sequence);
	JW_KINT(&w, "views", (int64_t)p->views);
	JW_KINT(&w, "foldVersion", FOLD_VERSION);
	pack_findings_write(&w, &p->findings);
	jw_obj_end(&w);
}

static enum err read_files(struct replaying *p, struct error *e)
{
	struct archive_entry entry;
	enum err code;

	while ((code = pack_source_next(p->source, &entry, e)) == OK) {
		code = read_file(p, arena_keep(p->mem, entry.path), e);
		if (code != OK)
			return code;
	}
	return code == ERR_NOT_FOUND ? OK : code;
}

enum err pack_replay(const char *path, struct buf *report, bool *ret_is_same, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct replaying p = { .mem = mem, .findings.mem = mem };
	struct error why;
	enum err code = pack_source_open(path, &p.source, e);

	if (code != OK)
		return code;
	pack_source_only(p.source, is_wanted);
	replay_init(&p.replay);
	if (read_files(&p, &why) != OK)
		FIND(&p, STR_NONE, -1, -1, "%s", why.message);
	else
		check_views(&p);
	write_report(report, &p);
	*ret_is_same = !p.findings.count && !p.is_redacted;
	replay_done(&p.replay);
	pack_source_close(p.source);
	buf_done(&p.text);
	buf_done(&p.lines.held);
	return OK;
}
