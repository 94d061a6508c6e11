/*
 * Prints all rows of a list command for `thole NOUN ls`: as a table, as JSON,
 * or with -q as ids alone.
 */
#include "app/cli/print/listing.h"
#include "app/cli/print/table.h"

struct showing {
	const struct listing *l;
	struct cli *c;
	struct rows rows;
	struct table table;
	int shown;
};

/* A table is printed at the end, because its widths depend on all rows. */
static bool visit(void *arg, struct json row)
{
	struct showing *s = arg;
	const char *cells[TABLE_COLUMNS];

	if (s->l->is_wanted && !s->l->is_wanted(s->l, s->c, row))
		return true;
	s->shown++;
	if (s->c->opts.json)
		out_rows_add(&s->rows, row);
	else if (s->c->opts.quiet)
		printf("%s\n", out_field(s->c, row, s->l->id));
	else
		table_row(&s->table, s->l->cells(s->c, row, cells), cells);
	return true;
}

int listing_show(struct cli *c, const struct listing *l)
{
	struct showing s = { .l = l, .c = c };
	int code;

	if (c->opts.json)
		out_rows_begin(&s.rows, c, l->rows);
	else if (!c->opts.quiet)
		table_begin(&s.table, c, l->heads);
	code = connection_list(c, l->command, l->rows, l->only, visit, &s);
	if (code)
		return code;
	if (c->opts.json)
		out_rows_end(&s.rows);
	else if (!s.shown)
		out_note(c, TONE_DIM, "%s", l->none);
	else if (!c->opts.quiet)
		table_print(&s.table, stdout);
	return CODE_DONE;
}

int listing_make(struct cli *c, const char *command, struct params *p, const char *id)
{
	struct json reply;
	int code = connection_call(c, command, p, &reply);

	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else
		printf("%s\n", out_field(c, reply, id));
	return CODE_DONE;
}
