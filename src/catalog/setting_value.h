#ifndef CATALOG_SETTING_VALUE_H
#define CATALOG_SETTING_VALUE_H
/*
 * Settings by name, and whether a value fits its row.
 */
#include "base/json.h"
#include "catalog/gen/settings.h"

/* Its place in settings[]; -1: there is none. */
ptrdiff_t setting_value_find(struct str key) MUST_USE;
/* The type only; setting_value_in_bounds() compares the value. */
bool setting_value_fits(const struct setting *s, struct json v) MUST_USE;
bool setting_value_in_bounds(const struct setting *s, struct json v) MUST_USE;

#endif
