/*
 * audit: who decided, granted, changed, erased or exported what, over all sessions.
 *
 * Reads the events of all sessions by the cross-session cursor, in the order in which
 * they became durable, and prints those that an audit asks for.  Memory does not grow
 * with the log.
 */
#include "app/cli/evidence/evidence_verbs.h"

#include "app/cli/connection.h"
#include "app/cli/params.h"
#include "app/cli/print/out.h"
#include "app/cli/print/shown_event.h"

#include <stdlib.h>

static const char *const others[] = { "output.spilled", "session.created", "session.updated",
	                              "snapshot.updated" };

enum topic {
	TOPIC_DECISIONS,
	TOPIC_GRANTS,
	TOPIC_POLICY,
	TOPIC_ERASURES,
	TOPIC_EXPORTS,
	TOPIC_KEYS,
	TOPIC_READS,
	TOPICS,
};

static const char *const topic_words[TOPICS] = { "decisions", "grants", "policy", "erasures",
	                                         "exports",   "keys",   "reads" };

/* The class of an event, and the word of a payload member that it must begin with. */
static const struct row {
	enum topic topic;
	const char *type, *member, *begins;
} rows[] = {
	{ TOPIC_DECISIONS, "permission.evaluated", NULL, NULL },
	{ TOPIC_DECISIONS, "permission.resolved", NULL, NULL },
	{ TOPIC_DECISIONS, "action.resolved", NULL, NULL },
	{ TOPIC_GRANTS, "policy.changed", "change", "grant_" },
	{ TOPIC_GRANTS, "policy.changed", "change", "trust_" },
	{ TOPIC_GRANTS, "policy.changed", "change", "directory_" },
	{ TOPIC_POLICY, "policy.changed", "change", "mode_" },
	{ TOPIC_POLICY, "policy.changed", "change", "rule" },
	{ TOPIC_POLICY, "policy.changed", "change", "config_" },
	{ TOPIC_POLICY, "policy.changed", "change", "tool_server_" },
	{ TOPIC_POLICY, "policy.changed", "change", "schedule_" },
	{ TOPIC_POLICY, "limit.changed", NULL, NULL },
	{ TOPIC_ERASURES, "output.expired", NULL, NULL },
	{ TOPIC_ERASURES, "snapshot.repaired", NULL, NULL },
	{ TOPIC_ERASURES, "snapshot.updated", "kind", "retention" },
	{ TOPIC_ERASURES, "session.updated", "removed", "" },
	{ TOPIC_EXPORTS, "evidence.changed", "change", "exported" },
	{ TOPIC_READS, "evidence.changed", "kind", "access" },
	{ TOPIC_KEYS, "session.updated", "signingKey", "" },
	{ TOPIC_KEYS, "session.updated", "accessToken", "" },
	{ TOPIC_KEYS, "session.updated", "ownerToken", "" },
	{ TOPIC_KEYS, "session.updated", "device", "" },
	{ TOPIC_KEYS, "channel.connected", NULL, NULL },
	{ TOPIC_KEYS, "channel.disconnected", NULL, NULL },
};

enum form { FORM_TABLE, FORM_JSONL, FORM_CSV, FORM_CLOUDEVENTS, FORMS };

static const char *const form_words[FORMS] = { "table", "jsonl", "csv", "cloudevents" };

struct audit {
	struct cli *c;
	struct arena *mem; /* one event */
	enum form form;
	bool wants[TOPICS];
	int64_t printed;
	bool is_damaged;
	int64_t removals; /* of the beginning of a log */
	int64_t deleted;  /* sessions */
	/* The last command and its caller: only its first event names it. */
	struct arena *kept;
	struct str request, principal;
};

/* ---- options ---- */

static int index_of(struct str word, const char *const *words, int count)
{
	for (int i = 0; i < count; i++)
		if (str_eq(word, str_from(words[i])))
			return i;
	return -1;
}

static int read_topics(struct audit *a)
{
	struct str rest = str_from(a->c->opts.what);

	for (size_t i = 0; i < TOPICS; i++)
		a->wants[i] = !a->c->opts.what;
	while (a->c->opts.what && str_is(rest)) {
		struct str word = str_trim(str_cut(&rest, ','));
		int topic = index_of(word, topic_words, TOPICS);

		if (topic < 0)
			return opt_usage(a->c,
			                 "--what: a list of decisions, grants, policy, erasures, "
			                 "exports, keys and reads, not \"%.*s\".",
			                 STR_ARG(word));
		a->wants[topic] = true;
	}
	return CODE_DONE;
}

