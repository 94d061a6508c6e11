/* create_signing_key and list_signing_keys: the key that signs packs and checkpoints. */
#include "core/gen/inputs.h"
#include "core/runtime_events.h"
#include "engine/maintenance/anchor.h"
#include "engine/query/query.h"
#include "engine/session/apply.h"
#include "engine/engine_state.h"
#include "proof/proof_key.h"

#define SYSTEM STR("sess_system")

static struct rec_signing_key *record_of(struct arena *mem, const struct signer_key *key)
{
	struct rec_signing_key *r = ARENA_NEW(mem, struct rec_signing_key);
	struct buf pem = { 0 };

	proof_key_write(&pem, &key->public);
	*r = (struct rec_signing_key){ .key_id = proof_key_id(mem, &key->public),
		                       .public_key = arena_keep(mem, buf_str(&pem)),
		                       .state = SIGNING_KEY_STATE_ACTIVE,
		                       .origin = key->origin };
	buf_done(&pem);
	return r;
}

/* ---- create_signing_key ---- */

static enum error_code code_of(enum err code)
{
	return code == ERR_BUSY        ? ERROR_CODE_SIGNING_KEY_EXISTS
	       : code == ERR_NOT_FOUND ? ERROR_CODE_NOT_FOUND
	                               : ERROR_CODE_SIGNING_FAILED;
}

/*
 * The file comes before the event.  After a crash in between the key is used, and the next
 * checkpoint records it.
 */
static void create_key(struct session *s, void *arg)
{
	struct request *r = arg;
	const struct cmd_create_signing_key *c = r->args;
	struct signer *signer = r->engine->ports.signer;
	struct reply_create_signing_key reply = { 0 };
	struct signer_key key;
	struct decision *d;
	struct error e;
	enum err code;

	if (!s || s->phase != SESSION_LIVE || !signer) {
		request_fail(r, ERROR_CODE_UNAVAILABLE,
		             signer ? "the system session cannot be written now"
		                    : "this runtime signs nothing");
		request_reply(r);
		return;
	}
	code = signer->ops->create(signer, c->has_rotate && c->rotate, &key, &e);
	if (code) {
		request_fail(r, code_of(code), "%s", e.message);
		request_reply(r);
		return;
	}
	reply.key = record_of(r->mem, &key);
	d = apply_begin(s, &r->command);
	input_runtime_events_key(d, reply.key);
	apply_end(s, d);
	r->session = s;
	r->response.reply = rec_text(r->mem, &reply_create_signing_key_desc, &reply);
	request_keep(r);
	request_wait(r);
}

void query_create_signing_key(struct request *r, const struct cmd_create_signing_key *c)
{
	(void)c;
	request_job_with(r->engine, SYSTEM, true, ELSEWHERE_FORWARD, create_key, r);
}

/* ---- list_signing_keys ---- */

static void add_key(struct request *r, struct reply_list_signing_keys *reply,
                    const struct rec_signing_key *key)
{
	struct buf text = { 0 };
	struct proof_keys one;

	if (proof_key_read_all(key->public_key, &one, NULL) == OK)
		proof_key_write_verifier(&text, reply->origin, &one.items[0]);
	rec_list_str_add(r->mem, &reply->verifier_keys, arena_keep(r->mem, buf_str(&text)));
	buf_done(&text);
	rec_keep(r->mem, &rec_signing_key_desc,
	         rec_list_add(r->mem, &reply->keys, &rec_signing_key_desc), key);
}

/* A key that has not signed yet is not recorded; it comes first. */
static void list_keys(struct session *s, void *arg)
{
	struct request *r = arg;
	struct signer *signer = r->engine->ports.signer;
	struct reply_list_signing_keys reply = { .origin = anchor_origin(r->engine, r->mem) };
	const struct rec_signing_key *active = s && s->state ? runtime_events_active_key(s->state)
	                                                     : NULL,
				     *now = NULL;
	struct signer_key key;
	struct error e;
	enum err code = signer ? signer->ops->key(signer, &key, &e) : ERR_NOT_FOUND;

	if (!code)
		now = record_of(r->mem, &key);
	if (now && s && s->state && runtime_events_key_is_retired(s->state, now->key_id)) {
		reply.trouble = STR(RUNTIME_EVENTS_RETIRED);
		now = NULL;
	}
	if (code == ERR_NOT_FOUND && active)
		reply.trouble = STR("the private key is gone; to make another, run: thole key new");
	else if (code && code != ERR_NOT_FOUND)
		reply.trouble = arena_keep(r->mem, str_from(e.message));
	if (!str_is(reply.trouble) && str_is(anchor_sign_trouble(r->engine)))
		reply.trouble = arena_printf(r->mem, "the last checkpoint is not signed: %.*s",
		                             STR_ARG(anchor_sign_trouble(r->engine)));
	if (now && (!active || !str_eq(active->key_id, now->key_id)))
		add_key(r, &reply, now);
	for (uint32_t i = s && s->state ? s->state->s->signing_keys.count : 0; i-- > 0;)
		add_key(r, &reply, s->state->s->signing_keys.items[i]);
	r->response.reply = rec_text(r->mem, &reply_list_signing_keys_desc, &reply);
	request_reply(r);
}

void query_list_signing_keys(struct request *r, const struct cmd_list_signing_keys *c)
{
	(void)c;
	request_job_with(r->engine, SYSTEM, false, ELSEWHERE_FORWARD, list_keys, r);
}
