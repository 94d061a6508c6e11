/* Checks of values: within one event, and between events that share an id. */
#include "base/os/clock.h"
#include "conform/event_select.h"
#include "conform/row_check.h"

#define SERIES 3 /* times that are no chance */
#define SHOWN 80 /* bytes of a foreign value in a message */

/* ---- within one event ---- */

void check_value_schema(struct check *c, const struct log_event *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct schema_report report = { .mem = mem, .max = 1 };

	c->seen++;
	if (schema_check(c->schema, e->v, &report))
		return;
	log_finding_add(e->p, c, &e->spot, "%.*s%s%.*s", STR_ARG(report.errors[0].path),
	                report.errors[0].path.len ? " " : "the event ",
	                STR_ARG(report.errors[0].message));
}

static bool is_there(struct json v)
{
	return json_is(v) && (json_type(v) != JSON_STR || json_str(v).len);
}

void check_value_has(struct check *c, const struct log_event *e)
{
	c->seen++;
	for (size_t i = 0; i < c->members.count; i++) {
		struct str rest = c->members.items[i], name = str_cut(&rest, '|');
		bool is_in_payload = json_is(json_get(JSON_GET(e->v, "payload"), name));

		if (is_there(event_select_place(e->v, c->members.items[i])))
			continue;
		log_finding_add(e->p, c, &e->spot, "%.*s lacks %.*s%s",
		                STR_ARG(str_head(e->type, SHOWN)), STR_ARG(name),
		                is_in_payload ? ", which is in its payload" : "");
		return;
	}
}

void check_value_equal(struct check *c, const struct log_event *e)
{
	struct json first = event_select_place(e->v, c->members.items[0]);

	for (size_t i = 1; i < c->members.count && json_is(first); i++) {
		struct json other = event_select_place(e->v, c->members.items[i]);

		if (!json_is(other))
			continue;
		c->seen++;
		if (!json_equal(first, other))
			log_finding_add(e->p, c, &e->spot, "%.*s differs from %.*s",
			                STR_ARG(c->members.items[0]), STR_ARG(c->members.items[i]));
	}
}

/* ---- text that must not leave ---- */

/* 4711, 4.711e3 and 4711.0 are one number. */
static bool has_digits(struct arena *mem, struct json v, struct str what)
{
	struct json number;

	return str_find(json_text(mem, v), what) >= 0 ||
	       (json_read(mem, what, &number, NULL) == OK &&
	        (json_type(number) == JSON_INT || json_type(number) == JSON_REAL) &&
	        json_real(number, 0) == json_real(v, 1));
}

static bool has_number(struct json v, struct str what)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	return what.len && strspn(what.ptr, "0123456789+-.eE") >= what.len &&
	       has_digits(mem, v, what);
}

static bool has_text(struct json v, struct str what)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	if (json_type(v) == JSON_STR)
		return str_find(json_str(v), what) >= 0;
	if (json_type(v) == JSON_INT || json_type(v) == JSON_REAL)
		return has_number(v, what);
	while (json_next(&it, &key, &each))
		if ((str_is(key) && str_find(key, what) >= 0) || has_text(each, what))
			return true;
	return false;
}

void check_value_absent(struct check *c, const struct log_event *e, struct str const *canaries,
                        size_t count)
{
	c->seen += count > 0;
	for (size_t i = 0; i < count; i++)
		if (has_text(e->v, canaries[i])) {
			log_finding_add(e->p, c, &e->spot, "%.*s contains canary %zu",
			                STR_ARG(str_head(e->type, SHOWN)), i + 1);
			return;
		}
}

/* ---- between events ---- */

struct known_value {
	struct str value;
	int64_t line;
};

/* A text or a whole number, as text; absent: it is neither. */
static struct str comparable(const struct log_event *e, struct str place)
{
	struct json v = event_select_place(e->v, place);

	return json_type(v) == JSON_INT ? json_text(e->p->log, v) : event_select_id(e->v, place);
}

void check_value_same(struct check *c, const struct log_event *e)
{
	struct str id = event_select_id(e->v, c->per), value = comparable(e, c->of);
	struct known_value *k;

	if (!str_is(id) || !str_is(value))
		return;
	c->seen++;
	k = map_get(&c->known, log_finding_key(e, id));
	if (!k) {
		k = ARENA_NEW(e->p->log, struct known_value);
		*k = (struct known_value){ arena_keep(e->p->log, value), e->spot.line };
		map_put(&c->known, log_finding_key(e, id), k);
	} else if (!str_eq(k->value, value)) {
		log_finding_add(e->p, c, &e->spot,
		                "%.*s %.*s has %.*s %.*s here and %.*s in line %lld",
		                STR_ARG(c->per), STR_ARG(str_head(id, SHOWN)), STR_ARG(c->of),
		                STR_ARG(str_head(value, SHOWN)), STR_ARG(str_head(k->value, SHOWN)),
		                (long long)k->line);
	}
}

