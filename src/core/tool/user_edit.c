/*
 * Records what a user changed in files.  An artifact is identified by its path,
 * and a version counts every change, of tools and of users.
 */
#include "core/tool/user_edit.h"

#include "core/state.h"

static const struct st_artifact *artifact_of(const struct decision *d, struct str path)
{
	for (uint32_t i = d->w->s->artifacts.count; i-- > 0;)
		if (str_eq(d->w->s->artifacts.items[i]->path, path))
			return d->w->s->artifacts.items[i];
	return NULL;
}

static void record_change(struct decision *d, const struct tool_change *f)
{
	const struct st_artifact *old = artifact_of(d, f->path);
	struct event *ev =
		EMIT(d, ARTIFACT_CHANGED, artifact_changed, .change = f->change,
	             .kind = STR("file"), .path = f->path,
	             .version_id = arena_printf(d->mem, "v%d", old ? (int)old->version + 1 : 1),
	             .previous_version_id = old ? old->version_id : STR_NONE, .size_bytes = f->size,
	             .has_size_bytes = str_is(f->hash), .sha256 = f->hash,
	             .media_type = f->media_type, .owner = STR("workspace"));

	ev->artifact_id = old ? old->artifact_id : decision_new_id(d, "art");
	decision_add_ref(d, ev, STR("read"), arena_printf(d->mem, "file:%.*s", STR_ARG(f->path)));
	if (str_is(f->diff))
		decision_add_ref(d, ev, STR("diff"),
		                 decision_new_blob(d, STR("text/x-diff"), f->diff));
	if (f->has_before)
		decision_add_ref(d, ev, STR("checkpoint"),
		                 decision_new_blob(d, STR("application/octet-stream"), f->before));
}

void user_edit_record(struct decision *d, const struct tool_change *changes, size_t count,
                      struct str reason)
{
	for (size_t i = 0; i < count; i++) {
		record_change(d, &changes[i]);
		d->events[d->count - 1]->status_reason = reason;
	}
}
