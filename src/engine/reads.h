#ifndef ENGINE_READS_H
#define ENGINE_READS_H
/* What the files of reads share; read_command() in reads.c sends each to its own. */
#include "engine/internal.h"

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

/* reads_list.c */
void list_sessions(struct request *r, const struct cmd_list_sessions *c);
void list_actions(struct request *r, const struct cmd_list_actions *c);
void list_tasks(struct request *r, const struct cmd_list_tasks *c);
void get_task(struct request *r, const struct cmd_get_task *c);

/* reads_history.c: turns that have left the state */
void reads_history(struct request *r, const struct cmd_get_session *c);
struct str reads_history_cursor(struct arena *mem, int64_t before, int64_t older);

/* reads_about.c */
void get_capabilities(struct request *r);

#endif
