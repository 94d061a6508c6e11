#ifndef ENGINE_STATE_H
#define ENGINE_STATE_H
/*
 * What the engine holds in memory.  Everything here is used on the loop alone.
 * Parts that belong to one file are declared in the header of that file.
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

struct sending;
struct source;

struct engine {
	struct control control;
	struct engine_ports ports;
	struct engine_options options;
	struct engine_hooks hooks;
	const struct listeners *listeners;
	const struct request_hooks *request_hooks;
	struct arena *mem; /* for as long as the engine lives */
	struct settings settings;
	struct arena *tools_mem; /* of setup.tools */
	struct list tool_places; /* struct tool_place: toolsets by directory */
	size_t tool_place_count;
	struct rec_execution_environment *environment; /* of the setup, until it was looked at */
	bool has_sandbox, has_looked; /* one was found; it was looked where somebody works */
	unsigned looks;
	uint64_t looked_in; /* the hash of the directory of the last look */
	struct str runtime_id;
	struct map sessions;       /* id → struct session */
	size_t conversation_bytes; /* of the conversations that are held */
	struct map tenants;        /* name → struct tenant, of task_slots.c */
	struct map asleep;         /* session id → struct asleep, of task_slots.c */
	int64_t running_tasks;
	struct list line_of_tasks; /* sessions that wait for room for a task */
	struct session *serving;   /* whose turn it is */
	struct clock_timer serving_timer;
	struct state *ledger_view; /* grants of the system session; setup.shared */
	struct list places;        /* struct policy_place: rules by directory */
	uint64_t beat;             /* turns of the loop */
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
	struct list dropped;       /* sessions that were dropped, to be read again */
	struct clock_timer come_back;
	struct maintenance maintenance;
	struct engine_time time;
	int64_t jumped_ms; /* by so much the wall clock jumped last */
	struct clock_timer room_timer;
	struct store_maintenance room_step;
	struct clock_timer throttle_timer;
	bool is_watching_throttle;
	bool is_throttled; /* more waits for commit than should: models and tools are paused */
	bool is_strict;    /* THOLE_STRICT=1: events are read back and compared */
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
	struct limits limits;     /* what providers said, over all sessions */
	struct ledger_view money; /* for the decision at hand */
	struct clock_timer room;  /* somebody made room */
	struct list held;         /* sessions that wait for it, in the order they came */
	/* counters */
	uint64_t commands, refusals, events, commits, live_effects, pending_calls;
	uint64_t hook_runs, hook_failures, hook_ms;
	int64_t started_ms;
	struct arena *scratch; /* one step */
	struct arena *folding; /* one event, while it is folded */
	struct arena *forms;   /* one event, while it is written in another format */
	struct buf line;       /* one envelope */
};

/* engine.c: something that the start waits for was read; the last one makes the runtime ready. */
void engine_start_moved(struct engine *e);

#endif
