/*
 * Lays out a Markdown table with aligned columns.  A table that does not fit the
 * terminal is shown as it came.
 */
#include "app/cli/print/markdown_table.h"

#include "base/arena.h"
#include "base/utf8.h"

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

static void put_row(const struct grid *g, size_t row, bool color, struct buf *out)
{
	for (size_t i = 0; i < g->columns; i++) {
		buf_add_str(out, !color ? STR("| ") : i ? STR(" \033[2m│\033[0m ") : STR(""));
		put_cell(g, &g->cells[row][i], i, out);
		if (!color)
			buf_add_char(out, ' ');
	}
	buf_add_str(out, color ? STR("\n") : STR("|\n"));
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

void markdown_table_show(struct str rows, size_t columns, bool color, struct buf *out)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct grid *g = ARENA_NEW(mem, struct grid);

	g->mem = mem;
	if (!read_grid(g, rows, color) || (columns && width_of(g, color) > columns)) {
		utf8_add_safe(out, rows, true);
		return;
	}
	for (size_t i = 0; i < g->rows; i++) {
		put_row(g, i, color, out);
		if (!i)
			put_line(g, color, out);
	}
}
