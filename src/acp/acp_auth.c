/*
 * authenticate and logout.  Thole has no account of its own: what a session needs is a model with a key.  The method
 * of the protocol checks that there is one; the method for a terminal is `thole setup`.  logout ends the use of the
 * keys by this editor until it signs in again; the keys stay where they are.
 */
#include "acp/acp_parts.h"

void acp_auth_begin(struct acp_session *s, const struct jsonrpc_message *m)
{
	struct str method = json_str(JSON_GET(m->params, "methodId"));
	struct acp_request *r;
	struct acp_params p;

	if (!str_eq(method, STR(ACP_AUTH_KEYS))) {
		acp_peer_refuse_now(m, JSONRPC_INVALID_PARAMS,
		                    str_eq(method, STR(ACP_AUTH_SETUP))
		                            ? "This method runs in a terminal."
		                            : "methodId is not one of authMethods.");
		return;
	}
	r = acp_peer_keep(s, m);
	if (!r)
		return;
	acp_peer_begin_call(&p, STR_NONE);
	acp_peer_call(s, ACP_CALL_AUTH, "list_models", &p)->request = r;
}

static bool has_usable(struct json reply)
{
	struct json_iter it = json_iter(JSON_GET(reply, "models"));
	struct json row;
	struct str key;

	while (json_next(&it, &key, &row))
		if (json_bool(JSON_GET(row, "hasCredential"), true))
			return true;
	return false;
}

/* Keys may have been added since the models were listed. */
void acp_auth_replied(struct acp_session *s, const struct acp_open_call *c, bool is_ok,
                      struct json reply)
{
	if (!is_ok) {
		acp_peer_refuse_by(s, c->request, reply);
	} else if (!has_usable(reply)) {
		acp_peer_refuse(c->request, ACP_AUTH_REQUIRED,
		                STR("No model has a key. In a terminal, run: thole setup"),
		                STR_NONE);
	} else {
		s->is_logged_out = false;
		acp_peer_answer(c->request, STR("{}"));
		acp_config_models(s, reply);
	}
}

void acp_auth_end(struct acp_session *s, const struct jsonrpc_message *m)
{
	s->is_logged_out = true;
	jsonrpc_reply(m->call, STR("{}"));
}
