/* log and export: the events of a session, as readable lines or byte for byte. */
#include "app/cli/print/shown_event.h"
#include "base/jw.h"
#include "app/cli/connection.h"
#include "app/cli/export/export_html.h"
#include "app/cli/print/out.h"
#include "app/cli/ref.h"

struct reading {
	struct cli *c;
	struct str session, turn; /* turn absent: all of them */
	struct str form;          /* its name on the wire; absent: as they are stored */
	int64_t after;
	bool follow, is_raw;
	bool is_damaged; /* events were left out because of damage on disk */
	int64_t began_at;
	struct arena *mem;
};

/* Prints a gap: events that retention removed or that are damaged on disk. */
static bool put_gap(struct reading *r, struct str raw)
{
	struct json v, gap;
	int64_t from, to;
	bool is_corrupt;

	if (!str_starts(raw, STR("{\"gap\":")) || json_read_trusted(r->mem, raw, &v, NULL) != OK)
		return false;
	gap = JSON_GET(v, "gap");
	from = json_int(JSON_GET(gap, "from"), 0);
	to = json_int(JSON_GET(gap, "to"), 0);
	is_corrupt = str_eq(json_str(JSON_GET(gap, "reason")), STR("corrupt"));
	r->after = MAX(r->after, to);
	r->is_damaged |= is_corrupt;
	fflush(stdout);
	if (is_corrupt)
		out_error(
			r->c,
			"Events %lld to %lld are damaged on disk and left out. See `thole doctor`; "
			"to have them back, restore the data directory from a backup.",
			(long long)from, (long long)to);
	else
		out_error(r->c, "Events %lld to %lld were removed from the log.", (long long)from,
		          (long long)to);
	return true;
}

/*
 * An event in an export format may have no sequence; `after` then stays at the last one that had.
 */
static void put_event(struct reading *r, struct str raw)
{
	struct shown_event f;

	arena_reset(r->mem);
	if (put_gap(r, raw) || !shown_event_read(r->mem, raw, &f))
		return;
	if (f.sequence)
		r->after = f.sequence;
	if (str_is(r->turn) && !str_eq(r->turn, f.turn))
		return;
	if (r->c->opts.match && str_find(raw, str_from(r->c->opts.match)) < 0)
		return;
	if (r->is_raw) {
		fwrite(raw.ptr, 1, raw.len, stdout);
		putchar('\n');
	} else {
		if (!r->began_at)
			r->began_at = f.at;
		shown_event_line_put(r->c, r->mem, &f, r->began_at);
	}
	if (r->follow)
		fflush(stdout);
}

/* ---- the stream ---- */

static void write_types(struct params *p, const char *types)
{
	struct str rest = str_from(types);

	if (!types)
		return;
	jw_key(&p->w, STR("types"));
	jw_arr(&p->w);
	while (str_is(rest)) {
		struct str word = str_trim(str_cut(&rest, ','));

		if (word.len)
			jw_str(&p->w, word);
	}
	jw_arr_end(&p->w);
}

static struct thole_stream *open_stream(struct reading *r, int *ret_code)
{
	struct params p;

	params_begin(&p);
	params_str(&p, "sessionId", r->session);
	params_str(&p, "turnId", r->turn);
	params_int(&p, "after", r->after);
	params_bool(&p, "follow", r->follow);
	write_types(&p, r->c->opts.types);
	params_str(&p, "as", r->form);
	return connection_subscribe(r->c, &p, ret_code);
}

/* THOLE_ENDED or THOLE_CLOSED */
static int read_all(struct reading *r, struct thole_stream *s)
{
	char *text;
	size_t len;
	int code;

	while ((code = thole_next(s, -1, &text, &len)) == THOLE_OK) {
		put_event(r, str_of(text, len));
		thole_free(text);
	}
	thole_unsubscribe(s);
	return code;
}

/*
 * Damage makes the exit code a failure even if all readable events were printed: a script must
 * notice.
 */
static int read_log(struct reading *r)
{
	int code = CODE_DONE;

	r->mem = arena_new();
	for (;;) {
		struct thole_stream *s = open_stream(r, &code);
		int end;

		if (!s)
			break;
		end = read_all(r, s);
		if (end == THOLE_ENDED && !r->follow)
			break;
		/* The daemon has gone: reconnect and continue after the last event received. */
		fflush(stdout);
		code = connection_again(r->c);
		if (code)
			break;
	}
	arena_free(r->mem);
	fflush(stdout);
	return !code && r->is_damaged ? CODE_FAILED : code;
}

/* agent-ui is agent_ui on the wire. */
static struct str form_of(struct cli *c)
{
	struct str form = arena_keep(c->mem, str_from(c->opts.as));

	for (char *at = (char *)form.ptr; form.len && (at = strchr(at, '-')); at++)
		*at = '_';
	return form;
}

int verb_log(struct cli *c)
{
	struct reading r = { .c = c,
		             .form = c->opts.as ? form_of(c) : STR_NONE,
		             .follow = c->opts.follow,
		             .is_raw = c->opts.json || c->opts.as,
		             .after = c->opts.has_since ? c->opts.since : 0 };
	struct ref ref;
	int code = connection_open(c);

	if (!code)
		code = ref_find(c, c->arg_count ? c->args[0] : "@last", &ref);
	if (code)
		return code;
	r.session = ref.session;
	r.turn = ref.kind == REF_TURN ? ref.turn : STR_NONE;
	return read_log(&r);
}

int verb_export(struct cli *c)
{
	struct reading r = { .c = c, .is_raw = true };
	struct ref ref;
	int code;

	bool is_script = strcmp(c->args[0], "script") == 0;
	bool is_html = strcmp(c->args[0], "html") == 0;

	if (!is_script && !is_html && strcmp(c->args[0], "session") != 0)
		return opt_usage(c, "`thole export` knows session, script and html, not \"%s\".",
		                 c->args[0]);
	code = connection_open_to_read(c);
	if (!code)
		code = ref_find(c, c->args[1], &ref);
	if (code)
		return code;
	if (is_script)
		return export_script(c, ref.session);
	if (is_html)
		return export_html(c, &ref);
	r.session = ref.session;
	return read_log(&r);
}
