/*
 * Peers that the settings name: remote agents, with their cards as they are now if the caller
 * wants that, and webhooks.
 */
#include "base/jw.h"
#include "engine/engine_state.h"
#include "engine/query/query.h"
#include "ports/agents.h"

struct checking {
	struct agents_check check;
	struct request *r;
};

static struct str peer_text(struct arena *mem, const struct agent_row *row)
{
	struct rec_peer r = {
		.name = row->name,
		.card_url = row->card_url,
		.description = row->description,
		.status = rec_enum_read(&enum_peer_status, row->status),
		.detail = row->detail,
		.agent = row->agent,
		.agent_version = row->version,
		.url = row->url,
		.binding = row->binding,
		.card_hash = row->card_hash,
		.signed_by = row->signed_by,
		.tool_name = arena_printf(mem, "peer__%.*s", STR_ARG(row->name)),
		.open_tasks = row->open,
	};

	for (size_t i = 0; i < row->header_count; i++)
		rec_list_str_add(mem, &r.headers, row->headers[i]);
	return rec_text(mem, &rec_peer_desc, &r);
}

static void reply_peers(struct request *r)
{
	const struct cmd_list_peers *c = r->args;
	CLEANUP(buf_done) struct buf out = { 0 };
	struct agents *a = r->engine->ports.agents;
	const struct agent_row *rows = NULL;
	size_t count = a ? a->ops->list(a, r->mem, &rows) : 0, found = 0;
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "peers");
	jw_arr(&w);
	for (size_t i = 0; i < count; i++) {
		if (str_is(c->name) && !str_eq(c->name, rows[i].name))
			continue;
		jw_raw(&w, peer_text(r->mem, &rows[i]));
		found++;
	}
	jw_arr_end(&w);
	jw_obj_end(&w);
	if (str_is(c->name) && !found)
		request_fail(r, ERROR_CODE_NOT_FOUND, "agents.remote has no agent %.*s",
		             STR_ARG(c->name));
	else
		r->response.reply = arena_keep(r->mem, buf_str(&out));
	request_reply(r);
}

static void on_checked(struct agents_check *check)
{
	reply_peers(((struct checking *)check->owner)->r);
}

void query_list_peers(struct request *r, const struct cmd_list_peers *c)
{
	struct agents *a = r->engine->ports.agents;
	struct checking *work;

	if (!c->check || !a) {
		reply_peers(r);
		return;
	}
	work = ARENA_NEW(r->mem, struct checking);
	*work = (struct checking){ .check = { .name = c->name, .done = on_checked, .owner = work },
		                   .r = r };
	a->ops->check(a, &work->check);
}

/* ---- webhooks ---- */

static struct str word_or(struct json row, struct str key, const char *otherwise)
{
	struct str word = json_str(json_get(row, key));

	return str_is(word) ? word : str_from(otherwise);
}

static struct str trigger_text(struct arena *mem, struct str name, struct json row)
{
	struct json events = JSON_GET(row, "events"), item;
	struct json_iter it = json_iter(events);
	struct str key;
	struct rec_trigger r = {
		.name = name,
		.path = arena_printf(mem, "/v1/triggers/%.*s", STR_ARG(name)),
		.signature = json_str(JSON_GET(row, "signature")),
		.prompt = json_str(JSON_GET(row, "prompt")),
		.work = word_or(row, STR("work"), "turn"),
		.session = word_or(row, STR("session"), "new"),
		.principal = arena_printf(mem, "trigger:%.*s", STR_ARG(name)),
		.cwd = json_str(JSON_GET(row, "cwd")),
		.model = json_str(JSON_GET(row, "model")),
		.mode = json_str(JSON_GET(row, "mode")),
		.secret_env = json_str(JSON_GET(row, "secret_env")),
		.previous_secret_env = json_str(JSON_GET(row, "previous_secret_env")),
	};

	while (json_is(events) && json_next(&it, &key, &item))
		rec_list_str_add(mem, &r.events, json_str(item));
	return rec_text(mem, &rec_trigger_desc, &r);
}

/* A daemon whose settings have a mistake does not start, so they are not checked again. */
void query_list_triggers(struct request *r, const struct cmd_list_triggers *c)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json rows = r->engine->options.config->triggers, row;
	struct json_iter it = json_iter(rows);
	struct json_writer w;
	struct str name;

	(void)c;
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "triggers");
	jw_arr(&w);
	while (json_is(rows) && json_next(&it, &name, &row))
		jw_raw(&w, trigger_text(r->mem, name, row));
	jw_arr_end(&w);
	jw_obj_end(&w);
	r->response.reply = arena_keep(r->mem, buf_str(&out));
	request_reply(r);
}
