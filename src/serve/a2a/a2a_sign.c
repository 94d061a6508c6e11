/* Signing the card: the text that is covered, the last signature, and requests that wait. */
#include "serve/a2a/a2a_sign.h"

#include "a2a/a2a_canonical.h"
#include "base/hash/base64.h"
#include "base/memory.h"
#include "base/os/log.h"
#include "ports/signer.h"
#include "proof/proof_key.h"

/* A request for the card. */
struct waiting {
	struct list node;
	struct http_request *req;
};

struct a2a_sign {
	struct a2a_edge *edge;
	struct signer *signer;
	struct signer_call call;
	struct arena *mem; /* of the call that is under way; NULL: none */
	struct list waiting;
	/* The last answer: text and signature; no signature: it failed. */
	struct arena *last_mem;
	struct str covered, signature;
	bool has_warned;
};

struct a2a_sign *a2a_sign_new(struct a2a_edge *edge, struct signer *signer)
{
	struct a2a_sign *s = memory_zeroed(1, sizeof *s);

	s->edge = edge;
	s->signer = signer;
	list_init(&s->waiting);
	return s;
}

static struct http_request *take_waiting(struct waiting *w)
{
	struct http_request *req = w->req;

	list_remove(&w->node);
	memory_free(w);
	req->user = NULL;
	req->on_closed = NULL;
	return req;
}

void a2a_sign_free(struct a2a_sign *s)
{
	if (!s)
		return;
	if (s->mem)
		s->signer->ops->cancel(s->signer, &s->call);
	while (!list_is_empty(&s->waiting))
		http_reply_abort(take_waiting(LIST_ITEM(s->waiting.next, struct waiting, node)));
	arena_free(s->mem);
	arena_free(s->last_mem);
	memory_free(s);
}

/* Once: the card is read often. */
static void warn(struct a2a_sign *s, const struct error *e)
{
	if (!s->has_warned)
		log_line(LOG_WARN, "a2a", "The agent card is not signed: %s", e->message);
	s->has_warned = true;
}

/* ---- the answer of the signer ---- */

static void keep_answer(struct a2a_sign *s, const struct signer_call *c)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	arena_free(s->last_mem);
	s->last_mem = arena_new_small();
	s->covered = arena_keep(s->last_mem, c->text);
	s->signature = STR_NONE;
	if (c->result != OK) {
		warn(s, &c->error);
		return;
	}
	s->has_warned = false;
	base64_write_url(&text, str_of((const char *)c->signature.bytes, ED25519_SIGNATURE_BYTES));
	s->signature = arena_keep(s->last_mem, buf_str(&text));
}

/* Those that wait for the same text are answered; for others a further call begins. */
static void answer_waiting(struct a2a_sign *s)
{
	struct list ready;

	list_init(&ready);
	while (!list_is_empty(&s->waiting)) {
		struct list *node = s->waiting.next;

		list_remove(node);
		list_add(&ready, node);
	}
	while (!list_is_empty(&ready))
		a2a_edge_card(s->edge, take_waiting(LIST_ITEM(ready.next, struct waiting, node)));
}

static void on_signed(struct signer_call *c)
{
	struct a2a_sign *s = c->owner;
	struct arena *mem = s->mem;

	keep_answer(s, c);
	s->mem = NULL;
	answer_waiting(s);
	arena_free(mem);
	/* After a failure the next request tries again. */
	if (!s->mem && !str_is(s->signature)) {
		arena_free(s->last_mem);
		s->last_mem = NULL;
	}
}

/* ---- the card ---- */

static struct str covered_of(struct arena *mem, const struct a2a_card *card)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;
	struct json v;

	jw_init(&w, &out);
	a2a_card_write(&w, card);
	if (json_read(mem, arena_keep(mem, buf_str(&out)), &v, NULL) != OK)
		return STR_NONE;
	return a2a_canonical_covered(mem, card->protected_header,
	                             a2a_canonical_card(mem, v, A2A_CANONICAL_WHOLE));
}

static void begin_call(struct a2a_sign *s, struct str covered)
{
	s->mem = arena_new_small();
	s->call = (struct signer_call){ .text = arena_keep(s->mem, covered),
		                        .done = on_signed,
		                        .owner = s };
	s->signer->ops->sign(s->signer, &s->call);
}

static bool take_last(const struct a2a_sign *s, struct arena *mem, struct str covered,
                      struct a2a_card *card)
{
	if (!s->last_mem || !str_eq(s->covered, covered))
		return false;
	if (str_is(s->signature))
		card->signature = arena_keep(mem, s->signature);
	return true;
}

bool a2a_sign_card(struct a2a_sign *s, struct arena *mem, struct a2a_card *card)
{
	struct signer_key key;
	struct str covered;
	struct error e;
	enum err code = s->signer->ops->key(s->signer, &key, &e);

	if (code) {
		if (code != ERR_NOT_FOUND)
			warn(s, &e);
		return true;
	}
	card->protected_header = a2a_card_protected_header(mem, proof_key_id(mem, &key.public));
	covered = covered_of(mem, card);
	if (take_last(s, mem, covered, card))
		return true;
	if (!s->signer->ops->is_prompt(s->signer))
		return false;
	begin_call(s, covered);
	(void)take_last(s, mem, covered, card);
	return true;
}

static void on_closed(struct http_request *req)
{
	http_reply_abort(take_waiting(req->user));
}

void a2a_sign_wait(struct a2a_sign *s, const struct a2a_card *card, struct http_request *req)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct waiting *w = memory_zeroed(1, sizeof *w);

	w->req = req;
	req->user = w;
	req->on_closed = on_closed;
	list_init(&w->node);
	list_add(&s->waiting, &w->node);
	if (!s->mem)
		begin_call(s, covered_of(mem, card));
}
