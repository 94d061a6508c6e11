/*
 * Events of the runtime itself: start, stop, a failed store, anchors, a clock
 * that was set.
 */
#include "core/runtime_events.h"

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
	 * A state of `started` at a start means that the previous process wrote no stop: it crashed
	 * or was killed.
	 */
	enum runtime_state was = d->w->s->runtime_state;
	enum runtime_end end = store_failed                   ? RUNTIME_END_STORE_FAILED
	                       : was == RUNTIME_STATE_STARTED ? RUNTIME_END_UNCLEAN
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

/*
 * The leaves are a blob beside the event: with them, a reader can verify each session's head
 * against the root.
 */
void runtime_events_anchor(struct decision *d, int64_t tree_size, struct str root,
                           struct str leaves)
{
	struct str ref;

	runtime_events_emit_system_session(d, STR("system"), SYSTEM_THREAD);
	ref = decision_new_blob(d, STR("text/plain"), leaves);
	EMIT(d, SESSION_UPDATED, session_updated, .changed = STRINGS(d, STR("anchor")),
	     .anchor = KEPT(d, struct rec_log_anchor, .tree_size = tree_size, .root_hash = root,
	                    .leaves_ref = ref))
		->thread_id = SYSTEM_THREAD;
}
