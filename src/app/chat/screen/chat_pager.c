/*
 * Text that is longer than the screen, page by page on the alternate screen.
 * What was on the screen is there again when it closes.
 */
#include "app/chat/chat.h"

#include "app/chat/input/chat_text.h"
#include "app/chat/screen/chat_wrap.h"

#include <stdlib.h>
#include <unistd.h>

struct pager {
	struct cli *c;
	struct chat_screen screen; /* for its size */
	struct chat_keys *keys;    /* of the chat */
	const char *title;
	struct str text;
	struct buf rows, out;
	size_t *ends; /* of each row in rows */
	size_t count, room, first;
	bool is_over;
};

static size_t page_rows(const struct pager *p)
{
	return p->screen.rows > 3 ? p->screen.rows - 2 : 1;
}

static void add_end(struct pager *p, size_t end)
{
	if (p->count == p->room) {
		p->room = p->room ? p->room * 2 : 1024;
		p->ends = reallocarray(p->ends, p->room, sizeof p->ends[0]);
		if (!p->ends)
			abort();
	}
	p->ends[p->count++] = end;
}

/* Rows of the terminal's width.  Lines that others leave to the terminal are broken too. */
static void break_lines(struct pager *p)
{
	struct str rest = p->text;

	buf_clear(&p->rows);
	p->count = 0;
	while (rest.len) {
		CLEANUP(buf_done) struct buf line = { 0 };
		struct str text = str_cut(&rest, '\n');
		size_t from = p->rows.len;

		if (chat_wrap_bare(text).ptr == text.ptr)
			buf_add_char(&line, CHAT_WRAP_WORDS);
		buf_add_str(&line, text);
		chat_wrap_rows(&p->rows, buf_str(&line), p->screen.columns);
		for (size_t i = from; i < p->rows.len; i++)
			if (p->rows.ptr[i] == '\n')
				add_end(p, i + 1);
	}
}

static void clamp(struct pager *p)
{
	size_t rows = page_rows(p), last = p->count > rows ? p->count - rows : 0;

	p->first = MIN(p->first, last);
}

static void paint(struct pager *p)
{
	size_t rows = page_rows(p), to = MIN(p->first + rows, p->count);
	size_t from = p->first ? p->ends[p->first - 1] : 0;
	struct str foot =
		arena_printf(p->c->mem, " %s · rows %zu to %zu of %zu · Space, b, q leaves",
	                     p->title, p->first + 1, to, p->count);

	buf_add_c(&p->out, "\033[H\033[J");
	if (to)
		buf_add_str(&p->out, str_of(p->rows.ptr + from, p->ends[to - 1] - from));
	buf_printf(&p->out, "\033[%zu;1H%s", p->screen.rows,
	           out_tone_on(p->c->color_out, TONE_BOLD));
	buf_add_str(&p->out, chat_text_head(foot, p->screen.columns - 1));
	buf_add_c(&p->out, out_tone_off(p->c->color_out));
	(void)!write(STDOUT_FILENO, p->out.ptr, p->out.len);
	buf_clear(&p->out);
}

static void scroll_up(struct pager *p, size_t rows)
{
	p->first -= MIN(rows, p->first);
}

static void on_letter(struct pager *p, uint32_t code)
{
	size_t page = page_rows(p);

	switch (code) {
	case 'q':
		p->is_over = true;
		break;
	case ' ':
	case 'f':
		p->first += page;
		break;
	case 'b':
		scroll_up(p, page);
		break;
	case 'j':
		p->first++;
		break;
	case 'k':
		scroll_up(p, 1);
		break;
	case 'g':
		p->first = 0;
		break;
	case 'G':
		p->first = p->count;
		break;
	default:
		break;
	}
}

static void on_key(struct pager *p, const struct chat_key *k)
{
	static const struct {
		uint32_t code, letter;
	} names[] = {
		{ CHAT_KEY_ESCAPE, 'q' }, { CHAT_KEY_PAGE_DOWN, ' ' }, { CHAT_KEY_PAGE_UP, 'b' },
		{ CHAT_KEY_DOWN, 'j' },   { CHAT_KEY_UP, 'k' },        { CHAT_KEY_ENTER, 'j' },
		{ CHAT_KEY_HOME, 'g' },   { CHAT_KEY_END, 'G' },
	};

	if (k->mods == CHAT_CTRL && (k->code == 'c' || k->code == 'd'))
		p->is_over = true;
	else if (k->code < CHAT_KEY_NAMED && str_is(k->text))
		on_letter(p, k->code);
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (names[i].code == k->code)
			on_letter(p, names[i].letter);
	clamp(p);
}

static void step(struct pager *p)
{
	struct chat_key k;

	while (!p->is_over && chat_keys_next(p->keys, &k))
		on_key(p, &k);
	if (p->is_over)
		return;
	if (chat_screen_measure(&p->screen)) {
		break_lines(p);
		clamp(p);
	}
	paint(p);
	p->is_over = !chat_keys_read(p->keys, STDIN_FILENO);
}

static void pager_run(struct pager *p)
{
	break_lines(p);
	(void)!write(STDOUT_FILENO, "\033[?1049h", 8);
	while (!p->is_over)
		step(p);
	(void)!write(STDOUT_FILENO, "\033[?1049l", 8);
}

void chat_pager_show(struct chat *ch, const char *title, struct str text)
{
	struct pager p = {
		.c = ch->c,
		.keys = &ch->keys,
		.title = title,
		.text = text,
		.screen = { .out = STDOUT_FILENO },
	};

	chat_screen_clear(&ch->screen);
	chat_screen_measure(&p.screen);
	pager_run(&p);
	buf_done(&p.rows);
	buf_done(&p.out);
	free(p.ends);
	ch->is_dirty = true;
}
