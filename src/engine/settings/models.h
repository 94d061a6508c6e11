#ifndef ENGINE_SETTINGS_MODELS_H
#define ENGINE_SETTINGS_MODELS_H
/*
 * Models of the settings, taken into the setup with their prices.
 */
#include "engine/engine_state.h"

enum err models_take(struct engine *e, struct error *err) MUST_USE;
/* Whether models have a key is not part of the setup's record: keys come and go meanwhile. */
void models_look_for_keys(struct engine *e);

#endif
