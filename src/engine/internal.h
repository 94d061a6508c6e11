#ifndef ENGINE_INTERNAL_H
#define ENGINE_INTERNAL_H
/* Shared by the files of the engine, and by nobody else. */
#include "base/gen/limits.h"
#include "base/list.h"
#include "base/map.h"
#include "core/call_input.h"
#include "core/index.h"
#include "core/turn.h"
#include "core/view.h"
#include "engine/engine.h"

struct request;
struct session;
struct sending;
struct source;

/* While there is not enough room, a session that was used stays for so long all the same. */
#define CROWDED_REST_MS 250
#define TALKS_REST_MS 5000 /* then a conversation that rests is not held any more */
/* A session with more events than this behind its last snapshot gets one before it sleeps. */
#define SNAPSHOT_BEHIND LIMIT_SNAPSHOT_EVENTS

/* ---- commits ---- */

/* An effect that begins when the event that authorises it is durable. */
struct due_effect {
	enum effect kind;
	uint64_t seq;
	struct str turn_id, object_id; /* request or call */
};

/* What one session adds to a batch, and what waits for it. */
struct pending_slice {
	struct slice slice;
	struct session *session;
	struct rows rows;
	struct due_effect *effects;
	size_t effect_count, effect_cap;
	size_t event_cap, blob_cap, move_cap, chore_cap;
};

struct pending_batch {
	struct batch batch;
	struct arena *mem;
	struct engine *engine;
	struct pending_slice **slices;
	size_t count, cap;
};

/* ---- sessions ---- */

enum session_state {
	SESSION_LOADING, /* being read from the store */
	SESSION_LIVE,
	SESSION_GONE, /* dropped; freed when nothing refers to it */
};

struct session {
	struct engine *engine;
	struct str id;
	enum session_state state;
	struct world *world;
	struct leases leases; /* of external workers, beside the state */
	struct sha256 hash;          /* of the chain, applied */
	uint64_t applied;            /* last sequence given */
	uint64_t durable;            /* last sequence on disk */
	uint64_t snapshot_seq;       /* of the last snapshot written */
	struct pending_slice *slice; /* in the batch that is being filled, or NULL */
	unsigned in_flight;          /* batches handed over that hold a slice of it */
	unsigned readers;            /* requests that read rows and then come back to it */
	enum error_code gone_why;    /* once it is */
	struct list waiting;         /* struct request: for `durable` to reach them */
	struct list arriving;        /* struct request: while loading */
	struct list watching;        /* struct request: until child agents rest */
	struct list effects;         /* struct effect_run */
	struct list recent;          /* struct recent, of fanout.c */
	struct clock_timer timer;    /* the next deadline of the world */
	int64_t timer_at;
	int64_t used_at;    /* mono ms */
	struct list by_use; /* in the engine: who was used last stands last */
	size_t bytes;       /* as they are counted in the engine */
	size_t compact_at;  /* bytes of the world above which its waste is looked at */
	bool is_new;        /* made by a command that is not durable yet */
	bool needs_recovery, wants_snapshot;
	bool is_slim;      /* its world holds no more than it needs */
	bool is_at_start;  /* under recovery: see recovery.c */
	bool is_claimant;  /* what it left in the background is not looked for yet */
	bool is_gathering; /* something is being read for a turn of it */
	const struct context_picture *picture; /* what was read, for the decision at hand */
	struct list held;                      /* in the engine's list, while is_held */
	bool is_held;     /* a turn of it waits for room that another session may make */
	uint64_t floor;   /* events up to here were removed */
	bool is_trimming; /* by the operator's rule, once while it is awake */
	uint64_t owes;    /* the number of an erased event whose words its rows still hold, or 0 */
	struct load *load;
	struct sending *sending;           /* the delivery that is on its way, or NULL */
	struct worktree_run *worktree_run; /* the worktree that is being made, or NULL */
	struct source *source;             /* of the job whose items are being begun, or NULL */
	bool is_feeding;
	bool is_due; /* loaded because something of it is due */
	/* slots.c */
	struct tenant *tenant; /* NULL: not known yet */
	int64_t running_tasks; /* as they are counted in tenant and engine */
	struct list in_line;
	bool is_in_line;
	struct held *talks;        /* conversations of its threads, while it is at work */
	struct call_input *inputs; /* of open calls, those that are too large for events */
	bool is_reading_input;
};

/* ---- requests ---- */

