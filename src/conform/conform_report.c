/*
 * The report: what each row came to, and the verdict.  The rows of profile core come
 * first.  The word "compatible" is not used while one of them fails or is not
 * shown.
 */
#include "conform/conform_logs.h"

#include "base/jw.h"
#include "conform/log_finding.h"

#include <stdio.h>

#define CORE STR("core")

enum row_result { ROW_PASS, ROW_FAIL, ROW_NOT_SHOWN, ROW_NOT_APPLICABLE, ROW_RESULTS };

static const char *const result_names[ROW_RESULTS] = {
	[ROW_PASS] = "pass",
	[ROW_FAIL] = "fail",
	[ROW_NOT_SHOWN] = "not_shown",
	[ROW_NOT_APPLICABLE] = "not_applicable",
};

struct tally {
	int64_t counts[ROW_RESULTS];
};

/* ---- one row ---- */

/* The check whose finding is first in the logs; NULL: there is none. */
static const struct check *first_of(const struct row *row)
{
	const struct check *first = NULL;

	for (size_t i = 0; i < row->check_count; i++) {
		const struct check *c = &row->checks[i];

		if (c->findings && (!first || log_finding_is_earlier(&c->spot, &first->spot)))
			first = c;
	}
	return first;
}

static enum row_result result_of(const struct row *row)
{
	size_t shown = 0;

	if (first_of(row))
		return ROW_FAIL;
	for (size_t i = 0; i < row->check_count; i++)
		shown += row->checks[i].seen > 0;
	if (shown == row->check_count || (shown && row->any_is_enough))
		return ROW_PASS;
	return row->is_optional && !shown ? ROW_NOT_APPLICABLE : ROW_NOT_SHOWN;
}

static struct str masked(const struct conform_result *r, struct str text)
{
	return log_finding_mask(r->p->mem, text, r->canaries, r->canary_count);
}

static void write_spot(struct json_writer *w, const struct conform_result *r, const struct row *row,
                       const struct check *c)
{
	JW_KINT(w, "check", c - row->checks + 1);
	JW_KOPT(w, "file", masked(r, c->spot.file));
	if (c->spot.line)
		JW_KINT(w, "line", c->spot.line);
	if (c->spot.has_sequence)
		JW_KINT(w, "sequence", c->spot.sequence);
	JW_KOPT(w, "type", masked(r, c->spot.type));
	JW_KOPT(w, "eventId", masked(r, c->spot.event_id));
	JW_KSTR(w, "text", masked(r, c->text));
}

static void write_findings(struct json_writer *w, const struct conform_result *r,
                           const struct row *row)
{
	const struct check *first = first_of(row);
	int64_t findings = 0;

	for (size_t i = 0; i < row->check_count; i++)
		findings += row->checks[i].findings;
	JW_KINT(w, "findings", findings);
	if (!first)
		return;
	JW_KEY(w, "first");
	jw_obj(w);
	write_spot(w, r, row, first);
	jw_obj_end(w);
}

static void write_unknown(struct json_writer *w, const struct check *c, const struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		if (!map_get(&c->known, names->items[i]))
			jw_str(w, names->items[i]);
}

/* Classes that did not occur, and commands that a scenario did not send. */
static void write_missing(struct json_writer *w, const struct check *c)
{
	if (c->kind != CHECK_CLASSES && !c->was_played)
		return;
	JW_KEY(w, "missing");
	jw_arr(w);
	write_unknown(w, c, &c->drives);
	write_unknown(w, c, &c->members);
	jw_arr_end(w);
}

static void write_row(struct json_writer *w, const struct conform_result *r, const struct row *row)
{
	enum row_result result = result_of(row);

	jw_obj(w);
	JW_KSTR(w, "id", row->id);
	JW_KSTR(w, "profile", row->profile);
	JW_KSTR(w, "level", row->level);
	JW_KSTR(w, "clause", row->clause);
	JW_KSTR(w, "statement", row->statement);
	JW_KSTR(w, "result", str_from(result_names[result]));
	if (result == ROW_NOT_SHOWN || result == ROW_NOT_APPLICABLE)
		JW_KSTR(w, "show", row->show);
	if (result == ROW_NOT_SHOWN)
		write_missing(w, &row->checks[0]);
	write_findings(w, r, row);
	jw_obj_end(w);
}

/* ---- which rows ---- */

static bool is_asked(const struct conform_result *r, struct str profile)
{
	return !str_is(r->profile) || str_eq(profile, CORE) || str_eq(profile, r->profile);
}

static struct tally tally_of(const struct conform_result *r, struct str profile)
{
	struct tally t = { 0 };

	for (size_t i = 0; i < r->p->row_count; i++)
		if (str_eq(r->p->rows[i].profile, profile))
			t.counts[result_of(&r->p->rows[i])]++;
	return t;
}

