#ifndef ENGINE_QUERY_QUERY_H
#define ENGINE_QUERY_QUERY_H
/*
 * Queries: commands that the engine answers itself.
 *
 * The generated table calls query_COMMAND() in the file of the topic.  Nearly
 * all of them append nothing (GAP-52); like all replies they wait until what
 * they show is durable.
 */
#include "base/jw.h"
#include "engine/gen/queries.h"
#include "engine/engine_state.h"

/* False: the core decides the command. */
bool query_gather(struct request *r);

/* ---- reply.c: shared by queries ---- */

/* A reply that is being built. */
struct reply {
	struct request *r;
	struct buf out;
	struct json_writer w;
	struct list_str shown; /* sessions besides its own that it shows, in the request's mem */
};

void reply_begin(struct reply *p, struct request *r);
/* The reply shows the state of this session, too; NULL: it is not in memory and thus durable. */
void reply_shows(struct reply *p, const struct session *s);
/* Sends the reply when what it shows is durable. */
void reply_end(struct reply *p);
/*
 * Adds the view that the reply holds so far in another standard's terms, as one more member.
 */
void reply_add_export(struct reply *p, struct str key,
                      void write(struct json view, struct json_writer *w));
/* False: the format is not the one that this read has, and the request was refused. */
bool reply_check_form(struct request *r, enum event_form form, enum event_form has);
/* False: the value is smaller, and the request was refused. */
bool reply_check_least(struct request *r, const char *name, bool is_given, int64_t value,
                       int64_t least);
/* Rows of one page: the caller's limit, or the default. */
uint32_t reply_page_size(bool has_limit, int64_t limit);
/* Continues reading behind a cursor; false: the cursor is invalid. */
bool reply_from_cursor(struct store_read *read, struct str cursor);

/* ---- functions of topics, for each other and for requests ---- */

/* history.c: get_session with a cursor, for turns that have left the state. */
void history_get(struct request *r, const struct cmd_get_session *c);
struct str history_cursor(struct arena *mem, int64_t before, int64_t older);

/* user_edits.c, at the start: warns of edits that a crash interrupted. */
void user_edits_recover(struct engine *e);

/* models.c: a turn begins or models are listed; checks which of them have keys. */
bool query_extensions_gather(struct request *r); /* reads the files first; a step of a request */
/* prompts.c: adds the prompts of tool servers; false: no server has the command. */
void query_prompts_add(struct request *r, struct str cwd, struct reply_list_extensions *reply);
/* Tool servers are starting: true, and the request is answered again later. */
bool query_tools_waits(struct request *r);
bool query_prompts_expand(struct request *r, const struct cmd_expand_command *c);
bool query_models_gather(struct request *r);

/* lists.c: refuses an answer to an action that has left the state, with its resolution. */
bool lists_refused(struct request *r);

/* subagents.c: checks the requests that wait for child agents. */
void subagents_durable(struct session *s);

#endif
