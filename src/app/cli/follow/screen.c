/*
 * The terminal while a turn is followed: the answer on stdout and one live
 * status line on stderr, which is wiped before anything else is written.
 */
#include "app/cli/print/out.h"
#include "app/cli/follow/turn.h"
#include "base/utf8.h"

#include <unistd.h>

#define LIVE_COLUMNS 100 /* a longer status line is hard to read at a glance */

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
	 * If the window is now narrower than the line, the number of rows that it
	 * takes is unknown.  The line stays, because wiping could delete the answer.
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
