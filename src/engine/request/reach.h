#ifndef ENGINE_REQUEST_REACH_H
#define ENGINE_REQUEST_REACH_H
/*
 * Requests of callers that can reach only some of the sessions (holders.h).
 *
 * What such a caller names is compared with its reach before anything is looked
 * up.  It chooses no ids of its own: whether one is taken would tell it what
 * others have.  Commands without a session are allowed only if the catalogue
 * marks them (own), and then show what is in reach.
 */
#include "engine/request/request.h"

/* False: the request was refused. */
bool reach_admit(struct request *r);
/* The same when its session is known. */
bool reach_admit_place(struct request *r);

#endif
