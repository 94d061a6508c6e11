/*
 * Makes one anchor.
 *
 *   BEGIN ──► (signing) ──► WRITTEN ──► durable
 *     │           │             │
 *     │           │             └─ dropped: its heads wait for the next one
 *     │           └─ only while sign.command runs; a key that is here signs at once
 *     └─ heads are taken, leaves are sorted, the tree grows
 *
 * There is one round at a time, so the tree does not grow between BEGIN and WRITTEN.  A
 * round that cannot be signed is written without a checkpoint.
 */
#include "engine/maintenance/anchor_parts.h"

#include "base/memory.h"
#include "base/os/log.h"
#include "core/gen/inputs.h"
#include "core/runtime_events.h"
#include "engine/session/apply.h"
#include "engine/engine_state.h"
#include "proof/proof_key.h"
#include "proof/proof_note.h"

#include <stdlib.h>
#include <string.h>

/* Heads in one anchor; the rest follow with the next one. */
#define LEAVES_MAX 10000

struct anchor_leaf {
	struct str id;
	uint64_t seq;
	struct sha256 hash;
};

struct anchor_round {
	struct arena *mem;
	struct engine *engine;
	struct anchor_leaf *leaves;
	struct sha256 *hashes; /* of their lines */
	size_t count;
	struct str text;                  /* the lines */
	struct merkle_tree before, after; /* the one tree */
	struct list wants;                /* struct anchor_want */
	struct signer_key key;
	struct signer_call call;
	struct str note, key_id; /* absent: not signed */
	bool is_signing;         /* sign() was called and has not called back */
	uint64_t written;        /* the event; 0: not yet */
};

/* ---- leaves ---- */

static int by_place(const void *a, const void *b)
{
	const struct anchor_leaf *one = a, *two = b;
	int order = str_cmp(one->id, two->id);

	return order ? order : one->seq < two->seq ? -1 : one->seq > two->seq;
}

static void add_leaf(struct anchor_round *r, struct str id, uint64_t seq, const struct sha256 *hash)
{
	r->leaves[r->count++] = (struct anchor_leaf){ arena_keep(r->mem, id), seq, *hash };
}

/* They stay in the map until the anchor is durable, because its commit may fail. */
static void take_heads(struct anchor_round *r, struct anchors *a)
{
	struct map_slot *slot;

	for (size_t i = 0; r->count < LEAVES_MAX && map_next(&a->changed, &i, &slot);) {
		struct head_seen *h = slot->value;

		h->taken = h->seq;
		add_leaf(r, anchor_head_id(h), h->seq, &h->hash);
	}
}

static void take_wants(struct anchor_round *r, struct anchors *a)
{
	while (!list_is_empty(&a->wants)) {
		struct anchor_want *w = LIST_ITEM(a->wants.next, struct anchor_want, node);

		list_remove(&w->node);
		list_add(&r->wants, &w->node);
		add_leaf(r, w->session, w->seq, &w->hash);
	}
}

/* An export may want what is the head of its session. */
static void sort_leaves(struct anchor_round *r)
{
	size_t kept = 0;

	qsort(r->leaves, r->count, sizeof *r->leaves, by_place);
	for (size_t i = 0; i < r->count; i++)
		if (!kept || by_place(&r->leaves[kept - 1], &r->leaves[i]) != 0)
			r->leaves[kept++] = r->leaves[i];
	r->count = kept;
}

static struct str leaf_text(struct arena *mem, const struct anchor_leaf *l)
{
	return arena_printf(mem, "%.*s %llu %.*s", STR_ARG(l->id), (unsigned long long)l->seq,
	                    STR_ARG(sha256_hex(mem, &l->hash)));
}

/* The leaves are sorted, so that the same heads always give the same root. */
static void write_leaves(struct anchor_round *r)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	r->hashes = ARENA_ARRAY(r->mem, struct sha256, r->count);
	for (size_t i = 0; i < r->count; i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new_small();
		struct str line = leaf_text(mem, &r->leaves[i]);

		r->hashes[i] = merkle_leaf(line);
		buf_add_str(&text, line);
		buf_add_char(&text, '\n');
	}
	r->text = arena_keep(r->mem, buf_str(&text));
}

/* The head of the system session itself, as far as it is durable. */
static void take_system(struct anchor_round *r, const struct session *s)
{
	if (s->applied && s->applied == s->durable)
		add_leaf(r, s->id, s->applied, &s->hash);
}

static struct anchor_round *round_new(struct session *s, struct anchors *a)
{
	struct arena *mem = arena_new();
	struct anchor_round *r = ARENA_NEW(mem, struct anchor_round);
	size_t wants = 0;

