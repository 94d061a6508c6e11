/*
 * Draws the live area from top to bottom and then cuts it to the height of the
 * terminal.  Text of the outside is already safe: the view has made it so.
 */
#include "app/chat/screen/chat_draw.h"

#include "app/chat/input/chat_text.h"

#include <stdarg.h>

#define TODO_ROWS 8
#define OPEN_ROWS 6 /* of a line that streams and is longer than the terminal is wide */
#define MARK 2      /* columns before the input */

struct drawing {
	struct chat_frame *f;
	const struct chat_scene *s;
	struct arena *mem;
	size_t width;
};

void chat_draw_frame_done(struct chat_frame *f)
{
	buf_done(&f->bytes);
}

struct str chat_draw_row(const struct chat_frame *f, size_t row)
{
	size_t from = row ? f->ends[row - 1] : 0;

	return str_of(f->bytes.ptr + from, f->ends[row] - from);
}

size_t chat_draw_input_columns(size_t columns)
{
	return MAX(columns, 10) - MARK - 1;
}

/* ---- rows ---- */

static void end_row(struct drawing *d)
{
	if (d->f->count < CHAT_ROWS_MAX)
		d->f->ends[d->f->count++] = d->f->bytes.len;
	else
		d->f->bytes.len = d->f->ends[CHAT_ROWS_MAX - 1];
}

static void add_tone(struct drawing *d, enum tone tone, struct str text)
{
	buf_add_c(&d->f->bytes, out_tone_on(d->s->color, tone));
	buf_add_str(&d->f->bytes, text);
	if (tone != TONE_PLAIN)
		buf_add_c(&d->f->bytes, out_tone_off(d->s->color));
}

static void put_row(struct drawing *d, enum tone tone, struct str text)
{
	add_tone(d, tone, chat_text_head(text, d->width));
	end_row(d);
}

/* All of it, broken at words. */
static void put_text(struct drawing *d, enum tone tone, struct str text)
{
	while (text.len) {
		size_t used, len = chat_text_row(text, d->width, &used);

		add_tone(d, tone, str_head(text, len));
		end_row(d);
		text = str_skip(text, used);
	}
}

/* Choices, which two blanks part: none of them is broken. */
static void put_choices(struct drawing *d, enum tone tone, struct str text)
{
	CLEANUP(buf_done) struct buf row = { 0 };

	while (text.len) {
		ptrdiff_t gap = str_find(text, STR("  "));
		struct str choice = gap < 0 ? text : str_head(text, (size_t)gap);

		if (row.len &&
		    chat_text_width(buf_str(&row)) + 2 + chat_text_width(choice) > d->width) {
			put_text(d, tone, buf_str(&row));
			buf_clear(&row);
		}
		/* A colour alone takes no place. */
		if (choice.len)
			buf_printf(&row, "%s%.*s", chat_text_width(choice) ? "  " : "",
			           STR_ARG(choice));
		text = gap < 0 ? STR("") : str_skip(text, (size_t)gap + 2);
	}
	put_text(d, tone, buf_str(&row));
}

static void PRINTF_LIKE(3, 4) put_fmt(struct drawing *d, enum tone tone, const char *fmt, ...)
{
	char text[2048];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	put_row(d, tone, str_from(text));
}

/* A symbol, or a word for screen readers. */
static const char *sign(const struct drawing *d, const char *symbol, const char *word)
{
	return d->s->is_plain ? word : symbol;
}

/* ---- what happens ---- */

/* The line that streams; of one that is too long, its end. */
static void put_open_line(struct drawing *d)
{
	struct str rest = chat_view_open_line(d->s->view);
	size_t from = d->f->count, count;

	while (rest.len) {
		size_t used, len = chat_text_row(rest, d->width, &used);

		add_tone(d, TONE_PLAIN, str_head(rest, len));
		buf_add_c(&d->f->bytes, out_tone_off(d->s->color));
		end_row(d);
		rest = str_skip(rest, used);
	}
	count = d->f->count - from;
	if (count > OPEN_ROWS && !from) {
		size_t drop = count - OPEN_ROWS, cut = d->f->ends[drop - 1];

		buf_drop(&d->f->bytes, cut);
		for (size_t i = 0; i < OPEN_ROWS; i++)
			d->f->ends[i] = d->f->ends[i + drop] - cut;
		d->f->count = OPEN_ROWS;
	}
}

