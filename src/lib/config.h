#ifndef LIB_CONFIG_H
#define LIB_CONFIG_H
/*
 * Settings, resolved.  Later layers win: defaults of the catalogue, files, a
 * project's file, THOLE_* of the environment, the options text.  A key that
 * the catalogue does not know, one that this build does not use yet, or a
 * value of the wrong type or size is an error that names the layer and the key.
 *
 * Keys may be written flat ("action.timeout_s": 5) or nested
 * ("action": {"timeout_s": 5}).
 */
#include "base/json.h"
#include "catalog/gen/config_values.h"

struct config;

struct config *config_new(void);
void config_free(struct config *c);

/* text: a JSON object, comments allowed; layer names it in errors. */
enum err config_add(struct config *c, struct str layer, struct str text, struct error *e) MUST_USE;
/*
 * The same for the file of a repository, which is not trusted: it can choose
 * among harmless values and make settings stricter, never looser (`project` in
 * the catalogue's row).
 */
enum err config_add_project(struct config *c, struct str layer, struct str text,
                            struct error *e) MUST_USE;
enum err config_add_env(struct config *c, struct error *e) MUST_USE;

/*
 * The values that result, one member per setting of the catalogue.  Call it
 * after the last layer; what it returns lives as long as c.
 */
const struct config_values *config_values(struct config *c);

#endif
