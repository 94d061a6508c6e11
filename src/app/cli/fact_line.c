/* A fact as a line of the log: number, time, class, what happened. */
#include "app/cli/fact.h"
#include "app/cli/out.h"

#include <unistd.h>

static enum tone tone_of(const struct fact *f)
{
	struct str status = json_str(JSON_GET(f->v, "status"));

	if (str_ends(f->type, STR("failed")) || str_ends(f->type, STR("error")) ||
	    str_ends(f->type, STR("violation")) || str_ends(f->type, STR("blocked")))
		return TONE_BAD;
	if (str_starts(f->type, STR("action.")) || str_ends(f->type, STR("warning")))
		return TONE_ASK;
	if (str_starts(f->type, STR("turn.")))
		return str_eq(status, STR("completed")) ? TONE_GOOD : TONE_BOLD;
	if (str_starts(f->type, STR("model.")) || str_starts(f->type, STR("tool.")))
		return TONE_NAME;
	return TONE_PLAIN;
}

/* "+0.031", "+12.4", "+3:05", "+2:03:05" since the first line */
static const char *since_text(struct arena *mem, int64_t ms)
{
	int64_t s = ms / 1000;

	if (s < 60)
		return arena_printf(mem, "+%.3f", (double)ms / 1000).ptr;
	if (s < 3600)
		return arena_printf(mem, "+%lld:%02lld", (long long)s / 60, (long long)s % 60).ptr;
	return arena_printf(mem, "+%lld:%02lld:%02lld", (long long)s / 3600, (long long)s / 60 % 60,
	                    (long long)s % 60)
	        .ptr;
}

void fact_put_line(struct cli *c, struct arena *mem, const struct fact *f, int64_t began_at)
{
	const char *summary = fact_summary(mem, f);

	if (c->is_tty_out)
		summary = safe_cut(mem, str_from(summary),
		                   MAX(columns_of(c, STDOUT_FILENO), 80) - 49);
	printf("%s%6lld %9s%s  %s%-27s%s  %s\n", tone_on(c->color_out, TONE_DIM),
	       (long long)f->sequence, since_text(mem, f->at - began_at), tone_off(c->color_out),
	       tone_on(c->color_out, tone_of(f)), safe(mem, f->type), tone_off(c->color_out),
	       summary);
}
