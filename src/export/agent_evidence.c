/*
 * Events of Agent Evidence 0.1.8: exports that were written, and results that
 * verifiers and reviewers reported.
 *
 *	evidence.changed, exported pack    evidence.pack.created
 *	… replay                           evidence.replay.created
 *	… anything else                    evidence.export.created
 *	evidence.changed, observed verification    evidence.verification.completed
 *	… review                           evidence.review.completed
 *
 * Notes, keys, anchors and reads are no evidence events there and have no record.
 * spec: agent-runtime-checklist#ECO-01, EVD-04
 */
#include "export/export.h"

#include "base/jw.h"
#include "export/form.h"

static const struct evidence_class {
	enum evidence_change change;
	const char *kind; /* "": any other */
	enum agent_evidence_class type;
	const char *id_key;
} classes[] = {
	{ EVIDENCE_CHANGE_EXPORTED, "pack", AGENT_EVIDENCE_CLASS_EVIDENCE_PACK_CREATED,
	  "evidence_pack_id" },
	{ EVIDENCE_CHANGE_EXPORTED, "replay", AGENT_EVIDENCE_CLASS_EVIDENCE_REPLAY_CREATED,
	  "replay_id" },
	{ EVIDENCE_CHANGE_EXPORTED, "", AGENT_EVIDENCE_CLASS_EVIDENCE_EXPORT_CREATED, "export_id" },
	{ EVIDENCE_CHANGE_OBSERVED, "verification",
	  AGENT_EVIDENCE_CLASS_EVIDENCE_VERIFICATION_COMPLETED, "verification_id" },
	{ EVIDENCE_CHANGE_OBSERVED, "review", AGENT_EVIDENCE_CLASS_EVIDENCE_REVIEW_COMPLETED,
	  "review_id" },
};

static const struct evidence_class *class_of(struct json payload)
{
	int change = rec_enum_read(&enum_evidence_change, form_text(payload, "change"));
	struct str kind = form_text(payload, "kind");

	for (size_t i = 0; i < COUNT_OF(classes); i++)
		if ((int)classes[i].change == change &&
		    (!*classes[i].kind || str_eq(kind, str_from(classes[i].kind))))
			return &classes[i];
	return NULL;
}

/* Members of the payload and their names there. */
static const struct {
	const char *theirs, *ours;
} members[] = {
	{ "kind", "kind" },
	{ "pack_ref", "packRef" },
	{ "replay_ref", "replayRef" },
	{ "review_ref", "reviewRef" },
	{ "scope", "scope" },
	{ "partial", "partial" },
	{ "from_sequence", "fromSequence" },
	{ "to_sequence", "toSequence" },
	{ "head_hash", "headHash" },
	{ "signals", "signals" },
	{ "known_gaps", "knownGaps" },
	{ "redaction", "redaction" },
	{ "sha256", "sha256" },
	{ "name", "name" },
	{ "outcome", "outcome" },
	{ "verifier_ref", "verifierRef" },
	{ "note", "note" },
};

/* A replay case has the id of its pack with a prefix of its own. */
static void put_own_id(struct form *f, const struct evidence_class *class)
{
	struct str id = form_text(f->ev, "evidenceId");
	struct buf text = { 0 };

	if (class->type != AGENT_EVIDENCE_CLASS_EVIDENCE_REPLAY_CREATED ||
	    !str_starts(id, STR("evd_"))) {
		form_put_text(f, class->id_key, id);
		return;
	}
	buf_printf(&text, "rpl_%.*s", STR_ARG(str_skip(id, 4)));
	form_put_text(f, class->id_key, buf_str(&text));
	buf_done(&text);
}

bool agent_evidence_write(struct json ev, struct json_writer *w, struct str *ret_name)
{
	struct form f = { .ev = ev, .payload = JSON_GET(ev, "payload"), .w = w };
	const struct evidence_class *class = class_of(f.payload);

	if (!class || !str_eq(form_text(ev, "type"), STR("evidence.changed")))
		return false;
	*ret_name = agent_evidence_class_word(class->type);
	jw_obj(w);
	JW_KSTR(w, "schema_version", STR("0.1.0"));
	JW_KSTR(w, "event_id", form_text(ev, "eventId"));
	JW_KSTR(w, "type", *ret_name);
	JW_KSTR(w, "timestamp", form_text(ev, "timestamp"));
	form_put_value(&f, "sequence", JSON_GET(ev, "sequence"));
	put_own_id(&f, class);
	form_put_text(&f, "trace_id", form_text(ev, "traceId"));
	form_put_text(&f, "span_id", form_text(ev, "spanId"));
	form_put_ids(&f);
	form_obj(&f, "payload");
	for (size_t i = 0; i < COUNT_OF(members); i++)
		form_put_value(&f, members[i].theirs,
		               json_get(f.payload, str_from(members[i].ours)));
	jw_obj_end(w);
	jw_obj_end(w);
	return true;
}
