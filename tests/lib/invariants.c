#include "invariants_int.h"

#include "base/os/clock.h"
#include "base/os/id.h"
#include "base/memory.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define PROFILE_BASE "https://limecloud.github.io/agentruntime/schemas/"
#define OWN_EVENT "urn:thole:schema:event"
#define OWN_SNAPSHOT "urn:thole:schema:snapshot"

/* ---- schemas: those of the catalogue always, the standard's where they are ---- */

static bool read_file(const char *path, struct buf *out)
{
	FILE *f = fopen(path, "rb");
	size_t got;

	buf_clear(out);
	if (!f)
		return false;
	do {
		char *at = buf_reserve(out, 65536);

		got = fread(at, 1, 65536, f);
		out->len += got;
	} while (got);
	fclose(f);
	return true;
}

static _Noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "invariants: %s: %s\n", what, why);
	abort();
}

/* The profile refers to the public schemas under its own address (GAP-01). */
static bool add_schemas(struct invariants *l, const char *dir)
{
	DIR *d = opendir(dir);
	struct buf text = { 0 };

	if (!d)
		return false;
	for (struct dirent *ent; (ent = readdir(d));) {
		struct error e = { 0 };
		char path[4096];

		if (!str_ends(str_from(ent->d_name), STR(".json")))
			continue;
		snprintf(path, sizeof path, "%s/%s", dir, ent->d_name);
		if (!read_file(path, &text) ||
		    schema_set_add(l->set, STR_NONE, buf_str(&text), &e) ||
		    schema_set_add(l->set, arena_printf(l->mem, PROFILE_BASE "%s", ent->d_name),
		                   buf_str(&text), &e))
			die(ent->d_name, e.message);
	}
	closedir(d);
	buf_done(&text);
	return true;
}

static struct schema *compile_uri(struct invariants *l, struct str uri)
{
	struct schema_options options = { .assert_formats = true };
	struct schema *s = NULL;
	struct error e = { 0 };

	if (schema_compile(l->set, uri, &options, &s, &e))
		die(uri.ptr, e.message);
	return s;
}

static struct schema *compile(struct invariants *l, const char *name)
{
	return compile_uri(l, arena_printf(l->mem, PROFILE_BASE "%s", name));
}

/* The schemas that scripts/catalog.py writes; tests run at the top of the sources. */
static void read_own(struct invariants *l, const char *name, struct buf *out)
{
	const char *source = getenv("THOLE_SOURCE");
	struct str path = arena_printf(l->mem, "%s/docs/reference/schemas/%s.schema.json",
	                               source ? source : ".", name);

	if (!read_file(path.ptr, out))
		die(path.ptr, "cannot be read");
}

static struct schema *compile_own_snapshot(struct invariants *l)
{
	struct buf text = { 0 };
	struct error e = { 0 };

	read_own(l, "snapshot", &text);
	if (schema_set_add(l->set, STR(OWN_SNAPSHOT), buf_str(&text), &e))
		die("snapshot.schema.json", e.message);
	buf_done(&text);
	return compile_uri(l, STR(OWN_SNAPSHOT));
}

/*
 * The schema of events is an envelope and, in allOf, one "if it is this class,
 * then" per class.  Asking all 120 takes longer than the rest of the check, so
 * allOf is renamed to an unknown keyword, and each event is checked against the
 * envelope and the "then" of its class, which is the same.
 */
static struct schema *compile_own_event(struct invariants *l)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct buf text = { 0 };
	struct error e = { 0 };
	struct json doc, branch;
	struct json_iter it;
	struct str key;
	char *all_of;
	int n = 0;

	read_own(l, "event", &text);
	buf_add_char(&text, '\0');
	text.len--;
	all_of = strstr(text.ptr, "\n  \"allOf\":");
	if (!all_of)
		die("event.schema.json", "has no allOf");
	memcpy(all_of, "\n  \"x-all\":", strlen("\n  \"x-all\":"));
	if (schema_set_add(l->set, STR(OWN_EVENT), buf_str(&text), &e) ||
	    json_read(mem, buf_str(&text), &doc, &e))
		die("event.schema.json", e.message);
	for (it = json_iter(JSON_GET(doc, "x-all")); json_next(&it, &key, &branch); n++) {
		struct json type = JSON_GET(JSON_GET(JSON_GET(branch, "if"), "properties"), "type");
		uint32_t class = rec_enum_read(&enum_event_type, json_str(JSON_GET(type, "const")));

		if (!class || l->branch[class])
			die("event.schema.json", "allOf is not one branch per class");
		l->branch[class] = n + 1;
	}
	if (n != EV_COUNT - 1)
		die("event.schema.json", "a class has no branch");
	buf_done(&text);
	return compile_uri(l, STR(OWN_EVENT));
}

/* Compiled when it is first asked for. */
static struct schema *class_schema(struct invariants *l, enum event_type type)
{
	if (!l->class[type])
		l->class[type] = compile_uri(
			l, arena_printf(l->mem, OWN_EVENT "#/x-all/%d/then", l->branch[type] - 1));
	return l->class[type];
}

