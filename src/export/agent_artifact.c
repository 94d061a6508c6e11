/*
 * Events of Agent Artifact 0.1.3: files and documents that work produced.
 *
 *	artifact.changed, created          artifact.created
 *	artifact.changed, updated          artifact.updated
 *	artifact.changed, deleted          artifact.deleted
 *	artifact.changed, observed         artifact.version.created
 *
 * A record has the version that the event reports.  The envelope of the artifact
 * needs the time when it was created, so only the record of a new artifact has
 * it; agent_artifact_write_rows() writes the envelopes of all artifacts.
 * spec: agent-runtime-checklist#ECO-05
 */
#include "export/export.h"

#include "base/jw.h"
#include "export/form.h"

#define ARTIFACT_SCHEMA STR("0.1.3")

/* ---- words ---- */

/* The first match wins; a media type that ends in a slash matches all of its family. */
static const struct {
	const char *kind, *media_type, *theirs;
} kinds[] = {
	{ "report", "", "report_document" },
	{ "image", "", "image_output" },
	{ "data", "", "dataset" },
	{ "", "image/", "image_output" },
	{ "", "audio/", "audio_output" },
	{ "", "video/", "video_output" },
	{ "", "text/html", "webpage_artifact" },
	{ "", "text/csv", "dataset" },
	{ "", "text/x-diff", "code_patch" },
	{ "", "text/x-patch", "code_patch" },
};

static bool is_media(struct str type, const char *pattern)
{
	struct str p = str_from(pattern);

	return p.len && p.ptr[p.len - 1] == '/' ? str_starts(type, p) : str_eq(type, p);
}

static struct str kind_of(struct str kind, struct str media_type)
{
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (*kinds[i].kind ? str_eq(kind, str_from(kinds[i].kind))
		                   : is_media(media_type, kinds[i].media_type))
			return str_from(kinds[i].theirs);
	return STR("generic_file");
}

/* A path that is written again after it was deleted is the same artifact. */
static enum artifact_change change_of(struct json payload)
{
	enum artifact_change change =
		rec_enum_read(&enum_artifact_change, form_text(payload, "change"));

	return change == ARTIFACT_CHANGE_CREATED && str_is(form_text(payload, "previousVersionId"))
	               ? ARTIFACT_CHANGE_UPDATED
	               : change;
}

static enum agent_artifact_class event_of(enum artifact_change change)
{
	switch (change) {
	case ARTIFACT_CHANGE_CREATED:
		return AGENT_ARTIFACT_CLASS_ARTIFACT_CREATED;
	case ARTIFACT_CHANGE_DELETED:
		return AGENT_ARTIFACT_CLASS_ARTIFACT_DELETED;
	case ARTIFACT_CHANGE_OBSERVED:
		return AGENT_ARTIFACT_CLASS_ARTIFACT_VERSION_CREATED;
	default:
		return AGENT_ARTIFACT_CLASS_ARTIFACT_UPDATED;
	}
}

static struct str status_of(struct json payload)
{
	bool is_open = json_bool(JSON_GET(payload, "append"), false) &&
	               !json_bool(JSON_GET(payload, "lastChunk"), false);

	return is_open ? STR("streaming") : STR("ready");
}

/* ---- one event ---- */

static void put_creator(struct form *f)
{
	struct str call = form_text(f->ev, "toolCallId");

	form_put_party(f, "created_by", str_is(call) ? "tool_call" : "runtime",
	               str_is(call) ? call : form_text(f->ev, "runtimeId"), STR_NONE);
}

/* Nothing without a place: a record must not name bytes that cannot be read. */
static void put_bytes(struct form *f)
{
	struct str uri = form_text(JSON_GET(f->ev, "refs"), "read");
	struct str type = form_text(f->payload, "mediaType");

	if (!str_is(uri) || change_of(f->payload) == ARTIFACT_CHANGE_DELETED)
		return;
	form_arr(f, "byte_refs");
	jw_obj(f->w);
	JW_KSTR(f->w, "byte_ref_id", form_text(f->payload, "versionId"));
	JW_KSTR(f->w, "uri", uri);
	JW_KSTR(f->w, "media_type", str_is(type) ? type : STR("application/octet-stream"));
	form_put_value(f, "size_bytes", JSON_GET(f->payload, "sizeBytes"));
	if (str_is(form_text(f->payload, "sha256"))) {
		JW_KSTR(f->w, "digest", form_text(f->payload, "sha256"));
		JW_KSTR(f->w, "digest_algorithm", STR("sha256"));
	}
	form_put_text(f, "storage_owner", form_text(f->payload, "owner"));
	jw_obj_end(f->w);
	jw_arr_end(f->w);
}

static void put_version(struct form *f)
{
	struct str parent = form_text(f->payload, "previousVersionId");

	form_obj(f, "version");
	JW_KSTR(f->w, "schema_version", ARTIFACT_SCHEMA);
	JW_KSTR(f->w, "version_id", form_text(f->payload, "versionId"));
	JW_KSTR(f->w, "artifact_id", form_text(f->ev, "artifactId"));
	JW_KSTR(f->w, "created_at", form_text(f->ev, "timestamp"));
	put_creator(f);
	form_arr(f, "parent_version_ids");
	if (str_is(parent))
		jw_str(f->w, parent);
	jw_arr_end(f->w);
	put_bytes(f);
	form_put_value(f, "integrity", JSON_GET(f->payload, "validation"));
	jw_obj_end(f->w);
}

static struct str title_of(struct str path, struct str id)
{
	return str_is(path) ? path : id;
}

