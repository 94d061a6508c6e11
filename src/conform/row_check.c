/* From events to checks, and from checks to findings. */
#include "conform/row_check.h"

#include "conform/event_select.h"

/* ---- lines ---- */

static void check_line(struct conform_pack *p, struct check *c, const struct log_spot *spot,
                       struct str rule, int64_t bytes, const char *wrong)
{
	if (!str_eq(c->rule, rule))
		return;
	c->seen++;
	if (wrong)
		log_finding_add(p, c, spot, "%s", wrong);
	else if (str_eq(rule, STR("size")) && bytes > c->max)
		log_finding_add(p, c, spot, "the event has %lld bytes, more than %lld",
		                (long long)bytes, (long long)c->max);
}

void row_check_line(struct conform_pack *p, const struct log_spot *spot, struct str rule,
                    int64_t bytes, const char *wrong)
{
	for (size_t i = 0; i < p->row_count; i++)
		for (size_t k = 0; k < p->rows[i].check_count; k++)
			if (p->rows[i].checks[k].kind == CHECK_LINE)
				check_line(p, &p->rows[i].checks[k], spot, rule, bytes, wrong);
}

/* ---- events ---- */

static void check_selected(struct check *c, const struct log_event *e)
{
	static void (*const by_kind[CHECK_KINDS])(struct check * c, const struct log_event *e) = {
		[CHECK_SCHEMA] = check_value_schema,     [CHECK_HAS] = check_value_has,
		[CHECK_EQUAL] = check_value_equal,       [CHECK_SAME] = check_value_same,
		[CHECK_DISTINCT] = check_value_distinct, [CHECK_UNIQUE] = check_value_unique,
		[CHECK_RISES] = check_value_rises,
	};

	if (by_kind[c->kind] && event_select_has(&c->on, e->type, e->v))
		by_kind[c->kind](c, e);
}

static void check_one(struct check *c, const struct log_event *e, struct str const *canaries,
                      size_t canary_count)
{
	switch (c->kind) {
	case CHECK_ORDER:
		check_order_event(c, e);
		break;
	case CHECK_COUNT:
		check_count_event(c, e);
		break;
	case CHECK_CLASSES:
		check_count_classes(c, e);
		break;
	case CHECK_ABSENT:
		check_value_absent(c, e, canaries, canary_count);
		break;
	default:
		check_selected(c, e);
	}
}

void row_check_event(const struct log_event *e, struct str const *canaries, size_t canary_count)
{
	struct conform_pack *p = e->p;

	for (size_t i = 0; i < p->row_count; i++)
		for (size_t k = 0; k < p->rows[i].check_count; k++)
			check_one(&p->rows[i].checks[k], e, canaries, canary_count);
}

void row_check_text(struct conform_pack *p, const struct log_spot *spot, struct str text,
                    struct str const *canaries, size_t canary_count)
{
	for (size_t i = 0; i < p->row_count; i++)
		for (size_t k = 0; k < p->rows[i].check_count; k++)
			for (size_t n = 0; n < canary_count; n++)
				if (p->rows[i].checks[k].kind == CHECK_ABSENT &&
				    str_find(text, canaries[n]) >= 0)
					log_finding_add(p, &p->rows[i].checks[k], spot,
					                "the line contains canary %zu", n + 1);
}

void row_check_end(struct conform_pack *p, bool is_whole)
{
	for (size_t i = 0; i < p->row_count; i++)
		for (size_t k = 0; k < p->rows[i].check_count; k++) {
			struct check *c = &p->rows[i].checks[k];

			if (c->kind == CHECK_COUNT && is_whole)
				check_count_end(p, c);
			c->latest = c->continued = 0;
			if (c->kind != CHECK_CLASSES && c->kind != CHECK_SCENARIO)
				map_done(&c->known);
		}
	arena_reset(p->log);
}
