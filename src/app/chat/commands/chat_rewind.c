/*
 * Back to an earlier message: it returns to the input, and it and everything
 * after it leave the conversation.  The log keeps them.
 *
 * The messages are read from the log, newest first: a turn that began behind the
 * target of a later rollback has left the conversation already.
 */
#include "app/chat/chat.h"

#define MESSAGES_MAX 1000
#define PAGE_EVENTS 500
#define ROW_MAX 200 /* bytes of a message in the list */

struct message {
	struct str turn, input; /* input: the output that holds its text */
	struct str text;        /* absent: no message of the user began this turn */
	int64_t sequence;       /* where the turn began */
};

struct rewind {
	struct chat *ch;
	struct arena *mem;
	struct message items[MESSAGES_MAX];
	size_t count;
	int64_t kept_to; /* turns that began behind it were taken back */
};

/* ---- the messages ---- */

/* Events come newest first, so the one that is wanted is nearly always the last. */
static struct message *find_turn(struct rewind *r, struct str turn)
{
	for (size_t i = r->count; i-- > 0;)
		if (str_eq(r->items[i].turn, turn))
			return &r->items[i];
	return NULL;
}

/* A turn that continued after a restart has begun twice. */
static void on_started(struct rewind *r, struct str turn, int64_t sequence)
{
	struct message *m = find_turn(r, turn);

	if (m)
		m->sequence = sequence;
	else if (sequence <= r->kept_to && r->count < MESSAGES_MAX)
		r->items[r->count++] =
			(struct message){ .turn = turn, .text = STR_NONE, .sequence = sequence };
}

static void on_submitted(struct rewind *r, const struct shown_event *f)
{
	struct message *m = find_turn(r, f->turn);

	if (!m || !chat_view_is_message(f))
		return;
	m->text = chat_view_preview(f);
	m->input = shown_event_str(f, "inputRef");
}

static void on_event(struct rewind *r, struct json event)
{
	struct shown_event f;

	if (!shown_event_read(r->mem, json_text(r->mem, event), &f))
		return;
	if (shown_event_is(&f, "turn.started"))
		on_started(r, f.turn, f.sequence);
	else if (shown_event_is(&f, "turn.submitted"))
		on_submitted(r, &f);
	else
		r->kept_to = MIN(r->kept_to,
		                 json_int(JSON_GET(f.payload, "targetSequence"), r->kept_to));
}

/* False: this was the oldest page, or it cannot be read. */
static bool read_page(struct rewind *r, int64_t *before)
{
	struct json page, events;
	struct params p;

	params_begin(&p);
	params_cstr(&p, "sessionId", r->ch->view.session);
	params_cstr(&p, "threadId", r->ch->view.thread);
	params_raw(&p, "types",
	           STR("[\"turn.submitted\",\"turn.started\",\"history.rollback.completed\"]"));
	params_int(&p, "before", *before);
	params_int(&p, "limit", PAGE_EVENTS);
	if (connection_try(r->ch->c, "list_events", &p, true, &page) != THOLE_OK)
		return false;
	events = JSON_GET(page, "events");
	for (size_t i = json_count(events); i-- > 0;)
		on_event(r, json_at(events, i));
	*before = json_int(JSON_GET(page, "firstSequence"), 0);
	return json_bool(JSON_GET(page, "more"), false) && *before > 1;
}

/* Newest first. */
static void read_messages(struct rewind *r)
{
	int64_t before = r->ch->view.after + 1;
	size_t kept = 0;

	while (r->count < MESSAGES_MAX && read_page(r, &before))
		;
	for (size_t i = 0; i < r->count; i++)
		if (str_is(r->items[i].text))
			r->items[kept++] = r->items[i];
	r->count = kept;
}

/* ---- choosing ---- */

static bool pick(struct rewind *r, size_t *ret)
{
	struct chat_pick_list list = { .title = "Back to",
		                       .enter = "edits that message",
		                       .is_vi = r->ch->edit.is_vi,
		                       .count = r->count };

	list.rows = ARENA_ARRAY(r->mem, const char *, r->count);
	list.names = ARENA_ARRAY(r->mem, struct str, r->count);
	for (size_t i = 0; i < r->count; i++) {
		list.names[i] = r->items[i].text;
		list.rows[i] = arena_printf(r->mem, "%4zu  %s", i + 1,
		                            out_safe_cut(r->mem, r->items[i].text, ROW_MAX))
		                       .ptr;
	}
	chat_screen_clear(&r->ch->screen);
	return chat_pick_row(r->ch->c, &r->ch->keys, &list, ret);
}

/* Which one; false: none, and the user knows why.  Two Escapes take the only message without asking. */
static bool choose(struct rewind *r, struct str args, size_t *ret)
{
	uint64_t n = 1;

	if (!r->count) {
		chat_paint_notice(r->ch, "  there is no message to go back to");
		return false;
	}
	if (!args.len && (str_is(args) || r->count > 1))
		return pick(r, ret);
	if (args.len && (!str_to_u64(args, &n) || !n || n > r->count)) {
		chat_view_note(&r->ch->view, TONE_DIM,
		               "  /rewind takes a number from 1, the last message, to %zu; without "
		               "one it lists them",
		               r->count);
		return false;
	}
	*ret = (size_t)n - 1;
	return true;
}

void chat_rewind_run(struct chat *ch, struct str args)
{
	struct arena *mem = arena_new();
	struct rewind *r = ARENA_NEW(mem, struct rewind);
	size_t at;

	*r = (struct rewind){ .ch = ch, .mem = mem, .kept_to = INT64_MAX };
	if (!chat_link_is_open(&ch->link, CHAT_CALL_ROLLBACK)) {
		read_messages(r);
		if (choose(r, args, &at))
			chat_turn_take_back(ch, r->items[at].input, r->items[at].sequence);
	}
	arena_free(mem);
}
