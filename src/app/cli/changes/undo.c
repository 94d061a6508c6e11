/*
 * undo: reverts the changes of a turn or a session, newest first.
 *
 *   read ──► check the newest change of each file ──► conflicts? nothing is changed
 *                                                │
 *                                                └──► revert, checking each change again
 *
 * A file that differs from what the turn left holds a later change of the user,
 * which is worth more than the undo.  The log remembers which changes were
 * undone, so that none is undone twice.
 */
#include "app/cli/changes/change_place.h"

#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/remote/remote.h"
#include "base/gen/words.h"
#include "base/map.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define ENDING_TRIES 20
#define ENDING_PAUSE_MS 100

struct undo {
	struct changes ch;
	struct map left; /* paths that stay as they are; the value is not used */
	struct change_events undone;
	size_t conflicts, reverted;
	int code;
};

/* Not of this turn, undone before, or something that was only seen. */
static bool is_left_out(const struct undo *u, struct json e)
{
	return !changes_is_meant(&u->ch, e) || changes_undone_has(&u->ch, e) ||
	       str_eq(json_str(JSON_GET(JSON_GET(e, "payload"), "change")),
	              STR(WORD_ARTIFACT_CHANGE_OBSERVED));
}

static void leave(struct undo *u, struct json e)
{
	map_put(&u->left, changes_path(e), u);
}

static void leave_failed(struct undo *u, struct json e)
{
	leave(u, e);
	u->code = CODE_FAILED;
}

static struct str before_of(const struct undo *u, struct json e)
{
	struct str ref = changes_ref(e, "checkpoint");

	return str_is(ref) ? changes_output(u->ch.c, ref) : STR_NONE;
}

/* ---- checking ---- */

/*
 * A path that cannot be reached may become reachable when a newer change is reverted, so that is
 * checked later.
 */
static void check_change(struct undo *u, struct json e)
{
	struct cli *c = u->ch.c;
	struct change_place p = change_place_of(&u->ch, e, false);

	if ((p.dir >= 0 || p.why == ENOENT) && !change_place_is_as_left(c->mem, &p) &&
	    !change_place_is_as_before(c->mem, &p, before_of(u, e))) {
		u->conflicts++;
		out_error(c, "%s is not what the turn made of it any more; it stays as it is.",
		          out_safe(c->mem, str_from(p.path)));
		leave(u, e);
	}
	change_place_done(&p);
}

/* The newest change of each path; older ones have their content only when it is reverted. */
static void check_all(struct undo *u)
{
	struct map seen = { 0 };

	for (size_t i = u->ch.found.count; i-- > 0;) {
		struct json e = u->ch.found.items[i];

		if (is_left_out(u, e) || map_get(&seen, changes_path(e)))
			continue;
		map_put(&seen, changes_path(e), u);
		check_change(u, e);
	}
	map_done(&seen);
}

/* ---- reverting ---- */

static bool is_reachable(struct undo *u, struct json e, const struct change_place *p)
{
	struct cli *c = u->ch.c;
	const char *shown = out_safe(c->mem, str_from(p->path));

	if (p->dir >= 0)
		return true;
	if (p->why == ELOOP || p->why == ENOTDIR)
		out_error(c,
		          "A link or a file is on the way to %s now, and undo does not follow "
		          "links: one may have been pointed elsewhere. Nothing is changed there.",
		          shown);
	else
		out_error(c, "%s cannot be reached: %s. Nothing is changed there.", shown,
		          strerror(p->why));
	fprintf(stderr, "  `thole diff` shows the change, to put it back by hand.\n");
	leave_failed(u, e);
	return false;
}

static bool may_revert(struct undo *u, struct json e, const struct change_place *p,
                       struct str before)
{
	struct cli *c = u->ch.c;

	if (!c->opts.force && !change_place_is_as_left(c->mem, p)) {
		out_error(c, "%s is not what the turn made of it any more; it stays as it is.",
		          out_safe(c->mem, str_from(p->path)));
		leave_failed(u, e);
		return false;
	}
	if (!p->is_created && p->kind != CHANGE_DIRECTORY && !str_is(before)) {
		out_error(c, "What %s was is not known; it stays as it is.",
		          out_safe(c->mem, str_from(p->path)));
		leave_failed(u, e);
		return false;
	}
	return true;
}

/* Whether it was removed or renamed is not known; under another name it stays. */
static void tell_gone(const struct undo *u, const struct change_place *p)
{
	if (p->is_created)
		out_note(u->ch.c, TONE_DIM, "%s is not there any more; under another name it stays",
		         out_safe(u->ch.c->mem, str_from(p->path)));
}

/* Also what is as it was before by itself: what comes there later is not of the turn. */
static void note_undone(struct undo *u, struct json e)
{
	changes_add(&u->ch, &u->undone, e);
}

