/* Steps about the ways to a runtime: the same events over each, and nothing for a caller without a token. */
#include "app/cli/conform/scenario.h"

/* What one transport sent, beside the log. */
struct comparison {
	struct scenario *s;
	struct str name;
	size_t at;
};

/* Spaces do not count: a page and a notification contain the event as a part of a larger document. */
static void compare_event(void *to, struct str text)
{
	struct comparison *c = to;
	struct json e;

	if (json_read(c->s->mem, text, &e, NULL) != OK)
		scenario_values_fail(c->s, "%.*s carries what is no event", STR_ARG(c->name));
	else if (c->at >= c->s->event_count ||
	         !str_eq(json_text(c->s->mem, e), json_text(c->s->mem, c->s->events[c->at])))
		scenario_values_fail(c->s, "%.*s: event %zu is another than in the log",
		                     STR_ARG(c->name), c->at + 1);
	c->at++;
}

static bool compare_transport(struct scenario *s, struct str name, struct str session)
{
	struct comparison c = { s, name, 0 };
	const struct scenario_driver *d = s->driver;

	if (!d->events_over(d->arg, s->mem, name, session, s->event_count, compare_event, &c))
		return scenario_values_fail(s, "the events cannot be read over %.*s",
		                            STR_ARG(name));
	if (c.at != s->event_count)
		return scenario_values_fail(s, "%.*s carries %zu events, the log has %zu",
		                            STR_ARG(name), c.at, s->event_count);
	scenario_values_answered(s, arena_printf(s->mem, "transport %.*s", STR_ARG(name)),
	                         THOLE_OK);
	return s->result == SCENARIO_PASS;
}

/* The log is what `then` and `last` have read, so nothing may run meanwhile. */
bool scenario_transport_step(struct scenario *s, struct str rest)
{
	const struct str *session = map_get(&s->values, STR("session"));

	if (!s->driver->events_over) {
		s->result = SCENARIO_NOT_SHOWN;
		return false;
	}
	while (session && str_is(rest)) {
		struct str name = str_trim(str_cut(&rest, ' '));

		if (name.len && !compare_transport(s, name, *session))
			return false;
	}
	return session || scenario_values_fail(s, "there is no session");
}

bool scenario_transport_step_listen(struct scenario *s, struct str rest)
{
	if (!s->driver->listen)
		s->result = SCENARIO_NOT_SHOWN;
	return s->driver->listen &&
	       (s->driver->listen(s->driver->arg) || scenario_values_fail(s, "there is no port"));
}

bool scenario_transport_step_stranger(struct scenario *s, struct str rest)
{
	struct str expected = str_cut(&rest, ' '), command = str_cut(&rest, ' ');
	struct str body = scenario_values_fill(s, rest.len ? rest : STR("{}"));
	struct str got;
	int code;

	if (!s->driver->stranger)
		s->result = SCENARIO_NOT_SHOWN;
	if (!s->driver->stranger || !str_is(body))
		return false;
	code = s->driver->stranger(s->driver->arg, s->mem, command, body, &s->reply);
	scenario_values_answered(s, command, code);
	if (code != THOLE_OK && code != THOLE_REFUSED)
		return scenario_values_fail(s, "%.*s of a stranger got no answer",
		                            STR_ARG(command));
	if (code == THOLE_OK)
		return scenario_values_fail(s, "%.*s was accepted from a stranger",
		                            STR_ARG(command));
	got = json_str(JSON_GET(s->reply, "code"));
	return str_eq(got, expected) ||
	       scenario_values_fail(s, "%.*s of a stranger was refused with %.*s, not %.*s",
	                            STR_ARG(command), STR_ARG(got), STR_ARG(expected));
}
