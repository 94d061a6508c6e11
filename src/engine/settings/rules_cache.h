#ifndef ENGINE_SETTINGS_RULES_CACHE_H
#define ENGINE_SETTINGS_RULES_CACHE_H
/*
 * Rules of files as they are now, where a session works.
 */
#include "engine/engine_state.h"

/* The rules that apply in a directory, for every session that works there. */
void rules_cache_at(struct engine *e, struct str cwd, struct settings *mine);
/* The setup with the rules of files where the session works; is_asked: the files are read again. */
const struct settings *rules_cache_settings(struct session *s, struct arena *mem, bool is_asked);
void rules_cache_prepare(struct session *s, struct decision *d);
void rules_cache_free(struct engine *e);

#endif
