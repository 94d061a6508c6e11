#ifndef CORE_TOOL_TOOL_INFO_H
#define CORE_TOOL_TOOL_INFO_H
/*
 * A tool as everybody sees it: the toolset that offers it, the engine that
 * lists it and the decision that judges a call.  struct tool_info comes from
 * catalog/settings.json; the toolset fills in all fields but the last two.
 */
#include "catalog/catalog.h"
#include "catalog/gen/settings_record.h"

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
