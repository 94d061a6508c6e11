/*
 * export evidence, replay and review: the runtime makes the pack and stores it as
 * an output; this file fetches it, checks it, and puts it, or the review that is in it,
 * where -o says.
 */
#include "app/cli/evidence/evidence_verbs.h"

#include "app/cli/connection.h"
#include "app/cli/paths.h"
#include "app/cli/print/out.h"
#include "base/hash/base64.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define REVIEW_MAX ((size_t)16 << 20)

/* ---- signals ---- */

/* They wait while there are files to remove, and end the program after that. */
static void mask_signals(int how)
{
	sigset_t held;

	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGTERM);
	sigaddset(&held, SIGHUP);
	sigprocmask(how, &held, NULL);
}

static void hold_signals(void)
{
	mask_signals(SIG_BLOCK);
}

static void release_signals(void)
{
	mask_signals(SIG_UNBLOCK);
}

static bool is_interrupted(void)
{
	sigset_t waiting;

	sigpending(&waiting);
	return sigismember(&waiting, SIGINT) > 0 || sigismember(&waiting, SIGTERM) > 0 ||
	       sigismember(&waiting, SIGHUP) > 0;
}

/* ---- fetching ---- */

static bool put_bytes(int fd, struct str data)
{
	while (data.len) {
		ssize_t put = write(fd, data.ptr, data.len);

		if (put < 0 && errno != EINTR)
			return false;
		data = str_skip(data, put > 0 ? (size_t)put : 0);
	}
	return true;
}

/* One page of an output; *ret_eof: it was the last. */
static int fetch_page(struct cli *c, struct str ref, int64_t at, struct buf *ret, bool *ret_eof)
{
	struct json reply, coded;
	struct params p;
	int code;

	params_begin(&p);
	params_str(&p, "outputRef", ref);
	params_int(&p, "offset", at);
	code = connection_call(c, "get_output", &p, &reply);
	if (code)
		return code;
	coded = JSON_GET(reply, "base64");
	if (!json_is(coded))
		buf_add_str(ret, json_str(JSON_GET(reply, "text")));
	else if (!base64_read(ret, json_str(coded)))
		return CODE_FAILED;
	*ret_eof = json_bool(JSON_GET(reply, "eof"), false) || !ret->len;
	return CODE_DONE;
}

static int fetch(struct cli *c, struct str ref, int fd)
{
	struct buf page = { 0 };
	bool is_end = false;
	int64_t at = 0;
	int code = CODE_DONE;

	while (!code && !is_end) {
		buf_clear(&page);
		code = fetch_page(c, ref, at, &page, &is_end);
		if (!code && !put_bytes(fd, buf_str(&page))) {
			out_error(c, "The pack cannot be written: %s.", strerror(errno));
			code = CODE_FAILED;
		}
		at += (int64_t)page.len;
		if (!code && is_interrupted())
			code = CODE_FAILED;
	}
	buf_done(&page);
	return code;
}

/* ---- the command ---- */

static const struct kind {
	const char *word, *command, *ref;
} kinds[] = { { "evidence", "export_evidence", "packRef" },
	      { "replay", "export_replay", "replayRef" },
	      { "review", "export_review", "reviewRef" } };

static const struct kind *kind_of(const char *word)
{
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (strcmp(kinds[i].word, word) == 0)
			return &kinds[i];
	return NULL;
}

bool export_evidence_is_kind(const char *word)
{
	return kind_of(word) != NULL;
}

static const char *opt_or(const char *given, struct str found, struct arena *mem)
{
	return given ? given : str_is(found) ? arena_keep(mem, found).ptr : NULL;
}

