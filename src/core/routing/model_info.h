#ifndef CORE_ROUTING_MODEL_INFO_H
#define CORE_ROUTING_MODEL_INFO_H
/*
 * A model that a provider offers: a candidate of the routing.  The provider
 * fills it in with its own price; the engine adds the prices of the settings.
 * struct model_info and struct model_price come from catalog/settings.json;
 * a price is that of a million tokens from a day on, in 1e-9 dollars.
 */
#include "catalog/gen/settings_record.h"

#endif
