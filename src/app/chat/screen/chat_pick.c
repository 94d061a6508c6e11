/*
 * A list on the alternate screen of which the user picks one, filtered by typing.
 * The text that was on the screen is there again when it closes.
 */
#include "app/chat/chat.h"

#include "app/chat/input/chat_text.h"

#include <unistd.h>

#define SESSIONS_MAX 500

struct pick {
	struct cli *c;
	const struct chat_pick_list *list;
	struct chat_screen screen; /* for its size */
	struct chat_keys *keys;
	size_t *shown, shown_count, selected;
	struct buf filter, out;
	bool is_filtering; /* letters are text */
	bool is_over, has_found;
};

static void apply_filter(struct pick *p)
{
	p->shown_count = p->selected = 0;
	for (size_t i = 0; i < p->list->count; i++)
		if (chat_complete_score(p->list->names[i], buf_str(&p->filter)) >= 0)
			p->shown[p->shown_count++] = i;
}

static void put_row(struct pick *p, struct arena *mem, size_t at)
{
	const char *text = arena_printf(mem, " %s %s", at == p->selected ? ">" : " ",
	                                p->list->rows[p->shown[at]])
	                           .ptr;

	buf_add_c(&p->out,
	          out_tone_on(p->c->color_out, at == p->selected ? TONE_NAME : TONE_PLAIN));
	buf_add_str(&p->out, chat_text_head(str_from(text), p->screen.columns - 1));
	buf_printf(&p->out, "%s\r\n", out_tone_off(p->c->color_out));
}

static void put_title(struct pick *p)
{
	const struct chat_pick_list *l = p->list;
	bool is_vi_filter = l->is_vi && p->is_filtering;

	buf_printf(&p->out, " %s: %s, Enter %s, Esc %s  %s%.*s\r\n", l->title,
	           p->is_filtering ? "type to filter" : "j k move, / filters", l->enter,
	           is_vi_filter ? "ends the filter" : "leaves", is_vi_filter ? "/" : "",
	           STR_ARG(buf_str(&p->filter)));
}

static void paint(struct pick *p)
{
	struct arena *mem = arena_new_small();
	size_t rows = p->screen.rows > 4 ? p->screen.rows - 3 : 1;
	size_t first = p->selected >= rows ? p->selected - rows + 1 : 0;

	buf_add_c(&p->out, "\033[H\033[J");
	put_title(p);
	for (size_t i = first; i < p->shown_count && i < first + rows; i++)
		put_row(p, mem, i);
	if (!p->shown_count)
		buf_add_c(&p->out, "   none\r\n");
	(void)!write(STDOUT_FILENO, p->out.ptr, p->out.len);
	buf_clear(&p->out);
	arena_free(mem);
}

/* With the keys of vi and no filter that is typed. */
static void moving_key(struct pick *p, uint32_t code)
{
	size_t last = p->shown_count ? p->shown_count - 1 : 0;

	if (code == 'j')
		p->selected = MIN(p->selected + 1, last);
	else if (code == 'k')
		p->selected -= p->selected > 0;
	else if (code == 'g')
		p->selected = 0;
	else if (code == 'G')
		p->selected = last;
	else if (code == '/' || code == 'i')
		p->is_filtering = true;
	else if (code == 'q')
		p->is_over = true;
}

static void escape_key(struct pick *p)
{
	if (p->list->is_vi && p->is_filtering)
		p->is_filtering = false;
	else
		p->is_over = true;
}

