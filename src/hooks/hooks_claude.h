#ifndef HOOKS_HOOKS_CLAUDE_H
#define HOOKS_HOOKS_CLAUDE_H
/*
 * Hook settings in the format of Claude Code (.claude/settings.json), for projects that have them
 * already: points, matchers and names of tools are translated.  Pure.
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

/* What such a hook reads: tool_name and tool_input as its author knows them. */
struct str hooks_claude_input(struct arena *mem, struct str input);
/* Its answer in our words: a changed input may have its author's names. */
struct str hooks_claude_output(struct arena *mem, struct str output);

#endif
