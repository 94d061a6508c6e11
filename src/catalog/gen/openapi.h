/* Written by scripts/catalog.py from catalog/; do not edit. */
#ifndef CATALOG_GEN_OPENAPI_H
#define CATALOG_GEN_OPENAPI_H
#include <stddef.h>

/* docs/reference/openapi.json without white space and without texts on fields. */
extern const char openapi_json[]; /* ends with a NUL */
extern const size_t openapi_json_len; /* without it */

#endif
