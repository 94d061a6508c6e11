/*
 * Folds what belongs to the session as a whole: its record, threads, channels,
 * policy, costs and outputs.
 *
 * A fold is a plain assignment of what happened.  A log cut by retention may
 * hold the end of an object without its beginning, so every look-up may return
 * NULL.
 */
#include "core/fold_part.h"
#include "core/gen/tables.h"
#include "core/context/history_marks.h"
#include "core/approval/permission.h"

static void keep_labels(struct state *w, const struct list_str *labels)
{
	w->s->labels = (struct list_str){ 0 };
	for (uint32_t i = 0; i < labels->count; i++)
		rec_list_str_add(w->mem, &w->s->labels, KEEP(w, labels->items[i]));
}

/*
 * Rules of files are named among the policy refs; decisions compare that name with the current one
 * (permission_decide_policy_moved()).
 */
/* An accepted plan returns to the mode before it; a session that begins with a plan has none. */
static void take_mode(struct st_session *s, enum permission_mode mode)
{
	if (mode != PERMISSION_MODE_PLAN)
		s->mode_before_plan = 0;
	else if (s->permission_mode != PERMISSION_MODE_PLAN)
		s->mode_before_plan = s->permission_mode;
	s->permission_mode = mode;
}

void session_on_session_created(struct state *w, const struct event *ev,
                                const struct ev_session_created *p)
{
	struct st_session *s = w->s;

	s->session_id = KEEP(w, ev->session_id);
	s->title = KEEP(w, p->title);
	s->workspace_id = KEEP(w, p->workspace_id);
	s->cwd = KEEP(w, p->cwd);
	s->model = KEEP(w, p->model);
	s->metadata = KEEP(w, p->metadata);
	keep_labels(w, &p->labels);
	if (p->placement)
		s->placement = rec_clone(w->mem, &rec_placement_desc, p->placement);
	s->created_at = ev->timestamp;
	s->clock_offset_ms = p->clock_offset_ms;
	s->has_clock_offset_ms = p->clock_offset_ms != 0;
	s->permission_mode = p->permission_mode;
	for (uint32_t i = 0; i < p->policy_refs.count; i++)
		if (str_starts(p->policy_refs.items[i], RULES_OF_FILES))
			s->rules_ref = KEEP(w, p->policy_refs.items[i]);
	if (p->created_by)
		s->created_by = rec_clone(w->mem, &rec_actor_desc, p->created_by);
}

/*
 * Only members that the event has are changed.  The same class also carries starts and stops of the
 * runtime (node session) and anchors.
 */
/* The tree over all anchors, as the last of them leaves it. */
static void keep_tree(struct state *w, const struct rec_log_anchor *anchor)
{
	struct rec_log_tree *tree;

	if (!anchor->has_log_size)
		return;
	tree = arena_alloc(w->mem, sizeof *tree);
	tree->size = anchor->log_size;
	for (uint32_t i = 0; i < anchor->log_peaks.count; i++)
		rec_list_str_add(w->mem, &tree->peaks, KEEP(w, anchor->log_peaks.items[i]));
	tree->checkpoint = str_is(anchor->checkpoint) ? KEEP(w, anchor->checkpoint)
	                   : w->s->tree               ? w->s->tree->checkpoint
	                                              : STR_NONE;
	w->s->tree = tree;
}

/* One key signs at a time.  A key that comes back is recorded once more. */
static void keep_key(struct state *w, const struct event *ev, const struct rec_signing_key *key)
{
	struct st_session *s = w->s;
	struct rec_signing_key *kept;

	for (uint32_t i = 0; i < s->signing_keys.count; i++)
		if (s->signing_keys.items[i]->state == SIGNING_KEY_STATE_ACTIVE) {
			s->signing_keys.items[i]->state = SIGNING_KEY_STATE_RETIRED;
			s->signing_keys.items[i]->retired_at = ev->timestamp;
		}
	if (s->signing_keys.count == WINDOW_KEYS)
		rec_list_remove(&s->signing_keys, 0);
	kept = rec_list_add(w->mem, &s->signing_keys, &rec_signing_key_desc);
	rec_keep(w->mem, &rec_signing_key_desc, kept, key);
	kept->created_at = ev->timestamp;
}

/*
 * The state has the tokens that are valid: one that is revoked leaves, and so do those that have
 * expired by the time of a later change.
 */
