/* The steps of a scenario, one after the other, until one fails. */
#include "app/cli/conform/scenario.h"

#include "base/os/clock.h"

#include <poll.h>
#include <stdlib.h>

#define PATIENCE_MS 60000
#define LOOK_AGAIN_MS 10
#define EVENTS_MAX 100000

/* ---- the log ---- */

static void note_event(struct scenario *s, struct json e)
{
	struct json_iter it = json_iter(JSON_GET(e, "refs"));
	struct str type = json_str(JSON_GET(e, "type")), key;
	struct json ref;

	if (str_eq(type, STR("action.required")))
		scenario_values_set(s, STR("action"), json_str(JSON_GET(e, "actionId")));
	if (str_eq(type, STR("tool.started")))
		scenario_values_set(s, STR("tool"), json_str(JSON_GET(e, "toolCallId")));
	if (str_is(json_str(JSON_GET(e, "outputRef"))))
		scenario_values_set(s, STR("output"), json_str(JSON_GET(e, "outputRef")));
	while (json_next(&it, &key, &ref))
		if (str_is(key) && str_is(json_str(ref)))
			scenario_values_set(s, arena_printf(s->mem, "ref_%.*s", STR_ARG(key)),
			                    json_str(ref));
}

static void take_event(void *to, struct str text)
{
	struct scenario *s = to;
	struct str line = str_trim(text);
	struct json e;

	if (map_get(&s->lines, line))
		return;
	if (s->lines.count >= EVENTS_MAX) {
		scenario_values_fail(s, "more than %d events came", EVENTS_MAX);
		return;
	}
	map_put(&s->lines, arena_keep(s->mem, line), s);
	buf_add_str(&s->log, line);
	buf_add_char(&s->log, '\n');
	if (json_read(s->mem, text, &e, NULL) != OK)
		return;
	s->events = arena_grow(s->mem, s->events, s->event_count * sizeof e,
	                       (s->event_count + 1) * sizeof e);
	s->events[s->event_count++] = e;
	note_event(s, e);
}

static bool pull(struct scenario *s)
{
	const struct str *session = map_get(&s->values, STR("session"));
	int64_t after = s->event_count
	                        ? json_int(JSON_GET(s->events[s->event_count - 1], "sequence"),
	                                   (int64_t)s->event_count)
	                        : 0;

	if (session && !s->driver->events(s->driver->arg, *session, after, take_event, s))
		return scenario_values_fail(s, "the events of session %.*s cannot be read",
		                            STR_ARG(str_head(*session, 80)));
	return true;
}

static struct str type_at(const struct scenario *s, size_t i)
{
	return json_str(JSON_GET(s->events[i], "type"));
}

/* ---- waiting ---- */

/* Asks again until it is so or the deadline has passed. */
static bool wait_until(struct scenario *s, bool (*is_so)(struct scenario *s, struct str arg),
                       struct str arg)
{
	int64_t patience = s->driver->patience_ms ? s->driver->patience_ms : PATIENCE_MS;
	int64_t until = clock_mono_ms() + patience;

	while (s->result == SCENARIO_PASS && !is_so(s, arg)) {
		if (clock_mono_ms() > until)
			return false;
		poll(NULL, 0, LOOK_AGAIN_MS);
	}
	return s->result == SCENARIO_PASS;
}

/* Adjacent events from s->seen on, unless "..." is between. */
static bool have_come(struct scenario *s, struct str wanted)
{
	size_t at = s->seen;
	bool is_loose = false;

	if (!pull(s))
		return false;
	while (str_is(wanted)) {
		struct str word = str_trim(str_cut(&wanted, ' '));

		if (!word.len || str_eq(word, STR("..."))) {
			is_loose = is_loose || word.len;
			continue;
		}
		while (is_loose && at < s->event_count && !str_eq(type_at(s, at), word))
			at++;
		if (at >= s->event_count || !str_eq(type_at(s, at), word))
			return false;
		at++;
		is_loose = false;
	}
	s->seen = at;
	return true;
}