	LIST_EACH (&a->wants, node)
		wants++;
	*r = (struct anchor_round){ .mem = mem, .engine = a->engine };
	list_init(&r->wants);
	r->leaves = ARENA_ARRAY(mem, struct anchor_leaf,
	                        MIN(a->changed.count, (size_t)LEAVES_MAX) + wants + 1);
	take_heads(r, a);
	take_wants(r, a);
	take_system(r, s);
	sort_leaves(r);
	write_leaves(r);
	runtime_events_tree(s->state, &r->before);
	r->after = r->before;
	for (size_t i = 0; i < r->count; i++)
		merkle_tree_add(&r->after, &r->hashes[i]);
	return r;
}

/* ---- the end ---- */

static void round_free(struct anchor_round *r)
{
	struct signer *signer = r->engine->ports.signer;

	if (r->is_signing)
		signer->ops->cancel(signer, &r->call);
	while (!list_is_empty(&r->wants))
		list_remove(r->wants.next);
	arena_free(r->mem);
}

void anchor_round_free(struct anchors *a)
{
	if (a->round)
		round_free(a->round);
	a->round = NULL;
}

static void prove(struct anchor_round *r, struct anchor_want *w)
{
	struct anchor_leaf leaf = { w->session, w->seq, w->hash };
	struct merkle_growth growth = { &r->before, r->hashes, r->count };
	const struct anchor_leaf *at = bsearch(&leaf, r->leaves, r->count, sizeof leaf, by_place);
	size_t index = (size_t)(at - r->leaves);

	w->proof = (struct proof_pack){ .note = r->note,
		                        .leaf = leaf_text(r->mem, &leaf),
		                        .index = r->before.size + index,
		                        .previous_size = r->before.size,
		                        .previous_root = merkle_tree_root(&r->before) };
	merkle_prove_leaf(&growth, index, &w->proof.inclusion);
	merkle_prove_growth(&growth, &w->proof.consistency);
}

/* The round is over: `done` may want the next one. */
static void answer_wants(struct anchor_round *r, enum err failed, const char *why)
{
	while (!list_is_empty(&r->wants)) {
		struct anchor_want *w = LIST_ITEM(r->wants.next, struct anchor_want, node);

		list_remove(&w->node);
		w->result = failed                 ? failed
		            : str_is(r->note)      ? OK
		            : r->call.result != OK ? r->call.result
		                                   : ERR_NOT_FOUND;
		if (w->result == OK)
			prove(r, w);
		else
			fail(&w->error, w->result, "%s", why ? why : r->call.error.message);
		w->done(w);
	}
}

/* Heads that have not moved since need no other anchor. */
static void drop_taken(struct anchors *a, bool is_durable)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct head_seen **gone = ARENA_ARRAY(mem, struct head_seen *, a->changed.count + 1);
	struct map_slot *slot;
	size_t count = 0;

	for (size_t i = 0; map_next(&a->changed, &i, &slot);) {
		struct head_seen *h = slot->value;

		if (is_durable && h->taken == h->seq)
			gone[count++] = h;
		h->taken = 0;
	}
	for (size_t i = 0; i < count; i++) {
		map_remove(&a->changed, anchor_head_id(gone[i]));
		memory_free(gone[i]);
	}
}

static void round_end(struct anchors *a, bool is_durable)
{
	struct anchor_round *r = a->round;

	a->round = NULL;
	drop_taken(a, is_durable);
	if (is_durable && str_is(r->note))
		anchor_send(a, r->note);
	answer_wants(r, is_durable ? OK : ERR_IO,
	             is_durable ? NULL : "the checkpoint could not be written");
	round_free(r);
	if (!list_is_empty(&a->wants))
		anchor_now(a->engine);
}

/* Its heads are still in `changed`, and its wants are for the next round. */
static void round_again(struct anchors *a)
{
	struct anchor_round *r = a->round;

	a->round = NULL;
	drop_taken(a, false);
	while (!list_is_empty(&r->wants)) {
		struct list *node = r->wants.next;

		list_remove(node);
		list_add(&a->wants, node);
	}
	round_free(r);
	anchor_now(a->engine);
}

void anchor_round_forget(struct anchors *a, struct str session)
{
	struct anchor_round *r = a->round;

	for (size_t i = 0; r && !r->written && i < r->count; i++)
		if (str_eq(r->leaves[i].id, session)) {
			round_again(a);
			return;
		}
}

void anchor_round_durable(struct engine *e, uint64_t seq)
{
	struct anchor_round *r = e->anchors->round;

	if (r && r->written && seq >= r->written)
		round_end(e->anchors, true);
}

void anchor_round_dropped(struct engine *e)
{
	struct anchor_round *r = e->anchors->round;

	if (r && r->written)
		round_end(e->anchors, false);
}

/* ---- writing ---- */

/* A key that signs for the first time is recorded before its first checkpoint. */
static void record_key(struct session *s, const struct anchor_round *r)
{
	struct decision *d = apply_begin(s, NULL);
	struct rec_signing_key key = { .key_id = r->key_id, .origin = r->key.origin };
	struct buf pem = { 0 };

	proof_key_write(&pem, &r->call.key);
	key.public_key = arena_keep(d->mem, buf_str(&pem));
	buf_done(&pem);
	input_runtime_events_key(d, &key);
	apply_end(s, d);
}

