#ifndef APP_SCENARIO_H
#define APP_SCENARIO_H
/*
 * Plays scenarios (tests/scenario/README.md has the language) against a runtime
 * that a driver reaches: ours in another process, or any other one over HTTP.
 *
 * Known steps: script, option, when, refused, reply, let, then, last, count, view,
 * until, pack, packed, replay, restart, kill, again, listen, stranger, transports, peer,
 * peer_option, peer_kill, peer_again, at_peer.  The others need the test program.  Every wait is for a
 * condition, with one deadline.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/jw.h"
#include "base/map.h"
#include "thole/thole.h"

/* ---- what is driven ---- */

/* What happens to the other runtime, to which the driven one may delegate work over A2A. */
enum scenario_peer {
	SCENARIO_PEER_OPTION, /* a setting; before its start */
	SCENARIO_PEER_START,  /* with a script; before the first command */
	SCENARIO_PEER_KILL,
	SCENARIO_PEER_LOSE,  /* its large outputs, while it does not run */
	SCENARIO_PEER_AGAIN, /* it starts again, with what it had */
};

struct scenario_driver {
	void *arg;
	/* Called before the first command, with what the steps before it said.  NULL: nothing to do. */
	bool (*begin)(void *arg, struct str script, struct str const *options, size_t count);
	/*
	 * THOLE_OK or THOLE_REFUSED, and *ret is the reply or the problem.  THOLE_ENDED: there is no such
	 * command.  Anything else: there was no answer.
	 */
	int (*call)(void *arg, struct arena *mem, struct str command, struct str params,
	            struct json *ret);
	/* Hands over the events of a session after this sequence, as far as there are any now. */
	bool (*events)(void *arg, struct str session, int64_t after,
	               void (*take)(void *to, struct str event), void *to);
	bool (*kill)(void *arg); /* kill -9; NULL: it cannot */
	bool (*lose)(void *arg); /* large outputs, while it does not run */
	/* Starts it again, with these settings. */
	bool (*again)(void *arg, struct str const *options, size_t count);
	int64_t patience_ms; /* longest wait for one step; 0: a minute */
	const char *dir;     /* where packs are unpacked for a moment; NULL: they cannot be */
	/* The agent "helper"; NULL: there is none.  peer_call is as call. */
	bool (*peer)(void *arg, enum scenario_peer what, struct str text);
	int (*peer_call)(void *arg, struct arena *mem, struct str command, struct str params,
	                 struct json *ret);
	/* A port for those who need a token; before the first command.  NULL: there is none. */
	bool (*listen)(void *arg);
	/* As call, at that port and with a token that is not valid. */
	int (*stranger)(void *arg, struct arena *mem, struct str command, struct str params,
	                struct json *ret);
	/* All events of a session, of which there are count, over a transport.  NULL: there is one only. */
	bool (*events_over)(void *arg, struct arena *mem, struct str transport, struct str session,
	                    size_t count, void (*take)(void *to, struct str event), void *to);
};

enum scenario_result { SCENARIO_PASS, SCENARIO_FAIL, SCENARIO_NOT_SHOWN };

struct scenario_step {
	int line;
	struct str verb, rest;
};

struct scenario {
	struct arena *mem;
	const struct scenario_driver *driver;
	struct map values; /* "session" to struct str */
	struct json reply; /* the last one */
	struct str script, options[32];
	size_t option_count;
	bool has_begun;
	bool is_at_peer; /* this step's command goes to the other runtime */

	/* the log of $session */
	struct json *events;
	size_t event_count, seen; /* seen: what `then` has used */
	struct buf log;           /* the same as lines */
	struct map answered; /* commands: "submit_turn", refused ones "submit_turn not_found" */
	struct map lines;    /* those that were taken; a runtime may ignore where to begin */

	enum scenario_result result;
	struct str why; /* of a failure: one sentence */
};

/* Plays the text; result and why are set.  The caller frees by scenario_play_done(). */
void scenario_play(struct scenario *s, const struct scenario_driver *driver, struct str text);
void scenario_play_done(struct scenario *s);
/* Adds a member of this name: result, reason, the commands that were answered and the classes that came. */
void scenario_play_write(const struct scenario *s, struct str name, struct json_writer *w);

/* ---- for its files ---- */

/* The steps of a text; the last one has no verb. */
struct scenario_step *scenario_read(struct arena *mem, struct str text);

/* Ends the scenario with this reason, unless it has ended.  Returns false. */
bool scenario_values_fail(struct scenario *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* "$name" replaced; STR_NONE: one is not known, and the scenario has failed. */
struct str scenario_values_fill(struct scenario *s, struct str text);
void scenario_values_set(struct scenario *s, struct str name, struct str value);
/* Ids of a reply become $session, $turn, … */
void scenario_values_note(struct scenario *s, struct json reply);
/* The value at a.0.b; "length" of a list is its number of elements. */
struct json scenario_values_dig(struct scenario *s, struct json v, struct str path);
/* path=value path!=value path~text path!~text path>number path:type …; NULL: all hold. */
const char *scenario_values_differ(struct scenario *s, struct json v, struct str checks);

/* "submit_turn" was answered, or refused: "submit_turn not_found". */
void scenario_values_answered(struct scenario *s, struct str command, int code);

/* The step `pack REF FILE | path=value …`: a file of the evidence pack that the output REF holds. */
bool scenario_pack_step(struct scenario *s, struct str rest);
/* The step `packed REF CLASS …`: the pack has each event of these classes that $turn has. */
bool scenario_pack_step_packed(struct scenario *s, struct str rest);
/* The step `replay REF | path=value …`: what `thole replay` says about the case that the output REF holds. */
bool scenario_pack_step_replay(struct scenario *s, struct str rest);

/* The step `listen`: the runtime has a port. */
bool scenario_transport_step_listen(struct scenario *s, struct str rest);
/* The step `stranger CODE COMMAND {…}`: a caller without a valid token is refused. */
bool scenario_transport_step_stranger(struct scenario *s, struct str rest);
/* The step `transports NAME …`: each carries the events of $session, none more and none less. */
bool scenario_transport_step(struct scenario *s, struct str rest);

/* ---- own_transport.c: the transports of our own daemon, for its driver ---- */

struct cli;

/* What is read and to whom it goes. */
struct own_transport_want {
	struct str session;
	size_t count; /* a subscription has no end: so many are read */
	void (*take)(void *to, struct str event);
	void *to;
};

/*
 * Over ndjson, sse, page or websocket at the daemon's Unix socket, or over a `thole rpc` of its own: stdio.
 * False: there is no such transport, or what it sent could not be read.
 */
bool own_transport_events(struct cli *c, struct arena *mem, struct str transport,
                          const struct own_transport_want *want);

/* The daemon's answer to a command with a token that it did not give out; 0: none came. */
int own_transport_stranger(struct cli *c, struct arena *mem, struct str command, struct str params,
                           struct str *ret_body);

#endif
