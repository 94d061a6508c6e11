#ifndef CONFORM_ROW_CHECK_H
#define CONFORM_ROW_CHECK_H
/*
 * Runs the checks of all rows over a log, event by event.
 */
#include "conform/log_finding.h"

/* ---- for conform_logs.c ---- */

/* One line, before it is read as JSON: wrong is NULL, or says why it is no event. */
void row_check_line(struct conform_pack *p, const struct log_spot *spot, struct str rule,
                    int64_t bytes, const char *wrong);
/* A line that is no event: its text may contain a canary. */
void row_check_text(struct conform_pack *p, const struct log_spot *spot, struct str text,
                    struct str const *canaries, size_t canary_count);
void row_check_event(const struct log_event *e, struct str const *canaries, size_t canary_count);
/*
 * The end of a file: what had to follow has not, unless it may be in a line that could not be read.
 * Everything that belongs to the file is forgotten.
 */
void row_check_end(struct conform_pack *p, bool is_whole);

/* ---- the checks, each in its file ---- */

void check_value_schema(struct check *c, const struct log_event *e);
void check_value_has(struct check *c, const struct log_event *e);
void check_value_equal(struct check *c, const struct log_event *e);
void check_value_same(struct check *c, const struct log_event *e);
void check_value_distinct(struct check *c, const struct log_event *e);
void check_value_unique(struct check *c, const struct log_event *e);
void check_value_rises(struct check *c, const struct log_event *e);
void check_value_absent(struct check *c, const struct log_event *e, struct str const *canaries,
                        size_t count);
void check_order_event(struct check *c, const struct log_event *e);
void check_count_event(struct check *c, const struct log_event *e);
void check_count_end(struct conform_pack *p, struct check *c);
void check_count_classes(struct check *c, const struct log_event *e);

#endif
