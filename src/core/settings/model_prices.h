#ifndef CORE_SETTINGS_MODEL_PRICES_H
#define CORE_SETTINGS_MODEL_PRICES_H
/*
 * Prices of models from the table of the settings.
 */
#include "base/json.h"
#include "core/settings.h"

/*
 * Sets m->prices: those of info, then those of the table `prices` for this model; for the same day
 * the table's count.  Texts of the table live on in the result.
 */
enum err model_prices_take(struct arena *mem, struct json prices, const struct model_info *info,
                           struct model_info *m, struct error *err) MUST_USE;

#endif
