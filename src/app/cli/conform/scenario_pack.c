/*
 * The step `pack`: fetches the evidence pack that an output holds, unpacks it into
 * the driver's directory, and compares one of its files.  Nothing of it stays there.
 */
#include "app/cli/conform/scenario.h"

#include "app/cli/paths.h"
#include "base/hash/base64.h"

#include <fcntl.h>
#include <unistd.h>

#define PACK_MAX (64u << 20)
#define PIECE_MAX (256u << 10)

static bool add_piece(struct buf *pack, struct json reply)
{
	struct json text = JSON_GET(reply, "text");

	if (json_type(text) == JSON_STR)
		buf_add_str(pack, json_str(text));
	return json_type(text) == JSON_STR ||
	       base64_read(pack, json_str(JSON_GET(reply, "base64")));
}

static bool fetch(struct scenario *s, struct str ref, struct buf *pack)
{
	struct json reply = { 0 };

	do {
		CLEANUP(buf_done) struct buf params = { 0 };
		struct json_writer w;
		size_t before = pack->len;

		jw_init(&w, &params);
		jw_obj(&w);
		JW_KSTR(&w, "outputRef", ref);
		JW_KINT(&w, "offset", (int64_t)pack->len);
		JW_KINT(&w, "length", PIECE_MAX);
		jw_obj_end(&w);
		buf_add_char(&params, 0);
		if (s->driver->call(s->driver->arg, s->mem, STR("get_output"),
		                    str_of(params.ptr, params.len - 1), &reply) != THOLE_OK ||
		    !add_piece(pack, reply) || pack->len == before || pack->len > PACK_MAX)
			return false;
	} while (!json_bool(JSON_GET(reply, "eof"), false));
	return true;
}

static bool write_pack(const char *path, struct str bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool is_written = fd >= 0 && write(fd, bytes.ptr, bytes.len) == (ssize_t)bytes.len;

	if (fd >= 0)
		close(fd);
	return is_written;
}

/* The file as JSON; one that is no JSON document is {"text": …}. */
static struct json as_json(struct scenario *s, struct str text)
{
	CLEANUP(buf_done) struct buf wrapped = { 0 };
	struct json_writer w;
	struct json v = { 0 };

	if (json_read(s->mem, text, &v, NULL) == OK)
		return v;
	jw_init(&w, &wrapped);
	jw_obj(&w);
	JW_KSTR(&w, "text", text);
	jw_obj_end(&w);
	if (json_read(s->mem, arena_keep(s->mem, buf_str(&wrapped)), &v, NULL) != OK)
		v = (struct json){ 0 };
	return v;
}

/* A scenario may be a stranger's: it reads nothing beside the pack. */
static bool is_inside(struct str name)
{
	return name.len && name.ptr[0] != '/' && str_find(name, STR("..")) < 0;
}

static struct str read_member(struct scenario *s, const char *archive, const char *dir,
                              struct str name)
{
	struct thole_error err = { 0 };

	if (!is_inside(name))
		return STR_NONE;
	if (thole_extract_pack(archive, dir, &err) != THOLE_OK) {
		scenario_values_fail(s, "the pack cannot be unpacked: %s", err.message);
		return STR_NONE;
	}
	return paths_read_own(s->mem, arena_printf(s->mem, "%s/%.*s", dir, STR_ARG(name)).ptr,
	                      PACK_MAX);
}

static struct str read_packed(struct scenario *s, struct str pack, struct str name)
{
	const char *archive = arena_printf(s->mem, "%s/pack.tar.zst", s->driver->dir).ptr;
	const char *dir = arena_printf(s->mem, "%s/pack", s->driver->dir).ptr;
	struct str text;

	if (!write_pack(archive, pack)) {
		scenario_values_fail(s, "the pack cannot be written to %s", archive);
		return STR_NONE;
	}
	text = read_member(s, archive, dir, name);
	paths_remove_dir(dir);
	unlink(archive);
	return text;
}

/* The pack that $REF names, as bytes. */
static bool fetch_named(struct scenario *s, struct str name, struct buf *ret)
{
	struct str ref = scenario_values_fill(s, name);

	if (!s->driver->dir)
		s->result = SCENARIO_NOT_SHOWN;
	if (!str_is(ref) || !s->driver->dir)
		return false;
	return fetch(s, ref, ret) ||
	       scenario_values_fail(s, "the pack %.*s cannot be read", STR_ARG(ref));
}

