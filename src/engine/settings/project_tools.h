#ifndef ENGINE_SETTINGS_PROJECT_TOOLS_H
#define ENGINE_SETTINGS_PROJECT_TOOLS_H
/*
 * Tools of a directory, shared by the sessions that work there, and of one session.
 */
#include "engine/engine_state.h"

/* A session works in a directory: opens its toolset. */
void project_tools_enter(struct engine *e, struct str cwd);
/* A turn begins there: the same, and checks its configuration again. */
void project_tools_renew(struct engine *e, struct str cwd, struct str session_id);
void project_tools_look(struct engine *e); /* the same for all directories */
/* The toolset of a directory; NULL: none. */
struct toolset *project_tools_at(const struct engine *e, struct str cwd);
/* The toolset of servers that a client named for the session; NULL: none. */
struct toolset *project_tools_attached(const struct engine *e, struct str session_id);
/*
 * ERR_INVALID, ERR_UNSUPPORTED, ERR_BUSY: these servers cannot be attached, and why.
 * owner: as in tool_places_ops.attach; !has_any: the session is to have none.
 */
enum err project_tools_check(const struct session *s, struct str owner, struct str servers,
                             bool has_any, struct error *err) MUST_USE;
/* Replaces the servers of the session; !has_any: by none. */
void project_tools_attach(struct session *s, struct str owner, struct str servers, bool has_any);
/* All toolsets, the global ones first. */
struct toolset_at {
	struct toolset *toolset;
	struct str cwd;
	struct str session_id; /* absent: not of one session */
};
size_t project_tools_list(const struct engine *e, struct arena *mem, struct toolset_at **ret);
/*
 * Adds the tools of the directory, and those of the session, behind the global ones.  Returns a
 * number that is another one when they change; 0: there are none.
 */
uint64_t project_tools_fill(const struct engine *e, struct str cwd, struct str session_id,
                            struct settings *s);
/* The tool of that name, as a session sees it; NULL: none. */
const struct tool_info *project_tools_of_session(const struct session *s, struct str name);
void project_tools_again(struct engine *e); /* the global tools have changed */
void project_tools_sweep(struct engine *e); /* closes those of directories without sessions */
void project_tools_free(struct engine *e);

#endif
