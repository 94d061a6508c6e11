/*
 * Copies a conversation, so that the cached one serves the next request without reading the log
 * again.
 */
#include "core/context/assemble.h"

static struct assembly_call *copy_calls(struct arena *mem, const struct assembly_message *t)
{
	struct assembly_call *calls = ARENA_ARRAY(mem, struct assembly_call, t->call_count + 1);

	for (size_t i = 0; i < t->call_count; i++) {
		const struct assembly_call *c = &t->calls[i];

		calls[i] = (struct assembly_call){
			.call_id = arena_keep(mem, c->call_id),
			.name = arena_keep(mem, c->name),
			.args = arena_keep(mem, c->args),
			.tool_call_id = arena_keep(mem, c->tool_call_id),
			.args_ref = arena_keep(mem, c->args_ref),
		};
	}
	return calls;
}

static struct assembly_image *copy_images(struct arena *mem, const struct assembly_message *t)
{
	struct assembly_image *images = ARENA_ARRAY(mem, struct assembly_image, t->image_count + 1);

	for (size_t i = 0; i < t->image_count; i++)
		images[i] = (struct assembly_image){
			.media_type = arena_keep(mem, t->images[i].media_type),
			.ref = arena_keep(mem, t->images[i].ref),
			.name = arena_keep(mem, t->images[i].name),
			.bytes = t->images[i].bytes,
			.refused_by = arena_keep(mem, t->images[i].refused_by)
		};
	return images;
}

/*
 * Field by field, so that `state` and the data of images, which the caller fills in for one
 * request, are not carried over.
 */
static struct assembly_message *copy_message(struct arena *mem, const struct assembly_message *t)
{
	struct assembly_message *copy = ARENA_NEW(mem, struct assembly_message);

	*copy = (struct assembly_message){
		.role = t->role,
		.text = arena_keep(mem, t->text),
		.ref = arena_keep(mem, t->ref),
		.source = arena_keep(mem, t->source),
		.is_data = t->is_data,
		.tag = arena_keep(mem, t->tag),
		.name = arena_keep(mem, t->name),
		.ref_is_input = t->ref_is_input,
		.at = t->at,
		.hidden_at = t->hidden_at,
		.is_removed = t->is_removed,
		.placed = t->placed,
		.is_start = t->is_start,
		.is_stop = t->is_stop,
		.is_cut = t->is_cut,
		.is_paused = t->is_paused,
		.turn_id = arena_keep(mem, t->turn_id),
		.peer_message_id = arena_keep(mem, t->peer_message_id),
		.host_id = arena_keep(mem, t->host_id),
		.call_id = arena_keep(mem, t->call_id),
		.tool_call_id = arena_keep(mem, t->tool_call_id),
		.tool_name = arena_keep(mem, t->tool_name),
		.is_error = t->is_error,
		.state_ref = arena_keep(mem, t->state_ref),
		.call_count = t->call_count,
		.call_cap = t->call_count,
		.image_count = t->image_count,
	};
	if (t->call_count)
		copy->calls = copy_calls(mem, t);
	if (t->image_count)
		copy->images = copy_images(mem, t);
	return copy;
}

static bool has_call(const struct assembly_message *t, struct str tool_call_id)
{
	for (size_t i = 0; i < t->call_count; i++)
		if (str_eq(t->calls[i].tool_call_id, tool_call_id))
			return true;
	return false;
}

/*
 * Would the message be there if reading had started at the later event?  A response is, if a
 * message before it in its turn is, and so is the note of a stop; a result, if its call is.
 */
static bool would_be(const struct assembly_message *t, int64_t from, struct assembly_message **kept,
                     size_t count)
{
	if (t->role == ROLE_USER && !t->is_stop)
		return t->at >= from;
	while (count-- > 0)
		if (t->role == ROLE_TOOL ? has_call(kept[count], t->tool_call_id)
		                         : str_eq(kept[count]->host_id, t->host_id))
			return true;
	return false;
}

static void copy_messages(struct arena *mem, struct assembly_message **messages, size_t count,
                          int64_t from, struct assembly_message ***ret, size_t *ret_count,
                          size_t *ret_cap)
{
	*ret = ARENA_ARRAY(mem, struct assembly_message *, count + 1);
	*ret_cap = count + 1;
	*ret_count = 0;
	for (size_t i = 0; i < count; i++)
		if (would_be(messages[i], from, *ret, *ret_count))
			(*ret)[(*ret_count)++] = copy_message(mem, messages[i]);
}

static const struct rec_context_item *copy_sources(struct arena *mem, const struct assembly *a)
{
	struct rec_context_item *items =
		ARENA_ARRAY(mem, struct rec_context_item, a->source_count + 1);

	for (size_t i = 0; i < a->source_count; i++)
		rec_keep(mem, &rec_context_item_desc, &items[i], &a->sources[i]);
	return items;
}

/* Those that the events from `from` on publish; assemble_init() adds an earlier one. */
static void copy_summaries(const struct assembly *a, int64_t from, struct assembly *ret)
{
	struct assembly_summary *all =
		ARENA_ARRAY(ret->mem, struct assembly_summary, a->summary_count + 1);
	size_t count = ret->summary_count;

	if (count)
		all[0] = ret->summaries[0];
	for (size_t i = 0; i < a->summary_count; i++)
		if (a->summaries[i].at >= from)
			all[count++] = (struct assembly_summary){
				a->summaries[i].at, arena_keep(ret->mem, a->summaries[i].ref)
			};
	ret->summaries = all;
	ret->summary_count = count;
	ret->summary_cap = a->summary_count + 1;
}

/* The result equals an assembly that was fed from start->from on; the unit tests compare both. */
void assemble_copy(const struct assembly *a, const struct assembly_start *start, struct arena *mem,
                   struct assembly *ret)
{
	struct assembly_start begin = a->start;
	int64_t from = start->from;

	begin.from = from;
	begin.cut_through = start->cut_through;
	begin.cut_turns = start->cut_turns;
	begin.summary.ref = arena_keep(mem, a->start.summary.ref);
	assemble_init(ret, mem, &begin);
	copy_summaries(a, from, ret);
	ret->sources = copy_sources(mem, a);
	ret->source_count = a->source_count;
	copy_messages(mem, a->messages, a->count, from, &ret->messages, &ret->count, &ret->cap);
	copy_messages(mem, a->waiting, a->waiting_count, from, &ret->waiting, &ret->waiting_count,
	              &ret->waiting_cap);
	copy_messages(mem, a->added, a->added_count, from, &ret->added, &ret->added_count,
	              &ret->added_cap);
	buf_add_str(&ret->text, buf_str(&a->text));
	ret->request_id = arena_keep(mem, a->request_id);
	ret->stop_turn_id = arena_keep(mem, a->stop_turn_id);
	ret->stop_reason = a->stop_reason;
}