static bool step_then(struct scenario *s, struct str rest)
{
	size_t from = s->seen;
	struct buf came = { 0 };

	if (wait_until(s, have_come, rest))
		return true;
	for (size_t i = from; i < s->event_count; i++)
		buf_printf(&came, " %.*s", STR_ARG(type_at(s, i)));
	scenario_values_fail(s, "these events did not come: %.*s; came:%.*s",
	                     STR_ARG(str_head(rest, 150)), STR_ARG(str_head(buf_str(&came), 200)));
	buf_done(&came);
	return false;
}

/* ---- commands ---- */

static bool begin(struct scenario *s)
{
	if (s->has_begun)
		return true;
	s->has_begun = true;
	return !s->driver->begin ||
	       s->driver->begin(s->driver->arg, s->script, s->options, s->option_count) ||
	       scenario_values_fail(s, "the runtime does not start");
}

/* Returns the code; the reply is kept. */
static int send(struct scenario *s, struct str command, struct str params)
{
	struct str body = scenario_values_fill(s, params.len ? params : STR("{}"));
	const struct scenario_driver *d = s->driver;
	int code;

	if (!str_is(body) || (!s->is_at_peer && !begin(s)))
		return THOLE_INVALID;
	code = (s->is_at_peer ? d->peer_call : d->call)(d->arg, s->mem, command, body, &s->reply);
	if (!s->is_at_peer)
		scenario_values_answered(s, command, code);
	if (code == THOLE_ENDED && s->result == SCENARIO_PASS)
		s->result = SCENARIO_NOT_SHOWN;
	else if (code != THOLE_OK && code != THOLE_REFUSED)
		scenario_values_fail(s, "%.*s got no answer", STR_ARG(command));
	return code;
}

static bool step_when(struct scenario *s, struct str rest)
{
	struct str command = str_cut(&rest, ' ');
	int code = send(s, command, rest);

	if (code == THOLE_OK && !s->is_at_peer)
		scenario_values_note(s, s->reply);
	return code == THOLE_OK ||
	       scenario_values_fail(s, "%.*s was refused with %.*s", STR_ARG(command),
	                            STR_ARG(json_str(JSON_GET(s->reply, "code"))));
}

static bool step_refused(struct scenario *s, struct str rest)
{
	struct str expected = str_cut(&rest, ' '), command = str_cut(&rest, ' ');
	int code = send(s, command, rest);
	struct str got = json_str(JSON_GET(s->reply, "code"));

	if (code == THOLE_OK)
		return scenario_values_fail(s, "%.*s was accepted", STR_ARG(command));
	return str_eq(got, expected) ||
	       scenario_values_fail(s, "%.*s was refused with %.*s, not %.*s", STR_ARG(command),
	                            STR_ARG(got), STR_ARG(expected));
}

static const char *view_differs(struct scenario *s, struct str rest)
{
	struct str command = str_cut(&rest, ' '), body = str_cut(&rest, '|');

	if (send(s, command, str_trim(body)) != THOLE_OK)
		return arena_printf(s->mem, "%.*s is refused", STR_ARG(command)).ptr;
	return scenario_values_differ(s, s->reply, rest);
}

static bool is_shown(struct scenario *s, struct str rest)
{
	return !view_differs(s, rest);
}

/* ---- looking ---- */

static bool agree(struct scenario *s, const char *wrong)
{
	return !wrong || scenario_values_fail(s, "%s", wrong);
}

static bool step_last(struct scenario *s, struct str rest)
{
	struct str type = str_cut(&rest, ' ');

	if (!pull(s))
		return false;
	for (size_t i = s->event_count; i > 0; i--)
		if (str_eq(type_at(s, i - 1), type))
			return agree(s, scenario_values_differ(s, s->events[i - 1], rest));
	return scenario_values_fail(s, "there is no %.*s", STR_ARG(type));
}