/* Signals are held from the moment on in which there is a file; the caller releases them. */
static int make_file(struct cli *c, const struct kind *kind, const struct ref *ref,
                     const char *file, struct json *ret)
{
	struct params p;
	int code, fd;

	params_begin(&p);
	params_str(&p, "sessionId", ref->session);
	params_cstr(
		&p, "threadId",
		opt_or(c->opts.thread, ref->kind == REF_THREAD ? ref->thread : STR_NONE, c->mem));
	params_cstr(&p, "turnId",
	            opt_or(c->opts.turn, ref->kind == REF_TURN ? ref->turn : STR_NONE, c->mem));
	params_cstr(&p, "taskId",
	            opt_or(c->opts.task, ref->kind == REF_TASK ? ref->task : STR_NONE, c->mem));
	params_cstr(&p, "jobId", c->opts.job);
	params_cstr(&p, "redact", c->opts.redact);
	params_cstr(&p, "timestampUrl", c->opts.timestamp);
	if (c->opts.unsigned_pack)
		params_bool(&p, "unsigned", true);
	if (c->opts.has_max_bytes)
		params_int(&p, "maxBytes", c->opts.max_bytes);
	if (c->opts.decisions)
		params_bool(&p, "decisions", true);
	code = connection_call(c, kind->command, &p, ret);
	if (code)
		return code;
	hold_signals();
	fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		out_error(c, "%s: %s.", out_safe(c->mem, str_from(file)), strerror(errno));
		return CODE_FAILED;
	}
	code = fetch(c, json_str(json_get(*ret, str_from(kind->ref))), fd);
	close(fd);
	if (code)
		unlink(file);
	return code;
}

int export_evidence_to(struct cli *c, const struct ref *ref, const char *file, struct json *ret)
{
	int code = make_file(c, kind_of("evidence"), ref, file, ret);

	release_signals();
	return code;
}

/* ---- where it goes ---- */

static bool is_archive(const char *path)
{
	return str_ends(str_from(path), STR(".tar.zst"));
}

/* DIR/ is the same place as DIR. */
static const char *without_slash(struct cli *c, const char *path)
{
	struct str text = str_from(path);

	while (text.len > 1 && str_ends(text, STR("/")))
		text.len--;
	return arena_keep(c->mem, text).ptr;
}