static void put_calls(struct drawing *d)
{
	const struct show *show = &d->s->view->show;

	for (size_t i = 0; i < show->call_count; i++) {
		const struct show_call *c = &show->calls[i];
		const char *span = out_span(d->mem, d->s->now - c->since);
		size_t taken = strlen(c->name) + strlen(span) + 10;

		put_fmt(d, TONE_NAME, "  %s %s  %s%s%s · %s", sign(d, "⋯", "runs"), c->name,
		        out_safe_cut(d->mem, str_from(c->detail),
		                     d->width > taken + 10 ? (d->width - taken) / 2 + 5 : 10),
		        *c->progress ? " · " : "",
		        out_safe_cut(d->mem, str_from(c->progress),
		                     d->width > taken + 10 ? (d->width - taken) / 2 : 10),
		        span);
	}
}

static void put_todo(struct drawing *d)
{
	struct str rest = buf_str(&d->s->view->todo);
	size_t left = TODO_ROWS;

	while (rest.len && left--)
		put_fmt(d, TONE_DIM, "  %s",
		        out_safe_cut(d->mem, str_cut(&rest, '\n'), MAX(d->width, 8) - 4));
}

static void put_agents(struct drawing *d)
{
	for (size_t i = 0; i < d->s->view->agent_count; i++) {
		const struct chat_agent *a = &d->s->view->agents[i];

		put_fmt(d, TONE_NAME, "  %s agent %s · %s%s%s", sign(d, "⋯", "runs"), a->name,
		        out_span(d->mem, d->s->now - a->since), *a->status ? " · " : "", a->status);
	}
}

static void put_wait(struct drawing *d)
{
	const struct chat_view *v = d->s->view;
	const char *span = out_span(d->mem, d->s->now - v->since);

	if (v->state == CHAT_RUNNING && v->show.retry_at > d->s->now)
		put_fmt(d, TONE_ASK, "  %s trying again in %s · Esc stops the turn",
		        sign(d, "⋯", "waits:"), out_span(d->mem, v->show.retry_at - d->s->now));
	else if (v->state == CHAT_RUNNING)
		put_fmt(d, TONE_DIM, "  %s %s · %s · Esc stops the turn", sign(d, "⋯", "works:"),
		        v->show.call_count ? "working"
		        : v->show.asked_at ? v->show.model
		                           : "working",
		        span);
	if (d->s->sending)
		put_fmt(d, TONE_DIM, "%s %s", sign(d, "›", "sending:"), d->s->sending);
}

static void put_queue(struct drawing *d)
{
	const struct chat_view *v = d->s->view;

	size_t waiting = 0;

	for (size_t i = 0; i < v->queued_count; i++) {
		const struct chat_queued *q = &v->queued[i];

		waiting += !q->is_steer;
		put_fmt(d, TONE_DIM, "  %s %s",
		        q->is_steer ? sign(d, "⏎ steers:", "steers:")
		                    : sign(d, "⏎ queued:", "queued:"),
		        out_safe_cut(d->mem, str_from(q->text), 200));
	}
	if (waiting && !d->s->is_plain)
		put_row(d, TONE_DIM,
		        v->is_held
		                ? STR("    the queue is held · Enter on an empty line releases it")
		                : STR("    Alt-Up takes the last one back"));
}

/* ---- the input ---- */

struct input_row {
	size_t from, len;
};

static void put_mark(struct drawing *d, bool is_first)
{
	const char *mark = d->s->edit->is_normal ? ": " : sign(d, "› ", "> ");

	add_tone(d, TONE_BOLD, is_first ? str_from(mark) : STR("  "));
}

static void add_shown(struct drawing *d, struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == '\t')
			buf_add_c(&d->f->bytes, "    ");
		else
			buf_add_char(&d->f->bytes, text.ptr[i]);
}

static size_t input_rows(const struct drawing *d, struct input_row rows[CHAT_ROWS_MAX],
                         size_t *ret_cursor_row)
{
	struct str rest = buf_str(&d->s->edit->text);
	size_t columns = chat_draw_input_columns(d->s->columns), at = 0, count = 0;
	bool ends_line = true; /* the text so far ends with a newline, or is empty */

	*ret_cursor_row = 0;
	while (rest.len && count < CHAT_ROWS_MAX - 1) {
		size_t used, len = chat_text_row(rest, columns, &used);

		if (d->s->edit->cursor >= at)
			*ret_cursor_row = count;
		rows[count++] = (struct input_row){ at, len };
		ends_line = used > len;
		at += used;
		rest = str_skip(rest, used);
	}
	if (ends_line) {
		if (d->s->edit->cursor >= at)
			*ret_cursor_row = count;
		rows[count++] = (struct input_row){ at, 0 };
	}
	return count;
}

