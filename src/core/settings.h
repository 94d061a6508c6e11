#ifndef CORE_SETTINGS_H
#define CORE_SETTINGS_H
/*
 * What decisions may use besides the folded state: an immutable copy of the
 * configuration, taken when it was loaded and stored behind configRef.  A turn
 * names the copy under which it was submitted.
 */
#include "catalog/catalog.h"
#include "catalog/gen/config_values.h"

struct rules;
struct tz;
struct state;

/* The price of a million tokens from a day on, in 1e-9 dollars. */
struct settings_price {
	int64_t from_ms;
	struct str from; /* as it was written; may be absent */
	int64_t input, cached_input, cache_write, output;
	enum price_source source;
};

struct settings_model {
	struct str provider, model;
	struct str base_url;                 /* where requests go; absent: in this process */
	struct str capabilities;             /* JSON array of words */
	const struct settings_price *prices; /* oldest first; none: the price is not known */
	size_t price_count;
	int64_t window_tokens, max_output_tokens;
	int64_t timeout_ms; /* of a request; 0: no bound */
	bool has_credential;
	bool is_local;     /* no data leaves the machine */
	bool by_name_only; /* used as a fallback only where the chain names it */
};

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

struct settings_tool {
	struct str name, description, input_schema;
	struct str native_name;  /* the owner's name for it; absent: the same */
	struct str annotations;  /* JSON: hints of its owner; may be absent */
	struct str definition;   /* its hash; absent: it does not change */
	bool is_changed;         /* since it was pinned */
	struct str capabilities; /* JSON array of words */
	enum tool_policy policy;
	struct str owner;
	enum item_kind kind;
	bool is_read_only, is_concurrency_safe, is_destructive, asks_user;
	/* runs in a sandbox: sandbox.applied marks its start, otherwise tool.progress */
	bool is_sandboxed;
	bool is_command;    /* has a process; its argument `command` is a shell line */
	bool is_background; /* the command outlives its call */
	enum interrupt_behavior interrupt;
	/* the core runs it on its state (agent_tool.h); absent: a toolset does */
	enum own_tool own;
	int64_t timeout_ms;
	struct str only_for;         /* the provider whose models get it; absent: all */
	const struct schema *schema; /* input_schema compiled, or NULL */
};

struct settings_hook {
	struct str ref; /* hook:user:notify */
	enum hook_point point;
	enum hook_handler kind;
	struct str match; /* names of tools separated by |, * at the end of one; absent: all */
	int64_t timeout_ms;
	enum fail_policy on_failure;
	enum hook_trust trust;
};

/* The sandbox of one call. */
struct settings_sandbox {
	enum sandbox_mode mode;
	struct str tier;
	bool is_degraded;
	struct str reason;
	struct rec_sandbox_profile *profile;
	struct str shell; /* absent: none */
};

struct settings {
	const struct config_values *config; /* the settings of the catalogue, as they were given */
	struct str runtime_id;
	struct str config_ref;    /* where this copy is stored */
	struct str inventory_ref; /* where the tool inventory is stored */
	struct str workspace_id, cwd;
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
	const struct settings_model *models;
	size_t model_count;
	const struct settings_tool *tools;
	size_t tool_count;
	const struct settings_hook *hooks; /* in call order */
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
	                 struct settings_sandbox *ret, struct error *e);
	void *bind_owner;
};

/* Each call has its own sandbox; a tool server runs in one for all its calls. */
static inline bool tool_is_sandboxed_by_call(const struct settings_tool *t)
{
	return t->is_sandboxed && !str_is(t->definition);
}

/* NULL when the settings have no tool of that name. */
const struct settings_tool *decision_settings_tool(const struct settings *s, struct str name);
/* Is it offered to models of this provider? */
bool decision_settings_tool_is_for(const struct settings_tool *t, struct str provider);
size_t decision_settings_tools_for(const struct settings *s, struct str provider); /* how many */
const struct settings_model *decision_settings_model(const struct settings *s, struct str provider,
                                                     struct str model);
/* The price at this moment; NULL: unknown. */
const struct settings_price *decision_price_at(const struct settings_model *m, int64_t now);
const struct settings_hook *hook_in_settings(const struct settings *s, struct str ref);

#endif
