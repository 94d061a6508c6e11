/*
 * get_usage: sums over the hourly rows of all sessions, page by page, so that a
 * year of a busy runtime needs no more memory than its sums.
 */
#include "engine/query/figures/usage_sum.h"
#include "engine/query/query.h"

#define DEFAULT_MS (7 * 24 * (int64_t)USAGE_HOUR_MS)
#define ROWS_DEFAULT 200
#define ROWS_MAX 1000

struct usage_look {
	struct usage_sums sums;
	int64_t since, until;
	size_t limit;
};

static void write_objectives(struct json_writer *w, const struct engine *e)
{
	const struct config_values *config = e->options.config;
	struct rec_usage_objectives o = { .has_first_delta_ms = config->slo_first_delta_ms > 0,
		                          .first_delta_ms = config->slo_first_delta_ms,
		                          .has_turn_ms = config->slo_turn_ms > 0,
		                          .turn_ms = config->slo_turn_ms,
		                          .has_failed_percent = config->slo_failed_percent > 0,
		                          .failed_percent = config->slo_failed_percent,
		                          .has_day_usd = config->budget_day_usd > 0,
		                          .day_usd = config->budget_day_usd };

	JW_KEY(w, "objectives");
	rec_write(w, &rec_usage_objectives_desc, &o);
}

static void look_done(struct request *r, struct usage_look *look)
{
	struct reply p;

	reply_begin(&p, r);
	jw_obj(&p.w);
	JW_KEY(&p.w, "since");
	jw_time(&p.w, look->since);
	JW_KEY(&p.w, "until");
	jw_time(&p.w, look->until);
	JW_KSTR(&p.w, "by", usage_group_word(look->sums.by));
	usage_sum_write(&look->sums, look->limit, &p.w);
	write_objectives(&p.w, r->engine);
	jw_obj_end(&p.w);
	usage_sum_done(&look->sums);
	reply_end(&p);
}

static void add_row(struct usage_look *look, const struct index_found *row)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct st_usage u = { 0 };
	struct json body;

	if (json_read_trusted(mem, row->body, &body, NULL) == OK &&
	    rec_read(mem, body, &st_usage_desc, REC_OLDER, &u, NULL) == OK)
		usage_sum_add(&look->sums, row->session, row->status, &u);
}

static void rows_found(struct store_read *read)
{
	struct request *r = read->owner;
	struct usage_look *look = r->work;
	bool has_more = read->more;

	if (read->result != OK && read->result != ERR_NOT_FOUND)
		usage_sum_done(&look->sums);
	if (request_read_failed(read))
		return;
	for (size_t i = 0; i < read->row_count; i++)
		add_row(look, &read->rows[i]);
	if (has_more && read->row_count) {
		const struct index_found *last = &read->rows[read->row_count - 1];

		read->from_at = last->at;
		read->from_key = arena_keep(look->sums.mem, last->key);
	}
	port_store_read_done(read);
	if (has_more)
		r->engine->ports.store->ops->read(r->engine->ports.store, read);
	else
		look_done(r, look);
}

/* False: the request was refused. */
static bool take_range(struct request *r, const struct cmd_get_usage *c, struct usage_look *look)
{
	int64_t now = r->engine->ports.clock->ops->wall_ms(r->engine->ports.clock);

	look->until = c->until ? c->until : now;
	look->since = c->since ? c->since : look->until - DEFAULT_MS;
	look->since -= look->since % USAGE_HOUR_MS;
	look->limit = c->has_limit ? (size_t)MIN(c->limit, ROWS_MAX) : ROWS_DEFAULT;
	if (!reply_check_least(r, "limit", c->has_limit, c->limit, 1))
		return false;
	if (look->since >= 0 && look->since < look->until)
		return true;
	request_fail(r, ERROR_CODE_INVALID_VALUE, "since: a moment before `until` is wanted");
	request_reply(r);
	return false;
}

void query_get_usage(struct request *r, const struct cmd_get_usage *c)
{
	struct usage_look *look = ARENA_NEW(r->mem, struct usage_look);

	if (!take_range(r, c, look))
		return;
	usage_sum_init(&look->sums, r->mem, c->by ? c->by : USAGE_GROUP_DAY);
	r->work = look;
	/* Behind the last millisecond before the range: no key is larger than this one. */
	r->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_USAGE,
		                       .session = c->session_id,
		                       .from_at = look->since - 1,
		                       .from_key = STR("\x7f"),
		                       .at_most = look->until - 1,
		                       .done = rows_found,
		                       .owner = r };
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}
