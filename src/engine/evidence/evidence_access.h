#ifndef ENGINE_EVIDENCE_ACCESS_H
#define ENGINE_EVIDENCE_ACCESS_H
struct request;

/* Called for every accepted command; records it if it is a read that needs the scope admin. */
void evidence_access_note(struct request *r);

#endif
