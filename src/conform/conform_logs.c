/*
 * Reads logs line by line and hands each event to the rows.
 *
 * A line that is no event is a finding; the events around it are still
 * checked.  What the lost line may have said is then not held against them.
 */
#include "conform/conform_logs.h"

#include "base/gen/limits.h"
#include "base/utf8.h"
#include "conform/event_select.h"
#include "conform/log_source.h"
#include "conform/row_check.h"

#include <stdio.h>

#define UNKNOWN_KEYS_MAX 50
#define KEY_SHOWN 128 /* bytes */
#define ENVELOPE "urn:thole:conform:envelope"

struct run {
	const struct conform_asked *asked;
	struct conform_pack *p;
	struct conform_result result;
	struct json known_keys; /* members of the envelope */
	struct arena *line;     /* of one line */

	/* of one file */
	struct log_counts *log;
	struct map sessions; /* to struct session_state */
	struct map seen;     /* eventId to its hash */
};

struct session_state {
	bool is_partial; /* its beginning is not in the file */
};

/* ---- one event ---- */

static struct session_state *session_of(struct run *r, struct json event)
{
	struct str id = json_str(JSON_GET(event, "sessionId"));
	struct session_state *s = str_is(id) ? map_get(&r->sessions, id) : NULL;

	if (s)
		return s;
	s = ARENA_NEW(r->p->log, struct session_state);
	s->is_partial = json_int(JSON_GET(event, "sequence"), 0) > 1;
	if (str_is(id)) {
		map_put(&r->sessions, arena_keep(r->p->log, id), s);
		r->log->sessions++;
	}
	return s;
}

/* The same bytes again are the same event, delivered twice. */
static bool is_redelivered(struct run *r, struct json event, struct str text)
{
	struct str id = json_str(JSON_GET(event, "eventId"));
	uint64_t hash = str_hash(text), *before = str_is(id) ? map_get(&r->seen, id) : NULL;

	if (before)
		return *before == hash;
	if (str_is(id)) {
		before = ARENA_NEW(r->p->log, uint64_t);
		*before = hash;
		map_put(&r->seen, arena_keep(r->p->log, id), before);
	}
	return false;
}

static void note_keys(struct run *r, struct json event)
{
	struct json_iter it = json_iter(event);
	struct json value;
	struct str key;

	while (json_next(&it, &key, &value)) {
		int64_t *count;

		if (json_is(json_get(r->known_keys, key)))
			continue;
		key = utf8_head(key, KEY_SHOWN);
		count = map_get(&r->result.unknown_keys, key);
		if (!count && r->result.unknown_keys.count >= UNKNOWN_KEYS_MAX)
			continue;
		if (!count) {
			count = ARENA_NEW(r->p->mem, int64_t);
			map_put(&r->result.unknown_keys, arena_keep(r->p->mem, key), count);
		}
		++*count;
	}
}

static void take_event(struct run *r, struct json event, struct log_spot spot)
{
	struct log_event e = { .p = r->p,
		               .v = event,
		               .type = json_str(JSON_GET(event, "type")),
		               .session = json_str(JSON_GET(event, "sessionId")),
		               .lost = r->log->unreadable };

	spot.type = e.type;
	spot.event_id = json_str(JSON_GET(event, "eventId"));
	spot.has_sequence = json_type(JSON_GET(event, "sequence")) == JSON_INT;
	spot.sequence = json_int(JSON_GET(event, "sequence"), 0);
	e.spot = spot;
	e.is_partial = session_of(r, event)->is_partial || r->log->unreadable > 0;
	r->log->events++;
	note_keys(r, event);
	row_check_event(&e, r->asked->canaries, r->asked->canary_count);
}

/* ---- one line ---- */

/* NULL: it is an event.  A key that occurs twice is reported, and the event is still read. */
static const char *read_line(struct run *r, struct str text, const struct log_spot *spot,
                             struct json *ret, struct error *e)
{
	enum err code = json_read(r->line, text, ret, e);
	bool is_twice = code != OK && str_starts(str_from(e->message), STR("duplicate key"));

	if (is_twice) {
		row_check_line(r->p, spot, STR("keys"), 0, e->message);
		code = json_read_trusted(r->line, text, ret, e);
	}
	if (code != OK)
		return e->message;
	if (!is_twice)
		row_check_line(r->p, spot, STR("keys"), 0, NULL);
	return json_type(*ret) == JSON_OBJ ? NULL : "the line is no JSON object";
}

/* Its text can still contain what must not leave. */
static void take_unreadable(struct run *r, struct str text, const struct log_spot *spot)
{
	r->log->unreadable++;
	row_check_text(r->p, spot, text, r->asked->canaries, r->asked->canary_count);
}

static void take_line(struct run *r, const struct log_line *line, int64_t file_number)
{
	struct log_spot spot = { .file = r->log->file,
		                 .file_number = file_number,
		                 .line = line->number };
	struct error e = { 0 };
	struct json event;
	const char *wrong;

	r->log->lines++;
	arena_reset(r->line);
	wrong = line->is_too_long ? "the line is too long to be read"
	                          : read_line(r, line->text, &spot, &event, &e);
	row_check_line(r->p, &spot, STR("size"),
	               line->is_too_long ? LIMIT_CONFORM_LINE_BYTES + 1LL : (int64_t)line->text.len,
	               NULL);
	row_check_line(r->p, &spot, STR("json"), 0, wrong);
	if (wrong)
		take_unreadable(r, line->text, &spot);
	else if (is_redelivered(r, event, line->text))
		r->log->redelivered++;
	else
		take_event(r, event, spot);
}

