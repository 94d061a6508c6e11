/*
 * conform log: checks event logs of any runtime against the conformance pack.
 * Exit codes: 0 no row fails, 1 one fails, 2 nothing could be checked.
 */
#include "app/cli/conform/conform_log.h"

#include "app/cli/print/out.h"
#include "base/jw.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PACK_BYTES_MAX (16u << 20)

/* ---- what is asked ---- */

static void put_texts(struct json_writer *w, struct str key, const char *const *items, size_t count)
{
	jw_key(w, key);
	jw_arr(w);
	for (size_t i = 0; i < count; i++)
		jw_str(w, str_from(items[i]));
	jw_arr_end(w);
}

static struct str params_of(struct cli *c, char *const *paths, size_t count, struct str pack,
                            struct str scenarios)
{
	struct buf text = { 0 };
	struct json_writer w;
	struct str kept;

	jw_init(&w, &text);
	jw_obj(&w);
	put_texts(&w, STR("paths"), (const char *const *)paths, count);
	put_texts(&w, STR("canaries"), c->opts.canaries.items, (size_t)c->opts.canaries.count);
	JW_KOPT(&w, "profile", str_from(c->opts.profile));
	JW_KOPT(&w, "pack", pack);
	if (str_is(scenarios)) {
		JW_KEY(&w, "scenarios");
		jw_raw(&w, scenarios);
	}
	jw_obj_end(&w);
	kept = arena_keep(c->mem, buf_str(&text));
	buf_done(&text);
	return kept;
}

/* ---- what is answered ---- */

static void print_report(struct cli *c, struct json report)
{
	const char *as = c->opts.json ? "json" : c->opts.as ? c->opts.as : "table";

	if (strcmp(as, "json") == 0)
		out_json(report);
	else if (strcmp(as, "junit") == 0)
		conform_junit_print(report);
	else if (strcmp(as, "html") == 0)
		conform_html_print(report);
	else
		conform_table_print(c, report);
}

struct str conform_log_pack_text(struct cli *c)
{
	struct thole_error err = { 0 };
	struct str kept = STR_NONE;
	char *text = NULL;

	if (c->opts.pack) {
		kept = paths_read_file(c->mem, c->opts.pack, PACK_BYTES_MAX);
		if (!str_is(kept))
			out_error(c, "The pack %s cannot be read: %s.",
			          out_safe(c->mem, str_from(c->opts.pack)), strerror(errno));
		return kept;
	}
	if (thole_conform_pack(&text, &err) == THOLE_OK)
		kept = arena_keep(c->mem, str_from(text));
	else
		out_error(c, "%s.", err.message);
	thole_free(text);
	return kept;
}

int conform_log_report(struct cli *c, char *const *paths, size_t count, struct str scenarios)
{
	struct str pack = conform_log_pack_text(c);
	struct thole_error err = { 0 };
	struct json report;
	char *text = NULL;
	int code;

	if (!str_is(pack))
		return CODE_USAGE;
	code = thole_conform(params_of(c, paths, count, pack, scenarios).ptr, &text, &err);
	if (!text || json_read_trusted(c->mem, str_from(text), &report, NULL) != OK) {
		out_error(c, "Nothing was checked: %s.", out_safe(c->mem, str_from(err.message)));
		return CODE_USAGE;
	}
	thole_free(text);
	print_report(c, report);
	return code == THOLE_OK ? CODE_DONE : CODE_FAILED;
}

int conform_log(struct cli *c)
{
	if (c->arg_count < 2)
		return opt_usage(c, "`thole conform log` needs a file or a directory.");
	return conform_log_report(c, c->args + 1, (size_t)c->arg_count - 1, STR_NONE);
}

int conform_log_pack(struct cli *c)
{
	struct str text = conform_log_pack_text(c);

	if (!str_is(text))
		return CODE_USAGE;
	puts(text.ptr);
	return CODE_DONE;
}
