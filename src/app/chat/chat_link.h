#ifndef APP_CHAT_LINK_H
#define APP_CHAT_LINK_H
/*
 * The chat's connection to the runtime: calls that do not wait, and the stream
 * of one session's events.
 *
 *   UP ──► AWAY (the other side went away; a daemon that returns is taken)
 *   ▲        │ none returned
 *   │        ▼
 *   └──── a daemon is started;  DOWN: that failed
 *
 * Calls without an answer are sent again over the new connection.  Those that
 * change something carry an idempotency key, so that they happen once.
 */
#include "app/cli/connection.h"
#include "app/cli/follow/event_reader.h"

enum chat_link_state { CHAT_LINK_UP, CHAT_LINK_AWAY, CHAT_LINK_DOWN };

/* What a call was for; decides who reads its answer. */
enum chat_call {
	CHAT_CALL_SUBMIT,
	CHAT_CALL_STOP,
	CHAT_CALL_ANSWER,
	CHAT_CALL_MODE,
	CHAT_CALL_MODELS,
	CHAT_CALL_RULES,
	CHAT_CALL_HOOKS,
	CHAT_CALL_ROLLBACK,
	CHAT_CALL_RESUME,
	CHAT_CALL_UNQUEUE,
	CHAT_CALL_COMPACT,
	CHAT_CALL_EXTENSIONS,
	CHAT_CALL_COMPLETE,
	CHAT_CALL_KEEP_MODEL,
};

#define CHAT_CALLS_MAX 32

struct chat_open_call {
	unsigned long long id;
	enum chat_call what;
	char *command, *params;
};

struct chat_link {
	struct cli *c;
	enum chat_link_state state;
	struct thole_lane *lane;
	struct event_reader reader; /* of the followed session */
	char session[160];          /* "": none is followed */
	int64_t away_since;
	struct chat_open_call calls[CHAT_CALLS_MAX];
	size_t call_count;
};

/* The connection of c is open. */
bool chat_link_open(struct chat_link *l, struct cli *c);
void chat_link_close(struct chat_link *l);

/* Sends a command and empties the params.  False: too many are open. */
bool chat_link_send(struct chat_link *l, enum chat_call what, const char *command,
                    struct params *p);
/*
 * The next answer: THOLE_OK or THOLE_REFUSED with the text, which the caller
 * frees with thole_free(), or THOLE_TIMEOUT: there is none now.
 */
int chat_link_next(struct chat_link *l, enum chat_call *ret_what, char **ret);
bool chat_link_is_open(const struct chat_link *l, enum chat_call what);

/* Follows a session from behind this event; another one is no longer followed. */
bool chat_link_follow(struct chat_link *l, struct str session, int64_t after);
void chat_link_unfollow(struct chat_link *l);

/* The other side went away. */
void chat_link_lost(struct chat_link *l);
/* Tries to come back; call every CHAT_LINK_RETRY_MS.  after: of the followed session. */
#define CHAT_LINK_RETRY_MS 50
void chat_link_retry(struct chat_link *l, int64_t after);

/* A call is under way that is longer than a socket holds: chat_link_next() sends its rest. */
bool chat_link_is_sending(const struct chat_link *l);
/* For poll(): -1 when there is nothing to wait for. */
int chat_link_lane_fd(const struct chat_link *l);
int chat_link_event_fd(const struct chat_link *l);

#endif