static void write_profiles(struct json_writer *w, const struct conform_result *r,
                           int64_t *ret_failed)
{
	struct json_iter it = json_iter(JSON_GET(r->p->doc, "profiles"));
	struct json title;
	struct str name;

	JW_KEY(w, "profiles");
	jw_arr(w);
	while (json_next(&it, &name, &title)) {
		struct tally t = tally_of(r, name);

		if (!is_asked(r, name))
			continue;
		*ret_failed += t.counts[ROW_FAIL];
		jw_obj(w);
		JW_KSTR(w, "profile", name);
		JW_KSTR(w, "title", json_str(title));
		JW_KINT(w, "pass", t.counts[ROW_PASS]);
		JW_KINT(w, "fail", t.counts[ROW_FAIL]);
		JW_KINT(w, "notShown", t.counts[ROW_NOT_SHOWN]);
		JW_KINT(w, "notApplicable", t.counts[ROW_NOT_APPLICABLE]);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

static void write_rows(struct json_writer *w, const struct conform_result *r)
{
	struct json_iter it = json_iter(JSON_GET(r->p->doc, "profiles"));
	struct json title;
	struct str name;

	JW_KEY(w, "rows");
	jw_arr(w);
	while (json_next(&it, &name, &title))
		for (size_t i = 0; i < r->p->row_count; i++)
			if (is_asked(r, name) && str_eq(r->p->rows[i].profile, name))
				write_row(w, r, &r->p->rows[i]);
	jw_arr_end(w);
}

/* ---- the whole ---- */

/* Of two findings at the same event, the one of the earlier row. */
static void write_first(struct json_writer *w, const struct conform_result *r)
{
	const struct row *row = NULL;

	for (size_t i = 0; i < r->p->row_count; i++) {
		const struct check *c = first_of(&r->p->rows[i]);

		if (c && is_asked(r, r->p->rows[i].profile) &&
		    (!row || log_finding_is_earlier(&c->spot, &first_of(row)->spot)))
			row = &r->p->rows[i];
	}
	if (!row)
		return;
	JW_KEY(w, "first");
	jw_obj(w);
	JW_KSTR(w, "row", row->id);
	JW_KSTR(w, "clause", row->clause);
	write_spot(w, r, row, first_of(row));
	jw_obj_end(w);
}

static void write_verdict(struct json_writer *w, const struct conform_result *r, int64_t failed)
{
	struct tally core = tally_of(r, CORE);
	char text[200];
	const char *word = "compatible";

	snprintf(text, sizeof text, "compatible with profile core: all %lld rows that apply hold",
	         (long long)core.counts[ROW_PASS]);
	if (core.counts[ROW_NOT_SHOWN]) {
		word = "incomplete";
		snprintf(text, sizeof text,
		         "no row of profile core fails, and %lld of them are not shown",
		         (long long)core.counts[ROW_NOT_SHOWN]);
	}
	if (core.counts[ROW_FAIL]) {
		word = "fails";
		snprintf(text, sizeof text, "profile core fails: %lld rows do not hold",
		         (long long)core.counts[ROW_FAIL]);
	}
	JW_KSTR(w, "result", failed ? STR("fail") : STR("pass"));
	JW_KSTR(w, "core", str_from(word));
	JW_KSTR(w, "verdict", str_from(text));
}

static void write_logs(struct json_writer *w, const struct conform_result *r)
{
	struct map_slot *slot;

	JW_KEY(w, "logs");
	jw_arr(w);
	for (size_t i = 0; i < r->log_count; i++) {
		const struct log_counts *l = &r->logs[i];

		jw_obj(w);
		JW_KSTR(w, "file", masked(r, l->file));
		JW_KINT(w, "lines", l->lines);
		JW_KINT(w, "events", l->events);
		JW_KINT(w, "sessions", l->sessions);
		JW_KINT(w, "unreadable", l->unreadable);
		JW_KINT(w, "redelivered", l->redelivered);
		jw_obj_end(w);
	}
	jw_arr_end(w);
	JW_KEY(w, "unknownKeys");
	jw_obj(w);
	for (size_t i = 0; map_next(&r->unknown_keys, &i, &slot);)
		jw_kint(w, masked(r, slot->key), *(int64_t *)slot->value);
	jw_obj_end(w);
}

bool conform_report_write(struct buf *out, const struct conform_result *r)
{
	struct json_writer w;
	int64_t failed = 0;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "standard", json_str(JSON_GET(r->p->doc, "standard")));
	write_profiles(&w, r, &failed);
	write_verdict(&w, r, failed);
	write_logs(&w, r);
	write_first(&w, r);
	write_rows(&w, r);
	jw_obj_end(&w);
	return !failed;
}
