/* Records what a user changed in files, as events that belong to no turn. */
#include "core/tool/user_edit.h"

#include "core/tool/tool_emit.h"

void user_edit_record(struct decision *d, const struct tool_change *changes, size_t count,
                      struct str reason)
{
	for (size_t i = 0; i < count; i++) {
		tool_emit_change(d, &changes[i])->status_reason = reason;
	}
}
