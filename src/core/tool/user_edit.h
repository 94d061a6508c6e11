#ifndef CORE_TOOL_USER_EDIT_H
#define CORE_TOOL_USER_EDIT_H
/*
 * Changes that a user made to files of a session's directory (edit_files).
 *
 * They belong to no turn.  The events have the old content like those of a
 * tool's changes, so a later undo reverts them too.
 */
#include "core/decision.h"
#include "core/io.h"

/* Emits one artifact.changed per file; refs of the contents are made here. */
void user_edit_record(struct decision *d, const struct tool_change *changes, size_t count,
                      struct str reason);

#endif
