#include "app/cli/print/out.h"
#include "app/cli/follow/turn.h"
#include "base/utf8.h"

#include <unistd.h>

#define LIVE_COLUMNS 100 /* longer than this nobody reads in passing */

void screen_init(struct screen *s, const struct cli *c)
{
	*s = (struct screen){ .c = c };
	s->has_live = c->is_tty_err && !c->opts.plain && !c->opts.quiet && !c->opts.json;
}

size_t screen_columns(const struct screen *s)
{
	return out_columns(s->c, s->c->is_tty_out ? STDOUT_FILENO : STDERR_FILENO);
}

static void wipe(struct screen *s)
{
	if (!s->painted)
		return;
	/*
	 * In a window that has become narrower than the line nobody knows on how
	 * many rows it stands; it is left there rather than a line of the answer lost.
	 */
	if (s->painted < screen_columns(s))
		fprintf(stderr, "\r%*s\r", (int)s->painted, "");
	else
		fputc('\n', stderr);
	s->painted = 0;
}

static void put(void *arg, enum pane pane, struct str bytes)
{
	struct screen *s = arg;
	FILE *out = pane == PANE_ANSWER ? stdout : stderr;

	wipe(s);
	fwrite(bytes.ptr, 1, bytes.len, out);
	fflush(out);
}

struct sink screen_sink(struct screen *s)
{
	return (struct sink){ .put = put, .arg = s };
}

void screen_live(struct screen *s, const char *text)
{
	struct str fits;

	if (!s->has_live || (!text && !s->painted))
		return;
	wipe(s);
	if (!text)
		return;
	fits = utf8_head_columns(str_from(text), MIN(screen_columns(s) - 1, LIVE_COLUMNS));
	fprintf(stderr, "%s%.*s%s", out_tone_on(s->c->color_err, TONE_DIM), STR_ARG(fits),
	        out_tone_off(s->c->color_err));
	s->painted = utf8_width(fits);
}
