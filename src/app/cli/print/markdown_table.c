/*
 * Lays out a Markdown table with aligned columns.  Where it is wider than the
 * terminal, the widest columns become narrower and their cells have several
 * rows; with too many columns for that it is shown as it came.
 */
#include "app/cli/print/markdown_table.h"

#include "base/arena.h"
#include "base/utf8.h"

#define NARROWEST 6 /* columns of a cell that was made narrower */

enum side { SIDE_LEFT, SIDE_RIGHT, SIDE_CENTRE };

struct cell {
	struct str text; /* with styles */
	size_t width;
};

struct grid {
	struct arena *mem;
	struct cell cells[TABLE_ROWS_MAX][TABLE_CELLS_MAX];
	size_t rows, columns;
	enum side sides[TABLE_CELLS_MAX];
	size_t widths[TABLE_CELLS_MAX];
};

static struct str skip_blanks(struct str s)
{
	while (s.len && s.ptr[0] == ' ')
		s = str_skip(s, 1);
	return s;
}

bool markdown_table_is_row(struct str line)
{
	return str_starts(skip_blanks(line), STR("|"));
}

/* ---- cells ---- */

/* Up to the next bar that is neither escaped nor in code; false: there is none left. */
static bool next_cell(struct str *row, struct str *ret)
{
	bool is_code = false;
	size_t i = 0;

	if (!str_trim(*row).len)
		return false;
	for (; i < row->len && (row->ptr[i] != '|' || is_code); i++) {
		if (row->ptr[i] == '\\')
			i++;
		else if (row->ptr[i] == '`')
			is_code = !is_code;
	}
	i = MIN(i, row->len);
	*ret = str_trim(str_head(*row, i));
	*row = str_skip(*row, MIN(i + 1, row->len));
	return true;
}

static struct str begin_row(struct str line)
{
	return str_skip(skip_blanks(line), 1);
}

/* "---", ":--", "--:", ":-:" */
static bool read_side(struct str cell, enum side *ret)
{
	bool left = str_starts(cell, STR(":")), right = cell.len > 1 && str_ends(cell, STR(":"));

	if (cell.len <= (size_t)left + right)
		return false;
	for (size_t i = left; i < cell.len - right; i++)
		if (cell.ptr[i] != '-')
			return false;
	*ret = left && right ? SIDE_CENTRE : right ? SIDE_RIGHT : SIDE_LEFT;
	return true;
}

static bool read_sides(struct grid *g, struct str line)
{
	struct str row = begin_row(line), cell;
	size_t count = 0;

	while (next_cell(&row, &cell))
		if (count == g->columns || !read_side(cell, &g->sides[count++]))
			return false;
	return count == g->columns;
}

static bool read_row(struct grid *g, struct str line, bool color)
{
	struct str row = begin_row(line), cell;
	bool is_head = g->rows == 0;
	size_t count = 0;

	if (g->rows == TABLE_ROWS_MAX)
		return false;
	while (next_cell(&row, &cell)) {
		struct buf out = { 0 };
		struct cell *c = &g->cells[g->rows][count];

		/* A row must not have more cells than the head. */
		if (count == TABLE_CELLS_MAX || (!is_head && count == g->columns))
			return false;
		c->width = markdown_spans(&out, cell, color, is_head);
		c->text = arena_keep(g->mem, buf_str(&out));
		g->widths[count] = MAX(g->widths[count], c->width);
		buf_done(&out);
		count++;
	}
	if (is_head)
		g->columns = count;
	g->rows++;
	return count > 0;
}

/*
 * The second line must be the delimiter row; without it the lines are no table and are shown as
 * they came.
 */
static bool read_grid(struct grid *g, struct str rows, bool color)
{
	for (size_t i = 0; rows.len; i++) {
		struct str line = str_cut(&rows, '\n');

		if (!str_is(rows))
			rows = STR("");
		if (i == 1 ? !read_sides(g, line) : !read_row(g, line, color))
			return false;
		if (!i && !rows.len)
			return false; /* a head alone */
	}
	return g->rows > 0;
}

/* ---- showing ---- */

static void add_times(struct buf *out, struct str what, size_t count)
{
	while (count--)
		buf_add_str(out, what);
}

/* ---- rows of a cell ---- */

/* The length of the sequence that sets a style here; 0: there is none. */
static size_t style_len(struct str s)
{
	size_t len = 2;

	if (!str_starts(s, STR("\033[")))
		return 0;
	while (len < s.len && s.ptr[len] != 'm')
		len++;
	return MIN(len + 1, s.len);
}

static size_t character_len(struct str s)
{
	size_t len = 1;

	while (len < s.len && ((unsigned char)s.ptr[len] & 0xc0) == 0x80)
		len++;
	return len;
}