struct request {
	struct list node;
	struct list all; /* in the engine */
	struct engine *engine;
	struct arena *mem;
	struct control_call *call; /* NULL: the caller went away */
	struct caller caller;
	struct command_call command;
	void *args;
	struct session *session;
	struct str session_id; /* wanted */
	bool create_session;
	bool has_key;
	struct sha256 key, body;
	struct str key_text;
	uint64_t wait_seq;
	/* The answer, once there is one. */
	enum error_code code;
	struct str detail, extra, reply;
	int http;
	bool is_replay;
	struct list joined; /* requests with the same key that came meanwhile */
	struct store_read read;
	struct blob_read blob_read;
	struct str new_ids[3]; /* ids that the caller brought; must not be taken */
	const char *new_id_kinds[3];
	size_t new_id_count, new_id_at;
	bool holds_id[3];   /* nobody else may bring it until this one is answered */
	struct list behind; /* requests that bring an id which this one holds */
	/* Tasks that the command names, read back from their rows. */
	struct str looked[LIMIT_TASK_DEPTH + 3], foreign;
	const struct st_task *recalled[LIMIT_TASK_DEPTH + 3];
	size_t looked_count, recalled_count;
	int64_t item_count;              /* of the job to be made */
	const struct rec_job_item *item; /* that the command names, read from its row */
	bool is_item_read;
	const struct history_point *point; /* the old turn that the command goes back to */
	bool is_point_read;
	struct clock_timer timer; /* of a wait */
	int64_t dir_wait_ms;      /* for its directory, until it is asked for again */
	bool is_again;   /* it waits for durability to be looked at again, not to be answered */
	bool is_picking; /* a claim that takes any task */
	int64_t i[4];    /* scratch of reads */
	struct arena *extra_mem;
	void *scratch;
	const struct context_picture *picture;     /* what was read for the turn it submits */
	void (*then)(struct request *r);           /* instead of the answer, when it is durable */
	struct anchor_read *anchor_read;           /* of verify_log */
	struct world *fresh;                       /* of a rebuild */
	void (*job)(struct session *s, void *arg); /* not a command: the engine's own */
	void *job_arg;
};

/* ---- effects ---- */

struct effect_run;

/* ---- upkeep of the log ---- */

struct upkeep {
	struct list resting; /* struct resting: sessions that sleep, to be packed */
	size_t resting_count;
	struct clock_timer round, quiet;
	uint64_t quiet_since; /* commits so far, when the timer was started */
	bool is_waiting;      /* for a moment without commits */
	bool is_busy;         /* a step or a read is under way */
	bool wants_purge, wants_list;
	uint64_t loose_after; /* the list of sessions goes on behind this; 0: it is not under way */
	struct store_upkeep step;
	struct store_read read;
};

/* ---- deadlines of sessions that sleep ---- */

/* A walk over the rows of timers, in due order, from page to page. */
struct due_pass {
	bool is_on, is_wanted; /* another one behind it */
	bool takes_all;        /* whether due or not: the clock was set */
	bool is_moved;         /* the last one took all, and came to the end */
	unsigned loading;      /* sessions that it loads now */
	int64_t from_at;
	struct str from_key;
	struct arena *mem;
};

/* ---- time ---- */

struct engine_time {
	int64_t steady, boot; /* steady time when the boot clock showed this */
	int64_t offset;       /* of the wall clock from steady time */
	int64_t rows_offset;  /* the one that the rows of timers were written for */
	int64_t boot_ahead;   /* of the monotonic clock, when it was looked at last */
	bool is_kept;         /* the anchor is in the store */
	bool is_moving_rows;  /* sessions that sleep are read for their rows */
};

/* ---- recovery ---- */

enum recovery_stage { RECOVERY_TASKS, RECOVERY_BACKGROUND, RECOVERY_SESSIONS };

struct recovery {
	struct map
		listed; /* id → struct unrecovered: had open work at the start, and was not read yet */
	struct list queue; /* of them those that are read by themselves */
	unsigned active;   /* being read, or what they said is not durable */
	unsigned claimants;
	uint64_t total;
	bool is_listing;
	bool has_rows; /* the rows of counts are there, for every session */
	enum recovery_stage stage;
	struct arena *mem;
	int64_t from_at;
	struct str from_key;
	int64_t began_at, told_at; /* mono ms */
};

/* ---- the engine ---- */

