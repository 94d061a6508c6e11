/*
 * Sessions and threads: created by the first command that needs them.
 * spec: GAP-31, GAP-32 — session.created and thread.started come first.
 */
#include "core/session/session.h"
#include "core/session/placement.h"

/* Names the rules of files, so that a later change can be compared with them. */
static struct list_str policy_refs(struct decision *d)
{
	return str_is(d->settings->rules_ref)
	               ? STRINGS(d, STR("rule:host:default"), d->settings->rules_ref)
	               : STRINGS(d, STR("rule:host:default"));
}

/* Absent if no client named one; work is then refused until the session gets one. */
static struct str dir_of(const struct decision *d, struct str named)
{
	return str_is(named) || d->settings->is_cwd_private ? named : d->settings->cwd;
}

/*
 * The permission mode and the rules of files at the creation are part of the event, so that the
 * first decision can be explained from the log alone.
 */
void session_emit(struct decision *d, const struct session_birth *b)
{
	struct rec_placement *placement =
		b->placement ? b->placement : placement_of_directory(d, b->cwd);
	struct event *ev =
		EMIT(d, SESSION_CREATED, session_created, .title = b->title,
	             .workspace_id =
	                     str_is(b->workspace_id) ? b->workspace_id : d->settings->workspace_id,
	             .cwd = dir_of(d, b->cwd), .created_by = decision_actor(d),
	             .permission_mode = b->mode ? b->mode : d->settings->mode,
	             .policy_refs = policy_refs(d), .model = b->model, .metadata = b->metadata,
	             .labels = b->labels, .placement = placement);

	ev->status = STATUS_IDLE;
}

bool session_mode_fits(struct decision *d, enum permission_mode mode)
{
	enum permission_mode own = d->w->s->permission_mode;

	if (!mode || !session_exists(d->w) || mode == own)
		return true;
	decision_refuse(
		d, ERROR_CODE_INVALID_VALUE,
		"mode: the session has the mode %.*s; to change it: /mode or Shift-Tab in the "
		"chat, `thole policy mode`, or the command set_mode",
		STR_ARG(permission_mode_word(own)));
	return false;
}

struct str session_emit_thread(struct decision *d, struct str thread_id, struct str cause)
{
	struct event *ev =
		EMIT(d, THREAD_STARTED, thread_started, .kind = THREAD_KIND_MAIN, .cause = cause);

	ev->thread_id = str_is(thread_id) ? thread_id : decision_new_id(d, "thr");
	ev->status = STATUS_IDLE;
	return ev->thread_id;
}
