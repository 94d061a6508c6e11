/* Tool servers: the list, the user's trust in one, and the login at one. */
#include "core/approval/permission.h"
#include "core/gen/inputs.h"
#include "base/jw.h"
#include "engine/query/query.h"
#include "engine/effects/effects.h"
#include "engine/resources/holders.h"
#include "engine/session/apply.h"
#include "engine/settings/project_tools.h"
#include "engine/engine_state.h"

/* Only servers of a project's file have a content hash, and only those belong to a directory. */
static struct str server_text(struct arena *mem, const struct tool_server *s, struct toolset_at at)
{
	struct rec_tool_server r = {
		.name = s->name,
		.source = s->source,
		.status = rec_enum_read(&enum_tool_server_status, s->status),
		.detail = s->detail,
		.command = s->command,
		.url = s->url,
		.native_protocol = STR("mcp"),
		.protocol_version = s->protocol,
		.program = s->program,
		.channel_id = s->channel_id,
		.content_hash = s->content_hash,
		.program_hash = s->program_hash,
		.cwd = str_is(s->content_hash) ? at.cwd : STR_NONE,
		.session_id = at.session_id,
		.tool_count = s->tool_count,
		.changed_count = s->changed_count,
		.left_out = s->left_out,
		.restarts = s->restarts,
		.signed_in = s->is_signed_in,
		.has_signed_in = s->has_login,
		.login_pending = s->is_login_pending,
		.has_login_pending = s->has_login,
	};

	for (size_t i = 0; i < s->host_count; i++)
		rec_list_str_add(mem, &r.hosts, s->hosts[i]);
	for (size_t i = 0; i < s->env_count; i++)
		rec_list_str_add(mem, &r.env, s->env[i]);
	for (size_t i = 0; i < s->header_count; i++)
		rec_list_str_add(mem, &r.headers, s->headers[i]);
	if (s->sampling)
		r.sampling = rec_clone(mem, &rec_tool_server_sampling_desc, s->sampling);
	return rec_text(mem, &rec_tool_server_desc, &r);
}

/*
 * A directory that a command names has its servers although no session works there; the next sweep
 * closes them.  False: it is no absolute path.
 */
static bool look_at(struct request *r, struct str cwd)
{
	if (!str_is(cwd))
		return true;
	if (!cwd.len || cwd.ptr[0] != '/' || memchr(cwd.ptr, 0, cwd.len)) {
		request_fail(r, ERROR_CODE_INVALID_VALUE, "cwd: an absolute path is wanted");
		return false;
	}
	project_tools_renew(r->engine, cwd, STR_NONE);
	return true;
}

/* Directories whose configuration has changed restart first, so that the list shows what runs. */
void query_list_tool_servers(struct request *r, const struct cmd_list_tool_servers *c)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct toolset_at *sets;
	struct json_writer w;
	size_t set_count;

	project_tools_look(r->engine);
	if (!look_at(r, c->cwd)) {
		request_reply(r);
		return;
	}
	set_count = project_tools_list(r->engine, r->mem, &sets);

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "servers");
	jw_arr(&w);
	for (size_t i = 0; i < set_count; i++) {
		struct toolset *t = sets[i].toolset;
		const struct tool_server *rows = NULL;
		size_t count = t->ops->servers ? t->ops->servers(t, r->mem, &rows) : 0;

		for (size_t n = 0; n < count; n++)
			jw_raw(&w, server_text(r->mem, &rows[n], sets[i]));
	}
	jw_arr_end(&w);
	jw_obj_end(&w);
	r->response.reply = arena_keep(r->mem, buf_str(&out));
	request_reply(r);
}

/* By its name, and by its directory when that is given; else the first of that name. */
static struct toolset_at find_server(struct request *r, struct str name, struct str cwd,
                                     const struct tool_server **ret)
{
	struct toolset_at *sets;
	size_t set_count = project_tools_list(r->engine, r->mem, &sets);

	for (size_t i = 0; i < set_count; i++) {
		struct toolset *t = sets[i].toolset;
		const struct tool_server *rows = NULL;
		size_t count = t->ops->servers ? t->ops->servers(t, r->mem, &rows) : 0;

		for (size_t n = 0; n < count; n++) {
			bool is_there = !str_is(cwd) ||
			                (str_is(rows[n].content_hash) && str_eq(sets[i].cwd, cwd));

			if (str_eq(rows[n].name, name) && is_there) {
				*ret = &rows[n];
				return sets[i];
			}
		}
	}
	return (struct toolset_at){ 0 };
}

/*
 * The server exists and has the content that the user saw; a directory's may have been restarted
 * since.
 */
