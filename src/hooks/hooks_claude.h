#ifndef HOOKS_HOOKS_CLAUDE_H
#define HOOKS_HOOKS_CLAUDE_H
/*
 * Hook settings in the format of Claude Code (.claude/settings.json), for projects that have them
 * already: points, matchers and names of tools are translated.  Pure, except for hooks_claude_tell().
 *
 *	{"hooks": {"PreToolUse": [{"matcher": "Bash|Edit",
 *	                           "hooks": [{"type": "command", "command": "x", "timeout": 60}]}]}}
 */
#include "base/json.h"

/*
 * The same as points of our own format.  What cannot be translated is left out; *ret_left says
 * what, one line each, or is empty.
 */
struct json hooks_claude_points(struct arena *mem, struct json hooks, struct str *ret_left);

/* Writes these lines to the operator's log, with where the hooks come from. */
void hooks_claude_tell(struct str where, struct str left);

/*
 * The hooks of .claude/settings.json and of settings.local.json as one text {"hooks": ...}; each may
 * be absent.  The text of a file that alone has hooks stays as it is.  Absent: there are none, or
 * disableAllHooks of a file turns them off.
 */
struct str hooks_claude_text(struct arena *mem, struct str shared, struct str local);

/* What such a hook reads: tool_name and tool_input as its author knows them. */
struct str hooks_claude_input(struct arena *mem, struct str input);
/* Its answer in our words: a changed input may have its author's names. */
struct str hooks_claude_output(struct arena *mem, struct str output);

#endif