struct engine {
	struct control control;
	struct engine_ports ports;
	struct engine_settings settings;
	struct engine_hooks hooks;
	struct arena *mem; /* for as long as the engine lives */
	struct setup setup;
	struct arena *tools_mem; /* of setup.tools */
	struct list tool_places; /* struct tool_place: toolsets by directory */
	size_t tool_place_count;
	struct rec_execution_environment *environment; /* of the setup, until it was looked at */
	bool has_cage, has_looked; /* one was found; it was looked where somebody works */
	unsigned looks;
	uint64_t looked_in; /* the hash of the directory of the last look */
	struct str runtime_id;
	struct map sessions; /* id → struct session */
	size_t talk_bytes;   /* of the conversations that are held */
	struct map tenants;  /* name → struct tenant, of slots.c */
	struct map asleep;   /* session id → struct asleep, of slots.c */
	int64_t running_tasks;
	struct list line_of_tasks; /* sessions that wait for room for a task */
	struct session *serving;   /* whose turn it is */
	struct clock_timer serving_timer;
	struct world *shared; /* grants of the system session; setup.shared */
	struct list places;   /* struct policy_place: rules by directory */
	uint64_t beat;        /* turns of the loop */
	size_t place_count;
	struct list to_share, sharing; /* struct share: grants on their way there */
	struct map channels;           /* id → struct channel: connected now */
	struct {
		struct clock_timer timer; /* runs while refusals are only counted */
		int64_t count;            /* since they were told last */
		char via[16];             /* of the last one */
		bool is_counting;
	} strangers;
	struct str secret;             /* of this installation: resume tokens are made with it */
	struct map in_flight;          /* idempotency key → struct request */
	struct map bringing;           /* an id that a caller brought → struct request */
	struct pending_batch *filling; /* or NULL */
	unsigned batches;              /* handed over, not answered */
	struct list subscriptions;
	struct map audiences;     /* session id → struct audience, of fanout.c */
	struct list all_audience; /* struct subscription: of all sessions */
	struct list ready;        /* struct subscription: for the pump */
	struct clock_timer pump_timer;
	struct list recent; /* struct recent: committed a moment ago */
	size_t recent_bytes;
	uint64_t published_position; /* of the last event that was published; 0: none yet */
	struct list requests;
	struct list early;         /* struct request: before the runtime was ready */
	struct list gathers;       /* reads of context under way */
	struct list sendings;      /* deliveries on their way */
	struct list worktree_runs; /* worktrees that are being made */
	struct list runs;          /* struct effect_run: every one there is */
	struct list processes;     /* struct process_run: in the background */
	struct list unsettled;     /* struct request: lists of them, until is_settled */
	struct list dropped;       /* sessions whose world was dropped, to be read anew */
	struct clock_timer come_back;
	struct upkeep upkeep;
	struct engine_time time;
	int64_t jumped_ms; /* by so much the wall clock jumped last */
	struct clock_timer room_timer;
	struct store_upkeep room_step;
	struct clock_timer pressure_timer;
	bool is_watching_pressure;
	bool is_pressed; /* more waits for commit than should: models and tools are paused */
	bool is_strict;  /* THOLE_STRICT=1: events are read back and compared */
	bool is_ready, is_stopping, has_failed, is_start_told;
	bool is_full; /* no space: nothing is written until there is */
	struct error failure;
	unsigned recovering; /* what still has to be read before ready */
	struct recovery recovery;
	struct rebuild *rebuild; /* derived rows are being made again; NULL: they are all there */
	uint64_t rebuilt;        /* sessions whose rows were */
	struct anchors *anchors; /* anchor.c; NULL: none are written */
	struct list damages;     /* struct damage: places in the log that could not be read */
	size_t damage_count;
	bool is_settled;               /* what nobody claimed in the background was ended */
	bool are_slots_known;          /* tasks under way are counted over all sessions */
	struct toolset *process_tools; /* ours; NULL: none */
	struct store_read start_read;
	struct list by_use;   /* sessions in memory, the one that nobody used for longest first */
	size_t session_bytes; /* what they hold together */
	struct clock_timer sweep;
	bool is_sweeping_soon;
	size_t evicted;         /* since memory was given back */
	struct clock_timer due; /* the next deadline of a session that sleeps */
	int64_t due_at;
	struct store_read due_read;
	bool is_asking_due;
	struct due_pass due_pass;
	struct limits limits;    /* what providers said, over all sessions */
	struct shared money;     /* for the decision at hand */
	struct clock_timer room; /* somebody made room */
	struct list held;        /* sessions that wait for it, in the order they came */
	/* counters */
	uint64_t commands, refusals, events, commits, live_effects, pending_calls;
	uint64_t hook_runs, hook_failures, hook_ms;
	int64_t started_ms;
	struct arena *scratch; /* one step */
	struct arena *folding; /* one event, while it is folded */
	struct arena *forms;   /* one event, while it is told in another form */
	struct buf line;       /* one envelope */
};

