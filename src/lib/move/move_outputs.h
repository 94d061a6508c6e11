#ifndef LIB_MOVE_MOVE_OUTPUTS_H
#define LIB_MOVE_MOVE_OUTPUTS_H
/*
 * Large outputs, between files and chunks of a database.  What is sealed in the target stays,
 * so that it may be called again.
 */
#include "lib/move/move_end.h"

/*
 * Every output of the source's database, then those that its log names and that are files.
 * progress: stored with each page of a database.  Counts in *ret.
 */
enum err move_outputs_run(struct move_end *from, struct move_end *to, struct str progress,
                          struct move_result *ret, struct error *e) MUST_USE;

#endif
