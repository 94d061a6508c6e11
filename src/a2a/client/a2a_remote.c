/* The fold of replies; artifacts are held within limits until the task has ended. */
#include "a2a/client/a2a_remote.h"

#define BYTES_MAX ((size_t)8 * LIMIT_PEER_ARTIFACT_BYTES)
#define STOCK_MAX (4 * BYTES_MAX) /* with what pieces have replaced */
#define ROOM_MIN 4096

void a2a_remote_init(struct a2a_remote *r)
{
	*r = (struct a2a_remote){ .mem = arena_new_small(),
		                  .said = arena_new_small(),
		                  .stock = arena_new_small() };
}

void a2a_remote_done(struct a2a_remote *r)
{
	arena_free(r->mem);
	arena_free(r->said);
	arena_free(r->stock);
	*r = (struct a2a_remote){ 0 };
}

void a2a_remote_resume(struct a2a_remote *r, struct str task_id, struct str context_id)
{
	r->task_id = arena_keep(r->mem, task_id);
	r->context_id = arena_keep(r->mem, context_id);
}

bool a2a_remote_is_over(const struct a2a_remote *r)
{
	return r->is_direct || a2a_state_is_final(r->state);
}

/* ---- artifacts ---- */

static struct a2a_remote_artifact *artifact_of(struct a2a_remote *r, struct str id)
{
	for (size_t i = 0; i < r->artifact_count; i++)
		if (str_eq(r->artifacts[i].id, id))
			return &r->artifacts[i];
	return NULL;
}

static bool has_room(struct a2a_remote *r, size_t bytes, size_t parts)
{
	if (r->bytes + bytes <= BYTES_MAX && parts <= LIMIT_PEER_PARTS &&
	    arena_used(r->stock) + bytes <= STOCK_MAX)
		return true;
	r->is_overflow = true;
	return false;
}

/* A text behind a text of the same name continues it: agents send long texts in pieces. */
static bool continues(const struct a2a_remote_artifact *a, const struct a2a_part *p)
{
	const struct a2a_part *last = a->count ? &a->parts[a->count - 1] : NULL;

	return last && last->kind == A2A_PART_TEXT && p->kind == A2A_PART_TEXT &&
	       !str_is(p->name) && !str_is(last->name);
}

/* The room doubles, so that a text of many pieces is copied a few times and not for each. */
static void append(struct a2a_remote *r, struct a2a_part *to, struct str more)
{
	size_t len = to->value.len + more.len;
	char *text = (char *)(uintptr_t)to->value.ptr;

	if (len > to->room) {
		to->room = MAX(2 * len, (size_t)ROOM_MIN);
		text = arena_grow(r->stock, text, to->value.len, to->room);
	}
	memcpy(text + to->value.len, more.ptr, more.len);
	to->value = str_of(text, len);
}

static void add_part(struct a2a_remote *r, struct a2a_remote_artifact *a, const struct a2a_part *p)
{
	if (!has_room(r, p->value.len, a->count + 1))
		return;
	r->bytes += p->value.len;
	if (continues(a, p)) {
		append(r, &a->parts[a->count - 1], p->value);
		return;
	}
	a->parts = arena_grow(r->stock, a->parts, a->count * sizeof *a->parts,
	                      (a->count + 1) * sizeof *a->parts);
	a->parts[a->count++] = (struct a2a_part){ .kind = p->kind,
		                                  .value = arena_keep(r->stock, p->value),
		                                  .name = arena_keep(r->stock, p->name),
		                                  .type = arena_keep(r->stock, p->type) };
}

static void take_artifact(struct a2a_remote *r, const struct a2a_got_artifact *got)
{
	struct a2a_remote_artifact *a = artifact_of(r, got->id);

	if (!a && r->artifact_count == LIMIT_PEER_ARTIFACTS) {
		r->is_overflow = true;
		return;
	}
	if (!a) {
		a = &r->artifacts[r->artifact_count++];
		*a = (struct a2a_remote_artifact){ .id = arena_keep(r->stock, got->id),
			                           .name = arena_keep(r->stock, got->name) };
	}
	if (!got->is_append) {
		for (size_t i = 0; i < a->count; i++)
			r->bytes -= a->parts[i].value.len;
		a->parts = NULL;
		a->count = 0;
	}
	for (size_t i = 0; i < got->parts.count; i++)
		add_part(r, a, &got->parts.at[i]);
}

void a2a_remote_drop_artifacts(struct a2a_remote *r)
{
	arena_free(r->stock);
	r->stock = arena_new_small();
	r->artifact_count = r->bytes = 0;
	r->is_overflow = false;
}

/* A task has all of its artifacts: what was held before is given up. */
static void take_all(struct a2a_remote *r, const struct a2a_reply *reply)
{
	if (!reply->artifact_count)
		return;
	a2a_remote_drop_artifacts(r);
	for (size_t i = 0; i < reply->artifact_count; i++)
		take_artifact(r, &reply->artifacts[i]);
}

/* ---- replies ---- */

static bool same(struct str a, struct str b)
{
	return str_is(a) == str_is(b) && (!str_is(a) || str_eq(a, b));
}

static bool take_ids(struct a2a_remote *r, const struct a2a_reply *reply)
{
	if (!str_is(reply->task_id))
		return true;
	if (str_is(r->task_id))
		return str_eq(r->task_id, reply->task_id);
	r->task_id = arena_keep(r->mem, reply->task_id);
	if (str_is(reply->context_id))
		r->context_id = arena_keep(r->mem, reply->context_id);
	return true;
}

static bool is_back(const struct a2a_remote *r, enum a2a_state to)
{
	return a2a_remote_is_over(r) ||
	       (to == A2A_STATE_SUBMITTED && r->state != A2A_STATE_NONE && r->state != to);
}

static void take_message(struct a2a_remote *r, const struct a2a_reply *reply)
{
	arena_reset(r->said);
	r->message_id = arena_keep(r->said, reply->message_id);
	r->text = arena_keep(r->said, reply->text);
}

static enum a2a_remote_change take_state(struct a2a_remote *r, const struct a2a_reply *reply)
{
	if (is_back(r, reply->state) ||
	    (r->state == reply->state && same(r->message_id, reply->message_id)))
		return A2A_REMOTE_SAME;
	r->state = reply->state;
	take_message(r, reply);
	return A2A_REMOTE_CHANGED;
}

enum a2a_remote_change a2a_remote_apply(struct a2a_remote *r, const struct a2a_reply *reply)
{
	bool was_over = a2a_remote_is_over(r);

	if (reply->kind == A2A_REPLY_MESSAGE && !str_is(r->task_id) && !str_is(reply->task_id)) {
		if (was_over)
			return A2A_REMOTE_SAME;
		r->is_direct = true;
		r->state = A2A_STATE_COMPLETED;
		take_message(r, reply);
		return A2A_REMOTE_CHANGED;
	}
	if (r->is_direct || !take_ids(r, reply))
		return A2A_REMOTE_FOREIGN;
	if (reply->kind == A2A_REPLY_MESSAGE) /* a remark within its task */
		return A2A_REMOTE_SAME;
	if (reply->kind == A2A_REPLY_TASK)
		take_all(r, reply);
	if (reply->kind != A2A_REPLY_ARTIFACT)
		return take_state(r, reply);
	/* A piece that comes after the end is none of the task's artifacts. */
	if (was_over)
		return A2A_REMOTE_SAME;
	take_artifact(r, &reply->artifacts[0]);
	return A2A_REMOTE_ARTIFACT;
}