/* engine.c */
void engine_crowded(struct engine *e);
void engine_due(struct engine *e, int64_t at);
void engine_due_anew(struct engine *e); /* the clock was set */

void engine_ready_if_done(struct engine *e);
/* The picture of the settings, after the tools have changed: kept, and named from now on. */
enum err engine_picture_again(struct engine *e, struct error *err) MUST_USE;
/* The ref of a setup that is another one only in its tools. */
enum err engine_picture_of(struct engine *e, const struct setup *s, struct arena *mem,
                           struct str *ret, struct error *err) MUST_USE;
/* All rows of timers were taken since the clock was set, and what followed is durable. */
bool engine_due_moved(const struct engine *e);
/* A session that was due is loaded, or cannot be: the next ones may be. */
void engine_due_loaded(struct session *s);

/* recovery.c */
void recovery_begin(struct engine *e);     /* reads what is open; ready waits for it */
void recovery_takes(struct session *s);    /* it is about to be read: is it listed? */
void recovery_read(struct session *s);     /* its world is there, and what was lost is said */
void recovery_ended(struct session *s);    /* that is durable, or it does not exist */
void recovery_failed(struct session *s);   /* it cannot be read */
void recovery_pump(struct engine *e);      /* goes on with the next ones */
void recovery_keep_rows(struct engine *e); /* notes that the rows of counts are complete */
/* The member of a reply that says how far it has come; nothing when it is over. */
void recovery_write(struct json_writer *w, const struct engine *e);
uint64_t recovery_left(const struct engine *e);
void recovery_free(struct engine *e);

/* grants.c: what reaches further than its session */
void grants_init(struct engine *e);
void grants_free(struct engine *e);
void grants_learn(struct engine *e); /* at the start: ready waits for it */
void grants_heard(struct session *s, const struct event *ev);
void grants_share(struct engine *e);

/* session.c */
struct session *session_find(struct engine *e, struct str id);
struct session *session_make(struct engine *e, struct str id, bool is_new);
/* Begins to read it; requests in `arriving` go on when it is there (or not found). */
void session_load(struct session *s);
void session_drop(struct session *s, enum error_code why, const char *detail);
void session_free(struct session *s);
/* The request reads from the store and comes back to its session: that stays until then. */
/* inputs.c */
void inputs_heard(struct session *s, const struct outcome *d, const struct event *ev);
/* A decision waits for this one; absent: for none. */
void inputs_want(struct session *s, struct str ref);
/* True: the input of the call that the command is about is being read; the request comes back. */
bool inputs_before(struct request *r);
void inputs_drop(struct session *s);

void session_hold(struct request *r);
/* Back: true when the session was dropped meanwhile, and the request was answered so. */
bool session_went(struct store_read *read);
void sessions_forget_dropped(struct engine *e);
void sessions_come_back(struct engine *e); /* those that were dropped, soon */
void session_touch(struct session *s);
/* Nobody asked for it: it is the first to leave. */
void session_untouch(struct session *s);
/* What it holds is counted anew. */
void session_weigh(struct session *s);
/* Nothing of it is under way, and nobody is connected to it. */
bool session_is_idle(const struct session *s);
/* False: its snapshot has to be written first; it will be idle again. */
bool session_evict(struct session *s);
/* Nothing of it is decided and not durable, and no effect is under way. */
bool session_is_settled(const struct session *s);
/* Its world is dropped, if it can be, to be read anew by the next touch. */
void session_forget_world(struct session *s);
/* The state that stands for a removed beginning; false: the text is not one. */
bool floor_read(struct str text, struct world **ret, uint64_t *ret_seq, struct sha256 *ret_hash);

/* run.c: one decision and everything that follows from it */
/* Whether models have a key is not part of the picture: keys come and go while we run. */
void engine_look_for_keys(struct engine *e);
struct outcome *run_begin(struct session *s, const struct command_call *call);
/* Applies what was decided and steps to the fixpoint. */
void run_end(struct session *s, struct outcome *d);
void run_arm_anew(struct session *s); /* its timer, after the clock was set */

