/* The hooks that there are, and the user's word for those of the project. */
#include "core/permission.h"
#include "engine/internal.h"

static void write_row(struct json_writer *w, const struct hook_info *i)
{
	struct rec_hook_row r = {
		.ref = i->ref,
		.point = enum_read(&enum_hook_point, i->point),
		.kind = enum_read(&enum_hook_handler, i->kind),
		.handler = i->handler,
		.match = i->match,
		.timeout_ms = i->timeout_ms,
		.fail_policy = enum_read(&enum_fail_policy, i->on_failure),
		.trust = enum_read(&enum_hook_trust, i->trust),
	};

	rec_write(w, &rec_hook_row_desc, &r);
}

static bool project_file(struct engine *e, struct str *ret_path, struct str *ret_hash)
{
	struct hooks *h = e->ports.hooks;

	return h && h->ops->project && h->ops->project(h, ret_path, ret_hash);
}

void list_hooks(struct request *r)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct hooks *h = r->engine->ports.hooks;
	const struct hook_info *infos = NULL;
	size_t count = h ? h->ops->list(h, &infos) : 0;
	struct str path, hash;
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "hooks");
	jw_arr(&w);
	for (size_t i = 0; i < count; i++)
		write_row(&w, &infos[i]);
	jw_arr_end(&w);
	if (project_file(r->engine, &path, &hash)) {
		JW_KSTR(&w, "path", path);
		JW_KSTR(&w, "contentHash", hash);
	}
	jw_obj_end(&w);
	r->reply = arena_keep(r->mem, buf_str(&out));
	request_answer(r);
}

/* The fact is durable: now they are asked. */
static void trusted(struct request *r)
{
	struct hooks *h = r->engine->ports.hooks;
	struct error err;

	if (h->ops->trust(h, &err) != OK)
		request_fail(r, ERROR_CODE_UNAVAILABLE, "%s", err.message);
	else
		take_hooks(r->engine);
	request_answer(r);
}

static void say_trusted(struct session *s, void *arg)
{
	struct request *r = arg;
	const struct cmd_trust_hooks *c = r->args;
	struct reply_trust_hooks reply = { .content_hash = c->content_hash };
	struct str path, hash;
	struct outcome *d;

	if (!s || s->state != SESSION_LIVE || !project_file(r->engine, &path, &hash)) {
		request_fail(r, ERROR_CODE_UNAVAILABLE, "the system session cannot be written now");
		request_answer(r);
		return;
	}
	d = run_begin(s, &r->command);
	input_trusted(d, arena_printf(d->mem, "hooks:%.*s", STR_ARG(path)), d->setup->cwd, hash,
	              c->reason);
	run_end(s, d);
	r->session = s;
	r->reply = rec_text(r->mem, &reply_trust_hooks_desc, &reply);
	request_keep(r);
	r->then = trusted;
	request_wait(r);
}

void trust_hooks(struct request *r, const struct cmd_trust_hooks *c)
{
	struct str path, hash;

	if (!project_file(r->engine, &path, &hash))
		request_fail(r, ERROR_CODE_UNAVAILABLE, "the project has no hooks");
	else if (!str_eq(c->content_hash, hash))
		request_fail(r, ERROR_CODE_VERSION_MISMATCH,
		             "the file is another one: its hash was %.*s when the runtime read it",
		             STR_ARG(hash));
	if (r->code)
		request_answer(r);
	else
		request_job(r->engine, STR("sess_system"), true, say_trusted, r);
}
