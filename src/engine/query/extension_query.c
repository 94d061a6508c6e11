/*
 * list_extensions, expand_command and trust_extensions: skills, commands and
 * agents as Markdown files.  The files are read before the query is answered.
 */
#include "base/jw.h"
#include "core/gen/inputs.h"
#include "core/approval/permission.h"
#include "core/subagent/agent_definition.h"
#include "engine/query/query.h"
#include "engine/session/apply.h"
#include "engine/settings/extensions.h"
#include "engine/engine_state.h"
#include "text/command_text.h"

/* ---- reading ---- */

/* The read of a request, in its memory. */
struct looked {
	struct context_read read;
	struct request *request;
	bool is_read;
};

static void looked_done(void *work)
{
	struct looked *l = work;

	arena_free(l->read.mem);
}

static void on_looked(struct context_read *read)
{
	struct looked *l = OWNER_OF(read, struct looked, read);

	l->is_read = true;
	l->request->engine->live_effects--;
	request_restart(l->request);
}

/* What the command needs; false: it is none of these. */
static bool wanted_by(struct request *r, struct str *ret_cwd, unsigned *ret_kinds,
                      struct str *ret_name)
{
	const struct cmd_list_extensions *list = r->args;
	const struct cmd_expand_command *expand = r->args;
	const struct cmd_trust_extensions *trust = r->args;
	unsigned all = CONTEXT_KIND_BIT(EXTENSION_KIND_SKILL) |
	               CONTEXT_KIND_BIT(EXTENSION_KIND_COMMAND) |
	               CONTEXT_KIND_BIT(EXTENSION_KIND_AGENT);

	*ret_name = STR_NONE;
	switch (r->command.command) {
	case COMMAND_LIST_EXTENSIONS:
		*ret_cwd = list->cwd;
		*ret_kinds = list->kind ? CONTEXT_KIND_BIT(list->kind) : all;
		return true;
	case COMMAND_EXPAND_COMMAND:
		*ret_cwd = expand->cwd;
		*ret_kinds = CONTEXT_KIND_BIT(expand->kind == EXTENSION_KIND_SKILL
		                                      ? EXTENSION_KIND_SKILL
		                                      : EXTENSION_KIND_COMMAND);
		*ret_name = expand->name;
		return true;
	case COMMAND_TRUST_EXTENSIONS:
		*ret_cwd = trust->cwd;
		*ret_kinds = all;
		return true;
	default:
		return false;
	}
}

static bool wants_texts(const struct request *r)
{
	const struct cmd_list_extensions *list = r->args;

	return r->command.command == COMMAND_LIST_EXTENSIONS && list->texts;
}

static bool is_place(struct str cwd)
{
	return cwd.len && cwd.ptr[0] == '/' && !memchr(cwd.ptr, 0, cwd.len);
}

/* Directories that do not answer are given up by the reader. */
bool query_extensions_gather(struct request *r)
{
	struct context *c = r->engine->ports.context;
	struct str cwd, name;
	struct looked *l;
	unsigned kinds;

	if (r->work || !wanted_by(r, &cwd, &kinds, &name))
		return false;
	if (str_is(cwd) && !is_place(cwd)) {
		request_fail(r, ERROR_CODE_INVALID_VALUE, "cwd: an absolute path is wanted");
		request_reply(r);
		return true;
	}
	l = ARENA_NEW(r->mem, struct looked);
	r->work = l;
	r->work_done = looked_done;
	if (!c || !r->engine->options.config->context_extensions)
		return false;
	l->request = r;
	l->read = (struct context_read){ .cwd = str_is(cwd) ? cwd : r->engine->settings.cwd,
		                         .kinds = kinds,
		                         .wants_texts = wants_texts(r),
		                         .wanted = name,
		                         .done = on_looked };
	r->engine->live_effects++;
	c->ops->read(c, &l->read);
	return true;
}

/* ---- list_extensions ---- */

