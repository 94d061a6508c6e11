#ifndef TESTS_SIM_H
#define TESTS_SIM_H
/*
 * A whole runtime on virtual time: the shipped engine, the shipped store
 * without threads, the shipped scripted model.  Nothing happens unless a
 * test turns the wheel, and the same seed turns it the same way.
 */
#include "engine/engine.h"
#include "provider/scripted.h"

struct sim_options {
	const char *dir;    /* of the store; with vfs a name inside it */
	const char *vfs;    /* a simulated disk, or NULL */
	struct str script;  /* text; absent: the built-in one */
	uint64_t seed;
	int64_t start_ms;   /* wall time, 0: 2026-11-15 */
	bool resume_by_itself;
	bool unattended;
	int64_t snapshot_events; /* 0: 1000 */
};

struct sim;

struct sim *sim_new(const struct sim_options *o);
/* Ends it in order. */
void sim_free(struct sim *s);
/* As kill -9 does: nothing is flushed, nobody is told. */
void sim_crash(struct sim *s);

/* One turn of the wheel: answers of the store, due timers, one flush.  False: nothing was left to do. */
bool sim_turn(struct sim *s);
/* Turns until nothing happens without time passing; returns how many turns. */
unsigned sim_settle(struct sim *s);
/* Lets time pass to the next timer, at most so far; false when there is none. */
bool sim_advance(struct sim *s, int64_t at_most_ms);
/* Settles and advances until quiet or so much time has passed. */
void sim_run(struct sim *s, int64_t at_most_ms);

struct sim_answer {
	bool is_done;
	enum error_code code;
	int http;
	bool is_replay;
	struct str body; /* lives until the simulation ends */
};

/* Sends a command; the answer fills when the wheel turns. */
struct sim_answer *sim_send(struct sim *s, const char *command, const char *params, const char *key);
/* Sends and settles; the answer must come without time passing. */
const struct sim_answer *sim_call(struct sim *s, const char *command, const char *params);
/* A member of the answer's body, as text. */
struct str sim_str(struct sim *s, const struct sim_answer *a, const char *key);

/* Every event that a follower saw, in order. */
struct sim_log {
	struct str *lines;
	size_t count, cap;
};
const struct sim_log *sim_log(const struct sim *s);
/* "turn.submitted task.started ..." of one session, for comparing. */
struct str sim_types(struct sim *s, struct str session);
struct arena *sim_mem(struct sim *s);
struct engine *sim_engine(struct sim *s);
struct store *sim_store(struct sim *s);
struct clock *sim_clock(struct sim *s);

#endif
