#ifndef ENGINE_SETTINGS_SETTINGS_RECORD_H
#define ENGINE_SETTINGS_SETTINGS_RECORD_H
/*
 * The record of the settings, which every turn names.
 */
#include "engine/engine_state.h"

/* Stores the record of the current settings, which turns name from now on. */
enum err settings_record_keep(struct engine *e, struct error *err) MUST_USE;
/* Stores the built-in system prompt, which turns name from now on. */
enum err settings_record_prompt(struct engine *e, struct error *err) MUST_USE;
/* The ref of settings that differ only in their tools. */
enum err settings_record_of(struct engine *e, const struct settings *s, struct arena *keep,
                            struct str *ret, struct error *err) MUST_USE;

#endif
