#ifndef ENGINE_SETTINGS_TOOLSETS_H
#define ENGINE_SETTINGS_TOOLSETS_H
/*
 * The global tools, read from the toolsets.
 */
#include "engine/engine_state.h"

enum err toolsets_take(struct engine *e, struct error *err) MUST_USE;
void toolsets_free(struct engine *e);
void toolsets_watch(struct engine *e);
bool toolsets_are_coming(const struct engine *e, struct str cwd, struct str session_id);
bool toolsets_have(const struct tool_info *tools, size_t count, struct str name);
/* The tool in the form of the settings; the caller frees its schema. */
enum err toolsets_read(struct arena *mem, const struct tool_info *i, struct tool_info *ret,
                       struct error *err) MUST_USE;

/* The toolset that has a tool, for a session in a directory; NULL: none. */
struct toolset *toolsets_find(const struct engine *e, struct str cwd, struct str session_id,
                              struct str name);

#endif
