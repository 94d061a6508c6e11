/*
 * diff and undo: what a turn's tools changed in files, and taking it back.
 *
 * Each change is a fact (artifact.changed) with the hash of what the file
 * became, a diff, and what it was.  undo puts that back, newest change
 * first, and only where the file still is what the turn made of it.
 */
#include "app/cli/link.h"
#include "app/cli/out.h"
#include "app/cli/ref.h"

#include "base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define PAGE 256
#define FILE_MAX_BYTES (64u << 20)

struct changes {
	struct cli *c;
	struct ref ref;
	struct json *items;
	size_t count, cap;
	struct str cwd;
};

/* ---- reading ---- */

static bool is_meant(const struct changes *ch, struct json e)
{
	return !str_is(ch->ref.turn) || str_eq(json_str(JSON_GET(e, "turnId")), ch->ref.turn);
}

static void take(struct changes *ch, struct json e)
{
	struct str type = json_str(JSON_GET(e, "type"));
	struct json env = JSON_GET(e, "executionEnvironment");

	if (json_is(env))
		ch->cwd = json_str(JSON_GET(env, "cwd"));
	if (!str_eq(type, STR("artifact.changed")) || !is_meant(ch, e) ||
	    !str_is(json_str(JSON_GET(JSON_GET(e, "payload"), "path"))))
		return;
	if (ch->count == ch->cap) {
		size_t cap = ch->cap ? ch->cap * 2 : 16;

		ch->items = arena_grow(ch->c->mem, ch->items, ch->count * sizeof *ch->items,
		                       cap * sizeof *ch->items);
		ch->cap = cap;
	}
	ch->items[ch->count++] = e;
}

static int read_changes(struct changes *ch)
{
	int64_t after = 0;
	bool more = true;
	int code = CODE_DONE;

	while (!code && more) {
		struct json reply = { 0 }, e;
		struct params p;
		struct str key;
		int64_t count = 0;

		params_begin(&p);
		params_str(&p, "sessionId", ch->ref.session);
		params_int(&p, "after", after);
		params_int(&p, "limit", PAGE);
		code = link_call(ch->c, "list_events", &p, &reply);
		if (code)
			break;
		struct json_iter it = json_iter(JSON_GET(reply, "events"));

		while (json_next(&it, &key, &e)) {
			after = json_int(JSON_GET(e, "sequence"), after);
			take(ch, e);
			count++;
		}
		more = count == PAGE;
	}
	return code;
}

/* All of an output; absent when it cannot be had. */
static struct str output(struct cli *c, struct str ref)
{
	struct buf all = { 0 };
	struct str kept;
	bool is_over = false;

	while (!is_over && all.len < FILE_MAX_BYTES) {
		struct json reply = { 0 };
		struct params p;

		params_begin(&p);
		params_str(&p, "outputRef", ref);
		params_int(&p, "offset", (int64_t)all.len);
		if (link_call(c, "get_output", &p, &reply) || !json_is(JSON_GET(reply, "text"))) {
			buf_done(&all);
			return STR_NONE;
		}
		buf_add_str(&all, json_str(JSON_GET(reply, "text")));
		is_over = json_bool(JSON_GET(reply, "eof"), true);
	}
	kept = arena_keep(c->mem, buf_str(&all));
	buf_done(&all);
	return kept;
}

static int begin(struct cli *c, struct changes *ch)
{
	int code = link_open(c);

	*ch = (struct changes){ .c = c };
	if (!code)
		code = ref_find(c, c->arg_count ? c->args[0] : "@last", &ch->ref);
	if (!code)
		code = read_changes(ch);
	if (!code && !ch->count && !c->opts.json)
		note(c, TONE_DIM, "no tool changed a file here");
	return code;
}

static struct str ref_of(struct json e, const char *name)
{
	return json_str(json_get(JSON_GET(e, "refs"), str_from(name)));
}

/* ---- diff ---- */

