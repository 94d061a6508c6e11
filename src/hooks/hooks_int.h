#ifndef HOOKS_HOOKS_INT_H
#define HOOKS_HOOKS_INT_H
/* Private to the files of src/hooks. */
#include "base/buf.h"
#include "hooks/hook_queue.h"
#include "hooks/hooks.h"
#include "net/stream.h"

/* One hook as it was configured. */
struct hook_row {
	struct hook_info info;
	struct str command, url;
	/* They sign requests; never written anywhere.  previous: while a secret is being replaced. */
	struct str secret, previous_secret;
	bool is_cloudevent; /* its input is sent as a CloudEvent */
	bool is_claude;     /* of .claude/settings.json: reads other names (hooks_claude.h) */
	bool is_raw;        /* gets its input as it is, without a line end */
	bool is_stamp;      /* an address of RFC 3161, named with each call */
	bool is_host;       /* neither command nor url: the embedding program answers */
	struct str key;     /* of the stored hash of its program */

	/* of a command: rights beyond the agent's */
	bool decides;                        /* a permission depends on its answer */
	bool has_no_sandbox, has_network;    /* all of the network */
	struct sandbox_paths hosts, secrets; /* secrets: names of variables */
};

/* Hooks of one source, in the order in which they run. */
struct hook_list {
	struct arena *mem;
	struct hook_row *rows;
	struct hook_info *infos;
	size_t count;
};

struct hook_set {
	struct hooks port;
	struct hooks_options o;
	struct arena *mem;
	struct hook_list own;      /* of the embedding program and of the settings */
	struct hook_list services; /* that the runtime itself calls; no session sees them */
	struct list places;        /* struct hook_place: those of directories, latest used last */
	size_t place_count;
	struct list runs;
	enum sandbox_plan_mode mode; /* of the agent's commands */
	enum sandbox_network network;
	struct sandbox_paths hosts;
	struct hook_queue *queue; /* NULL: the embedding program answers none */
	struct loop_wake answers;
};

struct hook_handle {
	struct list node;
	struct hook_set *set;
	const struct hook_row *row; /* a copy: a directory's row may be freed while the hook runs */
	struct arena *mem;
	void (*end)(void *owner, const struct hook_end *e);
	void *owner;
	struct str id, input, deny;
	struct trace_headers trace;
	struct buf out, err;
	int64_t left_out; /* bytes that did not fit */
	struct loop_timer timer;
	bool is_cancelled, is_timed_out;

	/* a command */
	struct supervisor_job job;
	struct stream *in, *out_stream, *err_stream;
	struct supervisor_run run;
	struct sandbox_profile wish; /* to try the next weaker tier when this one is refused */
	struct sandbox_limits limits;
	struct sandbox_plan plan;
	struct supervisor_exit exit;
	bool is_over;

	/* an address */
	struct http_client_call *call;
	int status;

	/* the embedding program */
	struct hook_queue_call *call_by_queue;
};

/* hooks_read.c */
enum err hooks_read(struct hook_set *s, struct error *e) MUST_USE;
void hooks_read_list_init(struct hook_list *l, struct arena *mem);
/* Appends the hooks of one object; on an error none is added. */
enum err hooks_read_take(struct hook_set *s, struct hook_list *l, struct json points,
                         struct str source, enum hook_trust trust, struct str path,
                         struct error *e) MUST_USE;
void hooks_read_tell(struct hook_list *l); /* fills l->infos again */

/* hooks_project.c */
size_t hooks_project_list_at(struct hooks *port, struct str cwd, const struct hook_info **ret);
void hooks_project_look(struct hooks *port, struct str cwd);
const struct hook_list *hooks_project_of_place(struct hook_set *s, struct str cwd);
bool hooks_project_of(struct hooks *port, struct str cwd, struct str *ret_path,
                      struct str *ret_hash);
enum err hooks_project_trust(struct hooks *port, struct str cwd, struct str hash, struct error *e);
void hooks_project_forget_places(struct hook_set *s);

/* hooks_rights.c */
/* Makes plan, arguments and environment of a command; the error for a forbidden one has a remedy. */
enum err hooks_rights_prepare(struct hook_handle *h, struct str cwd, struct error *e) MUST_USE;
bool hooks_rights_has_more(const struct hook_row *row);
void hooks_rights_of(struct hooks *port, struct arena *mem, struct str cwd, struct str ref,
                     struct hook_rights *ret);
enum err hooks_rights_trust_program(struct hooks *port, struct str cwd, struct str ref,
                                    struct str hash, struct error *e);
const struct hook_row *hooks_find(struct hook_set *s, struct str cwd, struct str ref);

/* hooks_command.c, hooks_http.c: start; the end comes later, from the loop, also on failure. */
void hooks_command(struct hook_handle *h, struct str cwd);
void hooks_command_stop(struct hook_handle *h);
void hooks_command_drop(struct hook_handle *h);
void hooks_http(struct hook_handle *h);
void hooks_http_drop(struct hook_handle *h);

/* hooks_host.c */
enum err hooks_host_open_queue(struct hook_set *s, struct error *e) MUST_USE;
void hooks_host_close_queue(struct hook_set *s);
void hooks_host(struct hook_handle *h);
bool hooks_host_is_answered(const struct hook_handle *h);
void hooks_host_drop(struct hook_handle *h);

/* hooks.c: reports the end once and frees the run. */
void hooks_tell(struct hook_handle *h, const struct hook_end *e);
/* The same, but from the loop: for errors before anything has started. */
void hooks_trouble(struct hook_handle *h, struct str message);

#endif
