/* Written by scripts/catalog.py from catalog/; do not edit. */

#ifndef CATALOG_GEN_SETTINGS_H
#define CATALOG_GEN_SETTINGS_H
#include "catalog/rec.h"

enum setting_type { SETTING_STR, SETTING_INT, SETTING_REAL, SETTING_BOOL, SETTING_ENUM, SETTING_LIST, SETTING_JSON };

struct setting {
	struct str key, doc, env;
	enum setting_type type;
	bool is_built;
	struct str otherwise; /* its default as JSON */
	const struct enum_desc *words;
	int64_t min, max; /* of a number */
	struct str project; /* what a project's file may set it to, JSON: true, or values, the strictest last */
};
extern const struct setting settings[];
extern const size_t setting_count;

#endif
