/*
 * Which changes were undone.
 *
 * The log remembers it: undo records a note of evidence with the name `undo`, whose text lists the
 * sequences of the changes, "undone: 12 15 20".  A file that was put back may get the same content
 * or permission bits again by its user; the note tells that apart from the change of the turn.
 */
#include "app/cli/changes/changes.h"

#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "base/gen/limits.h"

#define NOTE_NAME STR("undo")
#define NOTE_HEAD STR("undone:")
#define NOTE_WORD_MAX 24 /* of one sequence with its blank */

static struct str sequence_of(struct cli *c, struct json e)
{
	return arena_printf(c->mem, "%lld", (long long)json_int(JSON_GET(e, "sequence"), 0));
}

bool changes_undone_has(const struct changes *ch, struct json e)
{
	return map_get(&ch->undone, sequence_of(ch->c, e)) != NULL;
}

void changes_undone_take(struct changes *ch, struct json e)
{
	struct json p = JSON_GET(e, "payload");
	struct str note = json_str(JSON_GET(p, "note"));

	if (!str_eq(json_str(JSON_GET(p, "name")), NOTE_NAME) || !str_starts(note, NOTE_HEAD))
		return;
	note = str_skip(note, NOTE_HEAD.len);
	while (note.len) {
		struct str word = str_cut(&note, ' ');

		if (word.len)
			map_put(&ch->undone, arena_keep(ch->c->mem, word), ch);
	}
}

static int send_note(struct changes *ch, struct str text)
{
	struct json reply;
	struct params p;

	params_begin(&p);
	params_str(&p, "sessionId", ch->ref.session);
	params_cstr(&p, "kind", "note");
	params_str(&p, "name", NOTE_NAME);
	params_str(&p, "note", text);
	params_key(ch->c, &p);
	return connection_call(ch->c, "record_evidence", &p, &reply);
}

/* A note has a bound, so thousands of changes are several notes. */
int changes_undone_record(struct changes *ch, const struct change_events *undone)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	int code = CODE_DONE;

	for (size_t i = 0; i < undone->count && !code; i++) {
		if (!text.len)
			buf_add_str(&text, NOTE_HEAD);
		buf_printf(&text, " %.*s", STR_ARG(sequence_of(ch->c, undone->items[i])));
		if (text.len + NOTE_WORD_MAX <= LIMIT_REASON_BYTES && i + 1 < undone->count)
			continue;
		code = send_note(ch, buf_str(&text));
		buf_clear(&text);
	}
	return code;
}
