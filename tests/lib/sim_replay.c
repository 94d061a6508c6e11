/* Decides what a simulation commits a second time, see sim_replay.h. */
#include "sim_replay.h"

#include "base/memory.h"
#include "core/journal/journal_replay.h"
#include "core/settings/settings_read.h"
#include "engine/engine_state.h"
#include "engine/settings/rules_cache.h"
#include "ports/store.h"

#include <stdio.h>
#include <stdlib.h>

#define RECORDS_KEPT 64                /* of settings; a trial makes a few */
#define KEPT_BYTES ((size_t)256 << 20) /* of all sessions; beyond it they start over */

/* What was handed over of one session. */
struct shadow {
	struct shadow *next;
	char id[300];
	struct journal_replay replay;
	uint64_t seq; /* of the state */
	struct sha256 hash;
	struct arena *mem;
	struct store_event *events; /* from sequence 1 on */
	size_t count, cap;
	struct blob_row *blobs;
	size_t blob_count, blob_cap;
};

struct sim_replay {
	struct store *store;
	const struct store_ops *was;
	struct store_ops ops;
	struct engine *engine;
};

/* A record of settings that was stored, read back; kept until the end of the program. */
struct record {
	struct record *next;
	struct arena *mem;
	struct str ref, text;
	struct settings settings;
	bool is_read;
};

static struct record *records;
static struct shadow *shadows;
static size_t kept_bytes;
static unsigned long decided;
static struct sim_replay *current; /* whose batch is being decided */

unsigned long sim_replay_count(void)
{
	return decided;
}

/* ---- what the decisions are given ---- */

static const struct settings *read_record(struct str ref)
{
	struct record *r = records;
	struct error e;

	while (r && !str_eq(r->ref, ref))
		r = r->next;
	if (!r)
		return NULL;
	if (!r->is_read && settings_read(r->mem, r->text, STR_NONE, &r->settings, &e) != OK)
		return NULL;
	r->is_read = true;
	return &r->settings;
}

/* The settings changed between the decision and its commit: its record has those of the decision. */
static void take_record(struct settings *mine, struct str ref)
{
	const struct settings *then = read_record(ref);

	if (!then || (str_is(mine->config_ref) && str_eq(mine->config_ref, ref)))
		return;
	mine->environment = then->environment;
	mine->is_sandbox_known = then->is_sandbox_known;
	mine->mode = then->mode;
}

static struct settings *settings_now(void *owner, struct arena *mem,
                                     const struct journal_refs *refs, const struct state *w)
{
	struct shadow *sh = owner;
	struct session *s = session_find(current->engine, str_from(sh->id));
	struct settings *mine;

	if (s && s->state) {
		mine = (struct settings *)rules_cache_settings(s, mem, false);
	} else {
		mine = ARENA_NEW(mem, struct settings);
		*mine = current->engine->settings;
	}
	take_record(mine, refs->config_ref);
	mine->config_ref = refs->config_ref;
	mine->inventory_ref = refs->inventory_ref;
	mine->rules_ref = refs->rules_ref;
	mine->rules_trouble = refs->rules_trouble;
	return mine;
}

static struct str blob_of(void *owner, struct arena *mem, struct str ref)
{
	struct shadow *sh = owner;

	for (size_t i = sh->blob_count; i-- > 0;)
		if (str_eq(sh->blobs[i].ref, ref))
			return sh->blobs[i].data;
	return STR_NONE;
}

/* ---- shadows ---- */

static void shadow_empty(struct shadow *sh)
{
	if (sh->mem)
		kept_bytes -= MIN(kept_bytes, arena_used(sh->mem));
	journal_replay_done(&sh->replay);
	arena_free(sh->mem);
	sh->mem = arena_new();
	sh->events = NULL;
	sh->blobs = NULL;
	sh->count = sh->cap = sh->blob_count = sh->blob_cap = 0;
	sh->seq = 0;
	memset(&sh->hash, 0, sizeof sh->hash);
	journal_replay_init(&sh->replay, state_new(), settings_now, blob_of, sh);
}

