#ifndef ENGINE_QUERY_QUERY_H
#define ENGINE_QUERY_QUERY_H
/*
 * Queries: commands that append nothing.  query.c sends each to the file of
 * its topic; they wait like everything else until what they show is durable.
 * Here are also a few commands that the engine carries out itself.
 */
#include "engine/state.h"

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

/* lists.c */
void query_list_sessions(struct request *r, const struct cmd_list_sessions *c);
void query_list_actions(struct request *r, const struct cmd_list_actions *c);
void query_list_tasks(struct request *r, const struct cmd_list_tasks *c);
void query_get_task(struct request *r, const struct cmd_get_task *c);

/* history.c: turns that have left the state */
void query_history(struct request *r, const struct cmd_get_session *c);
struct str history_cursor(struct arena *mem, int64_t before, int64_t older);

/* capabilities.c */
void query_get_capabilities(struct request *r);

void query_list_tool_servers(struct request *r);
void query_trust_tool_server(struct request *r);
void query_list_hooks(struct request *r);
void query_trust_hooks(struct request *r);
void query_list_models(struct request *r, const struct cmd_list_models *c);
bool query_models_gather(
	struct request *r);           /* a turn begins, or models are listed: looks for keys */
bool query_gather(struct request *r); /* false: not a query that the engine answers */
/* Refuses an answer to an action that is not in the state: it may have ended long ago. */
bool lists_refused(struct request *r);
uint32_t reply_page_size(bool has_limit, int64_t limit);
/* Goes on behind a cursor; false: it is none. */
bool reply_from_cursor(struct store_read *read, struct str cursor);
void query_list_subagents(struct request *r, const struct cmd_list_subagents *c);
void query_wait_subagents(struct request *r, const struct cmd_wait_subagents *c);
void subagents_durable(struct session *s);
void query_verify_log(struct request *r, const struct cmd_verify_log *c);
void query_get_job(struct request *r, const struct cmd_get_job *c);
void query_list_schedules(struct request *r, const struct cmd_list_schedules *c);
void query_list_jobs(struct request *r, const struct cmd_list_jobs *c);
void query_list_job_items(struct request *r, const struct cmd_list_job_items *c);
void query_get_output(struct request *r, const struct cmd_get_output *cmd);

#endif
