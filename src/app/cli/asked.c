#include "app/cli/asked.h"

#include "app/cli/fact.h"
#include "app/cli/link.h"

#define LINES_MAX 24
#define LINE_COLUMNS 300

void asked_judged(struct asked *a, struct arena *mem, struct json event)
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

void asked_find(struct asked *a, struct cli *c, struct json action)
{
	struct str call = json_str(JSON_GET(action, "toolCallId")), key;
	struct json reply, ev;
	struct json_iter it;
	struct params p;

	*a = (struct asked){ 0 };
	if (!str_is(call))
		return;
	params_begin(&p);
	params_str(&p, "sessionId", json_str(JSON_GET(action, "sessionId")));
	params_str(&p, "turnId", json_str(JSON_GET(action, "turnId")));
	params_raw(&p, "types", STR("[\"tool.started\",\"tool.args\",\"permission.evaluated\"]"));
	params_int(&p, "limit", 1000);
	if (link_try(c, "list_events", &p, true, &reply) != THOLE_OK)
		return;
	it = json_iter(JSON_GET(reply, "events"));
	while (json_next(&it, &key, &ev)) {
		struct json args = json_path(ev, STR("payload.safeArgs"));

		if (!str_eq(json_str(JSON_GET(ev, "toolCallId")), call))
			continue;
		if (json_is(args))
			a->args = json_text(c->mem, args);
		if (json_is(JSON_GET(ev, "permissionDecision")))
			asked_judged(a, c->mem, ev);
	}
}

/* ---- printing ---- */

/* What goes and what comes, as a difference shows it. */
static enum tone tone_of(struct str line, enum tone all)
{
	if (all != TONE_PLAIN || str_starts(line, STR("+++")) || str_starts(line, STR("---")))
		return all;
	return str_starts(line, STR("+"))   ? TONE_GOOD
	       : str_starts(line, STR("-")) ? TONE_BAD
	                                    : TONE_PLAIN;
}

/* Blanks at its beginning count: it is code. */
static const char *line_text(struct arena *mem, struct str line, size_t columns)
{
	size_t blanks = 0;

	while (blanks < line.len && (line.ptr[blanks] == ' ' || line.ptr[blanks] == '\t'))
		blanks++;
	return arena_printf(mem, "%.*s%s", (int)blanks, line.ptr,
	                    safe_cut(mem, str_of(line.ptr + blanks, line.len - blanks), columns))
	        .ptr;
}

struct lines {
	FILE *out;
	struct arena *mem;
	bool color;
	const char *sign; /* before each of them */
	enum tone tone;   /* of all of them; plain: of each its own if is_patch */
	bool is_patch;
	size_t max, columns;
};

static void put_lines(const struct lines *l, struct str rest)
{
	size_t count = 0, left = 0;

	for (; rest.len; count++) {
		struct str line = str_cut(&rest, '\n');
		enum tone tone = l->is_patch ? tone_of(line, l->tone) : l->tone;

		if (count >= l->max) {
			left++;
			continue;
		}
		fprintf(l->out, "      %s%s%s%s\n", tone_on(l->color, tone), l->sign,
		        line_text(l->mem, line, l->columns), tone_off(l->color));
	}
	if (left)
		fprintf(l->out, "      and %zu more line%s\n", left, left == 1 ? "" : "s");
}

static void put_value(FILE *out, bool color, struct arena *mem, struct str key, struct json v)
{
	struct str text = json_type(v) == JSON_STR ? json_str(v) : json_text(mem, v);
	bool is_old = str_eq(key, STR("oldText")), is_new = str_eq(key, STR("newText"));
	bool is_command = str_eq(key, STR("command"));
	struct lines l = { .out = out,
		           .mem = mem,
		           .color = color,
		           .sign = is_old   ? "- "
		                   : is_new ? "+ "
		                            : "",
		           .tone = is_old   ? TONE_BAD
		                   : is_new ? TONE_GOOD
		                            : TONE_PLAIN,
		           .is_patch = str_eq(key, STR("patch")),
		           /* what is run is shown to its end */
		           .max = is_command ? SIZE_MAX : LINES_MAX,
		           .columns = is_command ? SIZE_MAX : LINE_COLUMNS };

	if (text.len && text.ptr[text.len - 1] == '\n')
		text.len--;
	if (!is_old && !is_new && !(text.len && memchr(text.ptr, '\n', text.len))) {
		fprintf(out, "    %s: %s\n", safe(mem, key),
		        is_command ? safe(mem, text) : safe_cut(mem, text, LINE_COLUMNS));
		return;
	}
	fprintf(out, "    %s:\n", safe(mem, key));
	put_lines(&l, text);
}

static void say_all(struct buf *out, const char *what, struct json list)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	while (json_type(list) == JSON_ARR && json_next(&it, &key, &v))
		buf_printf(out, "%s%s%.*s", out->len ? ", " : "", what, STR_ARG(json_str(v)));
}

/* What it gets beyond its cage, if the answer is yes. */
static void put_more(FILE *out, bool color, struct arena *mem, struct json more)
{
	struct buf text = { 0 };
	struct str mode = json_str(JSON_GET(more, "mode"));

	if (str_is(mode) && str_eq(mode, STR("danger_full_access")))
		buf_add_c(&text, "no cage at all");
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
		fprintf(out, "%s    a yes opens its cage, for this call: %s%s\n",
		        tone_on(color, TONE_ASK), safe(mem, buf_str(&text)), tone_off(color));
	buf_done(&text);
}

void asked_print(const struct asked *a, FILE *out, bool color, struct arena *mem,
                 struct json action)
{
	struct str key, cwd = json_str(json_path(action, STR("scope.cwd")));
	struct json args = { 0 }, v;

	if (!str_is(cwd)) /* in lists it has another name */
		cwd = json_str(json_path(action, STR("scopeDetail.cwd")));
	if (str_is(a->args) && json_read_own(mem, a->args, &args, NULL) == OK) {
		struct json_iter it = json_iter(args);

		while (json_next(&it, &key, &v))
			put_value(out, color, mem, key, v);
	}
	if (cwd.len)
		fprintf(out, "    in %s\n", safe(mem, cwd));
	if (str_is(a->leads))
		fprintf(out, "%s    it leads out of the workspace: %s%s\n",
		        tone_on(color, TONE_ASK), safe(mem, a->leads), tone_off(color));
	put_more(out, color, mem, JSON_GET(action, "override"));
	if (str_is(a->why))
		fprintf(out, "%s    %s%s\n", tone_on(color, TONE_DIM), safe(mem, a->why),
		        tone_off(color));
	if (json_bool(json_path(action, STR("policy.destructive")), false))
		fprintf(out, "%s    this destroys something%s\n", tone_on(color, TONE_BAD),
		        tone_off(color));
}
