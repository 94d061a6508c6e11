#ifndef CORE_JOURNAL_REPORT_H
#define CORE_JOURNAL_REPORT_H
/*
 * What a replay by deciding found, as the JSON that replay_decisions replies and
 * that `thole replay PACK --decisions` prints.
 */
#include "base/buf.h"
#include "core/journal/journal_replay.h"

struct journal_report {
	uint64_t events;
	struct buf told; /* JSON of the first differences, with commas */
	size_t told_count;
};

/* Counts a group, and keeps its difference if there is room. */
void journal_report_add(struct journal_report *r, const struct replay_group *g,
                        const struct replay_result *result);
/*
 * holes: groups without a record where one must be; then the status is not_recorded unless
 * something graver was found.
 */
void journal_report_write(struct buf *out, const struct journal_report *r,
                          const struct journal_replay *replay, size_t holes);
/* No decision differs, and no record is damaged. */
bool journal_report_is_good(const struct journal_replay *replay);
void journal_report_done(struct journal_report *r);

#endif