static void put_envelope(struct form *f)
{
	form_obj(f, "artifact");
	JW_KSTR(f->w, "schema_version", ARTIFACT_SCHEMA);
	JW_KSTR(f->w, "artifact_id", form_text(f->ev, "artifactId"));
	JW_KSTR(f->w, "artifact_kind",
	        kind_of(form_text(f->payload, "kind"), form_text(f->payload, "mediaType")));
	JW_KSTR(f->w, "title",
	        title_of(form_text(f->payload, "path"), form_text(f->ev, "artifactId")));
	JW_KSTR(f->w, "status", status_of(f->payload));
	JW_KSTR(f->w, "created_at", form_text(f->ev, "timestamp"));
	JW_KSTR(f->w, "updated_at", form_text(f->ev, "timestamp"));
	put_creator(f);
	JW_KSTR(f->w, "current_version_id", form_text(f->payload, "versionId"));
	put_bytes(f);
	jw_obj_end(f->w);
}

static void put_refs(struct form *f)
{
	form_arr(f, "refs");
	form_put_ref(f, "runtime_event", form_text(f->ev, "eventId"));
	form_put_ref(f, "telemetry_trace", form_text(f->ev, "traceId"));
	jw_arr_end(f->w);
}

bool agent_artifact_write(struct json ev, struct json_writer *w, struct str *ret_name)
{
	struct form f = { .ev = ev, .payload = JSON_GET(ev, "payload"), .w = w };
	enum artifact_change change = change_of(f.payload);

	if (!str_eq(form_text(ev, "type"), STR("artifact.changed")))
		return false;
	*ret_name = agent_artifact_class_word(event_of(change));
	jw_obj(w);
	JW_KSTR(w, "schema_version", ARTIFACT_SCHEMA);
	JW_KSTR(w, "event_id", form_text(ev, "eventId"));
	JW_KSTR(w, "type", *ret_name);
	JW_KSTR(w, "timestamp", form_text(ev, "timestamp"));
	form_put_value(&f, "sequence", JSON_GET(ev, "sequence"));
	form_put_ids(&f);
	form_put_text(&f, "version_id", form_text(f.payload, "versionId"));
	form_obj(&f, "payload");
	if (change == ARTIFACT_CHANGE_CREATED)
		put_envelope(&f);
	put_version(&f);
	jw_obj_end(w);
	put_refs(&f);
	jw_obj_end(w);
	return true;
}

/* ---- all artifacts of a session ---- */

static void put_row_version(struct form *f, struct json row, struct json version)
{
	struct str turn = form_text(version, "turnId");

	jw_obj(f->w);
	JW_KSTR(f->w, "schema_version", ARTIFACT_SCHEMA);
	JW_KSTR(f->w, "version_id", form_text(version, "versionId"));
	JW_KSTR(f->w, "artifact_id", form_text(row, "artifactId"));
	JW_KSTR(f->w, "created_at", form_text(version, "at"));
	form_put_party(f, "created_by", str_is(turn) ? "turn" : "runtime", turn, STR_NONE);
	form_put_text(f, "diff_ref", form_text(version, "diffRef"));
	form_put_text(f, "previous_content_ref", form_text(version, "checkpointRef"));
	jw_obj_end(f->w);
}

static void put_row_versions(struct form *f, struct json row)
{
	struct json list = JSON_GET(row, "checkpoints"), each;
	struct json_iter it = json_iter(list);
	int64_t all = json_int(JSON_GET(row, "versions"), 0), shown = (int64_t)json_count(list);
	struct str key;

	form_arr(f, "versions");
	while (json_next(&it, &key, &each))
		put_row_version(f, row, each);
	jw_arr_end(f->w);
	JW_KINT(f->w, "versions_omitted", all > shown ? all - shown : 0);
}

static void put_row(struct form *f, struct json row)
{
	struct json list = JSON_GET(row, "checkpoints");
	size_t count = json_count(list);
	struct json none = { 0 }, first = count ? json_at(list, 0) : none,
		    last = count ? json_at(list, count - 1) : none;
	bool is_deleted =
		str_eq(form_text(last, "change"), artifact_change_word(ARTIFACT_CHANGE_DELETED));
	struct str task = form_text(row, "taskId");

	jw_obj(f->w);
	JW_KSTR(f->w, "schema_version", ARTIFACT_SCHEMA);
	JW_KSTR(f->w, "artifact_id", form_text(row, "artifactId"));
	JW_KSTR(f->w, "artifact_kind", kind_of(form_text(row, "kind"), STR_NONE));
	JW_KSTR(f->w, "title", title_of(form_text(row, "path"), form_text(row, "artifactId")));
	JW_KSTR(f->w, "status", is_deleted ? STR("deleted") : STR("ready"));
	JW_KSTR(f->w, "created_at", form_text(first, "at"));
	JW_KSTR(f->w, "updated_at", form_text(last, "at"));
	form_put_party(f, "created_by", str_is(task) ? "task" : "runtime", task, STR_NONE);
	JW_KSTR(f->w, "current_version_id", form_text(row, "versionId"));
	form_put_text(f, "read_ref", form_text(row, "readRef"));
	put_row_versions(f, row);
	jw_obj_end(f->w);
}

void agent_artifact_write_rows(struct json view, struct json_writer *w)
{
	struct form f = { .ev = view, .payload = view, .w = w };
	struct json_iter it = json_iter(JSON_GET(view, "artifacts"));
	struct json each;
	struct str key;

	jw_obj(w);
	form_arr(&f, "artifacts");
	while (json_next(&it, &key, &each))
		put_row(&f, each);
	jw_arr_end(w);
	jw_obj_end(w);
}
