/*
 * Events of the runtime itself: start, stop, a failed store, anchors, a clock
 * that was set.
 */
#include "core/runtime_events.h"

#include "base/hash/merkle.h"
#include "core/session/session.h"

#define NODE_THREAD STR("thr_node_local")
#define SYSTEM_THREAD STR("thr_system")

/*
 * spec: GAP-11, GAP-58.  These sessions are never created by a command, so every event that needs
 * one makes sure that it exists.
 */
void runtime_events_emit_system_session(struct decision *d, struct str title, struct str thread_id)
{
	struct event *ev;

	if (session_exists(d->w))
		return;
	ev = EMIT(d, SESSION_CREATED, session_created, .title = title,
	          .created_by = decision_actor(d), .permission_mode = d->settings->mode);
	ev->status = STATUS_IDLE;
	ev = EMIT(d, THREAD_STARTED, thread_started, .kind = THREAD_KIND_SYSTEM,
	          .cause = STR("session.created"));
	ev->thread_id = thread_id;
	ev->status = STATUS_IDLE;
}

static void emit_node_session(struct decision *d)
{
	runtime_events_emit_system_session(d, STR("node"), NODE_THREAD);
}

static void emit_run(struct decision *d, struct rec_runtime_run *run)
{
	emit_node_session(d);
	EMIT(d, SESSION_UPDATED, session_updated, .changed = STRINGS(d, STR("runtime")),
	     .runtime = run)
		->thread_id = NODE_THREAD;
}

void runtime_events_started(struct decision *d, struct str version, bool store_failed,
                            int64_t recovered)
{
	/*
	 * A state other than `stopped` at a start means that the previous process wrote no stop: it
	 * crashed or was killed.
	 */
	enum runtime_state was = d->w->s->runtime_state;
	enum runtime_end end = store_failed                   ? RUNTIME_END_STORE_FAILED
	                       : was == RUNTIME_STATE_STARTED ? RUNTIME_END_UNCLEAN
	                       : was == RUNTIME_STATE_LEAVING ? RUNTIME_END_UNCLEAN
	                       : was == RUNTIME_STATE_STOPPED ? RUNTIME_END_STOPPED
	                                                      : RUNTIME_END_NONE;

	emit_run(d,
	         KEPT(d, struct rec_runtime_run, .state = RUNTIME_STATE_STARTED, .version = version,
	              .previous_end = end, .recovered = recovered, .has_recovered = true));
}

void runtime_events_stopped(struct decision *d, struct str version)
{
	emit_run(d, KEPT(d, struct rec_runtime_run, .state = RUNTIME_STATE_STOPPED,
	                 .version = version));
}

void runtime_events_leaving(struct decision *d, struct str version)
{
	emit_run(d, KEPT(d, struct rec_runtime_run, .state = RUNTIME_STATE_LEAVING,
	                 .version = version));
}

void runtime_events_error(struct decision *d, struct str kind, struct str message)
{
	emit_node_session(d);
	EMIT(d, RUNTIME_ERROR, runtime_error, .category = ERROR_CATEGORY_STORE_FAILED, .kind = kind,
	     .message = message)
		->thread_id = NODE_THREAD;
}

void runtime_events_warning(struct decision *d, enum warning_category category, struct str message)
{
	emit_node_session(d);
	EMIT(d, RUNTIME_WARNING, runtime_warning, .category = category, .message = message)
		->thread_id = NODE_THREAD;
}

/* ---- the tree ---- */

/* It was written by the fold, so it is valid; a state of another version has none. */
void runtime_events_tree(const struct state *w, struct merkle_tree *ret)
{
	const struct rec_log_tree *t = w->s ? w->s->tree : NULL;

	*ret = (struct merkle_tree){ 0 };
	if (!t || t->peaks.count > MERKLE_PEAKS_MAX)
		return;
	ret->size = (uint64_t)t->size;
	for (uint32_t i = 0; i < t->peaks.count; i++)
		if (!sha256_read_hex(t->peaks.items[i], &ret->peaks[ret->count++])) {
			*ret = (struct merkle_tree){ 0 };
			return;
		}
	if (!merkle_tree_is_valid(ret))
		*ret = (struct merkle_tree){ 0 };
}

void runtime_events_grow(struct merkle_tree *tree, struct str leaves)
{
	while (leaves.len) {
		struct sha256 leaf = merkle_leaf(str_cut(&leaves, '\n'));

		merkle_tree_add(tree, &leaf);
	}
}

static struct list_str peaks_of(struct decision *d, const struct merkle_tree *t)
{
	struct list_str list = { 0 };

	for (size_t i = 0; i < t->count; i++)
		rec_list_str_add(d->mem, &list, sha256_hex(d->mem, &t->peaks[i]));
	return list;
}

/*
 * The leaves are a blob beside the event: with them, a reader can verify each session's head
 * against the root.
 */
void runtime_events_anchor(struct decision *d, int64_t tree_size, struct str root,
                           struct str leaves, struct str checkpoint, struct str key_id)
{
	struct merkle_tree tree;
	struct sha256 log_root;
	struct str ref;