static bool check_server(struct request *r, struct toolset_at *ret_set,
                         const struct tool_server **ret)
{
	const struct cmd_trust_tool_server *c = r->args;

	if (!look_at(r, c->cwd))
		return false;
	*ret_set = find_server(r, c->server, c->cwd, ret);
	if (!ret_set->toolset)
		request_fail(r, ERROR_CODE_TOOL_SERVER_NOT_FOUND, "there is no tool server %.*s",
		             STR_ARG(c->server));
	else if (str_eq((*ret)->status, STR("unsupported")))
		request_fail(r, ERROR_CODE_INVALID_VALUE, "server: %.*s", STR_ARG((*ret)->detail));
	else if (str_is(c->content_hash) && !str_eq(c->content_hash, (*ret)->content_hash))
		request_fail(r, ERROR_CODE_VERSION_MISMATCH,
		             "the file is another one now: its hash is %.*s",
		             STR_ARG((*ret)->content_hash));
	return !r->response.code;
}

/* The event is durable: the trust applies from now on. */
static void apply_trust(struct request *r)
{
	const struct cmd_trust_tool_server *c = r->args;
	const struct tool_server *server;
	struct toolset_at at;
	struct error err;

	if (check_server(r, &at, &server) &&
	    at.toolset->ops->trust(at.toolset, c->server, &err) != OK)
		request_fail(r, ERROR_CODE_INVALID_VALUE, "server: %s", err.message);
	request_reply(r);
}

/* As for hooks: the content is compared again, and the event comes before the trust. */
static void record_trust(struct session *s, void *arg)
{
	struct request *r = arg;
	const struct cmd_trust_tool_server *c = r->args;
	const struct tool_server *server;
	struct reply_trust_tool_server reply = { .server = c->server };
	struct toolset_at at;
	struct decision *d;

	if (!s || s->phase != SESSION_LIVE)
		request_fail(r, ERROR_CODE_OVERLOADED, "the system session cannot be written now");
	if (r->response.code || !check_server(r, &at, &server)) {
		request_reply(r);
		return;
	}
	reply.content_hash = server->content_hash;
	d = apply_begin(s, &r->command);
	input_permission_decide_trusted(d, arena_printf(d->mem, "mcp:%.*s", STR_ARG(c->server)),
	                                at.cwd, server->content_hash, c->reason);
	apply_end(s, d);
	r->session = s;
	r->response.reply = rec_text(r->mem, &reply_trust_tool_server_desc, &reply);
	request_keep(r);
	r->then = apply_trust;
	request_wait(r);
}

void query_trust_tool_server(struct request *r, const struct cmd_trust_tool_server *c)
{
	const struct tool_server *server;
	struct toolset_at at;

	project_tools_look(r->engine);
	if (check_server(r, &at, &server))
		request_job_with(r->engine, STR("sess_system"), true, ELSEWHERE_OWN, record_trust,
		                 r);
	else
		request_reply(r);
}

/* ---- logins ---- */

struct signing_in {
	struct tool_login login;
	struct request *r;
};

/* Refuses with what the toolset said. */
static void fail_login(struct request *r, enum err code, struct str message)
{
	request_fail(r,
	             code == ERR_NOT_FOUND ? ERROR_CODE_TOOL_SERVER_NOT_FOUND
	             : code == ERR_INVALID || code == ERR_UNSUPPORTED ? ERROR_CODE_INVALID_VALUE
	                                                              : ERROR_CODE_LOGIN_FAILED,
	             "%.*s", STR_ARG(message));
}

static void on_login(struct tool_login *l, enum err code)
{
	struct signing_in *work = l->owner;
	struct request *r = work->r;
	const struct cmd_login_tool_server *c = r->args;
	struct reply_login_tool_server reply = { .server = c->server,
		                                 .signed_in = l->is_signed_in,
		                                 .url = l->url,
		                                 .redirect_uri = l->redirect_uri };

	if (code)
		fail_login(r, code, l->message);
	else
		r->response.reply = rec_text(r->mem, &reply_login_tool_server_desc, &reply);
	request_reply(r);
}

static struct toolset *find_named(struct request *r, struct str name, struct str cwd)
{
	const struct tool_server *server;
	struct toolset_at at;

	project_tools_look(r->engine);
	if (!look_at(r, cwd))
		return NULL;
	at = find_server(r, name, cwd, &server);
	if (!at.toolset)
		request_fail(r, ERROR_CODE_TOOL_SERVER_NOT_FOUND, "there is no tool server %.*s",
		             STR_ARG(name));
	else if (!at.toolset->ops->login)
		request_fail(r, ERROR_CODE_INVALID_VALUE, "server: it has no login");
	return r->response.code ? NULL : at.toolset;
}

/* The reply waits for the authorization server, never for the person. */
void query_login_tool_server(struct request *r, const struct cmd_login_tool_server *c)
{
	struct toolset *t = find_named(r, c->server, c->cwd);
	struct signing_in *work;
	struct error e;
	enum err code;

	if (t) {
		work = ARENA_NEW(r->mem, struct signing_in);
		*work = (struct signing_in){
			.login = { .redirected = c->redirect_url, .done = on_login, .owner = work },
			.r = r
		};
		code = t->ops->login(t, c->server, &work->login, &e);
		if (!code)
			return;
		fail_login(r, code, str_from(e.message));
	}
	request_reply(r);
}