static struct shadow *shadow_of(struct str id)
{
	struct shadow *sh;

	for (sh = shadows; sh; sh = sh->next)
		if (str_eq(str_from(sh->id), id))
			return sh;
	sh = memory_zeroed(1, sizeof *sh);
	memcpy(sh->id, id.ptr, MIN(id.len, sizeof sh->id - 1));
	sh->next = shadows;
	shadows = sh;
	shadow_empty(sh);
	return sh;
}

static void keep_events(struct shadow *sh, const struct slice *sl)
{
	for (size_t i = 0; i < sl->event_count; i++) {
		struct str body = arena_keep(sh->mem, bytes_str(sl->events[i].body));

		if (sh->count == sh->cap) {
			size_t cap = sh->cap ? sh->cap * 2 : 64;

			sh->events = arena_grow(sh->mem, sh->events, sh->count * sizeof *sh->events,
			                        cap * sizeof *sh->events);
			sh->cap = cap;
		}
		sh->events[sh->count] = sl->events[i];
		/* The bytes are ours; the field only carries them. */
		sh->events[sh->count++].body = (struct bytes *)(void *)body.ptr;
		kept_bytes += body.len;
	}
	for (size_t i = 0; i < sl->blob_count; i++) {
		if (sl->blobs[i].is_again)
			continue;
		if (sh->blob_count == sh->blob_cap) {
			size_t cap = sh->blob_cap ? sh->blob_cap * 2 : 16;

			sh->blobs =
				arena_grow(sh->mem, sh->blobs, sh->blob_count * sizeof *sh->blobs,
			                   cap * sizeof *sh->blobs);
			sh->blob_cap = cap;
		}
		sh->blobs[sh->blob_count++] =
			(struct blob_row){ .ref = arena_keep(sh->mem, sl->blobs[i].ref),
			                   .data = arena_keep(sh->mem, sl->blobs[i].data) };
	}
}

static void fold_body(struct shadow *sh, struct str body)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct event *ev = ARENA_NEW(mem, struct event);
	struct json doc;

	if (json_read_trusted(mem, body, &doc, NULL) != OK ||
	    rec_read(mem, doc, &event_desc, REC_TRUSTED, ev, NULL) != OK)
		abort();
	state_fold(sh->replay.w, ev);
}

/* Does the slice continue what is here?  After a crash the log may continue further back. */
static bool shadow_reaches(struct shadow *sh, const struct slice *sl)
{
	size_t count = sl->prev_seq;

	if (sl->prev_seq == sh->seq && sha256_eq(&sl->prev_hash, &sh->hash))
		return true;
	if (count > sh->count || (count && !sha256_eq(&sh->events[count - 1].hash, &sl->prev_hash)))
		return false;
	state_free(sh->replay.w);
	sh->replay.w = state_new();
	sh->replay.reader.has_key = false;
	sh->count = count;
	for (size_t i = 0; i < count; i++)
		fold_body(sh, str_from((const char *)(void *)sh->events[i].body));
	sh->seq = sl->prev_seq;
	sh->hash = sl->prev_hash;
	return true;
}

/* ---- deciding ---- */

static void complain(const struct shadow *sh, const struct replay_group *g,
                     const struct replay_result *r)
{
	struct str word = journal_replay_word(r->verdict);

	fprintf(stderr,
	        "replay: %s: group at %llu (%zu events) %.*s: %.*s\n  was %.*s\n  is  %.*s\n",
	        sh->id, (unsigned long long)g->first_seq, g->event_count, STR_ARG(word),
	        STR_ARG(r->words), STR_ARG(r->was), STR_ARG(r->is));
	abort();
}

