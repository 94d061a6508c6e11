#ifndef TESTS_CRASH_RUN_H
#define TESTS_CRASH_RUN_H
/*
 * A crash run: a runtime that lives through several processes on one simulated
 * disk, and a model beside it that remembers everything it was sent.
 *
 * The model sees what a client sees: replies, and events as a follower
 * gets them.  It also counts what began outside (requests, tools).  After
 * every start it compares what is there with what it remembers:
 *
 *   - every event that was ever seen is there, byte for byte, in its place
 *   - every answer that named a sequence, a turn or a decision is borne out
 *   - the chain holds; index rows and snapshots are what the log makes of them
 *   - what began outside had its mark on the disk; nothing began twice
 *   - a key is one command, a refused command has left nothing behind
 *   - what a model is sent is a conversation: every call is answered, once, in its place
 *   - what was in flight is lost, once; pending approvals are still pending
 *   - what was removed is what an event named, no more; and when all is settled no less
 *
 * and all the invariants of invariants.h hold for every session, always.  The first thing
 * that is not so ends the crash run and is kept as the reason.
 */
#include "core/state.h"
#include "disk.h"
#include "invariants.h"
#include "rng.h"
#include "slow_store.h"
#include "sim.h"

/* Sanitizers take their time: so much less is done under them. */
#if defined(__SANITIZE_ADDRESS__)
#define CRASH_RUN_SLOWER 6
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CRASH_RUN_SLOWER 6
#endif
#endif
#ifndef CRASH_RUN_SLOWER
#define CRASH_RUN_SLOWER 1
#endif

struct crash_run_options {
	uint64_t seed;
	struct str script;
	enum slow_store_lie lie;
	bool disk_lies;           /* about sync */
	bool may_be_full;         /* answers may say so */
	bool may_fail;            /* the disk fails: answers may say so, and the process may end */
	bool is_loud;             /* tells on stderr what happens */
	bool is_brief;            /* faults come early */
	const struct disk *files; /* what its disk begins with; NULL: nothing */
	unsigned hold_percent;
	unsigned work_percent; /* of what is done is about tasks, jobs and child agents */
};

/* One session as the model knows it. */
struct seen {
	struct str id;
	struct invariant_log *log;
	size_t again;    /* how far the follower of this run has come */
	size_t stored;   /* how many events the run found when it began */
	uint64_t floor;  /* events up to here are removed, or about to be: an event says so */
	uint64_t gone;   /* up to here they were when this run began */
	bool is_deleted; /* an event of sess_system says so */
};

/* A command that was sent. */
struct sent {
	const char *command;
	struct str params, key;
	unsigned run;
	struct sim_answer *response; /* of the run that it was sent in; NULL: over */
	bool is_answered, is_forgotten;
	enum error_code code;
	struct str body;
	bool is_replay;
	const struct sent *repeats; /* the same command, answered before */
};

/* A reader of one session that does not always keep up. */
struct crash_run_reader {
	struct crash_run *crash_run;
	struct seen *seen;
	struct subscription *sub; /* NULL: it has ended */
	uint64_t next;
	bool is_full;
};
#define CRASH_RUN_READERS 3

/* A channel: an enrolled connection, in this run or an earlier one. */
struct crash_run_channel {
	struct str id, token;
	struct control_channel *face; /* NULL: not connected */
};
#define CRASH_RUN_CHANNELS 3

struct crash_run {
	struct crash_run_options o;
	struct rng rng;
	struct arena *mem;
	struct invariants *invariants;
	struct disk *disk;
	struct memory_blobs *memory_blobs;
	struct sim *sim; /* NULL between runs */
	unsigned runs;
	unsigned cuts;            /* of the disk when this run began */
	int64_t wall_ms, boot_ms; /* when the last run ended */
	char boot_id[24];
	struct seen **sessions;
	size_t session_count, session_cap;
	struct sent **sent;
	size_t sent_count, sent_cap, harvested;
	struct map *started, *marks, *turns, *decisions;
	struct map *requests;    /* requestId → the event that carries its command */
	struct map *keys;        /* keyHash → the same */
	struct map *partial;     /* outputRef → the event that says that it is not complete */
	struct pending *pending; /* by recovery */
	struct crash_run_reader readers[CRASH_RUN_READERS];
	struct crash_run_channel channels[CRASH_RUN_CHANNELS];
	uint64_t events, commands;
	uint64_t packed;                                       /* events, by runs that are over */
	uint32_t classes[EV_COUNT], answers[ERROR_CODE_COUNT]; /* how often each was seen */
	char why[1024];
};

/* How one run is started. */
struct crash_run_process {
	bool resume_by_itself, unattended, tracing;
	enum permission_mode mode;
	int64_t snapshot_events, idle_evict_ms, retain_events;
	int64_t tasks;   /* at once, over all sessions; 0: no bound */
	int64_t down_ms; /* since the last run, by the clock on the wall; may be negative */
};

/* invariants: shared between crash runs, so that the schemas are read once. */
struct crash_run *crash_run_new(struct invariants *invariants, const struct crash_run_options *o);
void crash_run_free(struct crash_run *t);

/* The disk of a runtime that was started and stopped and has done nothing else; NULL: it failed. */
struct disk *crash_run_fresh_disk(struct invariants *invariants, struct str script);

/* NULL: everything was as it has to be. */
const char *crash_run_why(const struct crash_run *t);
void crash_run_fail(struct crash_run *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Starts a process on what the disk has.  False: it did not come up, or a invariant is broken. */
bool crash_run_start(struct crash_run *t, const struct crash_run_process *run) MUST_USE;
/* Is there a process, and nothing wrong? */
bool crash_run_lives(const struct crash_run *t);
/* The process is gone, by a power cut (now, if there was none) or in order. */
void crash_run_cut(struct crash_run *t, enum disk_keep keep);
void crash_run_stop(struct crash_run *t);

/* Sends a command; the answer is looked at when it comes.  key may be NULL. */
struct sent *crash_run_send(struct crash_run *t, const char *command, struct str params,
                            const char *key);
/* The same again, from whatever run it was. */
struct sent *crash_run_repeat(struct crash_run *t, const struct sent *first);
/* Its sender went away. */
void crash_run_forget(struct crash_run *t, struct sent *n);
/* A reader of a session starts, continues, or stops. */
void crash_run_read(struct crash_run *t, struct seen *s, uint64_t after);
void crash_run_resume_readers(struct crash_run *t);
/* The n-th channel connects or leaves; commands come over it while `speaks`. */
void crash_run_channel(struct crash_run *t, unsigned n, bool connects, bool speaks);
/* Looks at answers that came; called by all of the following. */
void crash_run_harvest(struct crash_run *t);
void crash_run_turn(struct crash_run *t, unsigned turns);
void crash_run_settle(struct crash_run *t);
void crash_run_run(struct crash_run *t, int64_t ms);
void crash_run_leap(struct crash_run *t, int64_t ms);

/* Compares the engine's worlds, rows and views with the log.  Everything has to be settled. */
void crash_run_compare(struct crash_run *t);
/* Answers, resumes and at last interrupts until every turn has ended. */
void crash_run_finish(struct crash_run *t);
/* Every output that an event names can be read. */
void crash_run_read_outputs(struct crash_run *t);

/* Over all logs: two crash runs of one seed have the same. */
struct sha256 crash_run_digest(const struct crash_run *t);

#endif