static void keep_token(struct state *w, const struct event *ev,
                       const struct rec_access_token *token)
{
	struct st_session *s = w->s;
	struct rec_access_token *kept;

	for (uint32_t i = s->access_tokens.count; i-- > 0;) {
		const struct rec_access_token *old = s->access_tokens.items[i];

		if (str_eq(old->name, token->name) ||
		    (old->expires_at && old->expires_at <= ev->timestamp))
			rec_list_remove(&s->access_tokens, i);
	}
	if (token->state == ACCESS_TOKEN_STATE_REVOKED)
		return;
	kept = rec_list_add(w->mem, &s->access_tokens, &rec_access_token_desc);
	rec_keep(w->mem, &rec_access_token_desc, kept, token);
	kept->created_at = ev->timestamp;
}

static bool is_old_offer(const struct rec_paired_device *old, int64_t now)
{
	return old->state == PAIRED_DEVICE_STATE_OFFERED && old->expires_at <= now;
}

/* The oldest offer makes place for a new one. */
static void drop_offers(struct st_session *s)
{
	unsigned count = 0;

	for (uint32_t i = s->paired_devices.count; i-- > 0;)
		if (s->paired_devices.items[i]->state == PAIRED_DEVICE_STATE_OFFERED &&
		    ++count > LIMIT_PAIRING_CODES)
			rec_list_remove(&s->paired_devices, i);
}

/*
 * The state has offers whose time is not over, and devices that are paired.  Of those that were
 * carried over it keeps that they are revoked: the list that they came from may be read once more.
 */
static void keep_device(struct state *w, const struct event *ev,
                        const struct rec_paired_device *device)
{
	struct st_session *s = w->s;
	struct rec_paired_device *kept;
	bool was_carried = device->is_carried;

	for (uint32_t i = s->paired_devices.count; i-- > 0;) {
		const struct rec_paired_device *old = s->paired_devices.items[i];
		bool is_same = str_eq(old->device_id, device->device_id);

		was_carried |= is_same && old->is_carried;
		if (is_same || is_old_offer(old, ev->timestamp))
			rec_list_remove(&s->paired_devices, i);
	}
	if (device->state == PAIRED_DEVICE_STATE_REVOKED && !was_carried)
		return;
	kept = rec_list_add(w->mem, &s->paired_devices, &rec_paired_device_desc);
	rec_keep(w->mem, &rec_paired_device_desc, kept, device);
	kept->is_carried = kept->has_is_carried = was_carried;
	drop_offers(s);
}

/* Their cookies are signed with keys that follow from the token. */
static void unpair_all(struct st_session *s)
{
	for (uint32_t i = s->paired_devices.count; i-- > 0;)
		if (s->paired_devices.items[i]->is_carried)
			s->paired_devices.items[i]->state = PAIRED_DEVICE_STATE_REVOKED;
		else
			rec_list_remove(&s->paired_devices, i);
}

void session_on_session_updated(struct state *w, const struct event *ev,
                                const struct ev_session_updated *p)
{
	struct st_session *s = w->s;

	if (str_is(p->title))
		s->title = KEEP(w, p->title);
	if (str_is(p->workspace_id))
		s->workspace_id = KEEP(w, p->workspace_id);
	if (p->has_archived)
		s->archived = p->archived;
	if (str_is(p->cwd))
		s->cwd = KEEP(w, p->cwd);
	if (str_is(p->model))
		s->model = KEEP(w, p->model);
	if (str_is(p->metadata))
		s->metadata = KEEP(w, p->metadata);
	if (p->labels.items)
		keep_labels(w, &p->labels);
	if (p->placement)
		s->placement = rec_clone(w->mem, &rec_placement_desc, p->placement);
	if (p->permission_mode)
		take_mode(s, p->permission_mode);
	if (p->runtime)
		s->runtime_state = p->runtime->state;
	if (p->anchor)
		keep_tree(w, p->anchor);
	if (p->signing_key)
		keep_key(w, ev, p->signing_key);
	if (p->access_token)
		keep_token(w, ev, p->access_token);
	if (p->owner_token)
		unpair_all(s);
	if (p->device)
		keep_device(w, ev, p->device);
	if (p->pinned_thread_ids.items) {
		s->pinned_thread_ids = (struct list_str){ 0 };
		for (uint32_t i = 0; i < p->pinned_thread_ids.count; i++)
			rec_list_str_add(w->mem, &s->pinned_thread_ids,
			                 p->pinned_thread_ids.items[i]);
	}
}

