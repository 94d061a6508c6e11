/* The agent's todo list: folded from calls of that kind, shown as lines. */
#include "core/fold_part.h"
#include "base/jw.h"
#include "core/tool/todo.h"

#include "core/view/view_part.h"

static struct str mark_of(struct str status)
{
	return str_eq(status, todo_status_word(TODO_STATUS_COMPLETED))     ? STR("[x]")
	       : str_eq(status, todo_status_word(TODO_STATUS_IN_PROGRESS)) ? STR("[>]")
	                                                                   : STR("[ ]");
}

struct str todo_text(struct arena *mem, struct json args)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_iter it = json_iter(JSON_GET(args, "items"));
	struct json item;
	struct str key;

	while (json_next(&it, &key, &item)) {
		struct str mark = mark_of(json_str(JSON_GET(item, "status")));
		struct str text = json_str(JSON_GET(item, "text"));

		buf_printf(&out, "%s%.*s %.*s", out.len ? "\n" : "", STR_ARG(mark), STR_ARG(text));
	}
	return out.len ? arena_keep(mem, buf_str(&out)) : STR("The list is empty.");
}

void todo_forget(struct st_thread *th)
{
	while (th->todo.count)
		rec_list_remove(&th->todo, th->todo.count - 1);
	th->todo_turn_id = STR_NONE;
	th->todo_sequence = 0;
}

/*
 * A tool of another owner may have that kind: arguments in another form change nothing.  The list
 * is replaced as a whole, as the tool defines it.
 */
void todo_fold(struct state *w, struct st_thread *th, const struct st_call *c)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json args, item;
	struct str key;

	if (!str_is(c->args) || json_read_trusted(mem, c->args, &args, NULL) != OK ||
	    json_type(JSON_GET(args, "items")) != JSON_ARR)
		return;
	todo_forget(th);
	th->todo_turn_id = arena_keep(w->mem, c->turn_id);
	th->todo_sequence = w->s->sequence;

	struct json_iter it = json_iter(JSON_GET(args, "items"));

	while (json_next(&it, &key, &item)) {
		struct rec_todo_item read;

		if (rec_read(mem, item, &rec_todo_item_desc, REC_TRUSTED, &read, NULL) == OK)
			rec_keep(w->mem, &rec_todo_item_desc,
			         rec_list_add(w->mem, &th->todo, &rec_todo_item_desc), &read);
	}
}

void todo_view(struct json_writer *w, const struct st_thread *th)
{
	if (!th->todo.count)
		return;
	JW_KEY(w, "todo");
	jw_arr(w);
	for (uint32_t i = 0; i < th->todo.count; i++)
		rec_write(w, &rec_todo_item_desc, th->todo.items[i]);
	jw_arr_end(w);
}
