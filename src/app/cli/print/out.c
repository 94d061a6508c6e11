/*
 * What all verbs use for output: colours, safe text, times, sizes, money, notes
 * and errors.  Results go to stdout, everything else to stderr.
 */
#include "app/cli/print/out.h"

#include "base/os/clock.h"
#include "base/os/id.h"
#include "base/jw.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- tones ---- */

/* Yellow is hard to read there.  Terminals that say what their background is name its colour last. */
static bool is_light(void)
{
	const char *colors = getenv("COLORFGBG"), *last = colors ? strrchr(colors, ';') : NULL;

	return last && (strcmp(last, ";15") == 0 || strcmp(last, ";7") == 0);
}

const char *out_tone_on(bool color, enum tone tone)
{
	static const char *codes[] = {
		[TONE_PLAIN] = "",        [TONE_DIM] = "\033[2m",  [TONE_BOLD] = "\033[1m",
		[TONE_GOOD] = "\033[32m", [TONE_BAD] = "\033[31m", [TONE_ASK] = "\033[33;1m",
		[TONE_NAME] = "\033[36m",
	};

	if (color && tone == TONE_ASK && is_light())
		return "\033[35;1m";
	return color ? codes[tone] : "";
}

const char *out_tone_off(bool color)
{
	return color ? "\033[0m" : "";
}

/* ---- safe text ---- */

static bool is_break(char ch)
{
	return ch == '\n' || ch == '\r' || ch == '\t';
}

/*
 * One line: breaks become a blank, control characters are made visible.  Everything that a model,
 * a file or a peer wrote goes through here before a terminal sees it.
 */
const char *out_safe(struct arena *mem, struct str s)
{
	struct buf out = { 0 };
	struct str kept;

	while (s.len) {
		size_t len = 0;

		while (len < s.len && !is_break(s.ptr[len]))
			len++;
		utf8_add_safe(&out, str_head(s, len), false);
		s = str_skip(s, len);
		if (s.len)
			buf_add_char(&out, ' ');
		while (s.len && is_break(s.ptr[0]))
			s = str_skip(s, 1);
	}
	kept = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return kept.ptr;
}

size_t out_width(const char *text)
{
	return utf8_width(str_from(text));
}

const char *out_safe_cut(struct arena *mem, struct str s, size_t columns)
{
	const char *text = out_safe(mem, str_trim(s));

	if (out_width(text) <= columns)
		return text;
	return arena_printf(mem, "%.*s…",
	                    STR_ARG(utf8_head_columns(str_from(text), columns ? columns - 1 : 0)))
	        .ptr;
}

void out_put_safe(FILE *out, struct str s)
{
	struct buf text = { 0 };

	utf8_add_safe(&text, s, true);
	fwrite(buf_str(&text).ptr, 1, text.len, out);
	buf_done(&text);
}

/* stdout is flushed first, so that both streams appear in order on one terminal. */
void out_note(const struct cli *c, enum tone tone, const char *fmt, ...)
{
	va_list args;

	if (c->opts.quiet)
		return;
	fflush(stdout);
	fputs(out_tone_on(c->color_err, tone), stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "%s\n", out_tone_off(c->color_err));
}

void out_error(const struct cli *c, const char *fmt, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "%sthole:%s ", out_tone_on(c->color_err, TONE_BAD),
	        out_tone_off(c->color_err));
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

/* 100 for files and pipes, and for terminals that report no useful width. */
size_t out_columns(const struct cli *c, int fd)
{
	struct winsize size;

	if (c->columns)
		return c->columns;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
		return size.ws_col;
	return 100;
}

/* ---- numbers ---- */

const char *out_span(struct arena *mem, int64_t ms)
{
	double s = (double)ms / 1000;

	if (ms < 1000)
		return arena_printf(mem, "%d ms", (int)MAX(ms, 0)).ptr;
	if (s < 10)
		return arena_printf(mem, "%.1f s", s).ptr;
	if (s < 120)
		return arena_printf(mem, "%.0f s", s).ptr;
	if (s < 7200)
		return arena_printf(mem, "%.0f min", s / 60).ptr;
	if (s < 172800)
		return arena_printf(mem, "%.0f h", s / 3600).ptr;
	return arena_printf(mem, "%.0f d", s / 86400).ptr;
}