	runtime_events_emit_system_session(d, STR("system"), SYSTEM_THREAD);
	runtime_events_tree(d->w, &tree);
	runtime_events_grow(&tree, leaves);
	log_root = merkle_tree_root(&tree);
	ref = decision_new_blob(d, STR("text/plain"), leaves);
	EMIT(d, SESSION_UPDATED, session_updated, .changed = STRINGS(d, STR("anchor")),
	     .anchor = KEPT(d, struct rec_log_anchor, .tree_size = tree_size, .root_hash = root,
	                    .leaves_ref = ref, .log_size = (int64_t)tree.size, .has_log_size = true,
	                    .log_root = sha256_hex(d->mem, &log_root),
	                    .log_peaks = peaks_of(d, &tree), .checkpoint = checkpoint,
	                    .key_id = key_id))
		->thread_id = SYSTEM_THREAD;
}

/* ---- keys ---- */

const struct rec_signing_key *runtime_events_active_key(const struct state *w)
{
	for (uint32_t i = 0; w->s && i < w->s->signing_keys.count; i++)
		if (w->s->signing_keys.items[i]->state == SIGNING_KEY_STATE_ACTIVE)
			return w->s->signing_keys.items[i];
	return NULL;
}

bool runtime_events_key_is_retired(const struct state *w, struct str key_id)
{
	const struct rec_signing_key *active = runtime_events_active_key(w);

	if (!w->s || (active && str_eq(active->key_id, key_id)))
		return false;
	for (uint32_t i = 0; i < w->s->signing_keys.count; i++)
		if (str_eq(w->s->signing_keys.items[i]->key_id, key_id))
			return true;
	return false;
}

void runtime_events_key(struct decision *d, const struct rec_signing_key *key)
{
	const struct rec_signing_key *active = runtime_events_active_key(d->w);

	if (active && str_eq(active->key_id, key->key_id) && active->origin == key->origin)
		return;
	runtime_events_emit_system_session(d, STR("system"), SYSTEM_THREAD);
	EMIT(d, SESSION_UPDATED, session_updated, .changed = STRINGS(d, STR("signingKey")),
	     .signing_key = KEPT(d, struct rec_signing_key, .key_id = key->key_id,
	                         .public_key = key->public_key, .origin = key->origin,
	                         .state = SIGNING_KEY_STATE_ACTIVE))
		->thread_id = SYSTEM_THREAD;
}

/* ---- issuers ---- */

void runtime_events_issuer(struct decision *d, const struct rec_issuer_change *issuer)
{
	runtime_events_emit_system_session(d, STR("system"), SYSTEM_THREAD);
	EMIT(d, SESSION_UPDATED, session_updated, .changed = STRINGS(d, STR("auth.issuers")),
	     .issuer = rec_clone(d->mem, &rec_issuer_change_desc, issuer))
		->thread_id = SYSTEM_THREAD;
}

/* ---- named tokens ---- */

const struct rec_access_token *runtime_events_find_token(const struct state *w, struct str name)
{
	for (uint32_t i = 0; w->s && i < w->s->access_tokens.count; i++)
		if (str_eq(w->s->access_tokens.items[i]->name, name))
			return w->s->access_tokens.items[i];
	return NULL;
}

/* The event of a revoked token needs its name only: the rest is in the event that made it. */
void runtime_events_token(struct decision *d, const struct rec_access_token *token)
{
	runtime_events_emit_system_session(d, STR("system"), SYSTEM_THREAD);
	EMIT(d, SESSION_UPDATED, session_updated, .changed = STRINGS(d, STR("accessToken")),
	     .updated_by = decision_actor(d),
	     .access_token = rec_clone(d->mem, &rec_access_token_desc, token))
		->thread_id = SYSTEM_THREAD;
}

/* ---- the owner's token ---- */

void runtime_events_owner_token(struct decision *d, struct str token_id)
{
	runtime_events_emit_system_session(d, STR("system"), SYSTEM_THREAD);
	EMIT(d, SESSION_UPDATED, session_updated, .changed = STRINGS(d, STR("ownerToken")),
	     .updated_by = decision_actor(d),
	     .owner_token = KEPT(d, struct rec_owner_token, .token_id = token_id))
		->thread_id = SYSTEM_THREAD;
}

/* ---- paired devices ---- */

const struct rec_paired_device *runtime_events_find_device(const struct state *w, struct str id)
{
	for (uint32_t i = 0; w->s && i < w->s->paired_devices.count; i++)
		if (str_eq(w->s->paired_devices.items[i]->device_id, id))
			return w->s->paired_devices.items[i];
	return NULL;
}

void runtime_events_device(struct decision *d, const struct rec_paired_device *device)
{
	runtime_events_emit_system_session(d, STR("system"), SYSTEM_THREAD);
	EMIT(d, SESSION_UPDATED, session_updated, .changed = STRINGS(d, STR("device")),
	     .updated_by = decision_actor(d),
	     .device = rec_clone(d->mem, &rec_paired_device_desc, device))
		->thread_id = SYSTEM_THREAD;
}
