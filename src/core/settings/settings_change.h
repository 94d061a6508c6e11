#ifndef CORE_SETTINGS_SETTINGS_CHANGE_H
#define CORE_SETTINGS_SETTINGS_CHANGE_H
/*
 * Recorded settings with some values changed: what would have been decided with
 * another mode, other caps, other routing, other prices?
 *
 * A change is written like a configuration file, keys flat or nested.  It takes
 * the settings that decisions depend on and that are recorded; another key is
 * refused, because a replay could not show its effect.  The mode of permissions is
 * not among them: it belongs to the session, and decisions are made on the state
 * that was recorded.
 */
#include "base/json.h"
#include "core/settings.h"

struct settings_change;

/* Everything lives in mem and in the text of the file. */
enum err settings_change_read(struct arena *mem, struct json file, struct settings_change **ret,
                              struct error *e) MUST_USE;

/*
 * settings_read() with the change; change may be NULL.  The refs stay those of the record, because
 * events name what was in force.
 */
enum err settings_change_apply(struct arena *mem, const struct settings_change *change,
                               struct str record, struct str rules, struct settings *ret,
                               struct error *e) MUST_USE;

#endif