static void on_key(struct pick *p, const struct chat_key *k)
{
	if (k->code == CHAT_KEY_ESCAPE) {
		escape_key(p);
	} else if (k->mods == CHAT_CTRL && (k->code == 'c' || k->code == 'd')) {
		p->is_over = true;
	} else if (k->code == CHAT_KEY_ENTER && p->shown_count) {
		p->is_over = p->has_found = true;
	} else if (k->code == CHAT_KEY_UP || (k->mods == CHAT_CTRL && k->code == 'p')) {
		p->selected -= p->selected > 0;
	} else if (k->code == CHAT_KEY_DOWN || (k->mods == CHAT_CTRL && k->code == 'n')) {
		p->selected += p->selected + 1 < p->shown_count;
	} else if (k->code == CHAT_KEY_BACKSPACE && p->filter.len) {
		p->filter.len = chat_text_prev(buf_str(&p->filter), p->filter.len);
		apply_filter(p);
	} else if (k->code < CHAT_KEY_NAMED && str_is(k->text) && !p->is_filtering) {
		moving_key(p, k->code);
	} else if (k->code < CHAT_KEY_NAMED && str_is(k->text)) {
		buf_add_str(&p->filter, k->text);
		apply_filter(p);
	}
}

static void step(struct pick *p)
{
	struct chat_key k;

	while (!p->is_over && chat_keys_next(p->keys, &k))
		on_key(p, &k);
	if (p->is_over)
		return;
	chat_screen_measure(&p->screen);
	paint(p);
	p->is_over = !chat_keys_read(p->keys, STDIN_FILENO);
}

bool chat_pick_row(struct cli *c, struct chat_keys *keys, const struct chat_pick_list *list,
                   size_t *ret)
{
	struct arena *mem = arena_new();
	struct pick p = {
		.c = c,
		.keys = keys,
		.list = list,
		.screen = { .out = STDOUT_FILENO },
		.is_filtering = !list->is_vi,
	};

	p.shown = ARENA_ARRAY(mem, size_t, list->count + 1);
	apply_filter(&p);
	(void)!write(STDOUT_FILENO, "\033[?1049h", 8);
	while (!p.is_over)
		step(&p);
	(void)!write(STDOUT_FILENO, "\033[?1049l", 8);
	if (p.has_found)
		*ret = p.shown[p.selected];
	buf_done(&p.filter);
	buf_done(&p.out);
	arena_free(mem);
	return p.has_found;
}

/* ---- sessions ---- */

struct sessions {
	struct cli *c;
	struct str ids[SESSIONS_MAX], titles[SESSIONS_MAX];
	const char *rows[SESSIONS_MAX];
	size_t count;
};

static bool keep_session(void *arg, struct json row)
{
	struct sessions *s = arg;
	struct arena *mem = s->c->mem;

	s->ids[s->count] = json_str(JSON_GET(row, "sessionId"));
	s->titles[s->count] = json_str(JSON_GET(row, "title"));
	s->rows[s->count++] = arena_printf(mem, "%-10s %-9s %s",
	                                   out_ago(mem, json_str(JSON_GET(row, "updatedAt"))),
	                                   out_safe(mem, json_str(JSON_GET(row, "status"))),
	                                   out_safe(mem, json_str(JSON_GET(row, "title"))))
	                              .ptr;
	return s->count < SESSIONS_MAX;
}

struct str chat_pick_session(struct cli *c, struct chat_keys *keys, bool is_vi)
{
	struct sessions *s = ARENA_NEW(c->mem, struct sessions);
	struct chat_pick_list list = { .title = "Sessions",
		                       .enter = "opens",
		                       .is_vi = is_vi,
		                       .rows = s->rows,
		                       .names = s->titles };
	size_t at;

	*s = (struct sessions){ .c = c };
	if (connection_open(c) != CODE_DONE ||
	    connection_list(c, "list_sessions", "sessions", NULL, keep_session, s) != CODE_DONE)
		return STR_NONE;
	list.count = s->count;
	if (s->count == SESSIONS_MAX)
		list.title = arena_printf(c->mem, "Newest %d sessions (thole ps lists all)",
		                          SESSIONS_MAX)
		                     .ptr;
	return chat_pick_row(c, keys, &list, &at) ? s->ids[at] : STR_NONE;
}
