/*
 * Tables for people: columns as wide as their cells, the last one cut or folded at the edge of
 * the terminal.
 */
#include "app/cli/print/table.h"

#include "base/utf8.h"

#include <unistd.h>

void table_row(struct table *t, enum tone tone, const char *const *cells)
{
	if (t->rows == t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 32, row = t->columns * sizeof *t->cells;

		t->cells = arena_grow(t->c->mem, t->cells, t->cap * row, cap * row);
		t->tones = arena_grow(t->c->mem, t->tones, t->cap * sizeof *t->tones,
		                      cap * sizeof *t->tones);
		t->cap = cap;
	}
	for (size_t i = 0; i < t->columns; i++)
		t->cells[t->rows * t->columns + i] = cells[i] ? cells[i] : "";
	t->tones[t->rows++] = tone;
}

void table_begin(struct table *t, struct cli *c, const char *const *heads)
{
	*t = (struct table){ .c = c };
	while (heads[t->columns])
		t->columns++;
	table_row(t, TONE_DIM, heads);
}

#define FOLD_MIN 20 /* columns of a folded cell, however narrow the terminal is */

/* The rest of the cell below its beginning, so that nothing is left out. */
static void put_folded(const char *text, size_t indent, size_t room, FILE *out)
{
	struct str left = str_from(text);

	for (room = MAX(room, FOLD_MIN); left.len;) {
		struct str line = utf8_head_columns(left, room);

		if (!line.len)
			line = left;
		fprintf(out, "%.*s", STR_ARG(line));
		left = str_skip(left, line.len);
		if (left.len)
			fprintf(out, "\n%*s", (int)indent, "");
	}
}

/* Only the last cell is cut, and only on a terminal: ids in earlier columns stay complete. */
static void put_row(const struct table *t, size_t row, const size_t *widths, FILE *out)
{
	bool color = out == stdout ? t->c->color_out : t->c->color_err;
	const char **cells = t->cells + row * t->columns;
	size_t room = t->c->is_tty_out ? out_columns(t->c, STDOUT_FILENO) : SIZE_MAX, indent = 0;

	fputs(out_tone_on(color, t->tones[row]), out);
	for (size_t i = 0; i + 1 < t->columns; i++) {
		fputs(cells[i], out);
		fprintf(out, "%*s", (int)(widths[i] - out_width(cells[i]) + 2), "");
		room -= room == SIZE_MAX ? 0 : MIN(room, widths[i] + 2);
		indent += widths[i] + 2;
	}
	const char *last = cells[t->columns - 1];

	if (out_width(last) > room && t->folds)
		put_folded(last, indent, room, out);
	else if (out_width(last) > room)
		fprintf(out, "%.*s…", STR_ARG(utf8_head_columns(str_from(last), MAX(room, 8) - 1)));
	else
		fputs(last, out);
	fprintf(out, "%s\n", out_tone_off(color));
}

void table_print(struct table *t, FILE *out)
{
	size_t widths[TABLE_COLUMNS] = { 0 };

	for (size_t r = 0; r < t->rows; r++)
		for (size_t i = 0; i < t->columns; i++)
			widths[i] = MAX(widths[i], out_width(t->cells[r * t->columns + i]));
	for (size_t r = 0; r < t->rows; r++)
		put_row(t, r, widths, out);
}