void thread_on_thread_started(struct state *w, const struct event *ev,
                              const struct ev_thread_started *p)
{
	struct st_thread *th = rec_list_add(w->mem, &w->s->threads, &st_thread_desc);

	th->thread_id = KEEP(w, ev->thread_id);
	th->kind = p->kind;
	th->status = THREAD_STATUS_IDLE;
	th->profile_status = STATUS_IDLE;
	th->parent_thread_id = KEEP(w, p->parent_thread_id);
	if (p->queue_policy) {
		th->on_busy = p->queue_policy->on_busy;
		th->on_interrupt = p->queue_policy->on_interrupt;
	}
	th->created_at = ev->timestamp;
	th->updated_at = ev->timestamp;
	if (p->forked_from)
		history_fold_fork(w, th, p->forked_from);
}

void thread_on_thread_updated(struct state *w, const struct event *ev,
                              const struct ev_thread_updated *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);

	if (!th)
		return;
	th->status = rec_enum_read(&enum_thread_status, status_word(ev->status));
	th->profile_status = p->profile_status;
	th->status_reason = KEEP(w, ev->status_reason);
	th->updated_at = ev->timestamp;
}

void permission_on_policy_changed(struct state *w, const struct event *ev,
                                  const struct ev_policy_changed *p)
{
	if (p->change == POLICY_CHANGE_GRANT_ADDED) {
		struct st_grant *g = rec_list_add(w->mem, &w->s->grants, &st_grant_desc);

		g->grant_id = KEEP(w, p->grant_id);
		g->scope = p->scope;
		g->match = p->match ? rec_text(w->mem, &rec_grant_match_desc, p->match) : STR("{}");
		g->source = p->source;
		g->granted_at = ev->timestamp;
		g->expires_at = p->expires_at;
		g->cwd = KEEP(w, p->cwd);
		/*
		 * The system session keeps grants with a wider scope; here they last for the turn.
		 */
		g->turn_id = p->scope == GRANT_SCOPE_TURN ||
		                             (p->scope > GRANT_SCOPE_SESSION &&
		                              !str_eq(ev->session_id, STR("sess_system")))
		                     ? KEEP(w, ev->turn_id)
		                     : STR_NONE;
	}
	if (p->change == POLICY_CHANGE_GRANT_REVOKED || p->change == POLICY_CHANGE_GRANT_EXPIRED) {
		for (uint32_t i = 0; i < w->s->grants.count; i++)
			if (str_eq(w->s->grants.items[i]->grant_id, p->grant_id))
				rec_list_remove(&w->s->grants, i--);
	}
	if (p->change == POLICY_CHANGE_DIRECTORY_ADDED)
		rec_list_str_add(w->mem, &w->s->directories, KEEP(w, p->directory));
	if (p->change == POLICY_CHANGE_DIRECTORY_REMOVED) {
		ptrdiff_t at = rec_list_str_find(&w->s->directories, p->directory);

		if (at >= 0)
			rec_list_remove(&w->s->directories, (uint32_t)at);
	}
	if (p->change == POLICY_CHANGE_TOOL_SERVER_OFF)
		rec_list_str_add(w->mem, &w->s->servers_off, KEEP(w, p->server));
	if (p->change == POLICY_CHANGE_TOOL_SERVER_ON) {
		ptrdiff_t at = rec_list_str_find(&w->s->servers_off, p->server);

		if (at >= 0)
			rec_list_remove(&w->s->servers_off, (uint32_t)at);
	}
	if (p->change == POLICY_CHANGE_MODE_CHANGED && p->mode)
		take_mode(w->s, p->mode);
	if (str_is(p->after) && str_starts(p->after, RULES_OF_FILES)) {
		w->s->rules_ref = KEEP(w, p->after);
		w->s->rules_trouble = KEEP(w, p->reason);
	}
	if (str_is(p->rules)) {
		w->s->rules = KEEP(w, p->rules);
		w->s->policy_version++;
	}
}

/* ---- channels ---- */

void channel_on_channel_connected(struct state *w, const struct event *ev,
                                  const struct ev_channel_connected *p)
{
	struct st_channel *c = state_channel(w, ev->channel_id);

	if (!ev->channel)
		return;
	if (!c) {
		c = rec_list_add(w->mem, &w->s->channels, &st_channel_desc);
		c->record = rec_clone(w->mem, &rec_channel_desc, ev->channel);
	} else {
		rec_merge(w->mem, &rec_channel_desc, c->record, ev->channel);
	}
	c->status = STATUS_RUNNING;
}

