/*
 * Permission modes as modes of an editor.  Offered are those that a person changes between, and the
 * one in force; the others need their name in another client.
 */
#include "acp/acp_parts.h"

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

static bool is_listed(struct str id)
{
	for (size_t i = 0; i < COUNT_OF(modes); i++)
		if (str_eq(id, str_from(modes[i].id)))
			return true;
	return false;
}

const char *acp_mode_id(const struct acp_thread *t, size_t i)
{
	if (i < COUNT_OF(modes))
		return modes[i].id;
	return i == COUNT_OF(modes) && *t->mode && !is_listed(str_from(t->mode)) ? t->mode : NULL;
}

const char *acp_mode_name(const struct acp_thread *t, size_t i)
{
	return i < COUNT_OF(modes) ? modes[i].name : t->mode;
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

void acp_mode_write(const struct acp_thread *t, struct json_writer *w)
{
	if (!*t->mode)
		return;
	JW_KEY(w, "modes");
	jw_obj(w);
	JW_KSTR(w, "currentModeId", str_from(t->mode));
	JW_KEY(w, "availableModes");
	jw_arr(w);
	for (size_t i = 0; acp_mode_id(t, i); i++) {
		jw_obj(w);
		JW_KSTR(w, "id", str_from(acp_mode_id(t, i)));
		JW_KSTR(w, "name", str_from(acp_mode_name(t, i)));
		if (i < COUNT_OF(modes))
			JW_KSTR(w, "description", str_from(modes[i].description));
		jw_obj_end(w);
	}
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
		acp_peer_refuse_now(m, ACP_NOT_FOUND, ACP_NOT_OPEN);
		return;
	}
	if (!is_listed(mode) && !str_eq(mode, str_from(t->mode))) {
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
