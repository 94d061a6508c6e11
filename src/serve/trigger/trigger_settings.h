#ifndef SERVE_TRIGGER_SETTINGS_H
#define SERVE_TRIGGER_SETTINGS_H
/* The setting `triggers`: webhooks that start turns. */
#include "serve/serve.h"

/* The list lives in the arena; secrets come from the environment. */
enum err trigger_settings_read(struct arena *mem, struct json rows,
                               const struct serve_trigger **ret, size_t *ret_count,
                               struct error *e) MUST_USE;

#endif