/* The two digits at this place; what is behind the end of the text is in range. */
static bool is_between(const char *text, size_t at, int least, int most)
{
	int n = strlen(text) > at ? (text[at] - '0') * 10 + text[at + 1] - '0' : least;

	return n >= least && n <= most;
}

static bool is_day(const char *text)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int year = atoi(text), month = strlen(text) > 5 ? atoi(text + 5) : 1;
	bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return is_between(text, 8, 1, days[month - 1] + (month == 2 && is_leap));
}

/* The beginning of a time in UTC as events have it, such as 2026-11-17 or 2026-11-17T04:30. */
static bool is_time(const char *text)
{
	static const char form[] = "0000-00-00T00:00:00.000Z";
	size_t len = strlen(text);

	/* A part of a number, such as the 1 of a 12th month, is no beginning of a time. */
	if (len > sizeof form - 1 || !len || (form[len] == '0' && form[len - 1] == '0'))
		return false;
	for (size_t i = 0; i < len; i++)
		if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
			return false;
	return len >= 4 && is_between(text, 5, 1, 12) && is_day(text) &&
	       is_between(text, 11, 0, 23) && is_between(text, 14, 0, 59) &&
	       is_between(text, 17, 0, 59);
}

static int read_options(struct audit *a)
{
	const struct opts *o = &a->c->opts;
	int form = o->file ? index_of(str_from(o->file), form_words, FORMS) : 0;

	if (form < 0)
		return opt_usage(a->c, "-o: table, jsonl, csv or cloudevents, not \"%s\".",
		                 o->file);
	if ((o->from && !is_time(o->from)) || (o->to && !is_time(o->to)))
		return opt_usage(a->c, "--from and --to: a time in UTC or its beginning, such as "
		                       "2026-11-17 or 2026-11-17T04:30.");
	a->form = o->json ? FORM_JSONL : (enum form)form;
	return read_topics(a);
}

/* ---- which events ---- */

static bool row_fits(const struct row *row, const struct shown_event *f)
{
	struct json member;

	if (!shown_event_is(f, row->type))
		return false;
	if (!row->member)
		return true;
	member = json_get(f->payload, str_from(row->member));
	return json_is(member) &&
	       (!*row->begins || str_starts(json_str(member), str_from(row->begins)));
}

/* NULL: not what was asked for. */
static const struct row *row_of(const struct audit *a, const struct shown_event *f)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (a->wants[rows[i].topic] && row_fits(&rows[i], f))
			return &rows[i];
	return NULL;
}

/* The caller whose command it was, or the person who decided. */
static struct str principal_of(const struct audit *a, const struct shown_event *f)
{
	struct str by = json_str(shown_event_path(f->v, STR("command.principal")));

	if (!str_is(by) && str_eq(json_str(JSON_GET(f->v, "requestId")), a->request))
		by = a->principal;
	if (!str_is(by))
		by = json_str(shown_event_path(f->payload, STR("decidedBy.principal")));
	if (!str_is(by))
		by = json_str(shown_event_path(f->payload, STR("updatedBy.principal")));
	return str_is(by) ? by : json_str(JSON_GET(f->payload, "verifierRef"));
}

static bool is_in_time(const struct audit *a, struct str at)
{
	struct str from = str_from(a->c->opts.from), to = str_from(a->c->opts.to);

	if (a->c->opts.from && str_cmp(at, from) < 0)
		return false;
	return !a->c->opts.to || str_cmp(str_head(at, to.len), to) <= 0;
}

static bool is_wanted(const struct audit *a, struct str at, struct str principal)
{
	const char *only = a->c->opts.principal;

	return is_in_time(a, at) && (!only || str_eq(principal, str_from(only)));
}

/* ---- printing ---- */

/* A cell that a spreadsheet does not take for a formula. */
static void put_cell(struct str text, bool is_last)
{
	putchar('"');
	if (text.len && strchr("=+-@\t\r", text.ptr[0]))
		putchar('\'');
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '"')
			putchar('"');
		putchar(text.ptr[i]);
	}
	fputs(is_last ? "\"\r\n" : "\",", stdout);
}

