#ifndef LIB_MOVE_MOVE_CHECK_H
#define LIB_MOVE_MOVE_CHECK_H
/*
 * Reads the logs of both ends and compares them: every session, every event byte for byte,
 * and the chain that their hashes form.
 */
#include "lib/move/move_end.h"

/*
 * Counts sessions and events in *ret.  ERR_CORRUPT: the chain of the source is broken, or the
 * logs differ; the message names session and event.
 */
enum err move_check_run(struct move_end *from, struct move_end *to, const struct move_options *o,
                        struct move_result *ret, struct error *e) MUST_USE;

#endif