static void revert_at(struct undo *u, struct json e, const struct change_place *p)
{
	struct cli *c = u->ch.c;
	struct str before = before_of(u, e);
	const char *shown = out_safe(c->mem, str_from(p->path));
	bool has_other_names = change_place_has_other_names(p);

	if (change_place_is_as_before(c->mem, p, before) && !change_place_is_as_left(c->mem, p)) {
		tell_gone(u, p);
		note_undone(u, e);
		return;
	}
	if (!may_revert(u, e, p, before))
		return;
	if (p->is_created ? change_place_remove(p) : change_place_restore(c->mem, p, before)) {
		u->reverted++;
		note_undone(u, e);
		out_note(c, TONE_GOOD, "%s %s", p->is_created ? "removed" : "put back", shown);
		if (has_other_names)
			out_note(c, TONE_ASK,
			         "%s had other names (hard links). They keep what the turn wrote.",
			         shown);
	} else if (p->is_created && p->kind == CHANGE_DIRECTORY && errno == ENOTEMPTY) {
		out_note(c, TONE_DIM, "%s stays: it holds other files", shown);
	} else {
		out_error(c, "%s: %s.", shown, strerror(errno));
		leave_failed(u, e);
	}
}

static void revert_change(struct undo *u, struct json e)
{
	bool was_there = !str_eq(json_str(JSON_GET(JSON_GET(e, "payload"), "change")),
	                         STR(WORD_ARTIFACT_CHANGE_CREATED));
	struct change_place p = change_place_of(&u->ch, e, was_there);

	/* Nothing is there to be removed. */
	if (!was_there && p.dir < 0 && p.why == ENOENT) {
		tell_gone(u, &p);
		note_undone(u, e);
	} else if (is_reachable(u, e, &p)) {
		revert_at(u, e, &p);
	}
	change_place_done(&p);
}

static void revert_all(struct undo *u)
{
	for (size_t i = u->ch.found.count; i-- > 0;) {
		struct json e = u->ch.found.items[i];

		if (!is_left_out(u, e) && !map_get(&u->left, changes_path(e)))
			revert_change(u, e);
	}
}

/* ---- the verb ---- */

static void tell_limits(struct undo *u)
{
	struct cli *c = u->ch.c;

	for (size_t i = 0; i < u->ch.warnings.count; i++)
		out_note(c, TONE_ASK, "%s",
		         out_safe(c->mem,
		                  json_str(JSON_GET(JSON_GET(u->ch.warnings.items[i], "payload"),
		                                    "message"))));
	if (u->ch.has_command)
		out_note(c, TONE_DIM,
		         "Of commands, undo covers files of the workspace. It does not cover "
		         "ignored files,\n.git, node_modules, background processes, and anything "
		         "outside of the workspace.");
}

static int refuse(struct undo *u)
{
	fprintf(stderr,
	        "  Nothing was changed. `thole undo --skip` leaves %s and reverts the rest;\n"
	        "  `thole undo --force` overwrites what was changed since.\n",
	        u->conflicts == 1 ? "this file" : "these files");
	return CODE_FAILED;
}

/*
 * A thread of the session whose turn runs; absent: none, or this cannot be read.  A turn that waits
 * for a person changes nothing.
 */
static struct str working_thread(struct cli *c, struct str session)
{
	struct json reply, thread;
	struct json_iter it;
	struct params p;
	struct str key;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	if (connection_try(c, "list_threads", &p, true, &reply) != THOLE_OK)
		return STR_NONE;
	it = json_iter(JSON_GET(reply, "threads"));
	while (json_next(&it, &key, &thread))
		if (str_is(json_str(JSON_GET(thread, "activeTurnId"))) &&
		    str_eq(json_str(JSON_GET(thread, "status")), STR(WORD_THREAD_STATUS_RUNNING)))
			return json_str(JSON_GET(thread, "threadId"));
	return STR_NONE;
}

/* After `thole stop` a turn needs a moment to end. */
static struct str still_working(struct cli *c, struct str session)
{
	struct str thread = working_thread(c, session);

	for (int i = 0; str_is(thread) && i < ENDING_TRIES; i++) {
		poll(NULL, 0, ENDING_PAUSE_MS);
		thread = working_thread(c, session);
	}
	return thread;
}

static int refuse_running(struct cli *c, struct str thread)
{
	const char *id = out_safe(c->mem, thread);

	fprintf(stderr,
	        "  Nothing was changed: a turn runs and may change the same files. `thole stop %s` "
	        "ends\n"
	        "  it; `thole undo --force` does not wait.\n",
	        id);
	return CODE_FAILED;
}

/* The files are there, and so is the program that puts them back. */
static int undo_there(struct cli *c)
{
	const char *words[] = { "undo", c->arg_count ? c->args[0] : "@last", NULL, NULL };

	if (c->opts.force || c->opts.skip)
		words[2] = c->opts.force ? "--force" : "--skip";
	return remote_run(c, words);
}

int verb_undo(struct cli *c)
{
	struct undo u = { 0 };
	struct str working;
	int code;

	if (c->is_remote)
		return undo_there(c);
	code = changes_read(c, &u.ch);
	if (code)
		return code;
	working = u.ch.meant && !c->opts.force ? still_working(c, u.ch.ref.session) : STR_NONE;
	if (str_is(working))
		return refuse_running(c, working);
	if (!c->opts.force)
		check_all(&u);
	if (u.conflicts && !c->opts.skip) {
		code = refuse(&u);
	} else {
		revert_all(&u);
		if (u.ch.meant && !u.undone.count && !u.code)
			out_note(c, TONE_DIM, "nothing is left to undo here");
		else
			tell_limits(&u);
		code = changes_undone_record(&u.ch, &u.undone);
		if (!code)
			code = u.code;
	}
	changes_done(&u.ch);
	map_done(&u.left);
	return code;
}