/* NULL: it is about something else. */
static const char *credential_of(const struct audit *a, const struct shown_event *f)
{
	struct json token = JSON_GET(f->payload, "accessToken");
	struct json owner = JSON_GET(f->payload, "ownerToken");
	struct json device = JSON_GET(f->payload, "device");
	struct json of = json_is(token) ? token : device;

	if (json_is(owner))
		return arena_printf(a->mem, "the owner's token was replaced, %s",
		                    out_safe(a->mem, json_str(JSON_GET(owner, "tokenId"))))
		        .ptr;
	if (!json_is(of))
		return NULL;
	return arena_printf(a->mem, "%s %s, %s", json_is(token) ? "token" : "device",
	                    out_safe(a->mem, json_str(JSON_GET(of, "name"))),
	                    out_safe(a->mem, json_str(JSON_GET(of, "state"))))
	        .ptr;
}

static const char *summary_of(const struct audit *a, const struct row *row,
                              const struct shown_event *f)
{
	struct json key = JSON_GET(f->payload, "signingKey");
	struct json removed = JSON_GET(f->payload, "removed");
	const char *credential = row->topic == TOPIC_KEYS ? credential_of(a, f) : NULL;

	if (row->topic == TOPIC_ERASURES && json_is(removed))
		return arena_printf(a->mem, "session %s was deleted, %lld events",
		                    out_safe(a->mem, json_str(JSON_GET(removed, "sessionId"))),
		                    (long long)json_int(JSON_GET(removed, "lastSequence"), 0))
		        .ptr;
	if (credential)
		return credential;
	if (row->topic == TOPIC_EXPORTS && json_bool(JSON_GET(f->payload, "decisions"), false))
		return arena_printf(a->mem, "%s, with what decisions were given",
		                    shown_event_summary(a->mem, f))
		        .ptr;
	if (row->topic != TOPIC_KEYS || !json_is(key))
		return shown_event_summary(a->mem, f);
	return arena_printf(a->mem, "signing key %s, held by %s",
	                    out_safe(a->mem, json_str(JSON_GET(key, "keyId"))),
	                    out_safe(a->mem, json_str(JSON_GET(key, "origin"))))
	        .ptr;
}

static void put_csv(const struct audit *a, const struct row *row, const struct shown_event *f,
                    struct str at, struct str principal)
{
	put_cell(at, false);
	put_cell(f->session, false);
	printf("%lld,", (long long)f->sequence);
	put_cell(str_from(topic_words[row->topic]), false);
	put_cell(str_is(principal) ? principal : STR(""), false);
	put_cell(f->type, false);
	put_cell(str_from(summary_of(a, row, f)), true);
}

static void put_line(const struct audit *a, const struct row *row, const struct shown_event *f,
                     struct str at, struct str principal)
{
	printf("%s  %s %lld  %-9s  %s  %s  %s\n", out_safe(a->mem, str_head(at, 19)),
	       out_safe(a->mem, f->session), (long long)f->sequence, topic_words[row->topic],
	       str_is(principal) ? out_safe(a->mem, principal) : "-", out_safe(a->mem, f->type),
	       summary_of(a, row, f));
}

static void put_event(struct audit *a, const struct row *row, const struct shown_event *f,
                      struct str raw)
{
	struct str at = json_str(JSON_GET(f->v, "timestamp")), principal = principal_of(a, f);

	if (!is_wanted(a, at, principal))
		return;
	if (a->form == FORM_CSV) {
		put_csv(a, row, f, at, principal);
	} else if (a->form == FORM_TABLE) {
		put_line(a, row, f, at, principal);
	} else {
		fwrite(raw.ptr, 1, raw.len, stdout);
		putchar('\n');
	}
	a->printed++;
}

/* ---- reading ---- */

/* An event as it is stored; a CloudEvent has it as its data. */
static bool read_event(struct audit *a, struct str raw, struct shown_event *ret)
{
	struct json v;

	if (a->form != FORM_CLOUDEVENTS)
		return shown_event_read(a->mem, raw, ret);
	return json_read_trusted(a->mem, raw, &v, NULL) == OK &&
	       shown_event_read(a->mem, json_text(a->mem, JSON_GET(v, "data")), ret);
}

