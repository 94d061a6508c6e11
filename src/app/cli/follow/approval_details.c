/*
 * Shows what an approval covers: the input of the call, the reason for asking,
 * the paths it reaches outside the workspace, and the extra sandbox access.
 */
#include "app/cli/follow/approval_details.h"

#include "app/cli/print/markdown.h"
#include "app/cli/print/match_text.h"
#include "app/cli/print/shown_event.h"
#include "app/cli/connection.h"

#include "base/hash/base64.h"
#include "base/os/reveal.h"
#include "base/gen/words.h"

#define INPUT_MAX (1u << 20) /* limit of a call's input */

void approval_details_args(struct approval_details *a, struct arena *mem, struct json payload)
{
	struct json args = JSON_GET(payload, "safeArgs");
	struct str ref = json_str(JSON_GET(payload, "safeArgsRef"));

	/* later arguments replace earlier ones of either form */
	if (json_is(args))
		*a = (struct approval_details){ .args = json_text(mem, args),
			                        .why = a->why,
			                        .leads = a->leads };
	else if (str_is(ref))
		*a = (struct approval_details){ .ref = arena_keep(mem, ref),
			                        .why = a->why,
			                        .leads = a->leads };
}

/*
 * Long arguments are behind a ref.  is_unread stays set unless the whole input was read: a part
 * must not be approved.
 */
void approval_details_read(struct approval_details *a, struct cli *c)
{
	CLEANUP(buf_done) struct buf all = { 0 };
	bool is_over = false;

	if (str_is(a->args) || !str_is(a->ref))
		return;
	a->is_unread = true;
	while (!is_over && all.len <= INPUT_MAX) {
		struct json page, text, coded;
		struct params p;

		params_begin(&p);
		params_str(&p, "outputRef", a->ref);
		params_int(&p, "offset", (int64_t)all.len);
		if (connection_try(c, "get_output", &p, true, &page) != THOLE_OK)
			return;
		text = JSON_GET(page, "text");
		coded = JSON_GET(page, "base64");
		if (json_is(coded) ? !base64_read(&all, json_str(coded)) : !json_is(text))
			return;
		if (!json_is(coded))
			buf_add_str(&all, json_str(text));
		is_over = json_bool(JSON_GET(page, "eof"), true);
	}
	a->args = arena_keep(c->mem, buf_str(&all));
	a->is_unread = !is_over;
}

void approval_details_evaluated(struct approval_details *a, struct arena *mem, struct json event)
{
	struct json decision = JSON_GET(event, "permissionDecision");
	struct str why = json_str(JSON_GET(decision, "decisionReason"));
	struct json check = JSON_GET(decision, "pathCheck"), v;
	struct json_iter it = json_iter(JSON_GET(check, "resolved"));
	struct buf out = { 0 };
	struct str key;

	a->why = why.len ? arena_keep(mem, why) : STR_NONE;
	a->leads = STR_NONE;
	if (json_bool(JSON_GET(check, "inside"), true))
		return;
	while (json_next(&it, &key, &v))
		buf_printf(&out, "%s%.*s", out.len ? ", " : "", STR_ARG(json_str(v)));
	if (out.len)
		a->leads = arena_keep(mem, buf_str(&out));
	buf_done(&out);
}

bool approval_details_is_request(struct json action)
{
	return str_eq(json_str(JSON_GET(action, "actionType")), STR(WORD_ACTION_TYPE_SAMPLING));
}

/* For verbs that have not followed the turn: the arguments come from its events. */
void approval_details_find(struct approval_details *a, struct cli *c, struct json action)
{
	struct str call = json_str(JSON_GET(action, "toolCallId")), key;
	struct json reply, ev;
	struct json_iter it;
	struct params p;

	*a = (struct approval_details){ 0 };
	if (approval_details_is_request(action)) {
		a->ref = arena_keep(c->mem, json_str(JSON_GET(action, "inputRef")));
		approval_details_read(a, c);
		return;
	}
	if (!str_is(call))
		return;
	params_begin(&p);
	params_str(&p, "sessionId", json_str(JSON_GET(action, "sessionId")));
	params_str(&p, "turnId", json_str(JSON_GET(action, "turnId")));
	params_raw(&p, "types", STR("[\"tool.started\",\"tool.args\",\"permission.evaluated\"]"));
	params_int(&p, "limit", 1000);
	if (connection_try(c, "list_events", &p, true, &reply) != THOLE_OK)
		return;
	it = json_iter(JSON_GET(reply, "events"));
	while (json_next(&it, &key, &ev)) {
		if (!str_eq(json_str(JSON_GET(ev, "toolCallId")), call))
			continue;
		approval_details_args(a, c->mem, JSON_GET(ev, "payload"));
		if (json_is(JSON_GET(ev, "permissionDecision")))
			approval_details_evaluated(a, c->mem, ev);
	}
	approval_details_read(a, c);
}

