#ifndef ENGINE_EVIDENCE_ORPHANS_H
#define ENGINE_EVIDENCE_ORPHANS_H
/* Packs that a crash left behind sealed and unrecorded. */
struct engine;

void evidence_orphans_remove(struct engine *e); /* at the start, when the rows are complete */
void evidence_orphans_free(struct engine *e);

#endif
