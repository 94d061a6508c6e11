/*
 * diff, apply and discard: shows what tools changed in files, or in the worktree of a session, and
 * applies or discards a worktree.
 */
#include "app/cli/changes/change_place.h"
#include "app/cli/cli_settings.h"
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/ref.h"
#include "app/cli/worktree.h"

#include "base/gen/words.h"
#include "base/path/path.h"

#include <stdio.h>
#include <unistd.h>

/* ---- printing ---- */

static void put_diff(struct cli *c, struct str diff)
{
	while (diff.len) {
		struct str line = str_cut(&diff, '\n');
		enum tone tone = str_starts(line, STR("+"))   ? TONE_GOOD
		                 : str_starts(line, STR("-")) ? TONE_BAD
		                 : str_starts(line, STR("@")) ? TONE_DIM
		                                              : TONE_PLAIN;

		printf("%s%s%s\n", out_tone_on(c->color_out, tone), out_safe(c->mem, line),
		       out_tone_off(c->color_out));
	}
}

/* ---- worktrees ---- */

struct place_search {
	struct str session, cwd, status;
};

static bool take_session(void *arg, struct json row)
{
	struct place_search *s = arg;

	if (!str_eq(json_str(JSON_GET(row, "sessionId")), s->session))
		return true;
	s->cwd = json_str(JSON_GET(row, "cwd"));
	s->status = json_str(JSON_GET(row, "status"));
	return false;
}

/* By the session that works in it; no name: it works in none. */
static int find_by_session(struct cli *c, const char *text, struct worktree_place *ret,
                           bool *ret_is_busy)
{
	struct str base = str_from(ret->base);
	struct place_search s = { 0 };
	struct ref r;
	int code = ref_find(c, text ? text : "@last", &r);

	s.session = r.session;
	if (!code)
		code = connection_list(c, "list_sessions", "sessions", NULL, take_session, &s);
	if (code || !str_is(s.cwd) || !path_is_under(s.cwd, base) || s.cwd.len <= base.len + 1)
		return code;
	*ret_is_busy = str_eq(s.status, STR(WORD_STATUS_RUNNING));
	ret->name = str_skip(s.cwd, base.len + 1);
	ret->path = arena_keep(c->mem, s.cwd).ptr;
	if (access(ret->path, F_OK) != 0)
		ret->path = NULL;
	if (!worktree_is_name(ret->name))
		ret->name = STR_NONE;
	return CODE_DONE;
}

/* By its name, or by the id of a session; NULL: the last session. */
static int find_worktree(struct cli *c, const char *text, struct worktree_place *ret,
                         bool *ret_is_busy)
{
	const char *base = cli_settings_worktrees(c);

	*ret = (struct worktree_place){ .base = base };
	*ret_is_busy = false;
	if (!text || !worktree_is_name(str_from(text)))
		return find_by_session(c, text, ret, ret_is_busy);
	ret->name = str_from(text);
	ret->path = arena_printf(c->mem, "%s/%s", base, text).ptr;
	if (access(ret->path, F_OK) != 0)
		ret->path = NULL;
	return CODE_DONE;
}

static int need_worktree(struct cli *c, struct worktree_place *ret, bool *ret_is_busy)
{
	const char *text = c->arg_count ? c->args[0] : NULL;
	int code = find_worktree(c, text, ret, ret_is_busy);

	if (code || str_is(ret->name))
		return code;
	out_error(c, "%s does not work in a worktree.",
	          text ? out_safe(c->mem, str_from(text)) : "The last session");
	fprintf(stderr, "  `thole run --worktree \"...\"` begins a session in one.\n");
	return CODE_FAILED;
}

int verb_apply(struct cli *c)
{
	struct worktree_place place;
	bool is_busy;
	int code = need_worktree(c, &place, &is_busy);

	return code ? code : worktree_apply(c, &place);
}

int verb_discard(struct cli *c)
{
	struct worktree_place place;
	bool is_busy;
	int code = need_worktree(c, &place, &is_busy);

	if (code)
		return code;
	if (!is_busy)
		return worktree_discard(c, &place);
	out_error(c, "A turn still runs in the worktree %.*s.", STR_ARG(place.name));
	fprintf(stderr, "  End it first: thole stop ID\n");
	return CODE_FAILED;
}

/* A session in a worktree: git knows everything that changed there, by commands too. */
static int diff_worktree(struct cli *c, bool *ret_is_one)
{
	struct worktree_place place;
	struct str text = STR_NONE;
	bool is_busy;
	int code = find_worktree(c, c->arg_count ? c->args[0] : NULL, &place, &is_busy);

	*ret_is_one = !code && str_is(place.name);
	if (!*ret_is_one)
		return code;
	code = worktree_diff(c, &place, &text);
	if (!code)
		put_diff(c, text);
	return code;
}

/* ---- diff ---- */

static bool has_new_mode(struct json p)
{
	struct str old = json_str(JSON_GET(p, "previousMode")), new = json_str(JSON_GET(p, "mode"));

	return str_is(old) && str_is(new) && !str_eq(old, new) &&
	       str_eq(json_str(JSON_GET(p, "change")), STR(WORD_ARTIFACT_CHANGE_UPDATED));
}

/* As git writes it, so that a patch program applies it. */
static void put_modes(struct cli *c, struct json p)
{
	bool is_directory = str_eq(json_str(JSON_GET(p, "kind")), STR("directory"));
	const char *path = out_safe(c->mem, json_str(JSON_GET(p, "path")));
	const char *type = is_directory ? "04" : "10";

	if (!has_new_mode(p))
		return;
	printf("diff --git a/%s b/%s\n", path, path);
	printf("old mode %s%s\n", type, out_safe(c->mem, json_str(JSON_GET(p, "previousMode"))));
	printf("new mode %s%s\n", type, out_safe(c->mem, json_str(JSON_GET(p, "mode"))));
}

static void put_change(struct cli *c, struct json e)
{
	struct json p = JSON_GET(e, "payload");
	struct str ref = changes_ref(e, "diff");

	if (c->opts.json) {
		out_json(e);
		return;
	}
	put_modes(c, p);
	if (str_is(ref))
		put_diff(c, changes_output(c, ref));
	else if (!has_new_mode(p))
		printf("%s %s\n", out_safe(c->mem, json_str(JSON_GET(p, "change"))),
		       out_safe(c->mem, json_str(JSON_GET(p, "path"))));
}

int verb_diff(struct cli *c)
{
	struct changes ch;
	bool is_worktree = false;
	/* Worktrees of a remote daemon are files of that machine. */
	int code = c->opts.json || c->is_remote ? CODE_DONE : diff_worktree(c, &is_worktree);
	size_t undone = 0;

	if (code || is_worktree)
		return code;
	code = changes_read(c, &ch);
	for (size_t i = 0; !code && i < ch.found.count; i++) {
		if (!changes_is_meant(&ch, ch.found.items[i]))
			continue;
		if (!c->opts.json && (changes_undone_has(&ch, ch.found.items[i]) ||
		                      (!c->is_remote && change_place_is_undone(&ch, i))))
			undone++;
		else
			put_change(c, ch.found.items[i]);
	}
	if (undone)
		out_note(c, TONE_DIM, "%zu change%s undone since; --json has all", undone,
		         undone == 1 ? " was" : "s were");
	changes_done(&ch);
	return code;
}
