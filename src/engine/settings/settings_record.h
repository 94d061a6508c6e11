#ifndef ENGINE_SETTINGS_SETTINGS_RECORD_H
#define ENGINE_SETTINGS_SETTINGS_RECORD_H
/*
 * The record of the setup, which every turn names.
 */
#include "engine/engine_state.h"

/* The record of the setup as it is now: kept, and named from now on. */
enum err settings_record_keep(struct engine *e, struct error *err) MUST_USE;
/* The ref of a setup that is another one only in its tools. */
enum err settings_record_of(struct engine *e, const struct settings *s, struct arena *keep,
                            struct str *ret, struct error *err) MUST_USE;

#endif
