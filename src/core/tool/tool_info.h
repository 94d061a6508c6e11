#ifndef CORE_TOOL_TOOL_INFO_H
#define CORE_TOOL_TOOL_INFO_H
/*
 * A tool as everybody sees it: the toolset that offers it, the engine that
 * lists it and the decision that judges a call.  The toolset fills in all
 * fields but the last two.
 */
#include "catalog/catalog.h"

struct schema;

struct tool_info {
	struct str name, description;
	struct str native_name; /* the owner's name for it; absent: the same */
	struct str annotations; /* JSON: unverified claims of its owner; may be absent */
	/* SHA-256 of its definition, hexadecimal; absent: it never changes */
	struct str definition;
	bool is_changed;         /* differs from the pinned definition: allow rules do not apply */
	struct str input_schema; /* JSON Schema text */
	struct str capabilities; /* JSON array of words: read, write, network, shell, ... */
	enum tool_policy policy;
	struct str owner; /* local, mcp:NAME, ... */
	enum item_kind kind;
	bool is_read_only, is_concurrency_safe, is_destructive;
	bool asks_user; /* answered by a person through an action, not run by a toolset */
	/* runs in a sandbox: sandbox.applied marks its start, otherwise tool.progress does */
	bool is_sandboxed;
	bool is_command;    /* has a process; its argument `command` is a shell line */
	bool is_background; /* the command outlives its call: ports/process.h */
	enum interrupt_behavior interrupt;
	int64_t timeout_ms;  /* 0: the default of the settings */
	struct str host;     /* the only one that it reaches; absent: its arguments name it */
	struct str only_for; /* the provider whose models get it; absent: all */
	/* the core runs it on its state (agent_tool.h); absent: a toolset does */
	enum own_tool own;
	const struct schema *schema; /* input_schema compiled by the engine; NULL before */
};

/* The sandbox of one call. */
struct tool_sandbox {
	enum sandbox_mode mode;
	struct str tier; /* a name of docs/explanation/sandbox.md */
	bool is_degraded;
	struct str reason; /* why it is weaker than requested */
	struct rec_sandbox_profile *profile;
	struct str shell; /* runs the command; absent: there is no shell */
};

/* Each call has its own sandbox; a tool server runs in one for all its calls. */
static inline bool tool_is_sandboxed_by_call(const struct tool_info *t)
{
	return t->is_sandboxed && !str_is(t->definition);
}

#endif
