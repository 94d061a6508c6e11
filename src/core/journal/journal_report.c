/*
 * What a replay by deciding found, as JSON.
 */
#include "core/journal/journal_report.h"

#include "base/jw.h"
#include "core/journal/journal.h"

#define TOLD_MAX 100 /* differences in one report */

static void add_difference(struct journal_report *r, const struct replay_result *result)
{
	struct json_writer w;

	if (r->told.len)
		buf_add_char(&r->told, ',');
	jw_init(&w, &r->told);
	jw_obj(&w);
	JW_KINT(&w, "sequence", (int64_t)result->seq);
	JW_KSTR(&w, "verdict", journal_replay_word(result->verdict));
	JW_KSTR(&w, "words", result->words);
	if (str_is(result->was)) {
		JW_KEY(&w, "recorded");
		jw_raw(&w, result->was);
	}
	if (str_is(result->is)) {
		JW_KEY(&w, "now");
		jw_raw(&w, result->is);
	}
	jw_obj_end(&w);
}

void journal_report_add(struct journal_report *r, const struct replay_group *g,
                        const struct replay_result *result)
{
	bool is_shown = result->verdict != REPLAY_SAME && result->verdict != REPLAY_NOT_RECORDED;

	r->events += g->event_count;
	if (is_shown && r->told_count++ < TOLD_MAX)
		add_difference(r, result);
}

/* The gravest of what was found; a log without any record is not_recorded. */
static enum replay_verdict verdict_of(const struct journal_replay *r)
{
	static const enum replay_verdict order[] = { REPLAY_DIFFERS, REPLAY_DAMAGED,
		                                     REPLAY_VERSION_DIFFERS, REPLAY_EXPIRED,
		                                     REPLAY_ERASED };

	for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
		if (r->counts[order[i]])
			return order[i];
	return r->counts[REPLAY_SAME] ? REPLAY_SAME : REPLAY_NOT_RECORDED;
}

void journal_report_write(struct buf *out, const struct journal_report *r,
                          const struct journal_replay *replay, size_t holes)
{
	enum replay_verdict verdict = verdict_of(replay);
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	if (verdict == REPLAY_SAME && holes)
		verdict = REPLAY_NOT_RECORDED;
	JW_KSTR(&w, "status", journal_replay_word(verdict));
	JW_KINT(&w, "events", (int64_t)r->events);
	JW_KINT(&w, "decideVersion", DECIDE_VERSION);
	JW_KEY(&w, "groups");
	jw_obj(&w);
	for (enum replay_verdict v = 0; v < REPLAY_VERDICTS; v++) {
		jw_key(&w, journal_replay_word(v));
		jw_int(&w, (int64_t)replay->counts[v]);
	}
	jw_obj_end(&w);
	JW_KEY(&w, "differences");
	jw_arr(&w);
	if (r->told.len)
		jw_raw(&w, buf_str(&r->told));
	jw_arr_end(&w);
	JW_KINT(&w, "omitted", (int64_t)(r->told_count - MIN(r->told_count, TOLD_MAX)));
	jw_obj_end(&w);
}

bool journal_report_is_good(const struct journal_replay *replay)
{
	return !replay->counts[REPLAY_DIFFERS] && !replay->counts[REPLAY_VERSION_DIFFERS] &&
	       !replay->counts[REPLAY_DAMAGED];
}

void journal_report_done(struct journal_report *r)
{
	buf_done(&r->told);
}