/* One value under two names is one id for two things. */
void check_value_distinct(struct check *c, const struct log_event *e)
{
	for (size_t i = 0; i < c->members.count; i++) {
		struct str value = event_select_id(e->v, c->members.items[i]);
		const struct str *name;

		if (!str_is(value))
			continue;
		c->seen++;
		name = map_get(&c->known, value);
		if (!name)
			map_put(&c->known, arena_keep(e->p->log, value), &c->members.items[i]);
		else if (!str_eq(*name, c->members.items[i]))
			log_finding_add(e->p, c, &e->spot, "%.*s is the %.*s and the %.*s",
			                STR_ARG(str_head(value, SHOWN)), STR_ARG(*name),
			                STR_ARG(c->members.items[i]));
	}
}

void check_value_unique(struct check *c, const struct log_event *e)
{
	struct str value = event_select_id(e->v, c->of);
	const struct known_value *k;
	struct known_value *made;

	if (!str_is(value))
		return;
	c->seen++;
	k = map_get(&c->known, value);
	if (k) {
		log_finding_add(e->p, c, &e->spot,
		                "%.*s %.*s is that of another event, in line %lld", STR_ARG(c->of),
		                STR_ARG(str_head(value, SHOWN)), (long long)k->line);
		return;
	}
	made = ARENA_NEW(e->p->log, struct known_value);
	*made = (struct known_value){ .line = e->spot.line };
	map_put(&c->known, arena_keep(e->p->log, value), made);
}

/* ---- numbers that rise ---- */

struct known_number {
	int64_t value, lost;
	struct str turn;
};

static bool number_of(const struct check *c, const struct log_event *e, int64_t *ret)
{
	struct json v = event_select_place(e->v, c->of);

	if (json_type(v) == JSON_STR)
		return clock_time_read(json_str(v), ret);
	*ret = json_int(v, 0);
	return json_type(v) == JSON_INT;
}

static void compare_numbers(struct check *c, const struct log_event *e,
                            const struct known_number *before, int64_t now)
{
	bool is_time = json_type(event_select_place(e->v, c->of)) == JSON_STR;
	struct str turn = json_str(JSON_GET(e->v, "turnId"));

	if (is_time) {
		if (now < before->value && before->value - now > c->slack_ms)
			log_finding_add(e->p, c, &e->spot,
			                "%.*s is %lld ms before that of the previous event",
			                STR_ARG(c->of), (long long)(before->value - now));
	} else if (now < before->value || (c->step && now == before->value)) {
		log_finding_add(e->p, c, &e->spot, "%.*s %lld follows %lld%s", STR_ARG(c->of),
		                (long long)now, (long long)before->value,
		                now <= 1 && !str_eq(turn, before->turn)
		                        ? ": it starts again with the turn"
		                        : "");
	} else if (c->step && now - before->value != c->step && e->lost == before->lost) {
		log_finding_add(e->p, c, &e->spot, "%.*s %lld follows %lld: events are missing",
		                STR_ARG(c->of), (long long)now, (long long)before->value);
	}
}

/*
 * One series under many ids: a log whose every event has an id of its own has nothing to compare.
 * Of a log that begins in the middle, an id may begin one above the event before by chance.
 */
static void check_series(struct check *c, const struct log_event *e, int64_t now)
{
	if (!c->step || c->latest < 1 || now != c->latest + c->step)
		return;
	if (++c->continued == SERIES)
		log_finding_add(e->p, c, &e->spot, "%.*s %lld continues under another %.*s again",
		                STR_ARG(c->of), (long long)now, STR_ARG(c->per));
}

void check_value_rises(struct check *c, const struct log_event *e)
{
	struct str id = str_is(c->per) ? event_select_id(e->v, c->per) : STR("");
	struct known_number *before;
	int64_t now;

	if (!str_is(id) || !number_of(c, e, &now))
		return;
	before = map_get(&c->known, id);
	c->seen += before != NULL; /* one alone does not rise */
	if (before) {
		compare_numbers(c, e, before, now);
	} else {
		check_series(c, e, now);
		before = ARENA_NEW(e->p->log, struct known_number);
		map_put(&c->known, arena_keep(e->p->log, id), before);
	}
	c->latest = now;
	*before =
		(struct known_number){ now, e->lost,
		                       arena_keep(e->p->log, json_str(JSON_GET(e->v, "turnId"))) };
}
