#ifndef CORE_SETTINGS_SETTINGS_READ_H
#define CORE_SETTINGS_SETTINGS_READ_H
/*
 * Settings from their record: a decision with them is the decision that was
 * taken, as long as the outside answers the same.
 *
 * Both texts may come from a pack of others, so they are checked like any
 * input.  Functions (real, bind, ...), their owners and the states of sessions
 * are not part of a record: the caller adds them.
 */
#include "core/settings.h"

struct rules;

/*
 * record is the text behind configRef, rules the text behind rulesRef; rules may be absent, then
 * there are none.  Refs follow from the texts.  Everything lives in mem and in the two texts, except
 * the compiled schemas of tools: settings_read_done() frees them.  On failure ret stays untouched.
 *
 * ERR_INVALID names the member that is missing or wrong; a record of version 0.1 and earlier has
 * none of them and is refused so.
 */
enum err settings_read(struct arena *mem, struct str record, struct str rules, struct settings *ret,
                       struct error *e) MUST_USE;
void settings_read_done(struct settings *s);

/*
 * The rules of a list in JSON.  Fails closed: a list that cannot be read becomes one rule that
 * denies every call, and why says what is wrong.  rs is empty and has its arena.
 */
enum err settings_read_rules(struct rules *rs, struct str list, struct error *why);

#endif