static bool is_taken(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* Unpacked beside its place, so that it appears there whole or not at all. */
static bool unpack(const char *archive, const char *target, const char *beside,
                   struct thole_error *why)
{
	if (thole_extract_pack(archive, beside, why) == THOLE_OK) {
		if (!is_interrupted() && rename(beside, target) == 0)
			return true;
		snprintf(why->message, sizeof why->message, "%s: %s", target,
		         is_interrupted() ? "interrupted" : strerror(errno));
	}
	paths_remove_dir(beside);
	return false;
}

/* The archive is beside its place, so both are on one file system. */
static int place(struct cli *c, const char *archive, const char *target)
{
	struct thole_error why;
	char *report;
	int code = thole_verify_pack(archive, &report, &why);

	thole_free(report);
	if (code != THOLE_OK) {
		out_error(c, "The pack was damaged on its way; run the command again.");
		return CODE_FAILED;
	}
	if (is_archive(target)
	            ? rename(archive, target) == 0
	            : unpack(archive, target, arena_printf(c->mem, "%s.dir", archive).ptr, &why))
		return CODE_DONE;
	if (is_archive(target))
		snprintf(why.message, sizeof why.message, "%s: %s", target, strerror(errno));
	out_error(c, "%s.", out_safe(c->mem, str_from(why.message)));
	return CODE_FAILED;
}

static void put_result(struct cli *c, struct json reply, const char *target)
{
	if (c->opts.json) {
		out_json(reply);
		return;
	}
	printf("%s  events %lld to %lld%s, %s in %s\n",
	       out_safe(c->mem, json_str(JSON_GET(reply, "evidenceId"))),
	       (long long)json_int(JSON_GET(reply, "fromSequence"), 0),
	       (long long)json_int(JSON_GET(reply, "toSequence"), 0),
	       json_bool(JSON_GET(reply, "partial"), false) ? " (still running)" : "",
	       out_bytes(c->mem, json_int(JSON_GET(reply, "sizeBytes"), 0)),
	       out_safe(c->mem, str_from(target)));
	out_note(c, TONE_DIM, "check it anywhere: thole verify %s",
	         out_safe(c->mem, str_from(target)));
}

/* ---- a review ---- */

/* review.md becomes FILE, review.json the same name with .json. */
static const char *beside(struct cli *c, const char *file)
{
	struct str name = str_from(file);

	if (str_ends(name, STR(".md")))
		name.len -= 3;
	return arena_printf(c->mem, "%.*s.json", STR_ARG(name)).ptr;
}

static int print_file(struct cli *c, const char *path)
{
	struct str text = paths_read_file(c->mem, path, REVIEW_MAX);

	if (!str_is(text)) {
		out_error(c, "The review cannot be read.");
		return CODE_FAILED;
	}
	fwrite(text.ptr, 1, text.len, stdout);
	return CODE_DONE;
}

static int move_file(struct cli *c, const char *from, const char *to)
{
	if (rename(from, to) == 0)
		return CODE_DONE;
	out_error(c, "%s: %s.", out_safe(c->mem, str_from(to)), strerror(errno));
	return CODE_FAILED;
}

/* The pack was unpacked into `dir`: its review goes to the file, or to the output. */
static int put_review(struct cli *c, const char *dir)
{
	const char *markdown = arena_printf(c->mem, "%s/review.md", dir).ptr;
	const char *json = arena_printf(c->mem, "%s/review.json", dir).ptr;
	int code;

	if (!c->opts.file)
		return print_file(c, c->opts.json ? json : markdown);
	code = move_file(c, markdown, c->opts.file);
	return code ? code : move_file(c, json, beside(c, c->opts.file));
}

static int review_from(struct cli *c, const char *archive)
{
	const char *dir = arena_printf(c->mem, "%s.dir", archive).ptr;
	int code = place(c, archive, dir);

	if (!code)
		code = put_review(c, dir);
	paths_remove_dir(dir);
	return code;
}

/* Where the pack is for a moment: beside the review, or where temporary files go. */
static const char *place_of_review(struct cli *c)
{
	const char *tmp = getenv("TMPDIR");

	return c->opts.file ? arena_printf(c->mem, "%s.part%ld", c->opts.file, (long)getpid()).ptr
	                    : arena_printf(c->mem, "%s/thole-review.%ld",
	                                   tmp && *tmp ? tmp : "/tmp", (long)getpid())
	                              .ptr;
}

static int export_review(struct cli *c, const struct kind *kind, const struct ref *ref)
{
	const char *part = place_of_review(c);
	struct json reply;
	int code;

	if (c->opts.file && (is_taken(c->opts.file) || is_taken(beside(c, c->opts.file))))
		return opt_usage(c, "%s or %s exists already.", c->opts.file,
		                 beside(c, c->opts.file));
	umask(077); /* a review holds what was said */
	code = make_file(c, kind, ref, part, &reply);
	if (!code)
		code = review_from(c, part);
	unlink(part);
	release_signals();
	if (!code && c->opts.file)
		out_note(c, TONE_DIM, "%s: events %lld to %lld; the same as JSON in %s",
		         out_safe(c->mem, json_str(JSON_GET(reply, "evidenceId"))),
		         (long long)json_int(JSON_GET(reply, "fromSequence"), 0),
		         (long long)json_int(JSON_GET(reply, "toSequence"), 0),
		         out_safe(c->mem, str_from(beside(c, c->opts.file))));
	return code;
}

/* ---- a pack ---- */

static int export_pack(struct cli *c, const struct kind *kind, const struct ref *ref)
{
	const char *target = c->opts.file;
	const char *part;
	struct json reply;
	int code;

	if (!target)
		return opt_usage(c, "Say where the pack goes: -o DIR or -o FILE.tar.zst.");
	target = without_slash(c, target);
	if (strcmp(target, "-") == 0 || !*target)
		return opt_usage(c, "A pack goes into a new directory or file, not to the output.");
	if (is_taken(target))
		return opt_usage(c, "%s exists already; a pack goes into a new place.", target);
	part = arena_printf(c->mem, "%s.part%ld", target, (long)getpid()).ptr;
	umask(077); /* a pack holds what was said */
	code = make_file(c, kind, ref, part, &reply);
	if (!code)
		code = place(c, part, target);
	unlink(part);
	release_signals();
	if (!code)
		put_result(c, reply, target);
	return code;
}

int export_evidence(struct cli *c, const struct ref *ref)
{
	const struct kind *kind = kind_of(c->args[0]);

	if (c->opts.has_max_bytes && strcmp(kind->word, "evidence") != 0)
		return opt_usage(c, "--max-bytes is for evidence.");
	if (c->opts.timestamp && strcmp(kind->word, "evidence") != 0)
		return opt_usage(c, "--timestamp is for evidence.");
	return strcmp(kind->word, "review") == 0 ? export_review(c, kind, ref)
	                                         : export_pack(c, kind, ref);
}
