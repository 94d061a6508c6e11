#ifndef CORE_SETTINGS_H
#define CORE_SETTINGS_H
/*
 * What decisions may use besides the folded state: an immutable copy of the
 * configuration, taken when it was loaded and stored behind configRef.  A turn
 * names the copy under which it was submitted.
 */
#include "catalog/catalog.h"
#include "catalog/gen/config_values.h"
#include "core/hook/hook_info.h"
#include "core/routing/model_info.h"
#include "core/tool/tool_info.h"

struct rules;
struct tz;
struct state;

/* Tasks that agents may run at once: per session, per tenant, in all.  0: no limit. */
struct settings_tasks {
	int64_t session, tenant, runtime;
};

/* Caps in 1e-9 dollars; 0: none. */
struct settings_caps {
	int64_t request, turn, task, session, day, tenant;
	int64_t overrun;     /* factor by which a request may exceed its estimate */
	int64_t low_percent; /* share at which quota.low is emitted */
};

struct settings {
	const struct config_values *config; /* the settings of the catalogue, as they were given */
	struct str runtime_id;
	struct str config_ref;    /* where this copy is stored */
	struct str inventory_ref; /* where the tool inventory is stored */
	struct str prompt_ref;    /* where the built-in system prompt is stored */
	struct str workspace_id;
	struct str cwd;      /* where the runtime was started */
	struct str data_dir; /* resolved; no work begins in it or below; may be absent */
	/* cwd is the data directory or the root: no work begins there by default */
	bool is_cwd_private;
	struct str worktree_dir;   /* for worktrees of child agents; absent: there are none */
	struct str home;           /* of the user, for ~ in commands and rules; may be absent */
	const struct rules *rules; /* of host, user and project; may be NULL */
	/* names exactly those, when they come from files that may change */
	struct str rules_ref;
	struct str rules_trouble; /* why a file of rules is not used; or absent */
	/* holds the grants with a scope beyond a session; may be NULL */
	const struct state *ledger_view;
	const struct state *session; /* the session of the decision: its own rules; NULL: none */
	/*
	 * Resolves a path.  This is the only query of a decision to the outside; the event records
	 * the result (pathCheck.resolved).  NULL: paths are taken as they are written.
	 */
	struct str (*real)(void *owner, struct arena *mem, struct str path);
	/* Hash of a file's content, in hex; absent: no such plain file.  May be NULL. */
	struct str (*digest)(void *owner, struct arena *mem, struct str path);
	/* Does git run programs that this repository names?  NULL: not checked. */
	bool (*runs_code)(void *owner, struct str dir);
	bool (*runs_hooks)(void *owner, struct str dir); /* may be NULL */
	/*
	 * A time zone by its name; NULL: unknown.  The result does not change while the settings
	 * live.
	 */
	const struct tz *(*zone)(void *owner, struct str name);
	void *zone_owner;
	const struct rec_execution_environment *environment;
	bool is_sandbox_known; /* environment shows the sandbox that was found, or that none was */
	const struct model_info *models;
	size_t model_count;
	const struct tool_info *tools;
	size_t tool_count;
	const struct hook_info *hooks; /* in call order */
	size_t hook_count;
	struct str model; /* "provider/model" or "model" requested by the settings; absent: any */
	enum permission_mode mode;
	bool is_interactive; /* a person can be asked */
	int64_t action_timeout_ms;
	int64_t question_timeout_ms;
	int64_t retry_max, retry_base_ms, retry_wait_max_ms, retry_budget_ms;
	struct settings_caps caps;
	struct settings_tasks tasks;
	bool reads_context; /* files are read before a turn is prepared */
	int64_t max_steps;  /* model requests a turn may make */
	enum delivery on_busy;
	int64_t fold_version;
	/*
	 * The sandbox of a call: a pure function while the settings live.  NULL: there are no
	 * sandboxes. args may be absent; more is what a person granted beyond the usual, or NULL.
	 */
	enum err (*bind)(const struct settings *s, struct arena *mem, struct str tool,
	                 struct str args, struct str cwd, const struct rec_sandbox_override *more,
	                 struct tool_sandbox *ret, struct error *e);
	void *bind_owner;
};

/* NULL when the settings have no tool of that name. */
const struct tool_info *decision_settings_tool(const struct settings *s, struct str name);
/* Is it offered to models of this provider? */
bool decision_settings_tool_is_for(const struct tool_info *t, struct str provider);
size_t decision_settings_tools_for(const struct settings *s, struct str provider); /* how many */
/* Does a tool server own it that is in this list of names? */
bool decision_settings_tool_is_off(const struct tool_info *t, const struct list_str *servers);
const struct model_info *decision_settings_model(const struct settings *s, struct str provider,
                                                 struct str model);
/* The price at this moment; NULL: unknown. */
const struct model_price *decision_price_at(const struct model_info *m, int64_t now);
const struct hook_info *hook_in_settings(const struct settings *s, struct str ref);

#endif