/* money.c: the ledger around decisions */
/* What providers said before this start is read back; then recovery_begin(). */
void money_start(struct engine *e);
const struct shared *money_shared(struct session *s, int64_t now);
/* Before the event is folded: what it moves, at once and with its slice. */
void money_event(struct session *s, const struct event *ev);
void money_undo(struct engine *e, const struct slice *slice);
/* After a decision: is it held back, has it made room for others? */
void money_settle(struct session *s);
void money_forget(struct session *s); /* it waits no more */

/* toolsets.c */
enum err tools_take(struct engine *e, struct error *err) MUST_USE;
void tools_free(struct engine *e);
void tools_watch(struct engine *e);
bool tools_are_coming(const struct engine *e, struct str cwd);
bool tools_have(const struct setup_tool *tools, size_t count, struct str name);
/* The tool as the setup has it; its schema is the caller's to free. */
enum err tool_read(struct arena *mem, const struct tool_info *i, struct setup_tool *ret,
                   struct error *err) MUST_USE;
void list_tool_servers(struct request *r);
void trust_tool_server(struct request *r);
void list_hooks(struct request *r);
void trust_hooks(struct request *r);
void take_hooks(struct engine *e); /* those that are asked in every session, into the setup */
/* Those of a directory behind them; all of it lives in mem. */
void hooks_fill(const struct engine *e, struct str cwd, struct arena *mem, struct setup *s);
void hooks_renew(struct engine *e, struct str cwd); /* a turn begins there */

/* tool_places.c */
/* One of the runtime's own: the system's, a node's. */
bool session_is_own(struct str id);
struct str session_cwd(const struct session *s);
/* Somebody works in a directory: what it brings is there from now on, or comes soon. */
void tool_places_enter(struct engine *e, struct str cwd);
/* A turn begins there: the same, and what it brings is what it says now. */
void tool_places_renew(struct engine *e, struct str cwd);
void tool_places_look(struct engine *e); /* the same for all of them */
/* The toolset that a directory has brought; NULL: none. */
struct toolset *tool_places_at(const struct engine *e, struct str cwd);
/* All of them, those that are everywhere first. */
struct toolset_at {
	struct toolset *toolset;
	struct str cwd;
};
size_t tool_places_list(const struct engine *e, struct arena *mem, struct toolset_at **ret);
/* Its tools behind those that are everywhere; false: it has none of its own. */
bool tool_places_fill(const struct engine *e, struct str cwd, struct setup *s);
/* The tool of that name, as a session sees it; NULL: none. */
const struct setup_tool *session_tool(const struct session *s, struct str name);
void tool_places_again(struct engine *e); /* those that are everywhere are others now */
void tool_places_sweep(struct engine *e); /* leaves those where nobody works */
void tool_places_free(struct engine *e);

/* models.c */
enum err take_models(struct engine *e, struct error *err) MUST_USE;
void write_prices(struct json_writer *w, const struct setup_model *m); /* members */
void write_money(struct json_writer *w, const struct setup *setup);    /* members */
void list_models(struct request *r, const struct cmd_list_models *c);

/* context.c */
/* Reads first what a turn to be submitted will see; true: request_again() follows. */
enum context_dir directory_state(const struct engine *e, struct str cwd);
bool directory_may_touch(const struct engine *e, struct str cwd);
/* True: the request waits for its directory, or was answered. */
bool directory_before(struct request *r);
bool context_may_start_a_turn(enum command c);
bool context_before(struct request *r);
/* After a decision: a turn may wait to be prepared. */
void context_settle(struct session *s);
bool context_is_read_for(const struct engine *e, struct str cwd);
void contexts_go_on(
	struct engine *e); /* the tools that they waited for are there, or will not be */
void contexts_free(struct engine *e);

/* commit.c */
struct pending_slice *commit_slice(struct session *s);
void commit_flush(struct engine *e);
/* The rows of the core in the store's own form. */
void commit_take_rows(struct arena *mem, const struct rows *rows, struct slice *slice);
void commit_discard(struct engine *e); /* at the very end: what was not handed over is gone */
void commit_forget(struct session *s); /* drops what it has in the batch being filled */