struct invariants *invariants_new(void)
{
	struct invariants *l = memory_zeroed(1, sizeof *l);
	const char *specs = getenv("THOLE_SPECS");

	l->mem = arena_new();
	l->set = schema_set_new();
	l->event[INVARIANT_SCHEMA_OWN] = compile_own_event(l);
	l->snapshot[INVARIANT_SCHEMA_OWN] = compile_own_snapshot(l);
	if (!specs)
		specs = "../shared/specs"; /* tests run at the top of the sources */
	if (!add_schemas(l, arena_printf(l->mem, "%s/agent-runtime/schemas", specs).ptr))
		return l;
	l->event[INVARIANT_SCHEMA_PUBLIC] = compile(l, "agentruntime-event.schema.json");
	l->event[INVARIANT_SCHEMA_PROFILE] =
		compile(l, "agentruntime-lime-profile-event.schema.json");
	l->snapshot[INVARIANT_SCHEMA_PUBLIC] = compile(l, "agentruntime-snapshot.schema.json");
	l->snapshot[INVARIANT_SCHEMA_PROFILE] =
		compile(l, "agentruntime-lime-profile-snapshot.schema.json");
	return l;
}

void invariants_free(struct invariants *l)
{
	if (!l)
		return;
	for (int i = 0; i < INVARIANT_SCHEMAS; i++) {
		schema_compile_free(l->event[i]);
		schema_compile_free(l->snapshot[i]);
	}
	for (int i = 0; i < EV_COUNT; i++)
		schema_compile_free(l->class[i]);
	schema_set_free(l->set);
	arena_free(l->mem);
	memory_free(l);
}

bool invariants_have_schemas(const struct invariants *l)
{
	return l->event[INVARIANT_SCHEMA_PROFILE] != NULL;
}

void invariants_foreign(struct invariants *l)
{
	l->is_foreign = true;
}

static bool satisfies(struct invariants *l, const struct schema *s, const char *name,
                      struct json value, struct str *ret_why)
{
	struct schema_report report = { .mem = l->mem, .max = 1 };

	if (!s || schema_check(s, value, NULL) || schema_check(s, value, &report))
		return true;
	*ret_why = arena_printf(l->mem, "%s schema: %.*s %.*s", name,
	                        STR_ARG(report.errors[0].path), STR_ARG(report.errors[0].message));
	return false;
}

/* The profile includes the public schema and is asked before it, so that the reason is the nearer one. */
bool invariants_valid(struct invariants *l, struct schema *const schemas[INVARIANT_SCHEMAS],
                      struct json value, struct str *ret_why)
{
	return satisfies(l, schemas[INVARIANT_SCHEMA_OWN], "catalogue's", value, ret_why) &&
	       satisfies(l, schemas[INVARIANT_SCHEMA_PROFILE], "profile's", value, ret_why) &&
	       satisfies(l, schemas[INVARIANT_SCHEMA_PUBLIC], "public", value, ret_why);
}

static bool valid_event(struct invariants *l, enum event_type type, struct json doc,
                        struct str *ret_why)
{
	return invariants_valid(l, l->event, doc, ret_why) &&
	       satisfies(l, class_schema(l, type), "catalogue's", doc, ret_why);
}

bool invariants_without_null(struct arena *mem, struct json v, struct str path,
                             struct str *ret_where)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;
	size_t n = 0;

	if (json_type(v) == JSON_NULL) {
		*ret_where = path;
		return false;
	}
	for (; json_next(&it, &key, &each); n++) {
		if (json_type(each) != JSON_NULL && json_type(each) != JSON_OBJ &&
		    json_type(each) != JSON_ARR)
			continue;
		struct str below =
			str_is(key) ? arena_printf(mem, "%.*s/%.*s", STR_ARG(path), STR_ARG(key))
				    : arena_printf(mem, "%.*s/%zu", STR_ARG(path), n);

		if (!invariants_without_null(mem, each, below, ret_where))
			return false;
	}
	return true;
}

/* ---- logs ---- */

struct invariant_log *invariant_log_new(struct invariants *l)
{
	struct invariant_log *g = memory_zeroed(1, sizeof *g);

	g->invariants = l;
	g->mem = arena_new();
	g->state = state_new();
	g->state->is_strict = true;
	return g;
}

void invariant_log_free(struct invariant_log *g)
{
	if (!g)
		return;
	map_done(&g->things);
	map_done(&g->event_ids);
	state_free(g->state);
	arena_free(g->mem);
	memory_free(g);
}

