/* list_hooks and trust_hooks: the available hooks, and the user's trust in those of a project. */
#include "core/approval/permission.h"
#include "core/gen/inputs.h"
#include "base/jw.h"
#include "engine/query/query.h"
#include "engine/session/apply.h"
#include "engine/settings/settings_hooks.h"
#include "engine/engine_state.h"

/*
 * The rights are computed for each reply, because files that the command names may have
 * changed since the hook was trusted.
 */
static void write_row(struct request *q, struct json_writer *w, struct str cwd,
                      const struct hook_info *i)
{
	struct hooks *h = q->engine->ports.hooks;
	struct hook_rights rights = { 0 };

	if (h->ops->rights)
		h->ops->rights(h, q->mem, cwd, i->ref, &rights);

	struct rec_hook_row r = {
		.ref = i->ref,
		.point = i->point,
		.kind = i->kind,
		.handler = i->handler,
		.match = i->match,
		.timeout_ms = i->timeout_ms,
		.fail_policy = i->on_failure,
		.trust = i->trust,
		.sandbox = rec_enum_read(&enum_hook_sandbox, rights.sandbox),
		.program_hash = rights.hash,
		.refused = rights.refused,
	};

	rec_write(w, &rec_hook_row_desc, &r);
}

/* The directory whose hooks are meant: the runtime's own, unless another one is named. */
static bool read_cwd(struct request *r, struct str named, struct str *ret)
{
	*ret = str_is(named) ? named : r->engine->settings.cwd;
	if (!str_is(named) ||
	    (named.len && named.ptr[0] == '/' && !memchr(named.ptr, 0, named.len)))
		return true;
	request_fail(r, ERROR_CODE_INVALID_VALUE, "cwd: an absolute path is wanted");
	return false;
}

static bool project_file(struct engine *e, struct str cwd, struct str *ret_path,
                         struct str *ret_hash)
{
	struct hooks *h = e->ports.hooks;

	return h && h->ops->project && h->ops->project(h, cwd, ret_path, ret_hash);
}

static void write_rows(struct request *r, struct json_writer *w, struct str cwd,
                       const struct hook_info *infos, size_t count)
{
	for (size_t i = 0; i < count; i++)
		write_row(r, w, cwd, &infos[i]);
}

/* The files are read again first: the hash that the user trusts has to be the current one. */
void query_list_hooks(struct request *r, const struct cmd_list_hooks *c)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct hooks *h = r->engine->ports.hooks;
	const struct hook_info *infos = NULL;
	struct str cwd, path, hash;
	struct json_writer w;
	size_t count;

	if (!read_cwd(r, c->cwd, &cwd)) {
		request_reply(r);
		return;
	}
	settings_hooks_renew(r->engine, cwd);
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "hooks");
	jw_arr(&w);
	count = h ? h->ops->list(h, &infos) : 0;
	write_rows(r, &w, cwd, infos, count);
	count = h && h->ops->services ? h->ops->services(h, &infos) : 0;
	write_rows(r, &w, cwd, infos, count);
	count = settings_hooks_list_at(r->engine, cwd, &infos);
	write_rows(r, &w, cwd, infos, count);
	jw_arr_end(&w);
	if (project_file(r->engine, cwd, &path, &hash)) {
		JW_KSTR(&w, "path", path);
		JW_KSTR(&w, "contentHash", hash);
	}
	jw_obj_end(&w);
	r->response.reply = arena_keep(r->mem, buf_str(&out));
	request_reply(r);
}

/* The program of one hook: the files that its command line names. */
static bool is_program_to_be_trusted(struct request *r, struct str cwd)
{
	const struct cmd_trust_hooks *c = r->args;
	struct hooks *h = r->engine->ports.hooks;
	struct hook_rights rights = { 0 };

	if (h && h->ops->rights)
		h->ops->rights(h, r->mem, cwd, c->ref, &rights);
	if (!str_is(rights.hash))
		request_fail(r, ERROR_CODE_UNAVAILABLE, "%.*s",
		             STR_ARG(str_is(rights.refused)
		                             ? rights.refused
		                             : STR("there is no such hook, or it names no program "
		                                   "file")));
	else if (!str_eq(c->content_hash, rights.hash))
		request_fail(r, ERROR_CODE_VERSION_MISMATCH,
		             "the program is another one now: its hash is %.*s",
		             STR_ARG(rights.hash));
	return !r->response.code;
}

/* The content that the user saw must be the current content. */
static bool is_to_be_trusted(struct request *r, struct str *ret_cwd, struct str *ret_path)
{
	const struct cmd_trust_hooks *c = r->args;
	struct str hash;

	if (!read_cwd(r, c->cwd, ret_cwd))
		return false;
	settings_hooks_renew(r->engine, *ret_cwd);
	if (str_is(c->ref)) {
		*ret_path = c->ref;
		return is_program_to_be_trusted(r, *ret_cwd);
	}
	if (!project_file(r->engine, *ret_cwd, ret_path, &hash))
		request_fail(r, ERROR_CODE_UNAVAILABLE, "the project has no hooks");
	else if (!str_eq(c->content_hash, hash))
		request_fail(r, ERROR_CODE_VERSION_MISMATCH,
		             "the file is another one now: its hash is %.*s", STR_ARG(hash));
	return !r->response.code;
}

/* The event is durable: the hooks are used from now on. */
static void apply_trust(struct request *r)
{
	const struct cmd_trust_hooks *c = r->args;
	struct hooks *h = r->engine->ports.hooks;
	struct str cwd;
	struct error err;

	if (read_cwd(r, c->cwd, &cwd) &&
	    (str_is(c->ref) ? h->ops->trust_program(h, cwd, c->ref, c->content_hash, &err)
	                    : h->ops->trust(h, cwd, c->content_hash, &err)) != OK)
		request_fail(r, ERROR_CODE_UNAVAILABLE, "%s", err.message);
	request_reply(r);
}

/*
 * The content is compared again, because loading the system session may have taken a
 * while.  The event comes before the trust: a crash in between leaves a hook that is not
 * used.
 */
static void record_trust(struct session *s, void *arg)
{
	struct request *r = arg;
	const struct cmd_trust_hooks *c = r->args;
	struct reply_trust_hooks reply = { .content_hash = c->content_hash };
	struct str cwd, path;
	struct decision *d;

	if (!s || s->phase != SESSION_LIVE)
		request_fail(r, ERROR_CODE_UNAVAILABLE, "the system session cannot be written now");
	if (r->response.code || !is_to_be_trusted(r, &cwd, &path)) {
		request_reply(r);
		return;
	}
	d = apply_begin(s, &r->command);
	input_permission_decide_trusted(d, arena_printf(d->mem, "hooks:%.*s", STR_ARG(path)),
	                                arena_keep(d->mem, cwd), c->content_hash, c->reason);
	apply_end(s, d);
	r->session = s;
	r->response.reply = rec_text(r->mem, &reply_trust_hooks_desc, &reply);
	request_keep(r);
	r->then = apply_trust;
	request_wait(r);
}

void query_trust_hooks(struct request *r, const struct cmd_trust_hooks *c)
{
	struct str cwd, path;

	if (is_to_be_trusted(r, &cwd, &path))
		request_job_with(r->engine, STR("sess_system"), true, ELSEWHERE_OWN, record_trust,
		                 r);
	else
		request_reply(r);
}
