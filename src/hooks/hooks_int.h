#ifndef HOOKS_HOOKS_INT_H
#define HOOKS_HOOKS_INT_H
/* Shared by the files of src/hooks, and by nobody else. */
#include "base/buf.h"
#include "hooks/hook_desk.h"
#include "hooks/hooks.h"
#include "net/stream.h"

/* One hook as it was configured. */
struct hook_row {
	struct hook_info info;
	struct str command, url;
	struct str secret; /* signs what is sent; never told */
	bool is_host;      /* neither: the program answers it */
};

struct hook_set {
	struct hooks port;
	struct hooks_options o;
	struct arena *mem;
	struct hook_row *rows;
	struct hook_info *infos;
	size_t count, own_count; /* own: those of the settings, which stand first */
	struct str project_hash; /* absent: there is no project's file, or it is no use */
	struct list runs;
	struct hook_desk *desk; /* NULL: the program answers none */
	struct loop_wake answers;
};

struct hook_handle {
	struct list node;
	struct hook_set *set;
	const struct hook_row *row;
	struct arena *mem;
	void (*end)(void *owner, const struct hook_end *e);
	void *owner;
	struct str id, input;
	struct buf out, err;
	int64_t left_out; /* bytes that did not fit */
	struct loop_timer timer;
	bool is_cancelled, is_timed_out;

	/* a command */
	struct hand_job job;
	struct stream *in, *out_stream, *err_stream;
	struct hand_exit exit;
	bool is_over;

	/* an address */
	struct wire_call *call;
	int status;

	/* the program itself */
	struct desk_call *call_on_desk;
};

/* hooks_read.c */
enum err hooks_read(struct hook_set *s, struct error *e) MUST_USE;

/* hooks_project.c */
void hooks_add_project(struct hook_set *s);
bool hooks_project_of(struct hooks *port, struct str *ret_path, struct str *ret_hash);
enum err hooks_project_trust(struct hooks *port, struct error *e);

/* hooks_read.c: the hooks of one object, behind those that there are; on an error there are as many as before. */
enum err hooks_take(struct hook_set *s, struct json points, struct str source, struct str trust,
                    struct error *e) MUST_USE;
void hooks_tell(struct hook_set *s); /* s->infos anew */

/* hooks_command.c, hooks_http.c: begin; the end comes later, from the loop, also on failure. */
void hook_command(struct hook_handle *h, struct str cwd);
void hook_command_stop(struct hook_handle *h);
void hook_command_drop(struct hook_handle *h);
void hook_http(struct hook_handle *h);
void hook_http_drop(struct hook_handle *h);

/* hooks_host.c */
enum err hooks_open_desk(struct hook_set *s, struct error *e) MUST_USE;
void hooks_close_desk(struct hook_set *s);
void hook_host(struct hook_handle *h);
bool hook_host_is_answered(const struct hook_handle *h);
void hook_host_drop(struct hook_handle *h);

/* hooks.c: tells the end once and frees the run. */
void hook_tell(struct hook_handle *h, const struct hook_end *e);
/* The same, but from the loop: for what goes wrong before anything was begun. */
void hook_trouble(struct hook_handle *h, struct str message);

#endif