bool scenario_pack_step(struct scenario *s, struct str rest)
{
	struct str named = str_cut(&rest, ' ');
	struct str name = str_trim(str_cut(&rest, '|')), text;
	CLEANUP(buf_done) struct buf pack = { 0 };
	const char *wrong;

	if (!fetch_named(s, named, &pack))
		return false;
	text = read_packed(s, buf_str(&pack), name);
	if (!str_is(text))
		return scenario_values_fail(s, "the pack has no %.*s", STR_ARG(name));
	s->reply = as_json(s, text);
	wrong = scenario_values_differ(s, s->reply, rest);
	return !wrong || scenario_values_fail(s, "%.*s: %s", STR_ARG(name), wrong);
}

/* ---- events of a turn ---- */

/* The pack's event of this id, by its line; absent: it has none. */
static struct json find_packed(struct scenario *s, struct str lines, struct str event_id)
{
	while (str_is(lines)) {
		struct str line = str_trim(str_cut(&lines, '\n'));
		struct json e;

		if (str_find(line, event_id) >= 0 && json_read(s->mem, line, &e, NULL) == OK &&
		    str_eq(json_str(JSON_GET(e, "eventId")), event_id))
			return e;
	}
	return (struct json){ 0 };
}

/* Each event of the class in the log of this turn is in the pack, under the same turn; at least one exists. */
static bool is_packed(struct scenario *s, struct str lines, struct str type, struct str turn)
{
	size_t count = 0;

	for (size_t i = 0; i < s->event_count; i++) {
		struct json e = s->events[i];
		struct str id = json_str(JSON_GET(e, "eventId"));

		if (!str_eq(json_str(JSON_GET(e, "type")), type) ||
		    !str_eq(json_str(JSON_GET(e, "turnId")), turn))
			continue;
		count++;
		if (!str_eq(json_str(JSON_GET(find_packed(s, lines, id), "turnId")), turn))
			return scenario_values_fail(s, "the pack lacks the %.*s %.*s of turn %.*s",
			                            STR_ARG(type), STR_ARG(id), STR_ARG(turn));
	}
	return count ||
	       scenario_values_fail(s, "turn %.*s has no %.*s", STR_ARG(turn), STR_ARG(type));
}

bool scenario_pack_step_packed(struct scenario *s, struct str rest)
{
	struct str named = str_cut(&rest, ' '), turn = scenario_values_fill(s, STR("$turn")), lines;
	CLEANUP(buf_done) struct buf pack = { 0 };

	if (!str_is(turn) || !fetch_named(s, named, &pack))
		return false;
	lines = read_packed(s, buf_str(&pack), STR("events.jsonl"));
	if (!str_is(lines))
		return scenario_values_fail(s, "the pack has no events.jsonl");
	while (str_is(rest)) {
		struct str type = str_trim(str_cut(&rest, ' '));

		if (type.len && !is_packed(s, lines, type, turn))
			return false;
	}
	return true;
}

/* ---- replay ---- */

static bool replay_file(struct scenario *s, const char *archive, struct str checks)
{
	struct thole_error err = { 0 };
	char *said = NULL;
	int code = thole_replay_pack(archive, &said, &err);
	bool is_read = said &&
	               json_read(s->mem, arena_keep(s->mem, str_from(said)), &s->reply, NULL) == OK;
	const char *wrong;

	thole_free(said);
	if (code != THOLE_OK || !is_read)
		return scenario_values_fail(
			s, "the replay does not give the same: %s",
			is_read ? json_text(s->mem, JSON_GET(s->reply, "findings")).ptr
				: err.message);
	wrong = scenario_values_differ(s, s->reply, checks);
	return !wrong || scenario_values_fail(s, "the replay: %s", wrong);
}

bool scenario_pack_step_replay(struct scenario *s, struct str rest)
{
	struct str named = str_trim(str_cut(&rest, '|'));
	CLEANUP(buf_done) struct buf pack = { 0 };
	const char *archive;
	bool is_same;

	if (!fetch_named(s, named, &pack))
		return false;
	archive = arena_printf(s->mem, "%s/case.tar.zst", s->driver->dir).ptr;
	if (!write_pack(archive, buf_str(&pack)))
		return scenario_values_fail(s, "the case cannot be written to %s", archive);
	is_same = replay_file(s, archive, str_is(rest) ? rest : STR(""));
	unlink(archive);
	return is_same;
}
