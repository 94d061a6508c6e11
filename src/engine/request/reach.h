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

/* Before anything is looked up; args is their text.  False: the request was refused. */
bool reach_admit(struct request *r, struct str args);
/* An absolute path that is what it looks like: no . and .., no slash at the end. */
bool reach_is_plain(struct str path);
/* When its session is known: the first step of REQUEST_GATHER. */
bool reach_gather(struct request *r);

#endif
