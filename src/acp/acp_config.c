/*
 * Options of a session that an editor shows: permission mode, model and effort.  The editor always
 * gets the whole list.  Models are asked for once per conversation; until the runtime has answered,
 * the list is left out.
 */
#include "acp/acp_parts.h"

#include "base/gen/words.h"
#include "base/memory.h"

#include <stdio.h>

#define MODELS_MAX 200
#define EFFORT_DEFAULT "default" /* what the settings say */

static const char *const effort_words[] = { WORDS_EFFORT };

/* ---- models ---- */

void acp_config_ask_models(struct acp_session *s)
{
	struct acp_params p;

	if (s->has_asked_models)
		return;
	s->has_asked_models = true;
	acp_peer_begin_call(&p, STR_NONE);
	acp_peer_call(s, ACP_CALL_MODELS, "list_models", &p);
}

void acp_config_free(struct acp_session *s)
{
	for (size_t i = 0; i < s->model_count; i++)
		memory_free(s->models[i].name);
	memory_free(s->models);
	s->models = NULL;
	s->model_count = 0;
}

/* The efforts of a model as bits of effort_words. */
static unsigned read_efforts(struct json list)
{
	struct json_iter it = json_iter(list);
	unsigned bits = 0;
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		for (size_t i = 0; i < COUNT_OF(effort_words); i++)
			if (str_eq(json_str(v), str_from(effort_words[i])))
				bits |= 1u << i;
	return bits;
}

static void add_model(struct acp_session *s, struct json row)
{
	struct str provider = json_str(JSON_GET(row, "provider"));
	struct str model = json_str(JSON_GET(row, "model"));
	struct str name = arena_printf(s->mem, "%.*s/%.*s", STR_ARG(provider), STR_ARG(model));

	if (!provider.len || !model.len || !json_bool(JSON_GET(row, "hasCredential"), true))
		return;
	s->models[s->model_count++] = (struct acp_model){
		.name = memory_strndup(name.ptr, name.len),
		.efforts = read_efforts(JSON_GET(row, "efforts")),
		.is_default = json_bool(JSON_GET(row, "isDefault"), false),
	};
}

static void send_options(struct acp_thread *t)
{
	struct buf params = { 0 };
	struct json_writer w;

	if (t->opening || !t->s->model_count)
		return;
	jw_init(&w, &params);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", str_from(t->id));
	JW_KEY(&w, "update");
	jw_obj(&w);
	JW_KSTR(&w, "sessionUpdate", STR("config_option_update"));
	acp_config_write(t, &w);
	jw_obj_end(&w);
	jw_obj_end(&w);
	acp_peer_notify(t->s, "session/update", &params);
}

void acp_config_models(struct acp_session *s, struct json reply)
{
	struct json_iter it = json_iter(JSON_GET(reply, "models"));
	struct json row;
	struct str key;

	acp_config_free(s);
	s->models = memory_zeroed(MODELS_MAX, sizeof *s->models);
	while (s->model_count < MODELS_MAX && json_next(&it, &key, &row))
		add_model(s, row);
	LIST_EACH (&s->threads, node)
		send_options(LIST_ITEM(node, struct acp_thread, node));
}

static const struct acp_model *find_model(const struct acp_session *s, struct str name)
{
	for (size_t i = 0; i < s->model_count; i++)
		if (str_eq(str_from(s->models[i].name), name))
			return &s->models[i];
	return NULL;
}

/* The session's model, or the default of the settings; NULL: no model can be used. */
static const struct acp_model *model_of(const struct acp_thread *t)
{
	const struct acp_session *s = t->s;
	const struct acp_model *found = find_model(s, str_from(t->model));

	for (size_t i = 0; !found && i < s->model_count; i++)
		if (s->models[i].is_default)
			found = &s->models[i];
	return found ? found : s->model_count ? &s->models[0] : NULL;
}

/* ---- the list ---- */

static void begin_option(struct json_writer *w, const char *id, const char *name,
                         const char *category, struct str value)
{
	jw_obj(w);
	JW_KSTR(w, "id", str_from(id));
	JW_KSTR(w, "name", str_from(name));
	JW_KSTR(w, "category", str_from(category));
	JW_KSTR(w, "type", STR("select"));
	JW_KSTR(w, "currentValue", value);
	JW_KEY(w, "options");
	jw_arr(w);
}

static void end_option(struct json_writer *w)
{
	jw_arr_end(w);
	jw_obj_end(w);
}

static void write_value(struct json_writer *w, const char *value, const char *name)
{
	jw_obj(w);
	JW_KSTR(w, "value", str_from(value));
	JW_KSTR(w, "name", str_from(name));
	jw_obj_end(w);
}

static void write_effort(const struct acp_thread *t, struct json_writer *w, unsigned efforts)
{
	begin_option(w, "effort", "Effort", "thought_level",
	             *t->effort ? str_from(t->effort) : STR(EFFORT_DEFAULT));
	write_value(w, EFFORT_DEFAULT, "Default");
	for (size_t i = 0; i < COUNT_OF(effort_words); i++)
		if (efforts & (1u << i))
			write_value(w, effort_words[i], effort_words[i]);
	end_option(w);
}

