#ifndef ENGINE_SETTINGS_PROJECT_TOOLS_H
#define ENGINE_SETTINGS_PROJECT_TOOLS_H
/*
 * Tools that a directory brings, shared by the sessions that work there.
 */
#include "engine/engine_state.h"

/* Somebody works in a directory: what it brings is there from now on, or comes soon. */
void project_tools_enter(struct engine *e, struct str cwd);
/* A turn begins there: the same, and what it brings is what it says now. */
void project_tools_renew(struct engine *e, struct str cwd);
void project_tools_look(struct engine *e); /* the same for all of them */
/* The toolset that a directory has brought; NULL: none. */
struct toolset *project_tools_at(const struct engine *e, struct str cwd);
/* All of them, those that are everywhere first. */
struct toolset_at {
	struct toolset *toolset;
	struct str cwd;
};
size_t project_tools_list(const struct engine *e, struct arena *mem, struct toolset_at **ret);
/* Its tools behind those that are everywhere; false: it has none of its own. */
bool project_tools_fill(const struct engine *e, struct str cwd, struct settings *s);
/* The tool of that name, as a session sees it; NULL: none. */
const struct settings_tool *project_tools_of_session(const struct session *s, struct str name);
void project_tools_again(struct engine *e); /* those that are everywhere are others now */
void project_tools_sweep(struct engine *e); /* leaves those where nobody works */
void project_tools_free(struct engine *e);

#endif
