#ifndef TESTS_TRIAL_H
#define TESTS_TRIAL_H
/*
 * A trial: a runtime that lives through several processes on one simulated
 * disk, and a witness beside it that remembers everything it was told.
 *
 * The witness sees what a client sees: answers, and events as a follower
 * gets them.  It also counts what began outside (requests, tools).  After
 * every start it compares what is there with what it remembers:
 *
 *   - every event that was ever seen is there, byte for byte, in its place
 *   - every answer that named a sequence, a turn or a decision is borne out
 *   - the chain holds; index rows and snapshots are what the log makes of them
 *   - what began outside had its mark on the disk; nothing began twice
 *   - a key is one command, a refused command has left nothing behind
 *   - what a model is sent is a conversation: every call is answered, once, in its place
 *   - what was in flight is lost, once; decisions that are owed are still owed
 *   - what was removed is what a fact named, no more; and when all is settled no less
 *
 * and all the laws of laws.h hold for every session, always.  The first thing
 * that is not so ends the trial and is kept as the reason.
 */
#include "core/world.h"
#include "disk.h"
#include "laws.h"
#include "rng.h"
#include "rough.h"
#include "sim.h"

/* Sanitizers take their time: so much less is done under them. */
#if defined(__SANITIZE_ADDRESS__)
#define TRIAL_SLOWER 6
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TRIAL_SLOWER 6
#endif
#endif
#ifndef TRIAL_SLOWER
#define TRIAL_SLOWER 1
#endif

struct trial_options {
	uint64_t seed;
	struct str script;
	enum rough_lie lie;
	bool disk_lies;           /* about sync */
	bool may_be_full;         /* answers may say so */
	bool may_fail;            /* the disk fails: answers may say so, and the process may end */
	bool is_loud;             /* tells on stderr what happens */
	bool is_brief;            /* faults come early */
	const struct disk *files; /* what its disk begins with; NULL: nothing */
	unsigned hold_percent;
	unsigned work_percent; /* of what is done is about tasks, jobs and child agents */
};

/* One session as the witness knows it. */
struct seen {
	struct str id;
	struct law_log *log;
	size_t again;   /* how far the follower of this run has come */
	size_t stored;  /* how many events the run found when it began */
	uint64_t floor; /* events up to here are gone, or about to: a fact said so */
	uint64_t gone;  /* up to here they were when this run began */
};

/* A command that was sent. */
struct sent {
	const char *command;
	struct str params, key;
	unsigned run;
	struct sim_answer *answer; /* of the run that it was sent in; NULL: over */
	bool is_answered, is_forgotten;
	enum error_code code;
	struct str body;
	bool is_replay;
	const struct sent *repeats; /* the same command, answered before */
};

/* A reader of one session that does not always keep up. */
struct trial_reader {
	struct trial *trial;
	struct seen *seen;
	struct subscription *sub; /* NULL: it has ended */
	uint64_t next;
	bool is_full;
};
#define TRIAL_READERS 3

/* A channel: an enrolled connection, in this run or an earlier one. */
struct trial_channel {
	struct str id, token;
	struct control_channel *face; /* NULL: not connected */
};
#define TRIAL_CHANNELS 3

struct trial {
	struct trial_options o;
	struct rng rng;
	struct arena *mem;
	struct laws *laws;
	struct disk *disk;
	struct box *box;
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
	struct map *requests; /* requestId → the event that carries its command */
	struct map *keys;     /* keyHash → the same */
	struct map *partial;  /* outputRef → the event that says that it is not complete */
	struct owed *owed;    /* by recovery */
	struct trial_reader readers[TRIAL_READERS];
	struct trial_channel channels[TRIAL_CHANNELS];
	uint64_t events, commands;
	uint64_t packed;                                       /* events, by runs that are over */
	uint32_t classes[EV_COUNT], answers[ERROR_CODE_COUNT]; /* how often each was seen */
	char why[1024];
};

/* How one run is started. */
struct trial_run {
	bool resume_by_itself, unattended, tracing;
	enum permission_mode mode;
	int64_t snapshot_events, idle_evict_ms, retain_events;
	int64_t tasks;   /* at once, over all sessions; 0: no bound */
	int64_t down_ms; /* since the last run, by the clock on the wall; may be negative */
};

/* laws: shared between trials, so that the schemas are read once. */
struct trial *trial_new(struct laws *laws, const struct trial_options *o);
void trial_free(struct trial *t);

/* The disk of a runtime that was started and stopped and has done nothing else; NULL: it failed. */
struct disk *trial_fresh_disk(struct laws *laws, struct str script);

/* NULL: everything was as it has to be. */
const char *trial_why(const struct trial *t);
void trial_fail(struct trial *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Starts a process on what the disk has.  False: it did not come up, or a law is broken. */
bool trial_start(struct trial *t, const struct trial_run *run) MUST_USE;
/* Is there a process, and nothing wrong? */
bool trial_lives(const struct trial *t);
/* The process is gone, by a power cut (now, if there was none) or in order. */
void trial_cut(struct trial *t, enum disk_keep keep);
void trial_stop(struct trial *t);

/* Sends a command; the answer is looked at when it comes.  key may be NULL. */
struct sent *trial_send(struct trial *t, const char *command, struct str params, const char *key);
/* The same again, from whatever run it was. */
struct sent *trial_repeat(struct trial *t, const struct sent *first);
/* Its sender went away. */
void trial_forget(struct trial *t, struct sent *n);
/* Somebody begins to read a session, goes on reading, or stops. */
void trial_read(struct trial *t, struct seen *s, uint64_t after);
void trial_resume_readers(struct trial *t);
/* The n-th channel connects or leaves; commands come over it while `speaks`. */
void trial_channel(struct trial *t, unsigned n, bool connects, bool speaks);
/* Looks at answers that came; called by all of the following. */
void trial_harvest(struct trial *t);
void trial_turn(struct trial *t, unsigned turns);
void trial_settle(struct trial *t);
void trial_run(struct trial *t, int64_t ms);
void trial_leap(struct trial *t, int64_t ms);

/* Compares the engine's worlds, rows and views with the log.  Everything has to be settled. */
void trial_compare(struct trial *t);
/* Answers, resumes and at last interrupts until every turn has ended. */
void trial_finish(struct trial *t);
/* Every output that an event names can be read. */
void trial_read_outputs(struct trial *t);

/* Over all logs: two trials of one seed have the same. */
struct sha256 trial_digest(const struct trial *t);

#endif
