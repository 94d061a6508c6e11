#ifndef CORE_SESSION_IMPORT_H
#define CORE_SESSION_IMPORT_H
/*
 * Sessions that another program ran, imported as history.
 *
 * A client reads the files of that program and sends the turns with
 * import_session.  Each becomes turn.submitted and turn.completed with
 * `imported`: no run, no model request and no call of a tool, because none of
 * them happened here.  The whole turn is stored behind the ref transcript.
 *
 * A model is sent two texts of it: what was answered, as its own answer, and
 * the calls as a record in words.  Calls are not sent as calls, because the
 * tools have other names and arguments there.
 * docs/decisions/0026-imported-sessions.md
 */
#include "base/arena.h"
#include "catalog/catalog.h"

/* The texts of the answer, one paragraph each; empty when there is none. */
struct str import_text_answer(struct arena *mem, const struct rec_import_turn *turn);
/* The newest calls with their results, as a note for the model; empty when there is none. */
struct str import_text_record(struct arena *mem, enum import_program program,
                              const struct rec_import_turn *turn);

#endif
