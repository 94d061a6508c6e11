#ifndef ENGINE_SETTINGS_SANDBOX_PROBE_H
#define ENGINE_SETTINGS_SANDBOX_PROBE_H
/*
 * Which sandbox commands get here: looked for where somebody works, once it is needed; and what
 * rules and people add to it for one call.
 */
#include "engine/engine_state.h"

/* Which sandbox commands get, as far as it is not known yet; s says where it is looked. */
void sandbox_probe_prepare(struct session *s, struct decision *d);
void sandbox_probe_look(struct engine *e, const struct session *s);
/* What a person gave a call beyond its sandbox, as a toolset reads it; absent: nothing. */
struct str sandbox_probe_override_text(struct arena *mem, const struct rec_sandbox_override *more);
/* Paths that rules deny to that tool (absent: to any), for tool_start.deny; absent: none. */
struct str sandbox_probe_denies(struct arena *mem, const struct settings *s, struct str tool,
                                struct str cwd);
/*
 * The same for any tool, told to toolsets whose sandboxes stand already, and returned; s may be
 * NULL.
 */
struct str sandbox_probe_renew_denies(struct engine *e, struct arena *mem, struct str cwd,
                                      const struct session *s);
enum err sandbox_probe_bind(const struct settings *s, struct arena *mem, struct str tool,
                            struct str args, struct str cwd,
                            const struct rec_sandbox_override *more, struct settings_sandbox *ret,
                            struct error *err);

#endif
