#ifndef TESTS_SIM_H
#define TESTS_SIM_H
/*
 * A whole runtime on virtual time: the shipped engine, the shipped store
 * without threads, the shipped scripted model.  Nothing happens unless a
 * test turns the wheel, and the same seed turns it the same way.
 *
 * On a simulated disk (tests/lib/disk.h) the power may be cut at any moment:
 * from then on the simulation is dead.  It may still run a little, because
 * code does not stop in the middle, but what it says is not heard.
 */
#include "engine/engine.h"
#include "provider/scripted/scripted.h"

struct memory_blobs;
struct disk;

/* Called when these things happen inside; every function may be NULL. */
struct sim_watch {
	/* The store is open, nothing has been asked of it yet.  Returns what the engine gets. */
	struct store *(*store)(void *owner, struct store *s);
	/* Opens the store; otherwise it is SQLite's. */
	struct store *(*open_store)(void *owner, struct clock *c);
	void (*event)(void *owner, const struct control_event *ev);
	/* Something outside begins: a request to the model, a tool. */
	void (*model)(void *owner, const struct model_request *req);
	void (*tool)(void *owner, struct str call_id);
	/* A tool is to stop.  False: it does not hear that, and ends when it is done. */
	bool (*tool_stops)(void *owner);
	/* Makes a model or a tool wait, or continue. */
	void (*paused)(void *owner, bool is_paused);
};

struct sim_options {
	const char *dir;   /* of the store; with vfs or disk a name inside it */
	const char *vfs;   /* a simulated disk, or NULL */
	struct disk *disk; /* that disk, to be asked whether the power was cut */
	struct memory_blobs
		*memory_blobs;       /* large outputs; NULL: with vfs none, else files in dir */
	struct str script;           /* text; absent: the built-in one */
	struct str version;          /* absent: starts and stops are not recorded */
	struct str previous_failure; /* why the store of the run before failed; or absent */
	uint64_t seed;
	int64_t start_ms;    /* wall time, 0: 2026-11-15 */
	int64_t boot_ms;     /* of the boot clock; 0: as if the machine had run since that day */
	const char *boot_id; /* NULL: always the same */
	bool resume_by_itself;
	bool unattended;
	bool tracing;
	bool has_prompt;             /* the built-in system prompt and the environment note */
	enum permission_mode mode;   /* 0: default */
	int64_t snapshot_events;     /* 0: 1000 */
	int64_t idle_evict_ms;       /* 0: 300000 */
	int64_t session_bytes;       /* 0: 32 MiB */
	struct settings_caps caps;   /* on money; 0: none */
	int64_t parallel_requests;   /* 0: 64 */
	int64_t compact_percent;     /* 0: never by itself */
	int64_t retry_budget_ms;     /* 0: the usual */
	struct str fallback;         /* the only model of the chain; absent: no chain */
	struct settings_tasks tasks; /* at once; 0: the usual */
	int64_t retain_events;       /* 0: all */
	int64_t sessions_days;       /* 0: for good */
	uint32_t max_pages;          /* of the store's file; 0: no bound */
	int64_t output_keep_ms;      /* 0: for good */
	struct hooks *hooks;         /* NULL: none */
	struct node_link *link;      /* to other nodes; NULL: none */
	bool is_unrecorded;          /* without a journal */
	bool starts_only;            /* returns before the first turn of the wheel */
	const struct sim_watch *watch;
	void *watcher;
};

struct sim;

/* Starts and turns the wheel until recovery is done and the follower has caught up. */
enum err sim_open(const struct sim_options *o, struct sim **ret, struct error *e) MUST_USE;
/* The same; a failure ends the test. */
struct sim *sim_new(const struct sim_options *o);
/* Ends it in order. */
void sim_free(struct sim *s);
/*
 * As kill -9 does: nothing is flushed or reported.  On a simulated disk
 * the power has to be cut first.
 */
void sim_crash(struct sim *s);

/* The power was cut, or the store failed. */
bool sim_is_dead(const struct sim *s);
/* The store failed and the engine asked for the end of the process; NULL: it did not. */
const struct error *sim_fatal(const struct sim *s);

/* One turn of the wheel: answers of the store, due timers, one flush.  False: nothing was left to do. */
bool sim_turn(struct sim *s);
/* Turns until nothing happens without time passing; returns how many turns. */
unsigned sim_settle(struct sim *s);
/* Lets time pass to the next timer, at most so far; false when there is none. */
bool sim_advance(struct sim *s, int64_t at_most_ms);
/* Settles and advances until quiet or so much time has passed. */
void sim_run(struct sim *s, int64_t at_most_ms);
/* The time to the next timer, at most so much. */
int64_t sim_until_next(const struct sim *s, int64_t at_most_ms);
/* Time passes and nothing happens yet; for several simulations that share a clock. */
void sim_pass(struct sim *s, int64_t ms);
/* So much time passes at once, as when a machine was asleep. */
void sim_leap(struct sim *s, int64_t ms);
/* Sets the wall clock; nothing else has happened. */
void sim_set_wall(struct sim *s, int64_t by_ms);

struct sim_answer {
	bool is_done;
	enum error_code code;
	int http;
	bool is_replay;
	struct str body; /* lives until the simulation ends */
};

/* Sends a command; the answer fills when the wheel turns. */
struct sim_answer *sim_send(struct sim *s, const char *command, const char *params,
                            const char *key);
/* From now on commands come over this channel; absent: over none. */
void sim_speak_as(struct sim *s, struct str channel_id);
/* Whose commands the following ones are. */
void sim_act_for(struct sim *s, const char *principal);
/* Its sender is gone: there will be no reply. */
void sim_forget(struct sim *s, struct sim_answer *a);
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
int64_t sim_wall_ms(const struct sim *s);
int64_t sim_boot_ms(const struct sim *s);
/* The time that has passed, by which deadlines come (engine/maintenance/clock_jump.c). */
int64_t sim_steady_ms(const struct sim *s);
/* What decisions and views rest on besides the log. */
const struct settings *sim_settings(const struct sim *s);

#endif