static bool step_count(struct scenario *s, struct str rest)
{
	struct str type = str_cut(&rest, ' ');
	uint64_t wanted = 0, have = 0;

	if (!pull(s) || !str_to_u64(str_trim(rest), &wanted))
		return scenario_values_fail(s, "count needs a class and a number");
	for (size_t i = 0; i < s->event_count; i++)
		have += str_eq(type_at(s, i), type);
	return have == wanted ||
	       scenario_values_fail(s, "%.*s occurs %llu times, wanted %llu", STR_ARG(type),
	                            (unsigned long long)have, (unsigned long long)wanted);
}

static bool step_let(struct scenario *s, struct str rest)
{
	struct str name = str_cut(&rest, ' ');
	struct json value = scenario_values_dig(s, s->reply, str_trim(rest));

	if (!json_is(value))
		return scenario_values_fail(s, "the reply has no %.*s", STR_ARG(rest));
	scenario_values_set(
		s, name, json_type(value) == JSON_STR ? json_str(value) : json_text(s->mem, value));
	return true;
}

/* ---- kill and start ---- */

static bool can_kill(struct scenario *s)
{
	if (!s->driver->kill)
		s->result = SCENARIO_NOT_SHOWN;
	return s->driver->kill != NULL;
}

static bool step_kill(struct scenario *s, struct str rest)
{
	return can_kill(s) &&
	       (s->driver->kill(s->driver->arg) || scenario_values_fail(s, "it cannot be killed"));
}

/* "without_outputs": large outputs are lost meanwhile.  Settings of the steps before apply. */
static bool step_again(struct scenario *s, struct str rest)
{
	if (!can_kill(s))
		return false;
	if (str_eq(rest, STR("without_outputs")) && !s->driver->lose(s->driver->arg))
		return scenario_values_fail(s, "there is no large output to lose");
	if (!s->driver->again(s->driver->arg, s->options, s->option_count))
		return scenario_values_fail(s, "it does not start again");
	scenario_values_answered(s, STR("restart"), THOLE_OK);
	return true;
}

static bool step_restart(struct scenario *s, struct str rest)
{
	return step_kill(s, rest) && step_again(s, rest);
}

/* ---- the other runtime ---- */

static bool have_peer(struct scenario *s)
{
	if (!s->driver->peer)
		s->result = SCENARIO_NOT_SHOWN;
	return s->driver->peer != NULL;
}

static bool change_peer(struct scenario *s, enum scenario_peer what, struct str script)
{
	return have_peer(s) && (s->driver->peer(s->driver->arg, what, script) ||
	                        scenario_values_fail(s, "the other runtime does not start"));
}

static bool step_peer_option(struct scenario *s, struct str rest)
{
	return change_peer(s, SCENARIO_PEER_OPTION, rest);
}

static bool step_peer(struct scenario *s, struct str rest)
{
	return change_peer(s, SCENARIO_PEER_START, rest);
}

static bool step_peer_kill(struct scenario *s, struct str rest)
{
	return change_peer(s, SCENARIO_PEER_KILL, STR_NONE);
}

static bool step_peer_again(struct scenario *s, struct str rest)
{
	if (str_eq(rest, STR("without_outputs")) && !change_peer(s, SCENARIO_PEER_LOSE, STR_NONE))
		return false;
	return change_peer(s, SCENARIO_PEER_AGAIN, STR_NONE);
}

static bool take_step(struct scenario *s, struct str verb, struct str rest);

/* The command of a view, until or let is of the other runtime; its ids do not become $session. */
static bool step_at_peer(struct scenario *s, struct str rest)
{
	struct str verb = str_cut(&rest, ' ');
	bool is_good;

	if (!have_peer(s))
		return false;
	s->is_at_peer = true;
	is_good = take_step(s, verb, str_is(rest) ? rest : STR(""));
	s->is_at_peer = false;
	return is_good;
}

/* ---- all of them ---- */

static bool step_script(struct scenario *s, struct str rest)
{
	s->script = rest;
	return true;
}