static void decide_group(struct shadow *sh, const struct slice *sl, size_t from, size_t to,
                         const struct journal_row *row)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str *bodies = ARENA_ARRAY(mem, struct str, to - from);
	struct replay_group g = { .first_seq = sl->events[from].seq,
		                  .events = bodies,
		                  .event_count = to - from };
	struct replay_result result;

	for (size_t i = from; i < to; i++)
		bodies[i - from] = bytes_str(sl->events[i].body);
	if (row) {
		g.has_record = true;
		g.key = row->key;
		g.body = row->body;
	}
	if (!journal_replay_group(&sh->replay, mem, &g, &result))
		abort();
	if (result.verdict != REPLAY_SAME && row)
		complain(sh, &g, &result);
	decided += row != NULL;
}

static void decide_slice(struct shadow *sh, const struct slice *sl)
{
	size_t next = 0;

	for (size_t i = 0; i < sl->event_count;) {
		const struct journal_row *row = NULL;
		size_t to = sl->event_count;

		if (next < sl->journal_count && sl->journal[next].seq == sl->events[i].seq)
			row = &sl->journal[next++];
		if (next < sl->journal_count)
			to = (size_t)(sl->journal[next].seq - sl->events[0].seq);
		decide_group(sh, sl, i, to, row);
		i = to;
	}
	sh->seq = sl->events[sl->event_count - 1].seq;
	sh->hash = sl->events[sl->event_count - 1].hash;
}

static void on_submit(struct store *store, struct batch *b)
{
	struct sim_replay *r = OWNER_OF(store->ops, struct sim_replay, ops);

	current = r;
	for (const struct slice *sl = b->first; sl && r->engine; sl = sl->next) {
		struct shadow *sh = shadow_of(sl->session);

		if (sl->prev_seq == 0 || kept_bytes > KEPT_BYTES)
			shadow_empty(sh);
		if (!sl->event_count || !shadow_reaches(sh, sl)) {
			if (sl->event_count)
				sh->seq = UINT64_MAX;
			continue;
		}
		keep_events(sh, sl);
		decide_slice(sh, sl);
	}
	r->was->submit(store, b);
}

/* What an erased event held is gone from the state: its session is left alone from then on. */
static void on_maintenance(struct store *store, struct store_maintenance *u)
{
	struct sim_replay *r = OWNER_OF(store->ops, struct sim_replay, ops);

	if (u->kind == MAINTENANCE_ERASE) {
		struct shadow *sh = shadow_of(u->session);

		shadow_empty(sh);
		sh->seq = UINT64_MAX;
	}
	r->was->maintenance(store, u);
}

/* Each trial has records of its own, and thousands of trials are one process. */
static void drop_old_records(void)
{
	struct record **end = &records;

	for (unsigned i = 0; *end && i < RECORDS_KEPT; i++)
		end = &(*end)->next;
	for (struct record *x = *end, *next; x; x = next) {
		next = x->next;
		if (x->is_read)
			settings_read_done(&x->settings);
		arena_free(x->mem);
	}
	*end = NULL;
}

static enum err on_keep_blob(struct store *store, struct str ref, struct str media_type,
                             struct str text, struct error *e)
{
	struct sim_replay *r = OWNER_OF(store->ops, struct sim_replay, ops);
	struct record *x = records;

	while (x && !str_eq(x->ref, ref))
		x = x->next;
	if (!x && str_find(text, STR("\"isSandboxKnown\"")) >= 0) {
		struct arena *mem = arena_new();

		x = ARENA_NEW(mem, struct record);
		*x = (struct record){ .next = records,
			              .mem = mem,
			              .ref = arena_keep(mem, ref),
			              .text = arena_keep(mem, text) };
		records = x;
		drop_old_records();
	}
	return r->was->keep_blob(store, ref, media_type, text, e);
}

struct sim_replay *sim_replay_new(struct store *store)
{
	struct sim_replay *r = memory_zeroed(1, sizeof *r);

	r->store = store;
	r->was = store->ops;
	r->ops = *store->ops;
	r->ops.submit = on_submit;
	r->ops.maintenance = on_maintenance;
	r->ops.keep_blob = on_keep_blob;
	store->ops = &r->ops;
	return r;
}

void sim_replay_engine(struct sim_replay *r, struct engine *e)
{
	r->engine = e;
}

void sim_replay_free(struct sim_replay *r)
{
	memory_free(r);
}
