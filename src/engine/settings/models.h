#ifndef ENGINE_SETTINGS_MODELS_H
#define ENGINE_SETTINGS_MODELS_H
/*
 * The models of all providers, added to the settings with their prices, and the
 * keys that clients lend to sessions.
 *
 * Providers may learn further models while the runtime runs; the settings then
 * get a new array between two decisions.
 */
#include "engine/engine_state.h"

enum err models_take(struct engine *e, struct error *err) MUST_USE;
void models_free(struct engine *e);

/* Takes over new models, and which models have a key now. */
void models_look_for_keys(struct engine *e);

/* Offers "PROVIDER/MODEL" if that provider takes names that it has not listed. */
void models_admit(struct engine *e, struct str name);

/* The same for the names in the settings, which may name what a server does not list, as a turn may. */
void models_admit_named(struct engine *e);

/* False: a model of a provider without settings and without a key. */
bool models_is_shown(const struct model_info *m, const struct str *lent, size_t lent_count);

/* Can any model but the stand-in be asked?  lent: providers whose key a client lent. */
bool models_is_any_usable(const struct engine *e, const struct str *lent, size_t lent_count);

/* ---- listeners ---- */

/* Adds the providers whose key was lent to the session. */
void models_prepare(struct session *s, struct decision *d);
/* Names that open turns use are offered again after a restart. */
void models_load(struct session *s, enum load_phase phase);
/* A command that begins work: the session gets the keys that its client lent. */
bool models_gather(struct request *r);

#endif