const char *out_ago(struct arena *mem, struct str time)
{
	int64_t at;

	if (!str_is(time) || !clock_time_read(time, &at))
		return "";
	return arena_printf(mem, "%s ago", out_span(mem, clock_wall_ms() - at)).ptr;
}

const char *out_until(struct arena *mem, struct str time)
{
	int64_t at;

	if (!str_is(time) || !clock_time_read(time, &at))
		return "";
	at -= clock_wall_ms();
	return at > 0 ? arena_printf(mem, "in %s", out_span(mem, at)).ptr : "now";
}

const char *out_usd(struct arena *mem, struct json amount)
{
	char text[64];
	size_t len;

	if (json_type(amount) != JSON_INT && json_type(amount) != JSON_REAL)
		return "unknown";
	len = (size_t)snprintf(text, sizeof text, "$%.6f", json_real(amount, 0));
	/* Removes trailing zeros, but keeps cents. */
	while (text[len - 1] == '0' && text[len - 3] != '.')
		text[--len] = 0;
	return arena_printf(mem, "%s", text).ptr;
}

const char *out_bytes(struct arena *mem, int64_t bytes)
{
	static const char *units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes;
	size_t unit = 0;

	while (value >= 1024 && unit + 1 < COUNT_OF(units)) {
		value /= 1024;
		unit++;
	}
	return arena_printf(mem, unit && value < 10 ? "%.1f %s" : "%.0f %s", value, units[unit])
	        .ptr;
}

const char *out_count(struct arena *mem, int64_t n)
{
	if (n < 1000)
		return arena_printf(mem, "%lld", (long long)n).ptr;
	if (n < 10000)
		return arena_printf(mem, "%.1fk", (double)n / 1000).ptr;
	return n < 1000000 ? arena_printf(mem, "%lldk", (long long)n / 1000).ptr
	                   : arena_printf(mem, "%.1fM", (double)n / 1e6).ptr;
}

/* prefix, underscore, ten digits of time, four of chance */
#define SHORT_ID 14

/* Shortened only on a terminal: scripts get the whole id. */
const char *out_id(const struct cli *c, struct str id)
{
	ptrdiff_t at = str_find_char(id, '_');

	if (c->is_tty_out && c->is_tty_err && at > 0 && id.len == (size_t)at + 27)
		id = str_head(id, (size_t)at + 1 + SHORT_ID);
	return out_safe(c->mem, id);
}

const char *out_field(struct cli *c, struct json v, const char *key)
{
	return out_safe(c->mem, json_str(json_get(v, str_from(key))));
}

const char *out_field_or_dash(struct cli *c, struct json v, const char *key)
{
	const char *text = out_field(c, v, key);

	return *text ? text : "-";
}

void out_json(struct json v)
{
	struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	jw_value(&w, v);
	buf_add_char(&text, '\n');
	fwrite(text.ptr, 1, text.len, stdout);
	buf_done(&text);
}

void out_rows_begin(struct rows *r, struct cli *c, const char *key)
{
	*r = (struct rows){ .c = c };
	jw_init(&r->w, &r->text);
	jw_obj(&r->w);
	jw_key(&r->w, str_from(key));
	jw_arr(&r->w);
}

void out_rows_add(struct rows *r, struct json row)
{
	if (r->c->opts.jsonl)
		out_json(row);
	else
		jw_value(&r->w, row);
}

void out_rows_end(struct rows *r)
{
	jw_arr_end(&r->w);
	jw_obj_end(&r->w);
	if (!r->c->opts.jsonl)
		printf("%.*s\n", STR_ARG(buf_str(&r->text)));
	buf_done(&r->text);
}
