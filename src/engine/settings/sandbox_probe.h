#ifndef ENGINE_SETTINGS_SANDBOX_PROBE_H
#define ENGINE_SETTINGS_SANDBOX_PROBE_H
/*
 * The sandbox of commands: probed in a session's directory when it is first
 * needed; and what rules and approvals change in it for one call.
 */
#include "engine/engine_state.h"

/* Probes the sandbox of commands if it is not known yet, in the directory of s. */
void sandbox_probe_prepare(struct session *s, struct decision *d);
void sandbox_probe_look(struct engine *e, const struct session *s);
/*
 * The access that a person granted a call beyond its sandbox, as a toolset reads it; absent: none.
 */
struct str sandbox_probe_override_text(struct arena *mem, const struct rec_sandbox_override *more);
/* Paths that rules deny to that tool (absent: to any), for tool_start.deny; absent: none. */
struct str sandbox_probe_denies(struct arena *mem, const struct settings *s, struct str tool,
                                struct str cwd);
/* The same for any tool; also informs toolsets with running sandboxes.  s may be NULL. */
struct str sandbox_probe_renew_denies(struct engine *e, struct arena *mem, struct str cwd,
                                      const struct session *s);
enum err sandbox_probe_bind(const struct settings *s, struct arena *mem, struct str tool,
                            struct str args, struct str cwd,
                            const struct rec_sandbox_override *more, struct tool_sandbox *ret,
                            struct error *err);

#endif
