#ifndef ENGINE_SETTINGS_TOOLSETS_H
#define ENGINE_SETTINGS_TOOLSETS_H
/*
 * The tools that there are everywhere, taken from the toolsets.
 */
#include "engine/engine_state.h"

enum err toolsets_take(struct engine *e, struct error *err) MUST_USE;
void toolsets_free(struct engine *e);
void toolsets_watch(struct engine *e);
bool toolsets_are_coming(const struct engine *e, struct str cwd);
bool toolsets_have(const struct settings_tool *tools, size_t count, struct str name);
/* The tool as the setup has it; its schema is the caller's to free. */
enum err toolsets_read(struct arena *mem, const struct tool_info *i, struct settings_tool *ret,
                       struct error *err) MUST_USE;

/* The toolset that has a tool, where somebody works; NULL: none. */
struct toolset *toolsets_find(const struct engine *e, struct str cwd, struct str name);

#endif
