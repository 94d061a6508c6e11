#ifndef APP_CHAT_VIEW_H
#define APP_CHAT_VIEW_H
/*
 * The conversation, from the events of its session.
 *
 * Events become two things: text that is finished and goes above the input
 * exactly once (chat_view_take), and what is still going on: a line that
 * streams, running tools, the to-do list, child agents, queued messages,
 * pending approvals.  The text is that of `thole run` (follow/show.c); the first
 * byte of a line says how it is broken (chat_wrap.h).
 *
 * Nothing here reads a clock or a terminal: times are those of events.
 */
#include "app/cli/follow/turn.h"
#include "app/cli/print/out.h"
#include "base/gen/limits.h"

#define CHAT_QUEUE_MAX 32
#define CHAT_AGENTS_MAX 16
#define CHAT_PENDING_MAX 32
#define CHAT_ID 160

enum chat_turn { CHAT_IDLE, CHAT_RUNNING, CHAT_ASKING, CHAT_LOST };

/*
 * A message that no model has read yet.  A steer is taken by the turn that it steers with the next
 * request, or becomes a queued message when that turn ends before.
 */
struct chat_queued {
	char turn[CHAT_ID], input[CHAT_ID]; /* input: the output that holds its text */
	char text[LIMIT_PREVIEW + 1];
	bool is_steer;
};

struct chat_agent {
	char id[CHAT_ID];
	char name[96], status[256];
	int64_t since;
};

struct chat_view {
	struct cli *c;
	struct show show;
	struct arena *mem; /* of one event */
	struct buf out;    /* finished lines, then a line that is still open */
	size_t columns;

	char session[CHAT_ID], thread[CHAT_ID];
	int64_t after; /* the last event that was seen */
	bool is_past;  /* events of the past are shown and call for nothing */

	enum chat_turn state;
	char undo_turn[CHAT_ID];    /* the last turn that may have changed files */
	char compact_turn[CHAT_ID]; /* the last one that only made a summary */
	char check_turn[CHAT_ID];   /* the last one that only evaluated a command of the user */
	bool is_compacting;
	char turn[CHAT_ID]; /* the active turn, or the last */
	bool has_message;   /* the user has written in this conversation */
	int64_t since;      /* of the turn, wall time */

	char model[128], mode[32];
	int64_t context_tokens, window_tokens;
	int64_t base_tokens; /* of a request without earlier turns; 0: not known */
	bool is_first;       /* the request has no earlier turns */
	double cost_usd;
	int64_t cost_after; /* the last event that cost_usd counts already */
	bool has_cost, has_unknown_cost;
	double cap_usd; /* 0: none */

	struct buf todo;
	struct chat_queued queued[CHAT_QUEUE_MAX];
	size_t queued_count;
	bool is_held; /* the queue waits for a release */
	struct chat_agent agents[CHAT_AGENTS_MAX];
	size_t agent_count;

	struct json pending[CHAT_PENDING_MAX]; /* rows of list_actions, in c->mem */
	size_t pending_count;

	/* For the caller to heed and clear. */
	bool has_ended, has_asked, has_failed;
	unsigned submitted; /* messages that the runtime has confirmed */
	char last_output
		[CHAT_ID]; /* where the output of the last call is; empty: last_text is all of it */
	struct buf last_text;
};

void chat_view_init(struct chat_view *v, struct cli *c);
void chat_view_done(struct chat_view *v);
/* Reads one event.  False: it was seen before, or belongs to another thread. */
bool chat_view_event(struct chat_view *v, struct str raw);
/* A line of the client itself. */
void chat_view_note(struct chat_view *v, enum tone tone, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Text of the client itself, in whole lines that are safe to print. */
void chat_view_text(struct chat_view *v, struct str text);
/* The same for what an approval covers: rows that continue a line are marked. */
void chat_view_input(struct chat_view *v, struct str text);
/* A message as the user wrote it. */
void chat_view_message(struct chat_view *v, struct str text);
/* Moves finished lines to the end of `into`. */
void chat_view_take(struct chat_view *v, struct buf *into);
/* The line that is still open. */
struct str chat_view_open_line(const struct chat_view *v);
/* Begins again with nothing, for another session; the settings of the user stay. */
void chat_view_reset(struct chat_view *v);
void chat_view_add_pending(struct chat_view *v, struct json action);
void chat_view_forget(struct chat_view *v, struct str action_id);
/* The message does not wait any longer. */
void chat_view_unqueue(struct chat_view *v, struct str turn);
/* Is this turn.submitted a message of the user that began a turn of its own? */
bool chat_view_is_message(const struct shown_event *f);
/* The text without the files that follow it: the user named them, or ran a command. */
struct str chat_view_own_text(struct str preview);
/* The beginning of its text, in the memory of the event. */
struct str chat_view_preview(const struct shown_event *f);

#endif