void channel_on_channel_resumed(struct state *w, const struct event *ev,
                                const struct ev_channel_resumed *p)
{
	struct st_channel *c = state_channel(w, ev->channel_id);

	if (!c)
		return;
	if (ev->channel)
		rec_merge(w->mem, &rec_channel_desc, c->record, ev->channel);
	c->status = STATUS_RUNNING;
	c->acked = c->record->last_acked_sequence;
}

/* The record stays, so that the channel can resume after the last event that it acknowledged. */
void channel_on_channel_disconnected(struct state *w, const struct event *ev,
                                     const struct ev_channel_disconnected *p)
{
	struct st_channel *c = state_channel(w, ev->channel_id);

	if (!c)
		return;
	if (ev->channel)
		rec_merge(w->mem, &rec_channel_desc, c->record, ev->channel);
	c->status = STATUS_STALE;
	c->acked = c->record->last_acked_sequence;
}

/* ---- outputs and artifacts ---- */

void output_on_output_spilled(struct state *w, const struct event *ev,
                              const struct ev_output_spilled *p)
{
	struct st_session *s = w->s;

	s->output_count++;
	s->output_bytes += p->size_bytes;
	if (!ev->output)
		return;
	if (s->outputs.count == WINDOW_OUTPUTS)
		rec_list_remove(&s->outputs, 0);
	rec_keep(w->mem, &rec_output_desc, rec_list_add(w->mem, &s->outputs, &rec_output_desc),
	         ev->output);
	/* Beyond that many, outputs never expire: memory costs more than disk space. */
	if (ev->output->expires_at && s->expiring.count < WINDOW_EXPIRING) {
		struct st_expiring *x = rec_list_add(w->mem, &s->expiring, &st_expiring_desc);

		x->output_ref = KEEP(w, ev->output_ref);
		x->at = ev->output->expires_at;
		x->size_bytes = p->size_bytes;
		x->sha256 = KEEP(w, ev->output->sha256);
	}
}

/* What a model got only in part: read_output may read on in the newest of them. */
void output_on_output_truncated(struct state *w, const struct event *ev,
                                const struct ev_output_truncated *p)
{
	struct list_str *cut = &w->s->cut_outputs;

	if (p->for_ != TRUNCATED_FOR_MODEL || rec_list_str_find(cut, ev->output_ref) >= 0)
		return;
	if (cut->count == WINDOW_OUTPUTS)
		rec_list_str_remove(cut, cut->items[0]);
	rec_list_str_add(w->mem, cut, ev->output_ref);
}

void output_on_output_expired(struct state *w, const struct event *ev,
                              const struct ev_output_expired *p)
{
	struct st_session *s = w->s;

	s->output_expired++;
	for (uint32_t i = s->expiring.count; i-- > 0;)
		if (str_eq(s->expiring.items[i]->output_ref, ev->output_ref))
			rec_list_remove(&s->expiring, i);
	for (uint32_t i = s->outputs.count; i-- > 0;)
		if (str_eq(s->outputs.items[i]->output_ref, ev->output_ref))
			rec_list_remove(&s->outputs, i);
}

static void add_checkpoint(struct state *w, struct st_artifact *a, const struct event *ev,
                           const struct ev_artifact_changed *p)
{
	if (a->checkpoints.count == WINDOW_CHECKPOINTS)
		rec_list_remove(&a->checkpoints, 0);
	struct rec_artifact_version *v =
		rec_list_add(w->mem, &a->checkpoints, &rec_artifact_version_desc);

	v->version_id = KEEP(w, p->version_id);
	v->change = p->change;
	v->diff_ref = KEEP(w, rec_dict_get(&ev->refs, STR("diff")));
	v->checkpoint_ref = KEEP(w, rec_dict_get(&ev->refs, STR("checkpoint")));
	v->turn_id = KEEP(w, ev->turn_id);
	v->at = ev->timestamp;
	v->sequence = ev->sequence;
}

