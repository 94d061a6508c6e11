/*
 * The commands create_session and update_session.
 * spec: GAP-31
 */
#include "core/session/labels.h"
#include "core/session/placement.h"
#include "core/session/session.h"
#include "core/budget/budget.h"
#include "core/gen/tables.h"

/* Other commands create a session implicitly; this one is for a session before its first turn. */
void decide_create_session(struct decision *d, const struct cmd_create_session *cmd)
{
	struct reply_create_session r = { .session_id = d->session_id };

	if (session_exists(d->w)) {
		decision_refuse(d, ERROR_CODE_ID_CONFLICT, "%.*s exists already",
		                STR_ARG(d->session_id));
		return;
	}
	struct session_birth b = { .title = str_is(cmd->title) ? cmd->title : STR(""),
		                   .workspace_id = cmd->workspace_id,
		                   .cwd = placement_dir(d->settings->place, cmd->placement,
		                                        cmd->cwd),
		                   .model = cmd->model,
		                   .metadata = cmd->metadata,
		                   .mode = cmd->mode };

	if (!labels_take(d, &cmd->labels, &b.labels) ||
	    !placement_take(d, cmd->placement, b.cwd, &b.placement))
		return;
	session_emit(d, &b);
	r.thread_id = session_emit_thread(d, cmd->thread_id, STR("session.created"));
	if (cmd->has_budget_usd)
		budget_emit_session_cap(d, cmd->budget_usd);
	d->reply = rec_text(d->mem, &reply_create_session_desc, &r);
}

/* The event carries only what changes; a cap is a limit.changed beside it (GAP-50). */
void decide_update_session(struct decision *d, const struct cmd_update_session *cmd)
{
	struct ev_session_updated p = {
		.title = cmd->title,
		.workspace_id = cmd->workspace_id,
		.cwd = cmd->cwd,
		.model = cmd->model,
		.metadata = cmd->metadata,
		.archived = cmd->archived,
		.has_archived = cmd->has_archived,
		.pinned_thread_ids = cmd->pinned_thread_ids,
		.updated_by = decision_actor(d),
	};
	struct reply_update_session r = { .session_id = d->session_id };

	if (str_is(p.title))
		rec_list_str_add(d->mem, &p.changed, STR("title"));
	if (str_is(p.workspace_id))
		rec_list_str_add(d->mem, &p.changed, STR("workspaceId"));
	if (str_is(p.cwd))
		rec_list_str_add(d->mem, &p.changed, STR("cwd"));
	if (str_is(p.model))
		rec_list_str_add(d->mem, &p.changed, STR("model"));
	if (str_is(p.metadata))
		rec_list_str_add(d->mem, &p.changed, STR("metadata"));
	if (p.has_archived)
		rec_list_str_add(d->mem, &p.changed, STR("archived"));
	if (!labels_take(d, &cmd->labels, &p.labels))
		return;
	if (p.labels.items)
		rec_list_str_add(d->mem, &p.changed, STR("labels"));
	if (!placement_move(d, cmd->placement, cmd->cwd, &p.placement))
		return;
	if (p.placement)
		rec_list_str_add(d->mem, &p.changed, STR("placement"));
	for (uint32_t i = 0; i < p.pinned_thread_ids.count; i++)
		if (!state_thread(d->w, p.pinned_thread_ids.items[i])) {
			decision_refuse(d, ERROR_CODE_THREAD_NOT_FOUND,
			                "%.*s is not a thread of this session",
			                STR_ARG(p.pinned_thread_ids.items[i]));
			return;
		}
	if (p.pinned_thread_ids.items)
		rec_list_str_add(d->mem, &p.changed, STR("pinnedThreadIds"));
	if (cmd->has_budget_usd)
		rec_list_str_add(d->mem, &p.changed, STR("budgetUsd"));
	if (!p.changed.count) {
		decision_refuse(d, ERROR_CODE_MISSING_FIELD, "name at least one thing to change");
		return;
	}
	decision_emit_event(d, EV_SESSION_UPDATED, &p);
	if (cmd->has_budget_usd)
		budget_emit_session_cap(d, cmd->budget_usd);
	r.changed = p.changed;
	d->reply = rec_text(d->mem, &reply_update_session_desc, &r);
}
