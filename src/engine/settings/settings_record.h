#ifndef ENGINE_SETTINGS_SETTINGS_RECORD_H
#define ENGINE_SETTINGS_SETTINGS_RECORD_H
/*
 * Stores the record of the settings that decisions use.
 *
 * At every decision settings.config_ref names exactly the settings that the
 * decision reads.  The record is written when they have changed, not when they
 * are used: code that changes them calls settings_record_changed().
 */
#include "engine/engine_state.h"

/* Recorded members of e->settings have changed; the next look stores them. */
void settings_record_changed(struct engine *e);
/* Another number with every call: of the settings, or of the tools of a directory. */
uint64_t settings_record_tick(struct engine *e);

/* Names and stores the current settings unless that was done. */
void settings_record_look(struct engine *e);
/* Stores the built-in system prompt, which turns name from now on. */
enum err settings_record_prompt(struct engine *e, struct error *err) MUST_USE;
/* Stores a text behind its ref; a failure is logged. */
void settings_record_rules(struct engine *e, struct str ref, struct str text);

/*
 * Settings of a directory, which has tools of its own (their tick; 0: none) or hooks (the last
 * hook_count of the settings).  Names their record; lives in mem or with the engine.
 */
void settings_record_fill(struct engine *e, struct arena *mem, uint64_t tools, size_t hook_count,
                          struct settings *mine);
void settings_record_free(struct engine *e);

#endif