/* ---- printing ---- */

/* Colours removed and added lines of a diff. */
static enum tone tone_of(struct str line, enum tone all)
{
	if (all != TONE_PLAIN || str_starts(line, STR("+++")) || str_starts(line, STR("---")))
		return all;
	return str_starts(line, STR("+"))   ? TONE_GOOD
	       : str_starts(line, STR("-")) ? TONE_BAD
	                                    : TONE_PLAIN;
}

struct lines {
	FILE *out;
	struct arena *mem;
	bool color;
	const char *sign; /* before each line */
	enum tone tone;   /* of all lines; plain: by line if is_patch */
	bool is_patch;
};

/* Prints every line, because an approval covers only what was shown. */
static size_t put_lines(const struct lines *l, struct str text)
{
	struct str rest = reveal(l->mem, text, true);
	size_t count = 0;

	for (; rest.len; count++) {
		struct str line = str_cut(&rest, '\n');
		enum tone tone = l->is_patch ? tone_of(line, l->tone) : l->tone;

		fprintf(l->out, "      %s%s%.*s%s\n", out_tone_on(l->color, tone), l->sign,
		        STR_ARG(line), out_tone_off(l->color));
	}
	return count;
}

/* One argument.  Old and new text of an edit are shown like a diff. */
static size_t put_value(FILE *out, bool color, struct arena *mem, struct str key, struct json v)
{
	struct str text = json_type(v) == JSON_STR ? json_str(v) : json_text(mem, v);
	bool is_old = str_eq(key, STR("oldText")), is_new = str_eq(key, STR("newText"));
	struct lines l = { .out = out,
		           .mem = mem,
		           .color = color,
		           .sign = is_old   ? "- "
		                   : is_new ? "+ "
		                            : "",
		           .tone = is_old   ? TONE_BAD
		                   : is_new ? TONE_GOOD
		                            : TONE_PLAIN,
		           .is_patch = str_eq(key, STR("patch")) };

	if (text.len && text.ptr[text.len - 1] == '\n')
		text.len--;
	if (!is_old && !is_new && !(text.len && memchr(text.ptr, '\n', text.len))) {
		fprintf(out, "    %.*s: %.*s\n", STR_ARG(reveal(mem, key, false)),
		        STR_ARG(reveal(mem, text, false)));
		return 1 + text.len / 80;
	}
	fprintf(out, "    %.*s:\n", STR_ARG(reveal(mem, key, false)));
	return 1 + put_lines(&l, text);
}

/* A plan is written for people, in Markdown, as an answer is. */
static size_t put_plan(FILE *out, bool color, struct str text, size_t columns)
{
	CLEANUP(buf_done) struct buf shown = { 0 };
	struct markdown m;
	size_t count = 0;

	markdown_init(&m, &shown, columns, color);
	markdown_add(&m, text);
	markdown_end(&m);
	markdown_done(&m);
	for (struct str rest = buf_str(&shown); rest.len; count++) {
		struct str line = str_cut(&rest, '\n');

		fprintf(out, "    %.*s\n", STR_ARG(line));
	}
	return count;
}

static bool is_plan(struct json action)
{
	return str_eq(json_str(JSON_GET(action, "actionType")), STR(WORD_ACTION_TYPE_PLAN));
}

static void say_all(struct buf *out, const char *what, struct json list)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	while (json_type(list) == JSON_ARR && json_next(&it, &key, &v))
		buf_printf(out, "%s%s%.*s", out->len ? ", " : "", what, STR_ARG(json_str(v)));
}

/* The access beyond its sandbox that the call gets if it is approved. */
static void put_more(FILE *out, bool color, struct arena *mem, struct json more)
{
	struct buf text = { 0 };
	struct str mode = json_str(JSON_GET(more, "mode"));

	if (str_is(mode) && str_eq(mode, STR(WORD_SANDBOX_MODE_DANGER_FULL_ACCESS)))
		buf_add_c(&text, "no sandbox at all");
	if (str_is(json_str(JSON_GET(more, "network"))))
		buf_printf(&text, "%sall of the network", text.len ? ", " : "");
	else
		say_all(&text, "", JSON_GET(more, "hosts"));
	if (json_bool(JSON_GET(more, "unixSockets"), false))
		buf_printf(&text, "%sUnix sockets", text.len ? ", " : "");
	say_all(&text, "writing to ", JSON_GET(more, "writeRoots"));
	say_all(&text, "reading ", JSON_GET(more, "readRoots"));
	say_all(&text, "writing ", JSON_GET(more, "writeFiles"));
	say_all(&text, "reading ", JSON_GET(more, "readFiles"));
	if (text.len)
		fprintf(out, "%s    approval widens the sandbox for this call: %s%s\n",
		        out_tone_on(color, TONE_ASK), out_safe(mem, buf_str(&text)),
		        out_tone_off(color));
	buf_done(&text);
}