/* Bytes that fit into the width: up to a blank, or inside a word that is wider. */
static size_t fit(struct str s, size_t width, size_t *ret_width)
{
	size_t at = 0, used = 0, blank = 0, blank_width = 0;

	while (at < s.len) {
		size_t style = style_len(str_skip(s, at));
		size_t len = style ? style : character_len(str_skip(s, at));
		size_t wide = style ? 0 : utf8_width(str_head(str_skip(s, at), len));

		if (used + wide > width)
			break;
		if (s.ptr[at] == ' ') {
			blank = at;
			blank_width = used;
		}
		used += wide;
		at += len;
	}
	if (at < s.len && s.ptr[at] != ' ' && blank) {
		at = blank;
		used = blank_width;
	}
	*ret_width = used;
	return at;
}

/* The style that is on at the end of the text, given the one at its begin. */
static struct str style_after(struct str text, struct str style)
{
	for (size_t at = 0; at < text.len;) {
		size_t len = style_len(str_skip(text, at));

		if (len)
			style = str_head(str_skip(text, at), len);
		at += len ? len : 1;
	}
	return str_eq(style, STR("\033[0m")) ? STR("") : style;
}

/* Takes the next row of the cell; the style continues there. */
static struct cell take_row(struct arena *mem, struct cell *rest, struct str *style, size_t width)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct cell row;
	size_t len = fit(rest->text, width, &row.width);

	if (!len && rest->text.len)
		len = character_len(rest->text); /* wider than the cell: it is left out */
	else
		buf_printf(&out, "%.*s%.*s", STR_ARG(*style), (int)len, rest->text.ptr);
	*style = style_after(str_head(rest->text, len), *style);
	if (style->len)
		buf_add_c(&out, "\033[0m");
	rest->text = skip_blanks(str_skip(rest->text, len));
	row.text = arena_keep(mem, buf_str(&out));
	return row;
}

/*
 * With colour, columns are separated by " │ "; without, by Markdown's own bars at both ends too.
 */
static size_t width_of(const struct grid *g, bool color)
{
	size_t width = color ? 0 : 1;

	for (size_t i = 0; i < g->columns; i++)
		width += g->widths[i] + 3;
	return color && g->columns ? width - 3 : width;
}

/* Makes the widest columns narrower until all fit; false: there are too many. */
static bool narrow(struct grid *g, size_t columns, bool color)
{
	while (width_of(g, color) > columns) {
		size_t widest = 0;

		for (size_t i = 1; i < g->columns; i++)
			if (g->widths[i] > g->widths[widest])
				widest = i;
		if (g->widths[widest] <= NARROWEST)
			return false;
		g->widths[widest]--;
	}
	return true;
}

static void put_cell(const struct grid *g, const struct cell *c, size_t column, struct buf *out)
{
	size_t room = g->widths[column] - c->width;
	size_t before = g->sides[column] == SIDE_RIGHT    ? room
	                : g->sides[column] == SIDE_CENTRE ? room / 2
	                                                  : 0;

	add_times(out, STR(" "), before);
	buf_add_str(out, c->text);
	add_times(out, STR(" "), room - before);
}

/* Cells are used up: each has as many rows as the one with the most. */
static void put_row(struct grid *g, size_t row, bool color, struct buf *out)
{
	struct str styles[TABLE_CELLS_MAX];
	bool has_more = true;

	for (size_t i = 0; i < g->columns; i++)
		styles[i] = STR("");
	while (has_more) {
		has_more = false;
		for (size_t i = 0; i < g->columns; i++) {
			struct cell *rest = &g->cells[row][i];
			struct cell c = rest->width > g->widths[i]
			                        ? take_row(g->mem, rest, &styles[i], g->widths[i])
			                        : *rest;

			buf_add_str(out, !color ? STR("| ")
			                 : i    ? STR(" \033[2m│\033[0m ")
			                        : STR(""));
			put_cell(g, &c, i, out);
			if (rest->width <= g->widths[i])
				*rest = (struct cell){ .text = STR("") };
			has_more = has_more || rest->text.len;
			if (!color)
				buf_add_char(out, ' ');
		}
		buf_add_str(out, color ? STR("\n") : STR("|\n"));
	}
}

static void put_line(const struct grid *g, bool color, struct buf *out)
{
	if (color)
		buf_add_str(out, STR("\033[2m"));
	for (size_t i = 0; i < g->columns; i++) {
		buf_add_str(out, !color ? STR("|-") : i ? STR("─┼─") : STR(""));
		add_times(out, color ? STR("─") : STR("-"), g->widths[i]);
		if (!color)
			buf_add_char(out, '-');
	}
	buf_add_str(out, color ? STR("\033[0m\n") : STR("|\n"));
}

void markdown_table_show(struct str rows, size_t columns, bool color, struct buf *out)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct grid *g = ARENA_NEW(mem, struct grid);

	g->mem = mem;
	if (!read_grid(g, rows, color) || (columns && !narrow(g, columns, color))) {
		utf8_add_safe(out, rows, true);
		return;
	}
	for (size_t i = 0; i < g->rows; i++) {
		put_row(g, i, color, out);
		if (!i)
			put_line(g, color, out);
	}
}