/* What of the file is not used; a model that cannot be asked is part of it. */
static struct str note_of(const struct request *r, const struct context_extension *x)
{
	struct str model;

	if (x->kind != EXTENSION_KIND_AGENT || !x->model.len ||
	    str_is(agent_definition_model(&r->engine->settings, r->mem, x->model)))
		return x->note;
	model = arena_printf(r->mem,
	                     "model %.*s cannot be asked here, so the agent gets its parent's",
	                     STR_ARG(str_head(x->model, 80)));
	return str_is(x->note)
	               ? arena_printf(r->mem, "%.*s; %.*s", STR_ARG(x->note), STR_ARG(model))
	               : model;
}

static struct rec_extension_row row_of(const struct request *r, const struct context_extension *x,
                                       struct str trusted)
{
	return (struct rec_extension_row){
		.kind = x->kind,
		.source = x->source,
		.name = x->name,
		.description = x->description,
		.argument_hint = x->argument_hint,
		.model = x->model,
		.tools = x->tools,
		.path = x->path,
		.is_trusted = extensions_is_trusted(x, trusted),
		.error = x->error,
		.note = note_of(r, x),
	};
}

/* What a person reads before the hash is trusted; the same read gave the hash. */
static void add_texts(struct request *r, const struct context_extension *x,
                      struct rec_extension_row *row)
{
	if (row->is_trusted || x->source != EXTENSION_SOURCE_PROJECT)
		return;
	row->text = x->text;
	row->has_bytes = true;
	row->bytes = (int64_t)x->bytes;
	for (size_t i = 0; i < x->beside_count; i++) {
		const struct context_beside *b = &x->beside[i];

		*(struct rec_extension_file *)rec_list_add(r->mem, &row->files,
		                                           &rec_extension_file_desc) =
			(struct rec_extension_file){ .path = b->path,
			                             .has_bytes = b->is_read,
			                             .bytes = (int64_t)b->bytes,
			                             .text = b->text };
	}
}

void query_list_extensions(struct request *r, const struct cmd_list_extensions *c)
{
	const struct context_read *read = &((struct looked *)r->work)->read;
	struct str trusted = extensions_trusted(r->engine, r->mem, read->project);
	struct reply_list_extensions reply = {
		.project = read->project,
		.content_hash = c->kind ? STR_NONE : extensions_hash(r->mem, read),
	};

	for (size_t i = 0; i < read->extension_count; i++) {
		struct rec_extension_row row = row_of(r, &read->extensions[i], trusted);

		if (c->texts)
			add_texts(r, &read->extensions[i], &row);
		*(struct rec_extension_row *)rec_list_add(r->mem, &reply.extensions,
		                                          &rec_extension_row_desc) = row;
	}
	if (!c->kind || c->kind == EXTENSION_KIND_COMMAND)
		query_prompts_add(r, c->cwd, &reply);
	for (size_t i = 0; i < read->left_out_count; i++)
		rec_list_str_add(r->mem, &reply.left_out, read->left_out[i]);
	r->response.reply = rec_text(r->mem, &reply_list_extensions_desc, &reply);
	request_reply(r);
}

/* ---- expand_command ---- */

static const struct context_extension *find_command(const struct context_read *read,
                                                    struct str name)
{
	for (size_t i = 0; i < read->extension_count; i++)
		if (!str_is(read->extensions[i].error) && str_eq(read->extensions[i].name, name))
			return &read->extensions[i];
	return NULL;
}

/* By its name alone or with that of its provider; absent: it cannot be asked. */
static struct str known_model(const struct engine *e, struct arena *mem, struct str name)
{
	for (size_t i = 0; str_is(name) && i < e->settings.model_count; i++) {
		const struct model_info *m = &e->settings.models[i];
		struct str full =
			arena_printf(mem, "%.*s/%.*s", STR_ARG(m->provider), STR_ARG(m->model));

		if (m->has_credential && (str_eq(m->model, name) || str_eq(full, name)))
			return full;
	}
	return STR_NONE;
}

