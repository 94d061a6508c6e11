#ifndef CONFORM_CONFORM_LOGS_H
#define CONFORM_CONFORM_LOGS_H
/*
 * Checks event logs against a pack.
 *
 * What is wrong with a log is a finding in the report.  An error is returned
 * only if there is nothing to check: no such file, no such profile, a pack
 * that cannot be read.
 */
#include "base/buf.h"
#include "conform/conform_pack.h"

struct conform_asked {
	struct str pack;    /* text of a pack; absent: the one that the program carries */
	struct str profile; /* this one and core; absent: all */
	struct str *paths;
	size_t path_count;
	struct str *canaries; /* text that no event may contain */
	size_t canary_count;
	struct json scenarios; /* results by name: {"approval": {"result": "pass", "commands": […],
		              "events": […]}}: what was answered, which classes came; may be absent */
};

/* Adds the report, a JSON object.  *ret_is_fine: no row fails. */
enum err conform_logs(const struct conform_asked *asked, struct buf *report, bool *ret_is_fine,
                      struct error *e) MUST_USE;

/* ---- the pack of the program (own_pack.c) ---- */

/* Its text, as `thole conform pack` prints it. */
enum err own_pack_text(struct buf *out, struct error *e) MUST_USE;

/* ---- the report (conform_report.c) ---- */

struct log_counts {
	struct str file;
	int64_t lines, events, unreadable, redelivered, sessions;
};

struct conform_result {
	struct conform_pack *p;
	struct str profile;
	struct str const *canaries;
	size_t canary_count;
	struct log_counts *logs;
	size_t log_count;
	struct map unknown_keys; /* name to int64_t */
};

/* Returns whether no row fails. */
bool conform_report_write(struct buf *out, const struct conform_result *r);

#endif
