#ifndef A2A_ID_H
#define A2A_ID_H
/*
 * Ids that peers see: SESSION~TASK and SESSION~THREAD.  Our ids contain no "~", so both parts can
 * be read back without a table, and an id of A2A never equals one of ours.  Pure.
 */
#include "base/arena.h"

/* Of a task or of a context. */
struct str a2a_id_make(struct arena *mem, struct str session_id, struct str of_session);
/* False: it is none of ours. */
bool a2a_id_read(struct str id, struct str *ret_session_id, struct str *ret_of_session) MUST_USE;

#endif