void query_expand_command(struct request *r, const struct cmd_expand_command *c)
{
	const struct context_read *read = &((struct looked *)r->work)->read;
	const struct context_extension *x = find_command(read, c->name);
	struct str trusted = extensions_trusted(r->engine, r->mem, read->project);
	struct rec_extension_row row;
	struct reply_expand_command reply;

	if (!x && query_prompts_expand(r, c))
		return;
	if (!x) {
		request_fail(r, ERROR_CODE_NOT_FOUND, "there is no %s%.*s",
		             c->kind == EXTENSION_KIND_SKILL ? "skill " : "command /",
		             STR_ARG(c->name));
	} else if (!extensions_is_trusted(x, trusted)) {
		request_fail(r, ERROR_CODE_NOT_TRUSTED,
		             "/%.*s comes from %.*s, which is not trusted. Read it, then run: "
		             "thole trust",
		             STR_ARG(c->name), STR_ARG(x->path));
	} else {
		row = row_of(r, x, trusted);
		reply = (struct reply_expand_command){
			.text = command_text_expand(r->mem, x->body,
			                            str_is(c->arguments) ? c->arguments : STR("")),
			.command = &row,
			.model = known_model(r->engine, r->mem, x->model),
		};
		r->response.reply = rec_text(r->mem, &reply_expand_command_desc, &reply);
	}
	request_reply(r);
}

/* ---- trust_extensions ---- */

/* The content that the user saw must be what was read. */
static bool is_to_be_trusted(struct request *r)
{
	const struct cmd_trust_extensions *c = r->args;
	const struct context_read *read = &((struct looked *)r->work)->read;
	struct str hash = extensions_hash(r->mem, read);

	if (!str_is(hash))
		request_fail(r, ERROR_CODE_UNAVAILABLE,
		             "the project has no skills, commands or agents");
	else if (!str_eq(c->content_hash, hash))
		request_fail(r, ERROR_CODE_VERSION_MISMATCH,
		             "the files are others now: their hash is %.*s", STR_ARG(hash));
	return !r->response.code;
}

/* The event is durable: the files are used from now on. */
static void apply_trust(struct request *r)
{
	const struct context_read *read = &((struct looked *)r->work)->read;
	struct error err;

	if (extensions_trust(r->engine, read, &err) != OK)
		request_fail(r, ERROR_CODE_UNAVAILABLE, "%s", err.message);
	request_reply(r);
}

/* As for hooks: the event comes before the trust. */
static void record_trust(struct session *s, void *arg)
{
	struct request *r = arg;
	const struct cmd_trust_extensions *c = r->args;
	const struct context_read *read = &((struct looked *)r->work)->read;
	struct reply_trust_extensions reply = { .content_hash = c->content_hash,
		                                .project = read->project };
	struct decision *d;

	if (!s || s->phase != SESSION_LIVE) {
		request_fail(r, ERROR_CODE_UNAVAILABLE, "the system session cannot be written now");
		request_reply(r);
		return;
	}
	d = apply_begin(s, &r->command);
	input_permission_decide_trusted(
		d, arena_printf(d->mem, "extensions:%.*s", STR_ARG(read->project)),
		arena_keep(d->mem, read->project), c->content_hash, c->reason);
	apply_end(s, d);
	r->session = s;
	r->response.reply = rec_text(r->mem, &reply_trust_extensions_desc, &reply);
	request_keep(r);
	r->then = apply_trust;
	request_wait(r);
}

void query_trust_extensions(struct request *r, const struct cmd_trust_extensions *c)
{
	(void)c;
	if (is_to_be_trusted(r))
		request_job_with(r->engine, STR("sess_system"), true, ELSEWHERE_OWN, record_trust,
		                 r);
	else
		request_reply(r);
}
