#ifndef ENGINE_MAINTENANCE_DAMAGE_H
#define ENGINE_MAINTENANCE_DAMAGE_H
/*
 * Places in the log that could not be read: recorded once, and reported from then on.
 */
#include "engine/engine_state.h"
#include "base/jw.h"

void damage_init(struct engine *e);
void damage_free(struct engine *e);
/* Told in the log when it is met first, and by get_capabilities from then on. */
void damage_note(struct engine *e, struct str session, uint64_t from, uint64_t to, const char *why);
/* The same of a read that was answered. */
void damage_of(struct engine *e, const struct store_read *read);
void damage_write(const struct engine *e, struct json_writer *w); /* an array */
/* The error code of a request whose read failed like this. */
enum error_code damage_code(const struct store_read *read);

#endif
