/*
 * Permission modes as modes of an editor.  Offered are those that a person changes between, and the
 * one in force; the others need their name in another client.
 */
#include "acp/acp_session_int.h"

#include "base/gen/words.h"

#include <stdio.h>

static const struct mode {
	const char *id, *name, *description;
} modes[] = {
	{ WORD_PERMISSION_MODE_DEFAULT, "Default", "Reads run; everything else asks." },
	{ WORD_PERMISSION_MODE_ON_REQUEST, "On request",
	  "What stays inside the sandbox of the workspace runs; everything else asks." },
	{ WORD_PERMISSION_MODE_PLAN, "Plan", "Nothing is changed: the agent reads and plans." },
};

static bool is_offered(struct str id)
{
	for (size_t i = 0; i < COUNT_OF(modes); i++)
		if (str_eq(id, str_from(modes[i].id)))
			return true;
	return false;
}

void acp_mode_event(struct acp_thread *t, struct str type, struct json event)
{
	struct json payload = JSON_GET(event, "payload");
	struct str mode = STR_NONE;

	if (str_eq(type, STR("session.created")))
		mode = json_str(JSON_GET(payload, "permissionMode"));
	else if (str_eq(type, STR("policy.changed")))
		mode = json_str(JSON_GET(payload, "mode"));
	if (mode.len)
		snprintf(t->mode, sizeof t->mode, "%.*s", STR_ARG(mode));
}

static void write_mode(struct json_writer *w, const struct mode *m)
{
	jw_obj(w);
	JW_KSTR(w, "id", str_from(m->id));
	JW_KSTR(w, "name", str_from(m->name));
	JW_KOPT(w, "description", str_from(m->description));
	jw_obj_end(w);
}

void acp_mode_write(const struct acp_thread *t, struct json_writer *w)
{
	struct mode other = { .id = t->mode, .name = t->mode };

	if (!*t->mode)
		return;
	JW_KEY(w, "modes");
	jw_obj(w);
	JW_KSTR(w, "currentModeId", str_from(t->mode));
	JW_KEY(w, "availableModes");
	jw_arr(w);
	for (size_t i = 0; i < COUNT_OF(modes); i++)
		write_mode(w, &modes[i]);
	if (!is_offered(str_from(t->mode)))
		write_mode(w, &other);
	jw_arr_end(w);
	jw_obj_end(w);
}

void acp_mode_begin(struct acp_session *s, const struct jsonrpc_message *m)
{
	struct acp_thread *t = acp_peer_thread(s, json_str(JSON_GET(m->params, "sessionId")));
	struct str mode = json_str(JSON_GET(m->params, "modeId"));
	struct acp_request *r;
	struct acp_params p;

	if (!t || t->opening) {
		acp_peer_refuse_now(m, ACP_NOT_FOUND,
		                    "This session is not open in this connection; load it first.");
		return;
	}
	if (!is_offered(mode) && !str_eq(mode, str_from(t->mode))) {
		acp_peer_refuse_now(m, JSONRPC_INVALID_PARAMS,
		                    "modeId is not one of availableModes.");
		return;
	}
	r = acp_peer_keep(s, m);
	if (!r)
		return;
	acp_peer_begin_call(&p, str_from(t->id));
	JW_KSTR(&p.w, "mode", mode);
	acp_peer_add_key(s, &p);
	acp_peer_call(s, ACP_CALL_MODE, "set_mode", &p)->request = r;
}
