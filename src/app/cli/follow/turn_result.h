#ifndef APP_TURN_RESULT_H
#define APP_TURN_RESULT_H
/*
 * The last line of `run --output stream-json`: what became of the turn, for
 * programs that do not want to read the events.
 */
#include "app/cli/print/shown_event.h"
#include "base/buf.h"

struct turn_result {
	struct str session, thread, turn;
	struct buf answer;    /* text of the last model request */
	char request_id[256]; /* that request */
	struct str end;       /* payload of the turn's end; absent: it has not ended */
	struct str end_type;
	int64_t began_at, ended_at;     /* wall milliseconds */
	struct buf changes;             /* members of a JSON list, each with a comma behind it */
	struct buf approvals;           /* the same, with the id in front: pending ones */
	struct str problem;             /* why the turn was not accepted; absent: it was */
	struct str output_ref, preview; /* of the last tool result: all of it, or its beginning */
};

/* Every event of the turn. */
void turn_result_event(struct turn_result *r, struct arena *mem, const struct shown_event *f);
void turn_result_print(struct cli *c, struct turn_result *r, int code);
void turn_result_done(struct turn_result *r);

#endif