void output_on_artifact_changed(struct state *w, const struct event *ev,
                                const struct ev_artifact_changed *p)
{
	struct st_session *s = w->s;
	struct st_artifact *a = NULL;

	for (uint32_t i = 0; i < s->artifacts.count && !a; i++)
		if (str_eq(s->artifacts.items[i]->artifact_id, ev->artifact_id))
			a = s->artifacts.items[i];
	if (!a) {
		/*
		 * A file whose artifact is dropped here becomes another artifact when it changes
		 * later.
		 */
		if (s->artifacts.count == WINDOW_OUTPUTS)
			rec_list_remove(&s->artifacts, 0);
		a = rec_list_add(w->mem, &s->artifacts, &st_artifact_desc);
		a->artifact_id = KEEP(w, ev->artifact_id);
	}
	a->version++;
	a->version_id = KEEP(w, p->version_id);
	a->path = KEEP(w, p->path);
	a->kind = KEEP(w, p->kind);
	a->read_ref = KEEP(w, rec_dict_get(&ev->refs, STR("read")));
	a->preview_ref = KEEP(w, rec_dict_get(&ev->refs, STR("preview")));
	a->diff_ref = KEEP(w, rec_dict_get(&ev->refs, STR("diff")));
	a->turn_id = KEEP(w, ev->turn_id);
	a->task_id = KEEP(w, ev->task_id);
	a->owner = KEEP(w, p->owner);
	a->issues = p->issues;
	a->has_issues = p->has_issues;
	a->validation = p->validation
	                        ? rec_clone(w->mem, &rec_artifact_validation_desc, p->validation)
	                        : NULL;
	a->sequence = ev->sequence;
	add_checkpoint(w, a, ev, p);
}

/* ---- recovery and diagnostics ---- */

/* Shown in diagnostics until newer ones push it out. */
static void add_incident(struct state *w, struct st_thread *th, const struct event *ev,
                         struct str kind, struct str message, struct str ref)
{
	if (th->incidents.count == WINDOW_INCIDENTS)
		rec_list_remove(&th->incidents, 0);
	struct st_incident *i = rec_list_add(w->mem, &th->incidents, &st_incident_desc);

	i->kind = KEEP(w, kind);
	i->message = KEEP(w, message);
	i->at = ev->timestamp;
	i->sequence = ev->sequence;
	i->turn_id = KEEP(w, ev->turn_id);
	i->ref = KEEP(w, ref);
}

void thread_on_runtime_warning(struct state *w, const struct event *ev,
                               const struct ev_runtime_warning *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);

	if (th)
		add_incident(w, th, ev, warning_category_word(p->category), p->message,
		             ev->tool_call_id);
}

void thread_on_runtime_error(struct state *w, const struct event *ev,
                             const struct ev_runtime_error *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);

	if (th)
		add_incident(w, th, ev, error_category_word(p->category), p->message, STR_NONE);
}

/* Turns whose events are removed cannot be read back, so the model no longer sees them. */
void history_on_snapshot_updated(struct state *w, const struct event *ev,
                                 const struct ev_snapshot_updated *p)
{
	if (!p->has_removed_through)
		return;
	if (w->s->catalog_sequence <= p->removed_through)
		w->s->catalog_hash = STR_NONE; /* the next turn lists the tools again */
	w->s->removed_through = MAX(w->s->removed_through, p->removed_through);
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		struct st_thread *th = w->s->threads.items[i];

		history_marks_drop_before(th, p->removed_through);
	}
}

/* Turns are counted as they follow; a file that has grown continues the count. */
static void history_imported(struct state *w, const struct rec_import_origin *from)
{
	struct rec_import_state *i = w->s->imported;

	if (!i)
		i = w->s->imported = ARENA_NEW(w->mem, struct rec_import_state);
	i->program = from->program;
	i->source_id = KEEP(w, from->source_id);
	i->sha256 = KEEP(w, from->sha256);
	i->file_turns = from->turns;
}

/* The newest recovery replaces what an earlier one found missing. */
void history_on_history_reconstructed(struct state *w, const struct event *ev,
                                      const struct ev_history_reconstructed *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);

	if (p->origin) {
		history_imported(w, p->origin);
		return;
	}
	w->s->degraded = p->degraded;
	w->s->missing = (struct list_str){ 0 };
	for (uint32_t i = 0; i < p->missing.count; i++)
		rec_list_str_add(w->mem, &w->s->missing, p->missing.items[i]);
	if (!th)
		return;
	for (uint32_t i = 0; i < p->lost.count; i++) {
		if (th->lost_workers.count == WINDOW_INCIDENTS)
			rec_list_remove(&th->lost_workers, 0);
		struct st_incident *l = rec_list_add(w->mem, &th->lost_workers, &st_incident_desc);

		l->kind = KEEP(w, p->lost.items[i]->kind);
		l->ref = KEEP(w, p->lost.items[i]->id);
		l->at = ev->timestamp;
		l->sequence = ev->sequence;
		l->turn_id = KEEP(w, ev->turn_id);
	}
}