static void put_input(struct drawing *d)
{
	struct input_row rows[CHAT_ROWS_MAX];
	size_t here, count = input_rows(d, rows, &here), most = MAX(3, d->s->rows / 2), first = 0;
	const struct chat_edit *e = d->s->edit;

	if (count > most && here >= most)
		first = here - most + 1;
	for (size_t i = first; i < count && i < first + most; i++) {
		put_mark(d, i == 0);
		if (i == here) {
			d->f->cursor_row = d->f->count;
			d->f->cursor_column =
				MARK + chat_text_width(chat_edit_part(e, rows[i].from, e->cursor));
		}
		add_shown(d, chat_edit_part(e, rows[i].from, rows[i].from + rows[i].len));
		if (!e->text.len && d->s->hint)
			add_tone(d, TONE_DIM,
			         chat_text_head(str_from(d->s->hint), d->width - MARK));
		end_row(d);
	}
}

static void put_search(struct drawing *d)
{
	const struct chat_edit *e = d->s->edit;

	if (e->is_searching)
		put_fmt(d, TONE_ASK, "%s: %.*s", e->is_found ? "search" : "not found",
		        STR_ARG(buf_str(&e->search)));
}

static void put_menu(struct drawing *d)
{
	const struct chat_menu *m = d->s->menu;
	size_t first;

	if (!m || !m->count)
		return;
	first = m->selected >= CHAT_MENU_ROWS ? m->selected - CHAT_MENU_ROWS + 1 : 0;
	for (size_t i = first; i < m->count && i < first + CHAT_MENU_ROWS; i++)
		put_fmt(d, i == m->selected ? TONE_NAME : TONE_DIM, "  %s %.*s%s%s",
		        i == m->selected ? ">" : " ", STR_ARG(m->items[i]), m->notes[i] ? "  " : "",
		        m->notes[i] ? m->notes[i] : "");
}

/* ---- the status line ---- */

static const char *money_text(const struct drawing *d)
{
	const struct chat_view *v = d->s->view;
	const char *spent = arena_printf(d->mem, "$%.4f", v->cost_usd).ptr;

	if (!v->has_cost)
		return v->has_unknown_cost ? " · cost unknown" : "";
	if (v->cap_usd > 0)
		return arena_printf(d->mem, " · %s of $%.2f", spent, v->cap_usd).ptr;
	return arena_printf(d->mem, " · %s%s", spent, v->has_unknown_cost ? " or more" : "").ptr;
}

static const char *context_text(const struct drawing *d)
{
	const struct chat_view *v = d->s->view;

	if (!v->context_tokens)
		return "";
	if (!v->window_tokens)
		return arena_printf(d->mem, " · %s tokens", out_count(d->mem, v->context_tokens))
		        .ptr;
	return arena_printf(d->mem, " · %s of %s", out_count(d->mem, v->context_tokens),
	                    out_count(d->mem, v->window_tokens))
	        .ptr;
}

/* The most important comes first, because a narrow terminal cuts the end. */
static void put_status(struct drawing *d)
{
	const struct chat_view *v = d->s->view;

	put_fmt(d, TONE_DIM, "%s%s%s%s%s · %s", *v->model ? v->model : "…", *v->mode ? " · " : "",
	        v->mode, context_text(d), money_text(d), d->s->place);
}

/* ---- the whole ---- */

/* Drops rows at the top that the terminal has no place for. */
static void cut_top(struct chat_frame *f, size_t most)
{
	size_t drop, cut;

	if (f->count <= most)
		return;
	drop = f->count - most;
	cut = f->ends[drop - 1];
	buf_drop(&f->bytes, cut);
	for (size_t i = 0; i < most; i++)
		f->ends[i] = f->ends[i + drop] - cut;
	f->count = most;
	f->cursor_row = f->cursor_row > drop ? f->cursor_row - drop : 0;
}

void chat_draw(struct chat_frame *f, const struct chat_scene *s, struct arena *mem)
{
	struct drawing d = { .f = f, .s = s, .mem = mem, .width = MAX(s->columns, 10) - 1 };

	buf_clear(&f->bytes);
	f->count = f->cursor_row = f->cursor_column = 0;
	put_open_line(&d);
	put_calls(&d);
	put_todo(&d);
	put_agents(&d);
	put_wait(&d);
	put_queue(&d);
	if (s->notice)
		put_text(&d, TONE_ASK, str_from(s->notice));
	if (s->prompt)
		put_choices(&d, TONE_BOLD, str_from(s->prompt));
	if (s->rows > 8)
		put_row(&d, TONE_PLAIN, STR(""));
	put_search(&d);
	put_input(&d);
	put_menu(&d);
	put_status(&d);
	cut_top(f, MAX(s->rows, 4) - 1);
}