/* dispatch.c */
void dispatch_call(struct control *c, struct control_call *call);
void dispatch_early(struct engine *e);
void dispatch_forget(struct control *c, struct control_call *call);
void requests_free(struct engine *e);
void request_ready(struct request *r);   /* its session is live */
void request_again(struct request *r);   /* looks for its session anew */
void request_missing(struct request *r); /* there is no such session */
/* Runs a job of the engine itself on a session, which is loaded or made when need be. */
void request_job(struct engine *e, struct str session_id, bool create,
                 void (*job)(struct session *s, void *arg), void *arg);
/* Not before the runtime is ready: what was lost is said first. */
void request_job_late(struct engine *e, struct str session_id, bool create,
                      void (*job)(struct session *s, void *arg), void *arg);
void request_fail(struct request *r, enum error_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);
void request_answer(struct request *r); /* now */
void request_again(struct request *r);  /* finds its session anew, then goes on from the start */
void request_keep(
	struct request *r); /* adds sequence and idempotency record to an accepted reply */
/* A command of the runtime itself, without its arguments; request_find_session() sends it off. */
struct request *request_own(struct engine *e, struct str session_id, enum command command);
void request_durable(struct request *r); /* it is: the answer, or what is to follow */
void request_wait(struct request *r);    /* when its session is durable as far as applied */

/* Finds or loads the session that the request names, then goes on. */
void request_find_session(struct request *r);

/* recall.c */
/* True: rows have to be read first; the request comes back by itself. */
bool request_recall(struct request *r);
/* find_turn.c: the same for an old turn that a rollback or a fork goes back to. */
bool request_find_turn(struct request *r);
/* True: the claim is led to a task first. */
bool claim_begin(struct request *r);
/* The next task that a claim may try; false: none, and it was answered so. */
bool claim_next(struct request *r);

/* jobs.c */
void jobs_feed(struct session *s);

/* worktrees.c */
void worktrees_feed(struct session *s);
void worktrees_forget(struct session *s);
void worktrees_free(struct engine *e);

/* deliveries.c */
void deliveries_feed(struct session *s);
void deliveries_forget(struct session *s);
void deliveries_free(struct engine *e);

void jobs_forget(struct session *s);

/* slots.c: room for tasks over all sessions */
struct shared;
void slots_see(struct session *s, const struct command_call *call, struct shared *shared);
/* Whether it could begin a task, but for others. */
void slots_want(struct session *s, bool wants);
void slots_heard(struct session *s, const struct event *ev);
void slots_count(struct session *s);
/* Its world was read: what runs in it counts, and what waits is looked at. */
void slots_loaded(struct session *s);
/* It leaves memory: what runs in it counts all the same. */
void slots_forget(struct session *s);
/* So many tasks are under way in a session that is not in memory. */
void slots_sleep(struct engine *e, struct str session_id, struct str tenant, int64_t running);
/* Soon: is there room for those in line? */
void slots_look(struct engine *e);
void slots_free(struct engine *e);

/* talks.c: conversations that are held instead of being read for every request */
struct assembly;
struct talk_start;
void talks_heard(struct session *s, const struct event *ev);
void talks_forget(struct session *s);
/* Nothing is under way in it: what it holds may stay for a moment, if it is not much. */
void talks_rest(struct session *s);
/* What the request at `seq` is made of.  False: it is not at hand, and has to be read. */
bool talks_take(struct session *s, struct str thread_id, int64_t seq,
                const struct talk_start *start, struct arena *mem, struct assembly *ret) MUST_USE;
/* The request at `seq` read it: it is held from now on, unless something was said meanwhile. */
void talks_were_read(struct session *s, struct str thread_id, int64_t seq,
                     const struct assembly *a);
/* True: the items behind a ref are counted first. */
bool jobs_count(struct request *r);

/* reads.c */
bool read_command(struct request *r); /* false: not a read that the engine answers */
/* Refuses an answer to an action that is not at hand: it may have ended long ago. */
void refuse_answer(struct request *r);
/* reads.c, for the others */
uint32_t page_size(bool has_limit, int64_t limit);
bool index_failed(struct store_read *read); /* true: the request was answered so */
/* Goes on behind a cursor; false: it is none. */
bool read_goes_on(struct store_read *read, struct str cursor);

/* reads_subagent.c */
void list_subagents(struct request *r, const struct cmd_list_subagents *c);
void wait_subagents(struct request *r, const struct cmd_wait_subagents *c);
void subagents_moved(struct session *s);

