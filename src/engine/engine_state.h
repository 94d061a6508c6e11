#ifndef ENGINE_STATE_H
#define ENGINE_STATE_H
/*
 * What the engine holds in memory.  Only the loop thread uses it.  Parts that
 * belong to one file are declared in the header of that file.
 */
#include "base/list.h"
#include "base/map.h"
#include "core/tool/call_input.h"
#include "core/turn/turn.h"
#include "core/view/view.h"
#include "engine/engine.h"
#include "engine/listeners.h"
#include "engine/maintenance/maintenance.h"
#include "engine/maintenance/recovery.h"
#include "engine/request/request.h"
#include "engine/session/clock.h"
#include "engine/session/commit.h"
#include "engine/session/deadlines.h"
#include "engine/session/session.h"
#include "engine/session/session_journal.h"

struct nodes;
struct orphans;
struct removals;
struct sending;
struct job_feed;

struct engine {
	struct control control;
	struct engine_ports ports;
	struct engine_options options;
	struct engine_hooks hooks;
	const struct listeners *listeners;
	const struct request_hooks *request_hooks;
	struct arena *mem; /* lives as long as the engine */
	/*
	 * What every decision sees.  Changes only between decisions: tools (toolsets.c), keys of
	 * models, the environment once it was probed.
	 */
	struct settings settings;
	struct settings_config config; /* settings.config */
	/* Records of settings that are stored (settings_record.c). */
	struct {
		uint64_t ticks;       /* the last number that was given */
		uint64_t now, stored; /* of the settings, and of those that are stored */
		bool is_late;         /* storing the last one failed, and was reported */
		struct list variants; /* struct settings_variant: settings of directories */
		size_t variant_count;
		struct list reread; /* struct reread: read back, in test runs */
		size_t reread_count;
	} record;
	struct arena *models_mem; /* of settings.models */
	uint64_t models_version;  /* of the providers' lists that it was made of */
	int64_t looked_for_local; /* when model servers of this machine were looked for; 0: never */
	struct arena *tools_mem;  /* of settings.tools */
	struct list tool_places;  /* struct tool_place: toolsets by directory */
	size_t tool_place_count;
	struct rec_execution_environment *environment; /* of the settings, until it was probed */
	/* a sandbox was found; the probe ran in a session's directory */
	bool has_sandbox, has_looked;
	bool has_full_sandbox; /* the strongest tier, with a workspace that can be written */
	unsigned looks;     /* probes so far; bounded, because a probe may start the supervisor */
	uint64_t looked_in; /* hash of the directory of the last probe */
	struct str runtime_id, environment_id;
	struct map sessions;       /* id → struct session */
	size_t conversation_bytes; /* of the cached conversations */
	struct map tenants;        /* name → struct tenant, of task_slots.c */
	struct map asleep;         /* session id → struct asleep, of task_slots.c */
	int64_t running_tasks;     /* over all sessions, in memory or not */
	uint64_t asked_others;     /* passes that asked other nodes for slots */
	struct list line_of_tasks; /* sessions that wait for a task slot */
	struct session *serving;   /* the one whose turn it is */
	struct clock_timer serving_timer;
	struct state *ledger_view; /* grants of the system session; settings.ledger_view */
	struct list places;        /* struct policy_place: rules by directory */
	uint64_t beat;             /* iterations of the loop */
	size_t place_count;
	struct list to_share, sharing; /* struct share: grants to copy there */
	struct map channels;           /* id → struct channel: connected now */
	struct {
		struct clock_timer timer; /* runs while refusals are only counted */
		int64_t count;            /* since the last report */
		char via[16];             /* of the last one */
		char address[64];         /* of the last one; empty: this machine */
		bool is_counting;
	} strangers;
	struct {
		struct list all;         /* struct holder, of holders.c */
		struct map by_hash;      /* the valid ones */
		unsigned bearers;        /* of them: bearers of tokens of issuers */
		struct list_str added;   /* issuers that came into the settings since the start */
		struct list_str dropped; /* ... and those that have left them */
		struct clock_timer timer;
	} holders;
	struct control_device_watch device_watch; /* changed is NULL: nothing watches */
	struct str secret;    /* of this installation: resume tokens and ids of sessions use it */
	struct map in_flight; /* idempotency key → struct request */
	struct map bringing;  /* an id chosen by a caller → struct request */
	struct pending_batch *filling; /* or NULL */
	unsigned batches;              /* submitted, not completed */
	struct list subscriptions;
	struct map audiences;     /* session id → struct audience, of fanout.c */
	struct list all_audience; /* struct subscription: of all sessions */
	struct list ready;        /* struct subscription: for the pump */
	struct clock_timer pump_timer;
	struct clock_timer until_timer; /* runs while a stream ends at a time */
	int64_t until_next_ms;          /* the first of them; 0: none */
	struct list recent;             /* struct recent: committed a moment ago */
	size_t recent_bytes;
	uint64_t published_position; /* of the last published event; 0: none yet */
	struct list requests;
	struct list early;         /* struct request: received before the runtime was ready */
	struct list gathers;       /* pending reads of context */
	struct list sendings;      /* pending deliveries */
	struct list worktree_runs; /* worktrees in preparation */
	struct list lost_runs;     /* comparisons after a crash (effects/lost_changes.c) */
	struct list runs;          /* struct effect_run: all of them */
	struct list processes;     /* struct process_run: in the background */
	struct list unsettled;     /* struct request: lists of them, until is_settled */
	struct list dropped;       /* sessions that were dropped, to be loaded again */
	struct clock_timer come_back;
	struct maintenance maintenance;
	struct list uploads;       /* struct upload: unused ones (resources/uploads.c) */
	struct list upload_owners; /* struct upload_owner */
	uint32_t upload_count;
	struct orphans *orphans;   /* packs to look up; NULL: done (evidence_orphans.c) */
	struct map removing;       /* id → struct request: sessions that are being deleted */
	struct removals *removals; /* what deleted sessions left, and the rule (removal_sweep.c) */
	uint64_t erasures;         /* since the start: who folded before has the erased content */
	struct engine_time time;   /* clock.c reads it, clock_jump.c writes it */
	int64_t jumped_ms;         /* size of the last jump of the wall clock */
	struct clock_timer room_timer;
	struct store_maintenance room_step;
	/* An unavailable store (resources/store_away.c). */
	struct clock_timer away_timer;
	bool is_away;
	int64_t away_since_ms;
	size_t left_requests;  /* reads that continue although their caller was answered */
	char store_text[1200]; /* why the runtime is not ready */
	struct clock_timer throttle_timer;
	bool is_watching_throttle;
	bool is_throttled; /* too much waits for commit: models and tools are paused */
	bool is_strict;    /* THOLE_STRICT=1: events are read back and compared */
	/*
	 * ready: recovery has listed the sessions, and commands are accepted.  stopping: nothing
	 * starts any more.  failed: the store has ended, and `failure` says why.  start_told: the
	 * start was recorded, so the stop will be.  Each is set once.
	 */
	bool is_ready, is_stopping, has_failed, is_start_told;
	bool is_leaving; /* other nodes take over its work: nothing begins (nodes/node_handover.h) */
	bool is_closing; /* engine_close(): the store is not asked any more */
	bool is_full;    /* no disk space: nothing is written until there is */
	struct error failure;
	unsigned recovering; /* reads that are left before ready */
	struct recovery recovery;
	struct rebuild *rebuild; /* derived rows are being rebuilt; NULL: they are complete */
	uint64_t rebuilt;        /* sessions whose rows were rebuilt */
	struct anchors *anchors; /* anchor.c; NULL: none are written */
	struct list damages;     /* struct damage: unreadable places in the log */
	size_t damage_count;
	bool is_settled;               /* unclaimed background processes were ended */
	bool are_slots_known;          /* running tasks are counted over all sessions */
	struct toolset *process_tools; /* the engine's own; NULL: none */
	struct toolset *output_tools, *skill_tools;
	struct store_read start_read;
	struct list by_use;   /* sessions in memory, the least recently used first */
	size_t session_bytes; /* their total size */
	struct clock_timer sweep;
	bool is_sweeping_soon;
	size_t evicted;         /* since memory was returned to the system */
	struct clock_timer due; /* the next deadline of a session outside memory */
	int64_t due_at;
	struct store_read due_read;
	bool is_asking_due;
	struct due_pass due_pass;
	struct limits limits;           /* reported by providers, over all sessions */
	struct ledger_view money;       /* for the current decision */
	struct clock_timer room;        /* another session released a reservation */
	struct clock_timer lease_timer; /* runs while effects wait for the lease of this node */
	struct list held;               /* sessions that wait for it, in order of arrival */
	/* Counters. */
	/* A stop waits until live_effects and pending_calls are 0. */
	uint64_t commands, refusals, events, commits, live_effects, pending_calls;
	uint64_t hook_runs, hook_failures, hook_ms;
	struct metrics *metrics; /* metrics.c */
	struct waits *waits;     /* waits.c */
	struct nodes *nodes;     /* nodes.c; NULL: this store has one node */
	int64_t started_ms;      /* wall clock */
	struct arena *scratch;   /* one step */
	struct arena *folding;   /* one event, while it is folded */
	struct arena *forms;     /* one event, while it is written in an export format */
	struct buf line;         /* one envelope */
	struct group group;      /* session_journal.c */
};

/* engine.c: a read that the start waits for has completed; the last one makes the runtime ready. */
void engine_start_moved(struct engine *e);

#endif
