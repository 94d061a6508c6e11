#ifndef CORE_SETTINGS_H
#define CORE_SETTINGS_H
/*
 * What decisions may rely on besides the folded state: an immutable picture
 * of the configuration, taken when it was loaded and kept behind configRef.
 * A turn names the picture that it was submitted under.
 */
#include "catalog/catalog.h"
#include "catalog/gen/config_values.h"

struct rules;
struct tz;
struct state;

/* What a million tokens cost from a day on, in 1e-9 dollars. */
struct settings_price {
	int64_t from_ms;
	struct str from; /* as it was written; may be absent */
	int64_t input, cached_input, cache_write, output;
	enum price_source source;
};

struct settings_model {
	struct str provider, model;
	struct str base_url;                 /* where it is asked; absent: in this process */
	struct str capabilities;             /* JSON array of words */
	const struct settings_price *prices; /* oldest first; none: the price is not known */
	size_t price_count;
	int64_t window_tokens, max_output_tokens;
	int64_t timeout_ms; /* of a request; 0: no bound */
	bool has_credential;
	bool is_local;     /* nothing leaves the machine */
	bool by_name_only; /* steps in for another only where the chain names it */
};

/* Tasks that agents carry out together: of a session, of a tenant, of all.  0: no bound. */
struct settings_tasks {
	int64_t session, tenant, runtime;
};

/* Caps in 1e-9 dollars; 0: none. */
struct settings_caps {
	int64_t request, turn, task, session, day, tenant;
	int64_t overrun;     /* times its estimate that a request may cost */
	int64_t low_percent; /* share at which quota.low is said */
};

struct settings_tool {
	struct str name, description, input_schema;
	struct str native_name;  /* as its owner calls it; absent: the same */
	struct str annotations;  /* JSON: hints of its owner; may be absent */
	struct str definition;   /* its hash; absent: it does not change */
	bool is_changed;         /* since it was pinned */
	struct str capabilities; /* JSON array of words */
	enum tool_policy policy;
	struct str owner;
	enum item_kind kind;
	bool is_read_only, is_concurrency_safe, is_destructive, asks_user;
	bool is_sandboxed; /* runs in a cage: sandbox.applied is its mark, otherwise tool.progress */
	bool is_command;   /* has a process of its own; its argument `command` is a shell line */
	bool is_background; /* that goes on when the call has ended */
	enum interrupt_behavior interrupt;
	enum own_tool
		own; /* the core answers it from its state (agent_tool.h); absent: a toolset does */
	int64_t timeout_ms;
	struct str only_for;         /* the provider whose models are offered it; absent: all */
	const struct schema *schema; /* input_schema compiled, or NULL */
};

struct settings_hook {
	struct str ref; /* hook:user:notify */
	enum hook_point point;
	enum hook_handler kind;
	struct str match; /* names of tools with | between them, * at the end of one; absent: all */
	int64_t timeout_ms;
	enum fail_policy on_failure;
	enum hook_trust trust;
};

/* The boundary that one call will have. */
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
	struct str config_ref;    /* where this picture is kept */
	struct str inventory_ref; /* where the tool inventory is kept */
	struct str workspace_id, cwd;
	struct str worktree_dir;   /* where worktrees of child agents go; absent: nowhere */
	struct str home;           /* of the user, for ~ in commands and rules; may be absent */
	const struct rules *rules; /* of host, user and project; may be NULL */
	struct str rules_ref;      /* of exactly those, when they stand in files that may change */
	struct str rules_trouble;  /* why a file of them is not used as it stands; or absent */
	const struct state
		*ledger_view;        /* holds the grants that reach beyond a session; may be NULL */
	const struct state *session; /* that is decided about: its own rules; NULL: none */
	/*
	 * Where a path really leads.  The one thing that a decision asks the
	 * world outside; what it heard stands in the fact (pathCheck.resolved).
	 * NULL: paths are taken as they are written.
	 */
	struct str (*real)(void *owner, struct arena *mem, struct str path);
	/* Hash of what a file holds, in hex; absent: it is not there, or no plain file.  May be NULL. */
	struct str (*digest)(void *owner, struct arena *mem, struct str path);
	/* The same of a repository: does git run programs that it names?  NULL: not asked. */
	bool (*runs_code)(void *owner, struct str dir);
	bool (*runs_hooks)(void *owner, struct str dir); /* may be NULL */
	/* A time zone by its name; NULL: there is none.  Always the same for as long as the setup lives. */
	const struct tz *(*zone)(void *owner, struct str name);
	void *zone_owner;
	const struct rec_execution_environment *environment;
	const struct settings_model *models;
	size_t model_count;
	const struct settings_tool *tools;
	size_t tool_count;
	const struct settings_hook *hooks; /* in the order in which they are asked */
	size_t hook_count;
	struct str model; /* "provider/model" or "model" asked for by the settings; absent: any */
	enum permission_mode mode;
	bool is_interactive; /* somebody may be asked */
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
	 * The cage of a call of a caged tool: a pure function for as long as the
	 * setup lives.  NULL: there are no cages.  args may be absent; more is what
	 * a person gave beyond the usual, or NULL.
	 */
	enum err (*bind)(const struct settings *s, struct arena *mem, struct str tool,
	                 struct str args, struct str cwd, const struct rec_sandbox_override *more,
	                 struct settings_sandbox *ret, struct error *e);
	void *bind_owner;
};

/* Each call has a cage of its own; that of a tool server stands already. */
static inline bool tool_is_sandboxed_by_call(const struct settings_tool *t)
{
	return t->is_sandboxed && !str_is(t->definition);
}

/* NULL when the setup has none of that name. */
const struct settings_tool *decision_settings_tool(const struct settings *s, struct str name);
/* Whether models of this provider are offered it. */
bool decision_settings_tool_is_for(const struct settings_tool *t, struct str provider);
size_t decision_settings_tools_for(const struct settings *s, struct str provider); /* how many */
const struct settings_model *decision_settings_model(const struct settings *s, struct str provider,
                                                     struct str model);
/* The price that holds at this moment; NULL: not known. */
const struct settings_price *decision_price_at(const struct settings_model *m, int64_t now);
const struct settings_hook *hook_in_settings(const struct settings *s, struct str ref);

#endif
