/* A conversation that goes on is kept and copied, instead of being read anew for every request. */
#include "core/context/assemble.h"

static struct context_call *copy_calls(struct arena *mem, const struct context_message *t)
{
	struct context_call *calls = ARENA_ARRAY(mem, struct context_call, t->call_count + 1);

	for (size_t i = 0; i < t->call_count; i++) {
		const struct context_call *c = &t->calls[i];

		calls[i] = (struct context_call){
			.call_id = arena_keep(mem, c->call_id),
			.name = arena_keep(mem, c->name),
			.args = arena_keep(mem, c->args),
			.tool_call_id = arena_keep(mem, c->tool_call_id),
			.args_ref = arena_keep(mem, c->args_ref),
		};
	}
	return calls;
}

static struct context_image *copy_images(struct arena *mem, const struct context_message *t)
{
	struct context_image *images = ARENA_ARRAY(mem, struct context_image, t->image_count + 1);

	for (size_t i = 0; i < t->image_count; i++)
		images[i] = (struct context_image){ .media_type = arena_keep(
							    mem, t->images[i].media_type),
			                            .ref = arena_keep(mem, t->images[i].ref) };
	return images;
}

static struct context_message *copy_message(struct arena *mem, const struct context_message *t)
{
	struct context_message *copy = ARENA_NEW(mem, struct context_message);

	*copy = (struct context_message){
		.role = t->role,
		.text = arena_keep(mem, t->text),
		.ref = arena_keep(mem, t->ref),
		.ref_is_input = t->ref_is_input,
		.at = t->at,
		.hidden_at = t->hidden_at,
		.is_removed = t->is_removed,
		.placed = t->placed,
		.is_start = t->is_start,
		.is_cut = t->is_cut,
		.is_paused = t->is_paused,
		.turn_id = arena_keep(mem, t->turn_id),
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

static bool has_call(const struct context_message *t, struct str tool_call_id)
{
	for (size_t i = 0; i < t->call_count; i++)
		if (str_eq(t->calls[i].tool_call_id, tool_call_id))
			return true;
	return false;
}

/*
 * Would it be there, had the first event been a later one?  Answers are, if something before
 * them in their turn is; results, if their calls are.
 */
static bool would_be(const struct context_message *t, int64_t from, struct context_message **kept,
                     size_t count)
{
	if (t->role == ROLE_USER)
		return t->at >= from;
	while (count-- > 0)
		if (t->role == ROLE_TOOL ? has_call(kept[count], t->tool_call_id)
		                         : str_eq(kept[count]->host_id, t->host_id))
			return true;
	return false;
}

static void copy_messages(struct arena *mem, struct context_message **messages, size_t count,
                          int64_t from, struct context_message ***ret, size_t *ret_count,
                          size_t *ret_cap)
{
	*ret = ARENA_ARRAY(mem, struct context_message *, count + 1);
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

void assemble_copy(const struct assembly *a, const struct conversation_start *start,
                   struct arena *mem, struct assembly *ret)
{
	int64_t from = start->from;

	assemble_init(ret, mem, &a->start);
	ret->start.from = from;
	ret->start.cut_through = start->cut_through;
	ret->start.cut_turns = start->cut_turns;
	ret->sources = copy_sources(mem, a);
	ret->source_count = a->source_count;
	copy_messages(mem, a->messages, a->count, from, &ret->messages, &ret->count, &ret->cap);
	copy_messages(mem, a->waiting, a->waiting_count, from, &ret->waiting, &ret->waiting_count,
	              &ret->waiting_cap);
	copy_messages(mem, a->added, a->added_count, from, &ret->added, &ret->added_count,
	              &ret->added_cap);
	buf_add_str(&ret->text, buf_str(&a->text));
	ret->request_id = arena_keep(mem, a->request_id);
}
