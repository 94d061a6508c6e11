#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H
/*
 * The one writer: it owns all live state and runs command → decide → append →
 * fold → view, and effects back to inputs.
 *
 * The engine has no loop and no thread.  Its owner calls engine_poll() when the
 * store, the blobs or the clock woke it, and engine_flush() once per iteration
 * of the loop: everything that was decided in between becomes one commit.
 */
#include "core/settings.h"
#include "ports/agents.h"
#include "ports/blob.h"
#include "ports/clock.h"
#include "ports/context.h"
#include "ports/control.h"
#include "ports/hook.h"
#include "ports/policy.h"
#include "ports/credentials.h"
#include "ports/provider.h"
#include "ports/signer.h"
#include "ports/store.h"
#include "ports/tool.h"
#include "ports/trace.h"

struct engine;
struct node_link;

struct engine_options {
	const struct config_values *config; /* the settings of the catalogue; outlives the engine */
	bool is_unattended; /* no user can be asked, even if the settings allow it */
	struct str workspace_id, cwd, home;
	struct str data_dir;     /* resolved; no work begins in it or below; may be absent */
	struct str worktree_dir; /* for worktrees of child agents; absent: none are created */
	struct str rules;        /* permission rules: a list in JSON, each with its source */
	struct str (*real)(void *owner, struct arena *mem,
	                   struct str path);            /* resolves links; may be NULL */
	bool (*runs_code)(void *owner, struct str dir); /* of a repository; core/settings.h */
	bool (*runs_hooks)(void *owner, struct str dir);
	struct str (*digest)(void *owner, struct arena *mem, struct str path); /* core/settings.h */
	const struct tz *(*zone)(void *owner, struct str name); /* may be NULL: UTC alone */
	void *zone_owner;
	/* of the program; events report its starts and stops.  Empty: none do */
	struct str version;
	struct str previous_failure; /* why the run before this one ended, when its store failed */
};

struct engine_ports {
	struct clock *clock;
	struct store *store;
	struct blobs *blobs;
	struct ledger *ledger;
	struct policy *policy;   /* rules in files; NULL: only settings.rules */
	struct context *context; /* NULL: no context is read for turns */
	struct provider **providers;
	size_t provider_count;
	struct credentials *credentials; /* keys that clients lend; NULL: none */
	struct toolset **toolsets;
	size_t toolset_count;
	struct tool_places *tool_places;      /* toolsets of directories; NULL: none */
	struct hooks *hooks;                  /* NULL: none */
	struct scrub *scrub;                  /* for the output of tools; NULL: no redaction */
	struct processes *processes;          /* in the background; NULL: none */
	struct signer *signer;                /* the signing key; NULL: nothing is signed */
	struct agents *agents;                /* remote ones, for display; NULL: none */
	const struct trace_documents *traces; /* for packs; NULL: they have no traces */
	struct node_link *link;               /* to other nodes; NULL: none is reached */
};

struct engine_hooks {
	/* Recovery is done: commands are accepted. */
	void (*ready)(void *owner);
	/* The store failed: everything acknowledged is durable; the process should end. */
	void (*fatal)(void *owner, const struct error *e);
	/*
	 * The owner's token: makes another one for all nodes, and names it; and takes the one that they
	 * have now, which may be the same.  May be NULL: there is none.
	 */
	enum err (*new_token)(void *owner, struct arena *mem, struct str *ret_id, struct error *e);
	void (*take_token)(void *owner);
	/* There is something to flush: call engine_flush() before sleeping. */
	void (*dirty)(void *owner);
	void *owner;
};

/* All arguments are borrowed and must outlive the engine. */
enum err engine_new(const struct engine_ports *ports, const struct engine_options *options,
                    const struct engine_hooks *hooks, struct engine **ret,
                    struct error *e) MUST_USE;

/* Finds sessions with open work, records what was lost, then calls ready. */
void engine_start(struct engine *e);
void engine_poll(struct engine *e);
void engine_flush(struct engine *e);

struct control *engine_control(struct engine *e);

/* The store has ended by itself: acknowledges nothing more, and calls `fatal`. */
void engine_store_failed(struct engine *e, const struct error *why);

/* No decision is pending, undurable or running: a good moment to stop. */
bool engine_is_quiet(const struct engine *e);

/* A process runs in the background. */
bool engine_has_processes(const struct engine *e);

/*
 * Other nodes of the store take over the work of this one.  False: there is nothing to hand over, and
 * the engine stops as it is.
 */
bool engine_leave(struct engine *e);
/* Stop it now: it has left, because of the call above or of drain_node. */
bool engine_has_left(struct engine *e);

/* Accepts no more commands; streams end.  Call poll and flush until quiet, then free. */
void engine_stop(struct engine *e);
/*
 * Before the ports are closed.  What they report while they close is taken, but no decision asks
 * the store any more.  NULL is fine.
 */
void engine_close(struct engine *e);
void engine_free(struct engine *e);

#endif