/* Only the first event of a command names its caller. */
static void keep_caller(struct audit *a, const struct shown_event *f)
{
	struct str by = json_str(shown_event_path(f->v, STR("command.principal"))),
		   request = json_str(JSON_GET(f->v, "requestId"));

	if (!str_is(by) || !str_is(request))
		return;
	arena_reset(a->kept);
	a->request = arena_keep(a->kept, request);
	a->principal = arena_keep(a->kept, by);
}

static void take_event(struct audit *a, struct str raw)
{
	struct shown_event f;
	const struct row *row;

	arena_reset(a->mem);
	if (str_starts(raw, STR("{\"gap\":"))) {
		a->is_damaged |= str_find(raw, STR("\"corrupt\"")) >= 0;
		return;
	}
	if (!read_event(a, raw, &f))
		return;
	keep_caller(a, &f);
	a->removals += json_is(JSON_GET(f.payload, "removedThrough"));
	a->deleted += json_is(JSON_GET(f.payload, "removed"));
	row = row_of(a, &f);
	if (row)
		put_event(a, row, &f, raw);
}

/* Is the class of this row wanted, and not written for an earlier one? */
static bool is_new_type(const struct audit *a, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (a->wants[rows[i].topic] && strcmp(rows[i].type, rows[row].type) == 0)
			return false;
	return a->wants[rows[row].topic];
}

static bool is_asked(const struct audit *a, const char *type)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (a->wants[rows[i].topic] && strcmp(rows[i].type, type) == 0)
			return true;
	return false;
}

static void write_types(const struct audit *a, struct params *p)
{
	jw_key(&p->w, STR("types"));
	jw_arr(&p->w);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (is_new_type(a, i))
			jw_str(&p->w, str_from(rows[i].type));
	/* First events of commands, and removals, whatever was asked for. */
	for (size_t i = 0; i < COUNT_OF(others); i++)
		if (!is_asked(a, others[i]))
			jw_str(&p->w, str_from(others[i]));
	jw_arr_end(&p->w);
}

static int read_all(struct audit *a)
{
	bool lists_erasures = a->c->opts.what && strcmp(a->c->opts.what, "erasures") == 0;
	struct thole_stream *s;
	struct params p;
	int code = CODE_DONE, end;
	char *text;
	size_t len;

	params_begin(&p);
	params_bool(&p, "follow", false);
	write_types(a, &p);
	params_cstr(&p, "as", a->form == FORM_CLOUDEVENTS ? "cloudevents" : NULL);
	s = connection_subscribe(a->c, &p, &code);
	if (!s)
		return code;
	if (a->form == FORM_CSV)
		fputs("time,session,sequence,what,principal,type,summary\r\n", stdout);
	while ((end = thole_next(s, -1, &text, &len)) == THOLE_OK) {
		take_event(a, str_of(text, len));
		thole_free(text);
	}
	thole_unsubscribe(s);
	/* Both are in the list of erasures; other lists point there. */
	if (a->removals && !lists_erasures)
		out_note(a->c, TONE_BAD,
		         "The beginning of logs was removed %lld time%s; what was decided there is "
		         "not in this list. See: thole audit --what erasures",
		         (long long)a->removals, a->removals == 1 ? "" : "s");
	if (a->deleted && !lists_erasures)
		out_note(a->c, TONE_BAD,
		         "%lld session%s deleted; what was decided there is not in this list. See: "
		         "thole audit --what erasures",
		         (long long)a->deleted, a->deleted == 1 ? " was" : "s were");
	if (end == THOLE_ENDED && !a->is_damaged)
		return CODE_DONE;
	out_error(a->c, a->is_damaged
	                        ? "Events are damaged on disk and left out. See `thole doctor`."
	                        : "The connection was closed before all events had come.");
	return CODE_FAILED;
}

int verb_audit(struct cli *c)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(arena_freep) struct arena *kept = arena_new();
	struct audit a = { .c = c, .mem = mem, .kept = kept };
	int code = read_options(&a);

	if (!code)
		code = connection_open_to_read(c);
	return code ? code : read_all(&a);
}
