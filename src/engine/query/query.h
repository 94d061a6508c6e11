#ifndef ENGINE_QUERY_QUERY_H
#define ENGINE_QUERY_QUERY_H
/*
 * Queries: commands that the engine answers itself.  The generated table
 * (engine/gen/queries.c) sends each to query_COMMAND() in the file of its
 * topic.  Nearly all of them append nothing (GAP-52); they wait like everything
 * else until what they show is durable.
 */
#include "base/jw.h"
#include "engine/gen/queries.h"
#include "engine/engine_state.h"

/* False: the command is decided by the core. */
bool query_gather(struct request *r);

/* ---- reply.c: what the files of queries share ---- */

/* A reply in the making. */
struct reply {
	struct request *r;
	struct buf out;
	struct json_writer w;
};

void reply_begin(struct reply *p, struct request *r);
/* Answers when what it shows is durable. */
void reply_end(struct reply *p);
/* False: it is less, and the request has been answered so. */
bool reply_check_least(struct request *r, const char *name, bool is_given, int64_t value,
                       int64_t least);
/* Rows of one page: the caller's limit, or the default. */
uint32_t reply_page_size(bool has_limit, int64_t limit);
/* Reading continues behind a cursor; false: it is none. */
bool reply_from_cursor(struct store_read *read, struct str cursor);

/* ---- the files of topics, for each other and for requests ---- */

/* history.c: get_session with a cursor, for turns that have left the state. */
void history_get(struct request *r, const struct cmd_get_session *c);
struct str history_cursor(struct arena *mem, int64_t before, int64_t older);

/* models.c: a turn begins or models are listed; looks which of them have keys. */
bool query_models_gather(struct request *r);

/* lists.c: refuses an answer to an action that is not in the state: it may have ended long ago. */
bool lists_refused(struct request *r);

/* subagents.c: those that wait for child agents look again. */
void subagents_durable(struct session *s);

#endif
