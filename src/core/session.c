/*
 * Sessions and threads: created by the first command that needs them.
 * spec: GAP-31, GAP-32 — session.created and thread.started stand first.
 */
#include "core/session.h"

#include "core/budget.h"
#include "core/gen/tables.h"
#include "core/turn.h"

/* The rules of files are named, so that a later change has something to differ from. */
static struct list_str policy_refs(struct outcome *d)
{
	return str_is(d->setup->rules_ref)
	               ? STRINGS(d, STR("rule:host:default"), d->setup->rules_ref)
	               : STRINGS(d, STR("rule:host:default"));
}

void emit_session(struct outcome *d, struct str title, struct str workspace_id, struct str cwd,
                  struct str model, struct str metadata)
{
	struct event *ev =
		EMIT(d, SESSION_CREATED, session_created, .title = title,
	             .workspace_id = str_is(workspace_id) ? workspace_id : d->setup->workspace_id,
	             .cwd = str_is(cwd) ? cwd : d->setup->cwd, .created_by = asked_by(d),
	             .permission_mode = d->setup->mode, .policy_refs = policy_refs(d),
	             .model = model, .metadata = metadata);

	ev->status = STATUS_IDLE;
}

struct str emit_thread(struct outcome *d, struct str thread_id, struct str cause)
{
	struct event *ev =
		EMIT(d, THREAD_STARTED, thread_started, .kind = THREAD_KIND_MAIN, .cause = cause);

	ev->thread_id = str_is(thread_id) ? thread_id : new_id(d, "thr");
	ev->status = STATUS_IDLE;
	return ev->thread_id;
}

/* One queue per thread, named after it. */
struct str queue_id(struct outcome *d, const struct st_thread *th)
{
	struct str body = th->thread_id;

	if (str_is(th->queue_id))
		return th->queue_id;
	if (id_has_prefix(body, "thr"))
		body = str_skip(body, 4);
	return arena_printf(d->mem, "que_%.*s", STR_ARG(body));
}

struct rec_queue_rules *queue_rules(struct outcome *d, const struct st_thread *th)
{
	enum on_busy busy = th->on_busy;

	if (!busy)
		busy = enum_read(&enum_on_busy, delivery_word(d->setup->on_busy));
	return KEPT(d, struct rec_queue_rules, .on_busy = busy ? busy : ON_BUSY_QUEUE,
	            .on_interrupt = th->on_interrupt ? th->on_interrupt : d->setup->on_interrupt);
}

void decide_create_session(struct outcome *d, const struct cmd_create_session *cmd)
{
	struct reply_create_session r = { .session_id = d->session_id };

	if (session_exists(d->w)) {
		refuse(d, ERROR_CODE_ID_CONFLICT, "%.*s exists already", STR_ARG(d->session_id));
		return;
	}
	emit_session(d, str_is(cmd->title) ? cmd->title : STR(""), cmd->workspace_id, cmd->cwd,
	             cmd->model, cmd->metadata);
	r.thread_id = emit_thread(d, cmd->thread_id, STR("session.created"));
	if (cmd->has_budget_usd)
		emit_session_cap(d, cmd->budget_usd);
	d->reply = rec_text(d->mem, &reply_create_session_desc, &r);
}

void decide_update_session(struct outcome *d, const struct cmd_update_session *cmd)
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
		.updated_by = asked_by(d),
	};
	struct reply_update_session r = { .session_id = d->session_id };

	if (str_is(p.title))
		list_str_add(d->mem, &p.changed, STR("title"));
	if (str_is(p.workspace_id))
		list_str_add(d->mem, &p.changed, STR("workspaceId"));
	if (str_is(p.cwd))
		list_str_add(d->mem, &p.changed, STR("cwd"));
	if (str_is(p.model))
		list_str_add(d->mem, &p.changed, STR("model"));
	if (str_is(p.metadata))
		list_str_add(d->mem, &p.changed, STR("metadata"));
	if (p.has_archived)
		list_str_add(d->mem, &p.changed, STR("archived"));
	for (uint32_t i = 0; i < p.pinned_thread_ids.count; i++)
		if (!world_thread(d->w, p.pinned_thread_ids.items[i])) {
			refuse(d, ERROR_CODE_THREAD_NOT_FOUND,
			       "%.*s is not a thread of this session",
			       STR_ARG(p.pinned_thread_ids.items[i]));
			return;
		}
	if (p.pinned_thread_ids.items)
		list_str_add(d->mem, &p.changed, STR("pinnedThreadIds"));
	if (cmd->has_budget_usd)
		list_str_add(d->mem, &p.changed, STR("budgetUsd"));
	if (!p.changed.count) {
		refuse(d, ERROR_CODE_MISSING_FIELD, "name at least one thing to change");
		return;
	}
	emit_event(d, EV_SESSION_UPDATED, &p);
	if (cmd->has_budget_usd)
		emit_session_cap(d, cmd->budget_usd);
	r.changed = p.changed;
	d->reply = rec_text(d->mem, &reply_update_session_desc, &r);
}
