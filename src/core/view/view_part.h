#ifndef CORE_VIEW_PART_H
#define CORE_VIEW_PART_H
/* Shared by the view_*.c files and nobody else. */
#include "base/jw.h"
#include "core/turn/turn_wait.h"
#include "core/view/view.h"

/* Members that are left out when there is nothing to say. */
void view_part_time(struct json_writer *w, struct str key, int64_t at);
void view_part_rec(struct json_writer *w, struct str key, const struct rec_desc *d,
                   const void *rec);
void view_part_raw(struct json_writer *w, struct str key, struct str json_text);
/* Members that are always there. */
void view_part_strs(struct json_writer *w, struct str key, const struct list_str *l);
void view_part_list(struct json_writer *w, struct str key, const struct rec_desc *d,
                    const void *list);
void view_part_none(struct json_writer *w, struct str key); /* [] */
void view_part_honest(struct json_writer *w, struct str key, enum honesty word);
#define PART_TIME(w, key, at) view_part_time((w), STR(key), (at))
#define PART_REC(w, key, d, rec) view_part_rec((w), STR(key), (d), (rec))
#define PART_RAW(w, key, text) view_part_raw((w), STR(key), (text))
#define PART_STRS(w, key, l) view_part_strs((w), STR(key), (l))
#define PART_LIST(w, key, d, l) view_part_list((w), STR(key), (d), (l))
#define PART_NONE(w, key) view_part_none((w), STR(key))
#define PART_HONEST(w, key, word) view_part_honest((w), STR(key), (word))

/* not_applicable where this build emits the class, unavailable where it does not. */
enum honesty view_part_honesty_of(enum event_type class);
/* Counts and traces are kept per session; they are a thread's own when there is no other. */
bool view_part_is_only_thread(const struct state *state);
size_t view_part_pending_count(const struct st_thread *th);
enum permission_mode view_part_mode_of(const struct state *state, const struct settings *settings);
const struct rec_execution_environment *view_part_environment_of(const struct state *state,
                                                                 const struct settings *settings);
/* The newest turn whose model was chosen; NULL: none yet. */
const struct st_turn *view_part_routed_turn(const struct st_thread *th);
/* Does an output belong to a call of this turn (absent: of any turn)? */
bool view_part_owns_output(const struct st_thread *th, struct str turn_id,
                           const struct rec_output *o);
bool task_view_is_over(const struct state *state, const struct st_task *t);
bool task_view_is_waiting(const struct st_task *t);

void permission_view_action(struct json_writer *w,
                            const struct st_action *a); /* as snapshots show it */
/* Of one thread or all (NULL), of one turn or all (absent). */
/* One of a list; session_id may be absent. */
void process_view_write(struct json_writer *w, const struct st_process *p, struct str session_id);
void process_view_processes(struct json_writer *w, const struct state *state,
                            const struct st_thread *th, struct str turn_id);
void process_view_sandbox_state(struct json_writer *w, const struct state *state,
                                const struct settings *settings);
void routing_view_model(struct json_writer *w, const struct st_thread *th,
                        const struct settings *settings);
void routing_view_summary(struct json_writer *w, const struct state *state,
                          const struct settings *settings); /* of the thread that was routed last */
void routing_view_limit(struct json_writer *w,
                        const struct st_turn *t); /* writes limitState or nothing */
void output_view_artifact_refs(struct json_writer *w, const struct state *state);
/* Members only. */
void output_view_channels(struct json_writer *w, const struct state *state,
                          const struct view_want *want);
void job_view_subagents_and_jobs(struct json_writer *w, const struct state *state);
void job_view_children(struct json_writer *w, const struct state *state,
                       const struct st_thread *th);
void task_view_delivery(struct json_writer *w, const struct state *state, struct str thread_id);
void thread_view_history(struct json_writer *w, const struct state *state,
                         const struct st_thread *th, int64_t window);
void thread_view_context(struct json_writer *w, const struct st_thread *th);
void thread_view_diagnostics(struct json_writer *w, const struct state *state,
                             const struct st_thread *th);
void thread_view_incidents(struct json_writer *w, const struct st_thread *th, bool only_warnings);

/*
 * The turns that a reader is shown: everything open, and of the ended ones
 * the newest.  Older ones are in the log.
 */
struct turn_window {
	int64_t ended_from; /* ended turns are shown from this end on */
	int64_t shown, older, from_sequence;
};
struct turn_window turn_view_window(const struct st_thread *th, int64_t window);
bool turn_view_is_shown(const struct turn_window *win, const struct st_turn *t, bool with_system);

#endif
