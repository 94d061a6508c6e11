#ifndef SERVE_FILTER_H
#define SERVE_FILTER_H
/*
 * What a reader of events asks for, as it comes in queries and in JSON-RPC
 * params: classes by name, and places in the log.
 */
#include "base/json.h"
#include "base/jw.h"
#include "ports/control.h"

/* Adds a class ("tool.result") or a family ("tool.*").  False: there is none of that name. */
bool filter_add_type(uint64_t types[2], struct str word) MUST_USE;

/* A form by its name.  False: there is none of that name. */
bool filter_read_form(struct str word, enum event_form *ret) MUST_USE;

/*
 * A place after which events are wanted: a sequence when one session is read,
 * else "p." and a position.  "0" is the beginning of either.
 */
bool filter_read_after(struct str text, bool is_one_session, uint64_t *ret) MUST_USE;

#define CURSOR_MAX 24
/* The same backwards. */
void filter_write_after(char out[CURSOR_MAX], bool is_one_session, uint64_t after);

/* The members of a gap frame: from is the first event that is gone, to the last. */
/* Members of a frame `gap` for events that are damaged on disk. */
void filter_write_corrupt(struct json_writer *w, const struct control_corrupt *c);
void filter_write_gap(struct json_writer *w, uint64_t after, uint64_t to, struct str recovery_mode,
                      struct str snapshot);

/* What is asked for, its words copied to text, which has that much room. */
struct control_stream filter_keep(const struct control_stream *ask, char *text);
size_t filter_room(const struct control_stream *ask);

struct str filter_end_word(enum stream_end why);
enum error_code filter_end_code(enum stream_end why);

#endif
