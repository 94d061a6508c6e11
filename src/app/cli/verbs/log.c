/* log and export: the events of a session, as readable lines or byte for byte. */
#include "app/cli/print/shown_event.h"
#include "base/jw.h"
#include "app/cli/connection.h"
#include "app/cli/evidence/evidence_verbs.h"
#include "app/cli/export/export_atif.h"
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
 * A record in an export format has its own names; the runtime has chosen the turn already.  Its
 * sequence is a number, or a text of digits in CloudEvents.
 */
static bool read_record(struct reading *r, struct str raw)
{
	struct error ignored;
	struct json v, sequence;
	int64_t n;

	if (json_read(r->mem, raw, &v, &ignored) != OK)
		return false;
	sequence = JSON_GET(v, "sequence");
	if (!str_to_i64(json_str(sequence), &n))
		n = json_int(sequence, 0);
	if (n)
		r->after = n;
	return true;
}

static bool read_event(struct reading *r, struct str raw, struct shown_event *f)
{
	if (!shown_event_read(r->mem, raw, f))
		return false;
	if (f->sequence)
		r->after = f->sequence;
	return !str_is(r->turn) || str_eq(r->turn, f->turn);
}

static void put_event(struct reading *r, struct str raw)
{
	struct shown_event f = { 0 };

	arena_reset(r->mem);
	if (put_gap(r, raw))
		return;
	if (str_is(r->form) ? !read_record(r, raw) : !read_event(r, raw, &f))
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

/* ---- classes ---- */

#define NEAR_MAX 5       /* classes that a message offers */
#define NEAR_DISTANCE 12 /* of a class that may have been meant */

/* family: "tool." of tool.started and of tool.* */
static struct str family_of(struct str name)
{
	return str_head(name, (size_t)(str_find_char(name, '.') + 1));
}

static bool is_class(struct json known, struct str word)
{
	struct json_iter it = json_iter(known);
	bool is_family = str_ends(word, STR(".*"));
	struct json v;
	struct str name;

	while (json_next(&it, &name, &v))
		if (is_family ? str_eq(family_of(name), family_of(word)) : str_eq(name, word))
			return true;
	return false;
}

/* The class that is most like the word, without those that are taken; absent: none is near. */
static struct str nearest(struct json known, struct str word, const struct str *taken, size_t count)
{
	struct json_iter it = json_iter(known);
	struct str name, best = STR_NONE;
	int least = NEAR_DISTANCE;
	struct json v;

	while (json_next(&it, &name, &v)) {
		bool is_taken = false;
		int d = str_distance(name, word);

		for (size_t i = 0; i < count; i++)
			is_taken |= str_eq(taken[i], name);
		/* Another class of the same family is likelier than one that is spelt alike. */
		if (str_eq(family_of(name), family_of(word)))
			d /= 2;
		if (!is_taken && d < least) {
			best = name;
			least = d;
		}
	}
	return best;
}

static void put_near(struct cli *c, struct json known, struct str word)
{
	struct str taken[NEAR_MAX];

	for (size_t i = 0; i < NEAR_MAX; i++) {
		taken[i] = nearest(known, word, taken, i);
		if (!str_is(taken[i]))
			break;
		fprintf(stderr, "%s%s", i ? ", " : "  Near it: ", out_safe(c->mem, taken[i]));
		if (i + 1 == NEAR_MAX || !str_is(nearest(known, word, taken, i + 1)))
			fputs("\n", stderr);
	}
}

static bool is_first_of_family(struct json known, struct str name)
{
	struct json_iter it = json_iter(known);
	struct str earlier = STR_NONE;
	struct json v;

	while (json_next(&it, &earlier, &v))
		if (str_eq(family_of(earlier), family_of(name)))
			break;
	return str_eq(earlier, name);
}

static void put_families(struct cli *c, struct json known)
{
	struct json_iter it = json_iter(known);
	struct str name;
	size_t column = 0;
	struct json v;

	fputs("  All of them, by family:", stderr);
	while (json_next(&it, &name, &v)) {
		struct str family = family_of(name);

		if (!is_first_of_family(known, name))
			continue;
		if (!column || column + family.len + 3 > 78)
			column = (size_t)fprintf(stderr, "\n   ") - 1;
		column += (size_t)fprintf(stderr, " %s*", out_safe(c->mem, family));
	}
	fputs("\n  docs/reference/events.md explains each class.\n", stderr);
}

/* The runtime refuses an unknown class too; this says which there are. */
static int check_types(struct cli *c)
{
	struct str rest = c->opts.types ? str_from(c->opts.types) : STR_NONE;
	struct json reply, known;
	struct params p;

	if (!str_is(rest))
		return CODE_DONE;
	params_begin(&p);
	if (connection_try(c, "get_capabilities", &p, true, &reply) != THOLE_OK)
		return CODE_DONE;
	known = JSON_GET(reply, "events");
	while (str_is(rest)) {
		struct str word = str_trim(str_cut(&rest, ','));

		if (!word.len || is_class(known, word))
			continue;
		out_error(c, "There is no event class \"%s\".", out_safe(c->mem, word));
		put_near(c, known, word);
		put_families(c, known);
		return CODE_USAGE;
	}
	return CODE_DONE;
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
		code = check_types(c);
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
	bool is_atif = strcmp(c->args[0], "atif") == 0;

	bool is_evidence = export_evidence_is_kind(c->args[0]);

	if (!is_script && !is_html && !is_atif && !is_evidence &&
	    strcmp(c->args[0], "session") != 0)
		return opt_usage(c,
		                 "`thole export` knows session, script, html, atif, evidence, "
		                 "replay and review, not \"%s\".",
		                 c->args[0]);
	if (c->opts.file && !is_atif && !is_evidence)
		return opt_usage(
			c,
			"-o is for atif, evidence, replay and review; redirect the others: "
			"thole export %s ID > FILE",
			c->args[0]);
	code = is_evidence ? connection_open(c)
	       : is_atif   ? export_atif_open(c)
	                   : connection_open_to_read(c);
	if (!code)
		code = ref_find(c, c->args[1], &ref);
	if (code)
		return code;
	if (is_script)
		return export_script(c, ref.session);
	if (is_html)
		return export_html(c, &ref);
	if (is_evidence)
		return export_evidence(c, &ref);
	if (is_atif)
		return export_atif(c, &ref, c->opts.file);
	r.session = ref.session;
	return read_log(&r);
}