void acp_config_write(const struct acp_thread *t, struct json_writer *w)
{
	const struct acp_model *model = model_of(t);

	if (!model)
		return;
	JW_KEY(w, "configOptions");
	jw_arr(w);
	if (*t->mode) {
		begin_option(w, "mode", "Mode", "mode", str_from(t->mode));
		for (size_t i = 0; acp_mode_id(t, i); i++)
			write_value(w, acp_mode_id(t, i), acp_mode_name(t, i));
		end_option(w);
	}
	begin_option(w, "model", "Model", "model", str_from(model->name));
	for (size_t i = 0; i < t->s->model_count; i++)
		write_value(w, t->s->models[i].name, t->s->models[i].name);
	end_option(w);
	if (model->efforts)
		write_effort(t, w, model->efforts);
	jw_arr_end(w);
}

/* ---- changes by others ---- */

/*
 * The effort of a session is that of its last prompt that has one, whichever client sent it.  So it
 * is there again when the session is loaded.
 */
static void take_effort(struct acp_thread *t, struct str effort)
{
	if (!effort.len || str_eq(effort, str_from(t->effort)) || effort.len >= sizeof t->effort)
		return;
	snprintf(t->effort, sizeof t->effort, "%.*s", STR_ARG(effort));
	send_options(t);
}

void acp_config_event(struct acp_thread *t, struct str type, struct json event)
{
	struct str model = json_str(JSON_GET(JSON_GET(event, "payload"), "model"));
	struct str mode = json_str(JSON_GET(JSON_GET(event, "payload"), "mode"));

	if (str_eq(type, STR("session.created")) || str_eq(type, STR("session.updated"))) {
		if (!model.len)
			return;
		snprintf(t->model, sizeof t->model, "%.*s", STR_ARG(model));
		send_options(t);
	} else if (str_eq(type, STR("policy.changed")) && mode.len) {
		send_options(t);
	} else if (str_eq(type, STR("turn.submitted")) &&
	           str_eq(json_str(JSON_GET(event, "threadId")), str_from(t->main))) {
		take_effort(t, json_str(JSON_GET(JSON_GET(JSON_GET(event, "payload"), "options"),
		                                 "effort")));
	}
}

/* ---- session/set_config_option ---- */

static void answer_options(struct acp_thread *t, struct acp_request *r)
{
	CLEANUP(buf_done) struct buf result = { 0 };
	struct json_writer w;

	jw_init(&w, &result);
	jw_obj(&w);
	acp_config_write(t, &w);
	jw_obj_end(&w);
	acp_peer_answer(r, buf_str(&result));
}

/* Effort belongs to each prompt: other clients see it with the next one. */
static bool set_effort(struct acp_thread *t, struct str value)
{
	const struct acp_model *model = model_of(t);

	if (str_eq(value, STR(EFFORT_DEFAULT))) {
		t->effort[0] = 0;
		return true;
	}
	for (size_t i = 0; model && i < COUNT_OF(effort_words); i++)
		if ((model->efforts & (1u << i)) && str_eq(value, str_from(effort_words[i]))) {
			snprintf(t->effort, sizeof t->effort, "%s", effort_words[i]);
			return true;
		}
	return false;
}

/* The value is applied when the runtime has accepted it. */
static void call_change(struct acp_thread *t, struct acp_request *r, const char *command,
                        const char *key, struct str value)
{
	struct acp_open_call *c;
	struct acp_params p;

	acp_peer_begin_call(&p, str_from(t->id));
	jw_kstr(&p.w, str_from(key), value);
	acp_peer_add_key(t->s, &p);
	c = acp_peer_call(t->s, ACP_CALL_CONFIG, command, &p);
	c->thread = t;
	c->request = r;
	snprintf(c->about, sizeof c->about, "%s %.*s", key, STR_ARG(value));
}

void acp_config_changed(const struct acp_open_call *c)
{
	struct acp_thread *t = c->thread;
	struct str value = str_from(c->about);
	struct str key = str_cut(&value, ' ');

	if (!t) {
		acp_peer_refuse(c->request, ACP_NOT_FOUND, STR("The session was closed."),
		                STR_NONE);
		return;
	}
	if (str_eq(key, STR("mode")))
		snprintf(t->mode, sizeof t->mode, "%.*s", STR_ARG(value));
	else
		snprintf(t->model, sizeof t->model, "%.*s", STR_ARG(value));
	answer_options(t, c->request);
}

static bool has_mode(const struct acp_thread *t, struct str value)
{
	for (size_t i = 0; acp_mode_id(t, i); i++)
		if (str_eq(value, str_from(acp_mode_id(t, i))))
			return true;
	return false;
}

static void set_option(struct acp_thread *t, struct acp_request *r, struct str id, struct str value)
{
	if (str_eq(id, STR("mode")) && has_mode(t, value))
		call_change(t, r, "set_mode", "mode", value);
	else if (str_eq(id, STR("model")) && find_model(t->s, value))
		call_change(t, r, "update_session", "model", value);
	else if (str_eq(id, STR("effort")) && set_effort(t, value))
		answer_options(t, r);
	else
		acp_peer_refuse(r, JSONRPC_INVALID_PARAMS,
		                STR("configId or value is not one of configOptions."), STR_NONE);
}

void acp_config_begin(struct acp_session *s, const struct jsonrpc_message *m)
{
	struct acp_thread *t = acp_peer_thread(s, json_str(JSON_GET(m->params, "sessionId")));
	struct acp_request *r;

	if (!t || t->opening) {
		acp_peer_refuse_now(m, ACP_NOT_FOUND, ACP_NOT_OPEN);
		return;
	}
	r = acp_peer_keep(s, m);
	if (r)
		set_option(t, r, json_str(JSON_GET(m->params, "configId")),
		           json_str(JSON_GET(m->params, "value")));
}