static void put_diff(struct cli *c, struct str diff)
{
	while (diff.len) {
		struct str line = str_cut(&diff, '\n');
		enum tone tone = str_starts(line, STR("+"))   ? TONE_GOOD
		                 : str_starts(line, STR("-")) ? TONE_BAD
		                 : str_starts(line, STR("@")) ? TONE_DIM
		                                              : TONE_PLAIN;

		printf("%s%s%s\n", tone_on(c->color_out, tone), safe(c->mem, line),
		       tone_off(c->color_out));
	}
}

int verb_diff(struct cli *c)
{
	struct changes ch;
	int code = begin(c, &ch);

	for (size_t i = 0; !code && i < ch.count; i++) {
		struct json p = JSON_GET(ch.items[i], "payload");
		struct str ref = ref_of(ch.items[i], "diff");

		if (c->opts.json) {
			put_json(ch.items[i]);
			continue;
		}
		if (str_is(ref))
			put_diff(c, output(c, ref));
		else
			printf("%s %s\n", safe(c->mem, json_str(JSON_GET(p, "change"))),
			       safe(c->mem, json_str(JSON_GET(p, "path"))));
	}
	return code;
}

/* ---- undo ---- */

static const char *path_of(const struct changes *ch, struct json e)
{
	struct str path = json_str(JSON_GET(JSON_GET(e, "payload"), "path"));

	if (str_starts(path, STR("/")))
		return arena_keep(ch->c->mem, path).ptr;
	return arena_printf(ch->c->mem, "%.*s/%.*s", STR_ARG(ch->cwd), STR_ARG(path)).ptr;
}

static bool is_as_left(const struct changes *ch, struct json e)
{
	struct str want = json_str(JSON_GET(JSON_GET(e, "payload"), "sha256"));
	struct str now = file_text(ch->c->mem, path_of(ch, e), FILE_MAX_BYTES);
	struct sha256 h;

	if (!str_is(want))
		return !str_is(now);
	if (!str_is(now))
		return false;
	h = sha256_of(now);
	return str_eq(sha256_hex(ch->c->mem, &h), want);
}

static bool write_back(const char *path, struct str text)
{
	const char *tmp = NULL;
	int fd;
	size_t done = 0;
	char name[4096];

	if (snprintf(name, sizeof name, "%s.thole-undo", path) >= (int)sizeof name)
		return false;
	tmp = name;
	fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return false;
	while (done < text.len) {
		ssize_t n = write(fd, text.ptr + done, text.len - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (close(fd) != 0 || done < text.len || rename(tmp, path) != 0) {
		unlink(tmp);
		return false;
	}
	return true;
}

static int undo_one(const struct changes *ch, struct json e)
{
	struct cli *c = ch->c;
	const char *path = path_of(ch, e);
	struct str ref = ref_of(e, "checkpoint");
	struct str before = str_is(ref) ? output(c, ref) : STR_NONE;
	bool was_there =
		!str_eq(json_str(JSON_GET(JSON_GET(e, "payload"), "change")), STR("created"));

	if (!is_as_left(ch, e)) {
		complain(c, "%s is not what the turn made of it any more; it stays as it is.",
		         safe(c->mem, str_from(path)));
		return CODE_FAILED;
	}
	if (was_there && !str_is(before)) {
		complain(c, "What %s was is not known; it stays as it is.",
		         safe(c->mem, str_from(path)));
		return CODE_FAILED;
	}
	if (was_there ? !write_back(path, before) : unlink(path) != 0) {
		complain(c, "%s: %s.", safe(c->mem, str_from(path)), strerror(errno));
		return CODE_FAILED;
	}
	note(c, TONE_GOOD, "%s %s", was_there ? "put back" : "removed",
	     safe(c->mem, str_from(path)));
	return CODE_DONE;
}

int verb_undo(struct cli *c)
{
	struct changes ch;
	int code = begin(c, &ch);

	for (size_t i = ch.count; !code && i-- > 0;)
		code = undo_one(&ch, ch.items[i]);
	return code;
}