bool invariant_broken(struct invariant_log *g, const struct event *ev, struct error *e,
                      const char *fmt, ...)
{
	char text[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	g->is_broken = true;
	if (ev)
		fail(e, ERR_INVALID, "%.*s %lld %.*s: %s", STR_ARG(ev->session_id),
		     (long long)ev->sequence, STR_ARG(event_type_word(ev->type)), text);
	else
		fail(e, ERR_INVALID, "%.*s: %s", STR_ARG(g->state->s->session_id), text);
	return false;
}

const struct state *invariant_state(const struct invariant_log *g)
{
	return g->state;
}

size_t invariant_count(const struct invariant_log *g)
{
	return g->count;
}

struct str invariant_line(const struct invariant_log *g, size_t index)
{
	return g->lines[index];
}

const struct event *invariant_event(const struct invariant_log *g, size_t index)
{
	return g->events[index];
}

/* ---- shape and place ---- */

/* Every member whose name ends in Id is one. */
static bool check_ids(struct invariant_log *g, const struct event *ev, struct json doc,
                      struct error *e)
{
	struct json_iter it = json_iter(doc);
	struct json each;
	struct str key;

	while (json_next(&it, &key, &each))
		if (str_ends(key, STR("Id")) && !id_is_valid(json_str(each)))
			return invariant_broken(g, ev, e, "%.*s is no id", STR_ARG(key));
	return true;
}

static bool check_shape(struct invariant_log *g, const struct event *ev, struct json doc,
                        struct str line, struct error *e)
{
	struct invariants *l = g->invariants;
	struct error why = { 0 };
	struct str text;
	char time[TIME_TEXT_MAX];

	if (!(l->is_foreign && !event_classes[ev->type].is_built) &&
	    catalog_event_check(ev, &why) != OK)
		return invariant_broken(g, ev, e, "shape gate: %s", why.message);
	if (line.len > LIMIT_EVENT_BYTES)
		return invariant_broken(g, ev, e, "%zu bytes", line.len);
	if (!invariants_without_null(l->mem, doc, STR(""), &text))
		return invariant_broken(g, ev, e, "null at %.*s", STR_ARG(text));
	if (!valid_event(l, ev->type, doc, &text))
		return invariant_broken(g, ev, e, "%.*s", STR_ARG(text));
	clock_time_write(ev->timestamp, time);
	if (!str_eq(json_str(JSON_GET(doc, "timestamp")), str_from(time)))
		return invariant_broken(g, ev, e, "timestamp is not in the one form");
	if (!check_ids(g, ev, doc, e))
		return false;
	if (!l->is_foreign && !str_eq(rec_text(l->mem, &event_desc, ev), line))
		return invariant_broken(g, ev, e, "read and written again it is another line");
	return true;
}

static bool check_place(struct invariant_log *g, const struct event *ev, struct str line,
                        const struct sha256 *hash, struct error *e)
{
	if (ev->sequence != (int64_t)g->count + 1)
		return invariant_broken(g, ev, e, "sequence does not follow %zu", g->count);
	if (ev->timestamp < g->time)
		return invariant_broken(g, ev, e, "time goes back by %lld ms",
		                        (long long)(g->time - ev->timestamp));
	if (map_get(&g->event_ids, ev->event_id))
		return invariant_broken(g, ev, e, "eventId twice");
	if (g->count && !str_eq(ev->session_id, g->events[0]->session_id))
		return invariant_broken(g, ev, e, "of another session");
	map_put(&g->event_ids, ev->event_id, (void *)ev);
	g->time = ev->timestamp;
	g->hash = sha256_link(&g->hash, line);
	if (hash && !sha256_eq(&g->hash, hash))
		return invariant_broken(g, ev, e, "the chain is broken");
	return true;
}

static void keep(struct invariant_log *g, struct str line, struct event *ev)
{
	if (g->count == g->cap) {
		size_t cap = g->cap ? g->cap * 2 : 256;

		g->lines = arena_grow(g->mem, g->lines, g->count * sizeof *g->lines,
		                      cap * sizeof *g->lines);
		g->events = arena_grow(g->mem, g->events, g->count * sizeof *g->events,
		                       cap * sizeof *g->events);
		g->cap = cap;
	}
	g->lines[g->count] = line;
	g->events[g->count++] = ev;
}

bool invariant_feed(struct invariant_log *g, struct str line, const struct sha256 *hash,
                    struct error *e)
{
	struct event *ev = ARENA_NEW(g->mem, struct event);
	struct error why = { 0 };
	struct json doc;

	if (g->is_broken)
		return invariant_broken(g, NULL, e, "it is broken already");
	arena_reset(g->invariants->mem);
	if (json_read(g->mem, line, &doc, &why) != OK ||
	    rec_read(g->mem, doc, &event_desc, REC_TRUSTED, ev, &why) != OK)
		return invariant_broken(g, NULL, e, "event %zu cannot be read: %s", g->count + 1,
		                        why.message);
	if (!check_shape(g, ev, doc, line, e) || !check_place(g, ev, line, hash, e) ||
	    !invariant_order(g, ev, e))
		return false;
	state_fold(g->state, ev);
	keep(g, line, ev);
	return true;
}

bool invariants_check(struct invariants *l, const struct str *lines, const struct sha256 *hashes,
                      size_t count, enum invariant_rest how, const struct settings *settings,
                      struct error *e)
{
	struct invariant_log *g = invariant_log_new(l);
	bool holds = true;

	for (size_t i = 0; i < count && holds; i++)
		holds = invariant_feed(g, lines[i], hashes ? &hashes[i] : NULL, e);
	holds = holds && invariant_rest(g, how, e) && invariant_folds(g, settings, count, 8, e);
	invariant_log_free(g);
	return holds;
}