/* reads_job.c */
void verify_log(struct request *r, const struct cmd_verify_log *c);
void get_job(struct request *r, const struct cmd_get_job *c);
void list_schedules(struct request *r, const struct cmd_list_schedules *c);
void list_jobs(struct request *r, const struct cmd_list_jobs *c);
void list_job_items(struct request *r, const struct cmd_list_job_items *c);

/* processes.c: commands in the background */
void processes_init(struct engine *e);
void processes_free(struct engine *e);
void process_began(struct session *s, struct str process_id);
void processes_recover(struct session *s); /* those of it that an earlier runtime left */
void processes_settle(struct engine *e);   /* after all sessions with open work */
void processes_durable(struct session *s);
void processes_reconcile(
	struct session *s); /* those that a cancelled task takes along are stopped */
/* What was read of an output, and when that is its end for now, the little that is held back. */
struct str process_text(const struct engine *e, struct arena *mem, const struct blob_read *r);
void processes_end(struct engine *e); /* the runtime stops, and they with it */
/* About a command for one: true, it was answered; what follows when it is accepted; or refused. */
bool process_before(struct request *r);
void process_after(struct request *r);
void process_refused(struct request *r);
void list_processes(struct request *r, const struct cmd_list_processes *c);

/* effects_tool.c: from the words of the port to those of the core */
struct tool_violation;
struct input_violation violation_of(struct arena *mem, const struct tool_violation *v);
struct scrub_stream;
/* Which rules took out something, for the facts. */
const struct input_redaction *redactions_of(struct scrub *s, const struct scrub_stream *seen,
                                            struct arena *mem, size_t *ret_count);
enum process_exit exit_of_tool(int tool_exit); /* enum tool_exit */

/* effects.c */
/* cage.c */
/* Which cage commands get, as far as it is not known yet; s says where it is looked. */
void cage_look(struct engine *e, const struct session *s);
/* NULL: nobody's. */
struct toolset *toolset_of(const struct engine *e, struct str cwd, struct str name);
/* The setup with the rules of files as they are now where the session works; looked at anew if is_asked. */
/* The rules that hold in a directory, whoever works there. */
void policy_rules_at(struct engine *e, struct str cwd, struct setup *mine);
const struct setup *policy_setup(struct session *s, struct arena *mem, bool is_asked);
void policy_free(struct engine *e);
/* What a person gave a call beyond its cage, as a toolset reads it; absent: nothing. */
struct str override_text(struct arena *mem, const struct rec_sandbox_override *more);
/* Paths that rules deny to that tool (absent: to any), for tool_start.deny; absent: none. */
struct str cage_denies(struct arena *mem, const struct setup *s, struct str tool, struct str cwd);
/*
 * The same for any tool, told to toolsets whose sandboxes stand already, and returned; s may be
 * NULL.
 */
struct str cage_tell_denies(struct engine *e, struct arena *mem, struct str cwd,
                            const struct session *s);
enum err cage_bind(const struct setup *s, struct arena *mem, struct str tool, struct str args,
                   struct str cwd, const struct rec_sandbox_override *more, struct setup_cage *ret,
                   struct error *err);

void effects_start(struct session *s, const struct due_effect *due);
void effects_heard(struct session *s, const struct event *ev); /* what a tool waits to be told */
void effects_reconcile(struct session *s);
void effects_durable(struct session *s); /* buffered pieces may go on */
void effects_drop(struct session *s);
/* The disk is full: models are told to stop, and what becomes due waits until effects_go_on(). */
void effects_close(struct engine *e);
void effects_go_on(struct engine *e);
/* The disk does not keep up (or does again): everything that brings bytes pauses. */
void effects_press(struct engine *e, bool is_pressed);
void effects_free(struct engine *e);
/* What a running call has printed so far, as long as it is too little for a file. */
bool effects_peek(struct engine *e, struct arena *mem, struct str output_ref, struct str *ret);

/* fanout.c */
struct subscription *fanout_subscribe(struct control *c, const struct control_stream *stream);
void fanout_resume(struct control *c, struct subscription *sub);
void fanout_unsubscribe(struct control *c, struct subscription *sub);
void fanout_publish(struct engine *e, const struct pending_slice *p);
void fanout_pump(struct engine *e); /* after a commit: subscribers get their events */
void fanout_end(struct engine *e, enum stream_end why);
void fanout_init(struct engine *e);
void fanout_free(struct engine *e);
/* Stored events were removed or erased: none that is kept in memory is served any more. */
void fanout_forget_recent(struct engine *e);
void fanout_session_leaves(struct session *s); /* it is about to be freed */
/* Does the envelope have this id?  An absent value is always there. */
bool event_has(struct str body, const char *key, struct str value);
/* Its record of a form, behind what out holds.  False: the form has no word for it, and nothing was added. */
bool event_tell(struct engine *e, enum event_form form, struct str body, struct buf *out,
                struct str *ret_name) MUST_USE;

