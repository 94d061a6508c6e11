/* An event as a line of `thole log`: sequence, time, class, summary. */
#include "app/cli/print/shown_event.h"
#include "app/cli/print/out.h"
#include "base/gen/words.h"

#include <unistd.h>

static enum tone tone_of(const struct shown_event *f)
{
	struct str status = json_str(JSON_GET(f->v, "status"));

	if (str_ends(f->type, STR("failed")) || str_ends(f->type, STR("error")) ||
	    str_ends(f->type, STR("violation")) || str_ends(f->type, STR("blocked")))
		return TONE_BAD;
	if (str_starts(f->type, STR("action.")) || str_ends(f->type, STR("warning")))
		return TONE_ASK;
	if (str_starts(f->type, STR("turn.")))
		return str_eq(status, STR(WORD_STATUS_COMPLETED)) ? TONE_GOOD : TONE_BOLD;
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

void shown_event_line_put(struct cli *c, struct arena *mem, const struct shown_event *f,
                          int64_t began_at)
{
	const char *summary = shown_event_summary(mem, f);

	if (c->is_tty_out)
		summary = out_safe_cut(mem, str_from(summary),
		                       MAX(out_columns(c, STDOUT_FILENO), 80) - 49);
	printf("%s%6lld %9s%s  %s%-27s%s  %s\n", out_tone_on(c->color_out, TONE_DIM),
	       (long long)f->sequence, since_text(mem, f->at - began_at),
	       out_tone_off(c->color_out), out_tone_on(c->color_out, tone_of(f)),
	       out_safe(mem, f->type), out_tone_off(c->color_out), summary);
}