/* ---- files ---- */

static enum err take_file(struct run *r, struct str path, struct error *e)
{
	struct conform_result *result = &r->result;
	struct log_source source;
	struct log_line line;
	enum err code = log_source_open(&source, path, e);

	result->logs = arena_grow(r->p->mem, result->logs, result->log_count * sizeof *result->logs,
	                          (result->log_count + 1) * sizeof *result->logs);
	r->log = &result->logs[result->log_count++];
	*r->log = (struct log_counts){ .file = arena_keep(r->p->mem, path) };
	while (code == OK && (code = log_source_next(&source, &line, e)) == OK)
		take_line(r, &line, (int64_t)result->log_count);
	log_source_close(&source);
	map_done(&r->sessions);
	map_done(&r->seen);
	row_check_end(r->p, !r->log->unreadable);
	return code == ERR_NOT_FOUND ? OK : code;
}

static enum err take_path(struct run *r, struct str path, struct error *e)
{
	struct log_files files;
	enum err code = log_source_files(r->p->mem, path, &files, e);

	for (size_t i = 0; code == OK && i < files.count; i++)
		code = take_file(r, files.paths[i], e);
	return code;
}

/* ---- scenarios ---- */

/* Notes which of the names occur in the list, and returns whether all do.  Without names, one is enough. */
static bool note_names(struct check *c, const struct names *names, struct json list)
{
	struct json_iter it = json_iter(list);
	struct json each;
	struct str key;
	size_t found = 0;

	while (json_type(list) == JSON_ARR && json_next(&it, &key, &each))
		for (size_t i = 0; i < names->count; i++)
			if (event_select_pattern(names->items[i], json_str(each)))
				map_put(&c->known, names->items[i], c);
	for (size_t i = 0; i < names->count; i++)
		found += map_get(&c->known, names->items[i]) != NULL;
	return names->count ? found == names->count
	                    : json_type(list) == JSON_ARR && json_count(list) > 0;
}

/*
 * A scenario that another file brought may do less than ours: it shows the row only if the
 * runtime answered the commands and recorded the events that the row names.
 */
static void take_scenario(struct conform_pack *p, struct check *c, struct json scenarios)
{
	struct json result = json_get(scenarios, c->name);
	struct str word = json_str(JSON_GET(result, "result"));
	bool is_driven = note_names(c, &c->drives, JSON_GET(result, "commands"));
	bool is_recorded = note_names(c, &c->members, JSON_GET(result, "events"));

	c->was_played = str_eq(word, STR("pass"));
	c->seen += c->was_played && is_driven && is_recorded;
	if (str_eq(word, STR("fail"))) {
		struct log_spot spot = { .file = c->name, .file_number = INT64_MAX };

		c->seen++;
		log_finding_add(p, c, &spot, "%.*s", STR_ARG(json_str(JSON_GET(result, "text"))));
	}
}

static void take_scenarios(struct run *r)
{
	for (size_t i = 0; i < r->p->row_count; i++)
		for (size_t k = 0; k < r->p->rows[i].check_count; k++)
			if (r->p->rows[i].checks[k].kind == CHECK_SCENARIO)
				take_scenario(r->p, &r->p->rows[i].checks[k], r->asked->scenarios);
}

/* ---- the whole ---- */

/* A line, or a scenario that failed: otherwise a report would praise nothing. */
static bool has_something(const struct run *r)
{
	for (size_t i = 0; i < r->result.log_count; i++)
		if (r->result.logs[i].lines)
			return true;
	for (size_t i = 0; i < r->p->row_count; i++)
		for (size_t k = 0; k < r->p->rows[i].check_count; k++)
			if (r->p->rows[i].checks[k].findings)
				return true;
	return false;
}

static enum err open_pack(struct run *r, struct error *e)
{
	CLEANUP(buf_done) struct buf own = { 0 };
	struct str text = r->asked->pack;
	enum err code = str_is(text) ? OK : own_pack_text(&own, e);

	if (code == OK)
		code = conform_pack_read(str_is(text) ? text : buf_str(&own), &r->p, e);
	if (code == OK && str_is(r->asked->profile) && !conform_pack_has(r->p, r->asked->profile))
		code = fail(e, ERR_INVALID, "the pack has no profile \"%.*s\"",
		            STR_ARG(str_head(r->asked->profile, 64)));
	return code;
}

enum err conform_logs(const struct conform_asked *asked, struct buf *report, bool *ret_is_fine,
                      struct error *e)
{
	struct run r = { .asked = asked };
	enum err code = open_pack(&r, e);

	if (code == OK) {
		r.line = arena_new();
		r.known_keys = JSON_GET(json_get(JSON_GET(r.p->doc, "schemas"), STR(ENVELOPE)),
		                        "properties");
		r.result.p = r.p;
		r.result.profile = asked->profile;
		r.result.canaries = asked->canaries;
		r.result.canary_count = asked->canary_count;
		take_scenarios(&r);
	}
	for (size_t i = 0; code == OK && i < asked->path_count; i++)
		code = take_path(&r, asked->paths[i], e);
	if (code == OK && !has_something(&r))
		code = fail(e, ERR_INVALID, "the logs have no events");
	if (code == OK)
		*ret_is_fine = conform_report_write(report, &r.result);
	arena_free(r.line);
	map_done(&r.result.unknown_keys);
	conform_pack_free(r.p);
	return code;
}