/* A grant without a command, a path and a host covers every call of its tool. */
static bool is_any_call(struct json match)
{
	return !json_is(JSON_GET(match, "command")) && !json_is(JSON_GET(match, "path")) &&
	       !json_is(JSON_GET(match, "host"));
}

const char *approval_details_covers(struct arena *mem, struct json action)
{
	struct json_iter it = json_iter(JSON_GET(action, "decisions"));
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json option, match;
	struct str key;

	while (json_next(&it, &key, &option)) {
		struct json_iter each = json_iter(JSON_GET(option, "covers"));

		while (json_next(&each, &key, &match))
			buf_printf(&out, "%s%s%s", out.len ? "; " : "", match_text(mem, match),
			           is_any_call(match) ? ", any arguments" : "");
	}
	return arena_keep(mem, out.len ? buf_str(&out) : STR("calls of this kind")).ptr;
}

/* What a scope wider than `once` allows from then on, one line per grant. */
static void put_covers(FILE *out, struct arena *mem, struct json action)
{
	struct json_iter it = json_iter(JSON_GET(action, "decisions"));
	struct json option, match;
	struct str key;

	while (json_next(&it, &key, &option)) {
		struct json_iter each = json_iter(JSON_GET(option, "covers"));

		while (json_next(&each, &key, &match))
			fprintf(out, "    turn, session, always: %s%s\n", match_text(mem, match),
			        is_any_call(match) ? ", any arguments" : "");
	}
}

const char *approval_details_mode_after(struct arena *mem, struct json action)
{
	struct str mode = json_str(JSON_GET(action, "modeAfter"));

	return str_is(mode) ? arena_printf(mem, "once the plan is accepted, the mode is %s",
	                                   out_safe(mem, mode))
	                              .ptr
	                    : NULL;
}

size_t approval_details_print(const struct approval_details *a, FILE *out, bool color,
                              struct arena *mem, struct json action)
{
	size_t lines = 0, columns = a->columns > 24 ? a->columns - 4 : 76;
	struct str key, cwd = json_str(shown_event_path(action, STR("scope.cwd")));
	struct json args = { 0 }, v;

	if (!str_is(cwd)) /* list_actions uses another name */
		cwd = json_str(shown_event_path(action, STR("scopeDetail.cwd")));
	if (str_is(a->args) && json_read_trusted(mem, a->args, &args, NULL) == OK) {
		struct json_iter it = json_iter(args);

		while (json_next(&it, &key, &v))
			lines += is_plan(action) && json_type(v) == JSON_STR
			                 ? put_plan(out, color, reveal(mem, json_str(v), true),
			                            columns)
			                 : put_value(out, color, mem, key, v);
	} else if (str_is(a->args)) {
		lines += put_lines(&(struct lines){ .out = out, .mem = mem, .sign = "" }, a->args);
	}
	if (a->is_unread)
		fprintf(out, "%s    its input could not be read, so it cannot be allowed here%s\n",
		        out_tone_on(color, TONE_BAD), out_tone_off(color));
	if (cwd.len)
		fprintf(out, "    in %s\n", out_safe(mem, cwd));
	if (str_is(a->leads))
		fprintf(out, "%s    it leads out of the workspace: %s%s\n",
		        out_tone_on(color, TONE_ASK), out_safe(mem, a->leads), out_tone_off(color));
	put_more(out, color, mem, JSON_GET(action, "override"));
	put_covers(out, mem, action);
	if (approval_details_mode_after(mem, action))
		fprintf(out, "%s    %s%s\n", out_tone_on(color, TONE_ASK),
		        approval_details_mode_after(mem, action), out_tone_off(color));
	if (str_is(a->why))
		fprintf(out, "%s    %s%s\n", out_tone_on(color, TONE_DIM), out_safe(mem, a->why),
		        out_tone_off(color));
	if (json_bool(shown_event_path(action, STR("policy.destructive")), false))
		fprintf(out, "%s    this destroys something%s\n", out_tone_on(color, TONE_BAD),
		        out_tone_off(color));
	return lines;
}
