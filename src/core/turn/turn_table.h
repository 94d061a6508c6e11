#ifndef CORE_TURN_TABLE_H
#define CORE_TURN_TABLE_H
/*
 * Which stage of a turn may follow which.  The picture and the table are in
 * turn_table.c; folds change a stage through turn_table_move() only.
 */
#include "core/state.h"

/* from TURN_STAGE_ABSENT: the turn is new. */
bool turn_table_may(enum turn_stage from, enum turn_stage to);

/*
 * Moves the turn.  Events that are folded have happened, so a move that the
 * table does not hold is made all the same; where the state is strict (tests,
 * THOLE_STRICT=1) it is a broken assertion.
 */
void turn_table_move(const struct state *w, struct st_turn *t, enum turn_stage to);

#endif