/* channels.c */
struct control_channel *channel_enrol(struct control *c, const struct control_enrol *enrol);
void channel_stranger(struct control *c, struct str via);
void channel_leave(struct control *c, struct control_channel *ch, enum disconnect_cause cause);
uint64_t channel_acked(struct control *c, const struct control_channel *ch, struct str session_id);
/* The record of a caller's channel, or NULL; notes that it is bound to the session. */
const struct rec_channel *channel_of(struct engine *e, struct str channel_id);
void channel_bound(struct engine *e, struct str channel_id, struct session *s);
/* The channel that reconnect_channel speaks for; false: it is somebody else's. */
bool channel_adopt(struct request *r, const struct cmd_reconnect_channel *cmd);
struct str channel_token(struct engine *e, struct str channel_id);
void channel_ack(struct request *r, const struct cmd_ack_events *cmd);
/* How far each connected channel of a session has acknowledged; lives in the request. */
size_t channel_acks(struct request *r, struct str session_id, const struct view_ack **ret);
void channels_free(struct engine *e);

/* node.c */
void node_started(struct engine *e);
void node_stopping(struct engine *e);
void node_jumped(struct engine *e);

/* time.c */
void time_start(struct engine *e);
void time_look(struct engine *e);
void time_keep(struct engine *e); /* the anchor, in the store */
int64_t time_steady(struct engine *e);
/* The moment on the session's own clock. */
int64_t time_of(struct session *s);
/* Says that the wall clock was set, if that is not said yet; the second only where something may be due. */
bool time_align(struct session *s);
bool time_align_open(struct session *s);

/* room.c */
void room_look(struct engine *e, const struct error *why);
void room_stop(struct engine *e);

/* pressure.c */
void pressure_look(struct engine *e);
bool pressure_refuses(struct engine *e);
void pressure_stop(struct engine *e);

/* keep.c: what an operator does to a log */
void keep_trim(struct request *r, const struct cmd_trim_log *c);
void keep_erase(struct request *r, const struct cmd_erase_event *c);
void keep_rebuild(struct request *r, const struct cmd_rebuild_session *c);
bool keep_by_rule(struct session *s); /* true: it is being done */
void keep_go_on(struct engine *e);    /* with what was cut short */

/* upkeep.c */
void upkeep_start(struct engine *e);
void upkeep_rest(struct engine *e, struct str id, uint64_t seq);
void upkeep_go_on(struct engine *e);
void upkeep_free(struct engine *e);

/* rebuild.c: what follows from the log is made again, when it is missing; then money_start() */
void rebuild_start(struct engine *e);
void rebuild_free(struct engine *e);

/* anchor.c: heads of sessions, in the system session */
void anchor_start(struct engine *e);
void anchor_free(struct engine *e);
void anchor_heard(struct engine *e, const struct slice *slice); /* it is durable */
void anchor_now(struct engine *e);
/* Reads what sess_system has that was not read yet, then calls back. */
void anchor_learn(struct request *r, void (*then)(struct request *r));
/* The newest head of a session that an anchor names; false: none does. */
bool anchor_find(const struct engine *e, struct str session, uint64_t *ret_seq,
                 struct sha256 *ret_hash, uint64_t *ret_anchor);
/* The first event of sess_system whose leaves are missing or do not have its root; 0: none. */
uint64_t anchor_bad(const struct engine *e);

/* damage.c: what could not be read */
void damage_init(struct engine *e);
void damage_free(struct engine *e);
/* Told in the log when it is met first, and by get_capabilities from then on. */
void damage_note(struct engine *e, struct str session, uint64_t from, uint64_t to, const char *why);
/* The same of a read that was answered. */
void damage_of(struct engine *e, const struct store_read *read);
void damage_write(const struct engine *e, struct json_writer *w); /* an array */
/* What a request is told whose read failed so. */
enum error_code damage_code(const struct store_read *read);

/* output.c */
void output_read(struct request *r, const struct cmd_get_output *cmd);

#endif
