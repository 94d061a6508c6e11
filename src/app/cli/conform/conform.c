/*
 * conform: checks a file of anybody against a format.  Exit codes: 0 it
 * conforms, 1 it does not, 2 it could not be checked.
 */
#include "app/cli/conform/conform.h"

#include "app/cli/conform/conform_log.h"
#include "app/cli/print/out.h"
#include "base/jw.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES_MAX (512u << 20)

/* ---- collecting ---- */

void conform_find(struct findings *f, const char *rule, const char *fmt, ...)
{
	char text[512];
	va_list args;

	if (f->count++ >= FINDINGS_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	f->items[f->count - 1] =
		(struct finding){ .place = arena_keep(f->mem, str_of(f->place, f->place_len)),
		                  .rule = str_from(rule),
		                  .text = arena_keep(f->mem, str_from(text)) };
}

size_t conform_enter(struct findings *f, const char *fmt, ...)
{
	size_t before = f->place_len;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(f->place + before, sizeof f->place - before, fmt, args);
	va_end(args);
	f->place_len = MIN(before + (n > 0 ? (size_t)n : 0), sizeof f->place - 1);
	return before;
}

void conform_leave(struct findings *f, size_t len)
{
	f->place_len = len;
	f->place[len] = 0;
}

/* ---- printing ---- */

static const char *place_of(struct cli *c, const struct finding *one)
{
	return one->place.len ? out_safe(c->mem, one->place) : "(the document)";
}

static void print_text(struct cli *c, const char *path, const struct findings *f)
{
	size_t shown = MIN(f->count, FINDINGS_MAX);

	for (size_t i = 0; i < shown; i++)
		printf("%s  %s: %s\n", place_of(c, &f->items[i]),
		       out_safe(c->mem, f->items[i].rule), out_safe(c->mem, f->items[i].text));
	if (f->count > shown)
		printf("and %zu more\n", f->count - shown);
	if (f->count)
		printf("fails  %zu finding%s in %s\n", f->count, f->count == 1 ? "" : "s",
		       out_safe(c->mem, str_from(path)));
	else
		printf("conforms  %s\n", out_safe(c->mem, str_from(path)));
}

static void put_finding(struct json_writer *w, const struct finding *one)
{
	jw_obj(w);
	JW_KSTR(w, "place", one->place);
	JW_KSTR(w, "rule", one->rule);
	JW_KSTR(w, "message", one->text);
	jw_obj_end(w);
}

static void print_json(const char *path, const struct findings *f)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	jw_obj(&w);
	JW_KSTR(&w, "file", str_from(path));
	JW_KSTR(&w, "format", STR("ATIF-v1.7"));
	JW_KSTR(&w, "result", f->count ? STR("fail") : STR("pass"));
	JW_KINT(&w, "findingCount", (int64_t)f->count);
	JW_KEY(&w, "findings");
	jw_arr(&w);
	for (size_t i = 0; i < MIN(f->count, FINDINGS_MAX); i++)
		put_finding(&w, &f->items[i]);
	jw_arr_end(&w);
	jw_obj_end(&w);
	printf("%.*s\n", (int)text.len, text.ptr);
}

/* ---- the verb ---- */

/* A pipe would be waited for, and a device has no end. */
static struct str read_regular(struct arena *mem, const char *path, const char **ret_why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct str text = STR_NONE;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		*ret_why = strerror(errno);
	else if (S_ISDIR(st.st_mode))
		*ret_why = strerror(EISDIR);
	else if (!S_ISREG(st.st_mode))
		*ret_why = "it is no regular file";
	else if (st.st_size > FILE_BYTES_MAX)
		*ret_why = strerror(EFBIG);
	else if (!str_is(text = paths_read_fd(mem, fd, FILE_BYTES_MAX)))
		*ret_why = strerror(errno);
	if (fd >= 0)
		close(fd);
	return text;
}

static int check_atif(struct cli *c, const char *path)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct findings f = { .mem = mem };
	struct error e = { 0 };
	struct json doc;
	const char *why = NULL;
	struct str text = read_regular(mem, path, &why);

	if (!str_is(text)) {
		out_error(c, "%s cannot be read: %s.", out_safe(c->mem, str_from(path)), why);
		return CODE_USAGE;
	}
	if (json_read(mem, text, &doc, &e) != OK) {
		conform_find(&f, "json", "%s", e.message);
	} else {
		atif_shape_check(&f, doc);
		atif_rules_check(&f, doc, false);
	}
	if (c->opts.json)
		print_json(path, &f);
	else
		print_text(c, path, &f);
	return f.count ? CODE_FAILED : CODE_DONE;
}

int verb_conform(struct cli *c)
{
	const char *what = c->args[0];

	if (strcmp(what, "log") == 0)
		return conform_log(c);
	if (strcmp(what, "self") == 0 && c->arg_count == 1)
		return conform_self(c);
	if (strcmp(what, "live") == 0)
		return conform_live(c);
	if (strcmp(what, "pack") == 0)
		return conform_log_pack(c);
	if (strcmp(what, "atif") != 0)
		return opt_usage(
			c, "`thole conform` knows log, self, live, atif and pack, not \"%s\".",
			what);
	if (c->arg_count != 2)
		return opt_usage(c, "`thole conform atif` needs one file.");
	return check_atif(c, c->args[1]);
}