/* A later value replaces an earlier one of the same setting. */
static bool step_option(struct scenario *s, struct str rest)
{
	ptrdiff_t end = str_find_char(rest, '=');
	struct str key = str_head(rest, end < 0 ? rest.len : (size_t)end + 1);

	for (size_t i = 0; i < s->option_count; i++)
		if (str_starts(s->options[i], key)) {
			s->options[i] = rest;
			return true;
		}
	if (s->option_count == COUNT_OF(s->options))
		return scenario_values_fail(s, "there are too many options");
	s->options[s->option_count++] = rest;
	return true;
}

static bool step_reply(struct scenario *s, struct str rest)
{
	return agree(s, scenario_values_differ(s, s->reply, rest));
}

static bool step_view(struct scenario *s, struct str rest)
{
	return agree(s, view_differs(s, rest));
}

static bool step_until(struct scenario *s, struct str rest)
{
	return wait_until(s, is_shown, rest) || step_view(s, rest);
}

static const struct {
	const char *verb;
	bool (*take)(struct scenario *s, struct str rest);
} steps[] = {
#define STEP(name)                                                                                 \
	{                                                                                          \
#name, step_##name                                                                 \
	}
	STEP(script),
	STEP(option),
	STEP(when),
	STEP(refused),
	STEP(reply),
	STEP(let),
	STEP(then),
	STEP(last),
	STEP(count),
	STEP(view),
	STEP(until),
	STEP(restart),
	STEP(kill),
	STEP(again),
	STEP(peer_option),
	STEP(peer),
	STEP(peer_kill),
	STEP(peer_again),
	STEP(at_peer),
#undef STEP
	{ "pack", scenario_pack_step },
	{ "packed", scenario_pack_step_packed },
	{ "replay", scenario_pack_step_replay },
	{ "listen", scenario_transport_step_listen },
	{ "stranger", scenario_transport_step_stranger },
	{ "transports", scenario_transport_step },
};

static bool take_step(struct scenario *s, struct str verb, struct str rest)
{
	for (size_t i = 0; i < COUNT_OF(steps); i++)
		if (str_eq(verb, str_from(steps[i].verb)))
			return steps[i].take(s, rest);
	return scenario_values_fail(s, "there is no step \"%.*s\"", STR_ARG(verb));
}

void scenario_play(struct scenario *s, const struct scenario_driver *driver, struct str text)
{
	struct scenario_step *step;

	*s = (struct scenario){ .mem = arena_new(), .driver = driver };
	for (step = scenario_read(s->mem, text); str_is(step->verb); step++)
		if (!take_step(s, step->verb, step->rest)) {
			if (s->result == SCENARIO_FAIL)
				s->why = arena_printf(s->mem, "line %d: %.*s", step->line,
				                      STR_ARG(s->why));
			break;
		}
	if (s->has_begun)
		pull(s);
}

static void write_names(struct json_writer *w, struct str key, const struct map *names)
{
	struct map_slot *slot;

	jw_key(w, key);
	jw_arr(w);
	for (size_t i = 0; map_next(names, &i, &slot);)
		jw_str(w, slot->key);
	jw_arr_end(w);
}

void scenario_play_write(const struct scenario *s, struct str name, struct json_writer *w)
{
	static const char *const words[] = { "pass", "fail", "skip" };
	struct map classes = { 0 };

	for (size_t i = 0; i < s->event_count; i++)
		if (str_is(type_at(s, i)))
			map_put(&classes, type_at(s, i), &classes);
	jw_key(w, name);
	jw_obj(w);
	JW_KSTR(w, "result", str_from(words[s->result]));
	JW_KOPT(w, "text", s->why);
	write_names(w, STR("commands"), &s->answered);
	write_names(w, STR("events"), &classes);
	jw_obj_end(w);
	map_done(&classes);
}

void scenario_play_done(struct scenario *s)
{
	map_done(&s->answered);
	map_done(&s->values);
	map_done(&s->lines);
	buf_done(&s->log);
	arena_free(s->mem);
	*s = (struct scenario){ 0 };
}