static void round_write(struct session *s, struct anchor_round *r)
{
	struct sha256 root = merkle_root(r->hashes, r->count);
	struct decision *d;

	if (str_is(r->key_id))
		record_key(s, r);
	d = apply_begin(s, NULL);
	input_runtime_events_anchor(d, (int64_t)r->count, sha256_hex(d->mem, &root), r->text,
	                            r->note, r->key_id);
	apply_end(s, d);
	r->written = s->applied;
}

static void write_later(struct session *s, void *arg)
{
	struct engine *e = arg;
	struct anchor_round *r = e->anchors ? e->anchors->round : NULL;

	if (!r || r->written || r->is_signing)
		return;
	if (s && s->phase == SESSION_LIVE)
		round_write(s, r);
	else
		round_end(e->anchors, false);
}

/* ---- signing ---- */

static struct str origin_of(struct anchor_round *r)
{
	return anchor_origin(r->engine, r->mem);
}

/* The first failure is reported; the next ones would say the same. */
static void note_trouble(struct anchor_round *r)
{
	struct anchors *a = r->engine->anchors;

	if (r->call.result != OK && !a->sign_trouble.code)
		log_line(LOG_WARN, "anchor", "checkpoints are not signed: %s",
		         r->call.error.message);
	a->sign_trouble = r->call.result != OK ? r->call.error : (struct error){ 0 };
	a->sign_trouble.code = r->call.result;
}

static void take_signature(struct anchor_round *r)
{
	struct buf note = { 0 };

	r->is_signing = false;
	note_trouble(r);
	if (r->call.result != OK)
		return;
	proof_note_write(&note, r->call.text, origin_of(r), &r->call.key, &r->call.signature);
	r->note = arena_keep(r->mem, buf_str(&note));
	r->key_id = proof_key_id(r->mem, &r->call.key);
	buf_done(&note);
}

static void on_signed_later(struct signer_call *c)
{
	struct anchor_round *r = c->owner;

	take_signature(r);
	request_job(r->engine, ANCHOR_SYSTEM, true, write_later, r->engine);
}

static void on_signed_now(struct signer_call *c)
{
	take_signature(c->owner);
}

/* True: the signature comes later.  A stopping runtime does not wait for a program. */
static bool round_sign(struct session *s, struct anchor_round *r)
{
	struct signer *signer = r->engine->ports.signer;
	struct proof_checkpoint c = { origin_of(r), r->after.size, merkle_tree_root(&r->after) };
	struct buf text = { 0 };
	bool is_prompt = signer && signer->ops->is_prompt(signer);

	if (!signer || (!is_prompt && r->engine->is_stopping))
		return false;
	r->call.result = signer->ops->key(signer, &r->key, &r->call.error);
	if (r->call.result == ERR_NOT_FOUND && runtime_events_active_key(s->state))
		r->call.result =
			fail(&r->call.error, ERR_INVALID,
		             "the private key is gone; to make another, run: thole key new");
	if (r->call.result == OK &&
	    runtime_events_key_is_retired(s->state, proof_key_id(r->mem, &r->key.public)))
		r->call.result = fail(&r->call.error, ERR_INVALID, RUNTIME_EVENTS_RETIRED);
	if (r->call.result != OK) {
		if (r->call.result != ERR_NOT_FOUND)
			note_trouble(r);
		return false;
	}
	proof_note_text(&text, &c);
	r->call.text = arena_keep(r->mem, buf_str(&text));
	buf_done(&text);
	r->call.done = is_prompt ? on_signed_now : on_signed_later;
	r->call.owner = r;
	r->is_signing = true;
	signer->ops->sign(signer, &r->call);
	return !is_prompt;
}

/* Another node owns the system session, or it cannot be loaded: no anchor is written here. */
static void refuse_wants(struct anchors *a)
{
	while (!list_is_empty(&a->wants)) {
		struct anchor_want *w = LIST_ITEM(a->wants.next, struct anchor_want, node);

		list_remove(&w->node);
		w->result = fail(&w->error, ERR_UNAVAILABLE,
		                 "the system session cannot be written here now");
		w->done(w);
	}
}

/* Called for a live system session, or with NULL. */
void anchor_round_begin(struct session *s, void *engine)
{
	struct engine *e = engine;
	struct anchors *a = e->anchors;

	if (a && (!s || s->phase != SESSION_LIVE))
		refuse_wants(a);
	if (!s || s->phase != SESSION_LIVE || !a || a->round ||
	    (!a->changed.count && list_is_empty(&a->wants)))
		return;
	a->round = round_new(s, a);
	if (!round_sign(s, a->round))
		round_write(s, a->round);
}