void query_logout_tool_server(struct request *r, const struct cmd_logout_tool_server *c)
{
	struct toolset *t = find_named(r, c->server, c->cwd);
	struct reply_logout_tool_server reply = { .server = c->server };
	struct error e;
	enum err code;

	if (t) {
		code = t->ops->logout(t, c->server, &reply.was_signed_in, &e);
		if (code == ERR_IO || code == ERR_FULL)
			request_fail(r, ERROR_CODE_STORE_FAILED, "%s", e.message);
		else if (code)
			fail_login(r, code, str_from(e.message));
		else
			r->response.reply =
				rec_text(r->mem, &reply_logout_tool_server_desc, &reply);
	}
	request_reply(r);
}

/* ---- servers that a client names for its session ---- */

/* "mcp:files /usr/bin/mcp-files": what was named, without arguments and without the query of an address. */
static struct list_str named_servers(struct arena *mem, struct json servers)
{
	struct json_iter it = json_iter(servers);
	struct list_str names = { 0 };
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v)) {
		struct str command = json_str(JSON_GET(v, "command"));
		struct str url = json_str(JSON_GET(v, "url")), rest = url;
		struct str shown = command.len ? command : str_cut(&rest, '?');

		rec_list_str_add(mem, &names,
		                 arena_printf(mem, "mcp:%.*s %.*s", STR_ARG(str_head(key, 64)),
		                              STR_ARG(str_head(shown, 256))));
	}
	return names;
}

static void reply_attached(struct request *r)
{
	struct toolset *t = project_tools_attached(r->engine, r->session->id);
	struct toolset_at at = { .toolset = t, .session_id = r->session->id };
	CLEANUP(buf_done) struct buf out = { 0 };
	const struct tool_server *rows = NULL;
	size_t count = t && t->ops->servers ? t->ops->servers(t, r->mem, &rows) : 0;
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", r->session->id);
	JW_KEY(&w, "servers");
	jw_arr(&w);
	for (size_t i = 0; i < count; i++)
		jw_raw(&w, server_text(r->mem, &rows[i], at));
	jw_arr_end(&w);
	jw_obj_end(&w);
	r->response.reply = arena_keep(r->mem, buf_str(&out));
	request_keep(r);
	request_reply(r);
}

/* The tags of tenant and principal in the id of the session; absent: it is the user's. */
static struct str owner_of(const struct session *s)
{
	struct str rest = str_skip(s->id, strlen("sess_"));

	return holders_own(s->id) ? str_cut(&rest, '_') : STR_NONE;
}

/* The event is durable: the servers start now. */
static void apply_attached(struct request *r)
{
	const struct cmd_attach_tool_servers *c = r->args;
	struct json servers;

	if (json_read_trusted(r->mem, c->servers, &servers, NULL) != OK || !r->session ||
	    r->session->phase != SESSION_LIVE) {
		request_fail(r, ERROR_CODE_OVERLOADED, "the session cannot be used now");
		request_reply(r);
		return;
	}
	project_tools_attach(r->session, owner_of(r->session), c->servers, json_count(servers) > 0);
	r->session->awaits_servers = false;
	LISTENERS_CALL(r->engine->listeners->tools_changed, r->engine);
	reply_attached(r);
}

void query_attach_tool_servers(struct request *r, const struct cmd_attach_tool_servers *c)
{
	struct session *s = r->session;
	struct list_str names;
	struct json servers;
	struct decision *d;
	struct error e;
	enum err code = json_read_trusted(r->mem, c->servers, &servers, &e);

	if (!code)
		code = project_tools_check(s, owner_of(s), c->servers, json_count(servers) > 0, &e);
	if (code) {
		request_fail(r, code == ERR_BUSY ? ERROR_CODE_OVERLOADED : ERROR_CODE_INVALID_VALUE,
		             "servers: %s", e.message);
		request_reply(r);
		return;
	}
	if (!json_count(servers)) {
		apply_attached(r);
		return;
	}
	d = apply_begin(s, &r->command);
	names = named_servers(d->mem, servers);
	input_permission_decide_attached(d, names);
	apply_end(s, d);
	s->awaits_servers = true;
	r->then = apply_attached;
	request_wait(r);
}

void query_offer_file_text(struct request *r, const struct cmd_offer_file_text *c)
{
	struct reply_offer_file_text reply = {
		.accepted = tool_take_text(r->session, r->caller.channel_id, c->tool_call_id,
		                           c->path, c->text),
	};

	r->response.reply = rec_text(r->mem, &reply_offer_file_text_desc, &reply);
	request_reply(r);
}
