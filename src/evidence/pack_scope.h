#ifndef EVIDENCE_PACK_SCOPE_H
#define EVIDENCE_PACK_SCOPE_H
/*
 * Does an event belong to what a pack says that it covers?
 *
 * The rules are those of core/evidence/evidence_scope.c, on the text of events
 * from anyone: the types that this build knows do not matter.  A turn of a task
 * or job is known by its turn.submitted, which may come behind other events of
 * the turn; those are judged at the end.
 */
#include "base/json.h"
#include "core/evidence/evidence.h"

struct pack_scope {
	struct arena *mem;
	struct str thread, turn, task, job; /* absent: all */
	bool has_exports;                   /* events about exports belong to it */
	struct evidence_ids turns;          /* of the scope */
	struct evidence_ids threads;        /* of these turns */
	struct evidence_ids waiting, begun; /* turns and threads that are not judged yet */
};

/* scope: the member of pack.json; its strings live as long as the pack_scope. */
void pack_scope_init(struct pack_scope *s, struct arena *mem, struct json scope);
/* False: the event is not part of the scope. */
bool pack_scope_has(struct pack_scope *s, struct json event);
/* False: one of the events that waited is not part of the scope. */
bool pack_scope_end(const struct pack_scope *s);

#endif
