#include "app/cli/listing.h"

struct showing {
	const struct listing *l;
	struct cli *c;
	struct rows rows;
	struct table table;
	int shown;
};

static bool visit(void *arg, struct json row)
{
	struct showing *s = arg;
	const char *cells[TABLE_COLUMNS];

	if (s->l->is_wanted && !s->l->is_wanted(s->l, s->c, row))
		return true;
	s->shown++;
	if (s->c->opts.json)
		rows_add(&s->rows, row);
	else if (s->c->opts.quiet)
		printf("%s\n", field(s->c, row, s->l->id));
	else
		table_row(&s->table, s->l->cells(s->c, row, cells), cells);
	return true;
}

int listing_show(struct cli *c, const struct listing *l)
{
	struct showing s = { .l = l, .c = c };
	int code;

	if (c->opts.json)
		rows_begin(&s.rows, c, l->rows);
	else if (!c->opts.quiet)
		table_begin(&s.table, c, l->heads);
	code = link_list(c, l->command, l->rows, l->only, visit, &s);
	if (code)
		return code;
	if (c->opts.json)
		rows_end(&s.rows);
	else if (!s.shown)
		note(c, TONE_DIM, "%s", l->none);
	else if (!c->opts.quiet)
		table_print(&s.table, stdout);
	return CODE_DONE;
}

int link_make(struct cli *c, const char *command, struct params *p, const char *id)
{
	struct json reply;
	int code = link_call(c, command, p, &reply);

	if (code)
		return code;
	if (c->opts.json)
		put_json(reply);
	else
		printf("%s\n", field(c, reply, id));
	return CODE_DONE;
}
