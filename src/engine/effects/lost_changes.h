#ifndef ENGINE_EFFECTS_LOST_CHANGES_H
#define ENGINE_EFFECTS_LOST_CHANGES_H
/*
 * Commands that were running when an earlier runtime ended: what they changed in
 * the workspace is found by the snapshot that was taken before they began, and
 * recorded, so that it can be undone.
 */
#include "engine/listeners.h"

void lost_changes_load(struct session *s, enum load_phase phase);
void lost_changes_forget(struct session *s); /* it leaves memory */
void lost_changes_free(struct engine *e);

#endif
