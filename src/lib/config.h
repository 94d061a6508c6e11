#ifndef LIB_CONFIG_H
#define LIB_CONFIG_H
/*
 * Settings, resolved.  Later layers win: defaults of the catalogue, files,
 * THOLE_* of the environment, the options text.  A key that the catalogue
 * does not know, one that this build does not use yet, or a value of the
 * wrong type is an error that names the layer and the key.
 *
 * Keys may be written flat ("action.timeout_s": 5) or nested
 * ("action": {"timeout_s": 5}).
 */
#include "base/json.h"

struct config;

struct config *config_new(void);
void config_free(struct config *c);

/* text: a JSON object, comments allowed; layer names it in errors. */
enum err config_add(struct config *c, struct str layer, struct str text, struct error *e) MUST_USE;
enum err config_add_env(struct config *c, struct error *e) MUST_USE;

/* The key must be in the catalogue with that type: anything else is our mistake. */
struct str config_str(const struct config *c, const char *key); /* absent when empty */
int64_t config_int(const struct config *c, const char *key);
bool config_bool(const struct config *c, const char *key);
uint32_t config_enum(const struct config *c, const char *key);
struct json config_json(const struct config *c, const char *key); /* an object */
struct json config_array(const struct config *c, const char *key);
size_t config_list(const struct config *c, const char *key, struct str *ret, size_t max);

#endif
