/*
 * trial export: the directory of a trial.
 *
 *	trial.json               joins benchmark, run, files and score; its refs are paths here
 *	agent/trajectory.json    what the agent did (ATIF)
 *	evidence/                the evidence pack of the turn; events.jsonl is the transcript
 *	verifier/                the files of the verifier, byte for byte
 *	artifacts/manifest.json  all files with producer, hash, size and redaction
 *
 * It is made beside its place, so that it appears there complete or not at all.
 */
#include "app/cli/trial/trial_verbs.h"

#include "app/cli/evidence/evidence_verbs.h"
#include "app/cli/export/export_atif.h"
#include "base/gen/words.h"
#include "base/hash/base64.h"
#include "base/hash/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRAJECTORY_MAX (64u << 20)
#define OUTPUT_MAX (64u << 20)

struct target {
	struct cli *c;
	const char *dir;
	struct json row;
	struct str session, trial;
	struct buf files; /* entries of the manifest, as JSON */
	struct json_writer w;
	struct dict_of_refs {
		const char *names[12];
		const char *values[12];
		int count;
	} refs;
};

static const char *at(struct target *t, const char *name)
{
	return arena_printf(t->c->mem, "%s/%s", t->dir, name).ptr;
}

static void add_ref(struct target *t, const char *name, const char *value)
{
	t->refs.names[t->refs.count] = name;
	t->refs.values[t->refs.count++] = arena_keep(t->c->mem, str_from(value)).ptr;
}

static int cannot(struct target *t, const char *path)
{
	out_error(t->c, "%s: %s.", out_safe(t->c->mem, str_from(path)), strerror(errno));
	return CODE_FAILED;
}

/* ---- files ---- */

static int write_file(struct target *t, const char *name, struct str text)
{
	const char *path = at(t, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool is_whole = fd >= 0;

	while (is_whole && text.len) {
		ssize_t put = write(fd, text.ptr, text.len);

		is_whole = put >= 0 || errno == EINTR;
		text = str_skip(text, put > 0 ? (size_t)put : 0);
	}
	if (fd >= 0)
		close(fd);
	return is_whole ? CODE_DONE : cannot(t, path);
}

/* All bytes of a stored output.  False: it cannot be read any more. */
static bool fetch_output(struct cli *c, struct str ref, struct buf *ret)
{
	struct json reply;
	bool is_end = false;

	while (!is_end && ret->len < OUTPUT_MAX) {
		size_t before = ret->len;
		struct params p;
		struct json coded;

		params_begin(&p);
		params_str(&p, "outputRef", ref);
		params_int(&p, "offset", (int64_t)ret->len);
		if (connection_try(c, "get_output", &p, true, &reply) != THOLE_OK)
			return false;
		coded = JSON_GET(reply, "base64");
		if (!json_is(coded))
			buf_add_str(ret, json_str(JSON_GET(reply, "text")));
		else if (!base64_read(ret, json_str(coded)))
			return false;
		is_end = json_bool(JSON_GET(reply, "eof"), false) || ret->len == before;
	}
	return is_end;
}

/* ---- the manifest ---- */

struct entry {
	const char *path, *producer, *redaction;
	struct json artifact; /* or nothing */
};

static void put_entry(struct target *t, const struct entry *e, struct str text)
{
	struct sha256 hash = sha256_of(text);
	struct str id = json_str(JSON_GET(e->artifact, "artifactId"));

	jw_obj(&t->w);
	JW_KSTR(&t->w, "path", str_from(e->path));
	JW_KSTR(&t->w, "producer", str_from(e->producer));
	JW_KSTR(&t->w, "sha256", sha256_hex(t->c->mem, &hash));
	JW_KINT(&t->w, "sizeBytes", (int64_t)text.len);
	JW_KSTR(&t->w, "redaction", str_from(e->redaction));
	if (str_is(id)) {
		JW_KSTR(&t->w, "artifactId", id);
		JW_KOPT(&t->w, "workspacePath", json_str(JSON_GET(e->artifact, "path")));
		JW_KOPT(&t->w, "versionId", json_str(JSON_GET(e->artifact, "versionId")));
	}
	jw_obj_end(&t->w);
}

/* A file that is there already. */
static int note_file(struct target *t, const char *name, const char *producer,
                     const char *redaction)
{
	struct str text = paths_read_file(t->c->mem, at(t, name), OUTPUT_MAX);

	if (!str_is(text))
		return cannot(t, at(t, name));
	put_entry(t, &(struct entry){ .path = name, .producer = producer, .redaction = redaction },
	          text);
	return CODE_DONE;
}

/* ---- its parts ---- */

/* The copy in the pack of what a ref of the trial names. */
static void name_copy(struct target *t, const char *name, const char *form)
{
	struct str ref = json_str(json_get(JSON_GET(t->row, "refs"), str_from(name)));
	const char *file =
		str_is(ref) ? arena_printf(t->c->mem, "evidence/%s/%.*s%s", form, STR_ARG(ref),
	                                   strcmp(form, "config") ? "" : ".json")
				      .ptr
			    : NULL;

	if (file && access(at(t, file), R_OK) == 0)
		add_ref(t, name, file);
}

static int make_evidence(struct target *t, const struct ref *ref)
{
	const char *archive = at(t, "evidence.tar.zst");
	struct thole_error why;
	struct json reply;
	int code = export_evidence_to(t->c, ref, archive, &reply);

	if (!code && thole_extract_pack(archive, at(t, "evidence"), &why) != THOLE_OK) {
		out_error(t->c, "%s.", out_safe(t->c->mem, str_from(why.message)));
		code = CODE_FAILED;
	}
	unlink(archive);
	if (code)
		return code;
	add_ref(t, "runtimeTranscriptRef", "evidence/events.jsonl");
	add_ref(t, "evidencePackRef", "evidence/manifest.json");
	name_copy(t, "input", "texts");
	name_copy(t, "config", "config");
	return note_file(t, "evidence/events.jsonl", "thole", "rules");
}

static int make_trajectory(struct target *t, const struct ref *ref)
{
	int code = export_atif(t->c, ref, at(t, "agent/trajectory.json"));

	if (code)
		return code;
	add_ref(t, "trajectoryRef", "agent/trajectory.json");
	return note_file(t, "agent/trajectory.json", "thole", "rules");
}

static const char *details_name(struct json row)
{
	struct str kind = json_str(JSON_GET(row, "detailsKind"));

	return str_eq(kind, STR(WORD_REWARD_DETAILS_TEST_STDOUT)) ? "verifier/test-stdout.txt"
	       : str_eq(kind, STR(WORD_REWARD_DETAILS_CTRF))      ? "verifier/ctrf.json"
	       : str_eq(kind, STR(WORD_REWARD_DETAILS_NOTE))      ? "verifier/note.txt"
	                                                          : "verifier/reward-details.json";
}

/* A ref to a stored output becomes a file; another ref stays as it is. */
static int make_stored(struct target *t, const char *name, struct str ref, const char *file)
{
	struct buf text = { 0 };
	int code = CODE_DONE;

	if (!str_starts(ref, STR("out_")))
		return CODE_DONE;
	if (!fetch_output(t->c, ref, &text)) {
		out_note(t->c, TONE_DIM, "%s is no longer stored", out_safe(t->c->mem, ref));
	} else {
		if (!file)
			file = str_starts(str_trim(buf_str(&text)), STR("{"))
			               ? "verifier/reward.json"
			               : "verifier/reward.txt";
		code = write_file(t, file, buf_str(&text));
		if (!code) {
			put_entry(t, &(struct entry){ file, "verifier", "none", { 0 } },
			          buf_str(&text));
			add_ref(t, name, file);
		}
	}
	buf_done(&text);
	return code;
}

static int make_verifier(struct target *t)
{
	struct json refs = JSON_GET(t->row, "refs");
	int code = make_stored(t, "rewardRef", json_str(JSON_GET(refs, "rewardRef")), NULL);

	return code ? code
	            : make_stored(t, "rewardDetailsRef",
	                          json_str(JSON_GET(refs, "rewardDetailsRef")),
	                          details_name(t->row));
}

/* A file of the workspace may have changed since; its recorded change has not. */
static int make_artifact(struct target *t, struct json a)
{
	struct str id = json_str(JSON_GET(a, "artifactId"));
	struct str ref = json_str(JSON_GET(a, "readRef"));
	bool is_stored = str_starts(ref, STR("out_"));
	const char *name =
		arena_printf(t->c->mem, "artifacts/%.*s%s", STR_ARG(id), is_stored ? "" : ".diff")
			.ptr;
	struct buf text = { 0 };
	int code = CODE_DONE;

	if (!is_stored)
		ref = json_str(JSON_GET(a, "diffRef"));
	if (str_is(ref) && fetch_output(t->c, ref, &text)) {
		code = write_file(t, name, buf_str(&text));
		put_entry(t, &(struct entry){ name, "agent", "stored", a }, buf_str(&text));
	}
	buf_done(&text);
	return code;
}

static int make_artifacts(struct target *t)
{
	struct params p;
	struct json reply, a;
	struct json_iter it;
	struct str key;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", t->session);
	code = connection_call(t->c, "get_artifact_checkpoint_summary", &p, &reply);
	it = json_iter(JSON_GET(reply, "artifacts"));
	while (!code && json_next(&it, &key, &a))
		if (str_eq(json_str(JSON_GET(a, "taskId")), json_str(JSON_GET(t->row, "taskId"))))
			code = make_artifact(t, a);
	return code;
}

static int make_manifest(struct target *t)
{
	jw_arr_end(&t->w);
	JW_KSTR(&t->w, "trialId", t->trial);
	jw_obj_end(&t->w);
	buf_add_c(&t->files, "\n");
	add_ref(t, "artifactManifestRef", "artifacts/manifest.json");
	return write_file(t, "artifacts/manifest.json", buf_str(&t->files));
}

/* ---- trial.json ---- */

static bool any_step_has(struct json steps, const char *member)
{
	struct json_iter it = json_iter(steps);
	struct json step;
	struct str key;

	while (json_next(&it, &key, &step))
		if (json_is(json_get(step, str_from(member))))
			return true;
	return false;
}

/* Looked up in the file that was written, not assumed. */
static void put_trajectory(struct target *t, struct params *p)
{
	static const char *const roots[] = { "schema_version", "session_id", "agent",
		                             "final_metrics" };
	static const char *const steps[] = { "step_id", "tool_calls", "observation" };
	struct str text =
		paths_read_file(t->c->mem, at(t, "agent/trajectory.json"), TRAJECTORY_MAX);
	struct json doc;

	JW_KEY(&p->w, "trajectory");
	jw_obj(&p->w);
	JW_KSTR(&p->w, "ref", STR("agent/trajectory.json"));
	JW_KSTR(&p->w, "exportStatus", STR("exported"));
	if (str_is(text) && json_read_trusted(t->c->mem, text, &doc, NULL) == OK) {
		JW_KOPT(&p->w, "schema", json_str(JSON_GET(doc, "schema_version")));
		JW_KEY(&p->w, "requiredFieldStatus");
		jw_obj(&p->w);
		for (size_t i = 0; i < COUNT_OF(roots); i++)
			jw_kbool(&p->w, str_from(roots[i]),
			         json_is(json_get(doc, str_from(roots[i]))));
		for (size_t i = 0; i < COUNT_OF(steps); i++)
			jw_kbool(&p->w, arena_printf(t->c->mem, "steps[].%s", steps[i]),
			         any_step_has(JSON_GET(doc, "steps"), steps[i]));
		jw_obj_end(&p->w);
	}
	jw_obj_end(&p->w);
}

static int make_document(struct target *t, struct json *ret)
{
	const struct opts *o = &t->c->opts;
	struct buf text = { 0 };
	struct params p;
	int code;

	if (o->report)
		add_ref(t, "agentQcReportRef", o->report);
	params_begin(&p);
	params_str(&p, "sessionId", t->session);
	params_str(&p, "trialId", t->trial);
	JW_KEY(&p.w, "refs");
	jw_obj(&p.w);
	for (int i = 0; i < t->refs.count; i++)
		jw_kstr(&p.w, str_from(t->refs.names[i]), str_from(t->refs.values[i]));
	jw_obj_end(&p.w);
	put_trajectory(t, &p);
	if (o->has_p0)
		params_int(&p, "p0QcGateRegressionCount", o->p0);
	params_key(t->c, &p);
	code = connection_call(t->c, "export_benchmark_trial", &p, ret);
	if (code)
		return code;
	if (!fetch_output(t->c, json_str(JSON_GET(*ret, "packRef")), &text)) {
		out_error(t->c, "The document of the trial cannot be read.");
		code = CODE_FAILED;
	}
	buf_add_c(&text, "\n");
	if (!code)
		code = write_file(t, "trial.json", buf_str(&text));
	buf_done(&text);
	return code;
}

/* ---- together ---- */

static int make_dirs(struct target *t)
{
	static const char *const names[] = { "agent", "artifacts", "verifier" };

	if (mkdir(t->dir, 0700) != 0)
		return cannot(t, t->dir);
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (mkdir(at(t, names[i]), 0700) != 0)
			return cannot(t, at(t, names[i]));
	return CODE_DONE;
}

static int make_all(struct target *t, struct json *ret)
{
	struct ref turn = { .kind = REF_TURN,
		            .session = t->session,
		            .thread = json_str(JSON_GET(t->row, "threadId")),
		            .turn = json_str(JSON_GET(t->row, "turnId")) };
	int code = make_dirs(t);

	code = code ? code : make_evidence(t, &turn);
	code = code ? code : make_trajectory(t, &turn);
	code = code ? code : make_verifier(t);
	code = code ? code : make_artifacts(t);
	code = code ? code : make_manifest(t);
	return code ? code : make_document(t, ret);
}

int trial_export_to(struct cli *c, struct json row, const char *dir, struct json *ret)
{
	struct target t = { .c = c,
		            .dir = arena_printf(c->mem, "%s.part%ld", dir, (long)getpid()).ptr,
		            .row = row,
		            .session = json_str(JSON_GET(row, "sessionId")),
		            .trial = json_str(JSON_GET(row, "trialId")) };
	int code;

	jw_init(&t.w, &t.files);
	jw_obj(&t.w);
	JW_KINT(&t.w, "version", 1);
	JW_KEY(&t.w, "files");
	jw_arr(&t.w);
	code = make_all(&t, ret);
	buf_done(&t.files);
	if (!code && rename(t.dir, dir) != 0)
		code = cannot(&t, dir);
	if (code)
		paths_remove_dir(t.dir);
	return code;
}

int trial_export(struct cli *c)
{
	struct stat st;
	struct json row, reply;
	int code;

	if (!c->opts.file || !*c->opts.file)
		return opt_usage(c, "Say where the trial goes: -o DIR.");
	if (lstat(c->opts.file, &st) == 0)
		return opt_usage(c, "%s exists already; a trial goes into a new place.",
		                 c->opts.file);
	code = cli_trial_find(c, c->args[1], &row);
	if (!code && str_eq(json_str(JSON_GET(row, "status")), STR(WORD_STATUS_RUNNING))) {
		out_error(c, "%s is still running.", out_field(c, row, "trialId"));
		return CODE_FAILED;
	}
	umask(077); /* it holds what was said */
	code = code ? code : trial_export_to(c, row, c->opts.file, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else
		printf("%s  %s/trial.json%s\n", out_field(c, reply, "trialId"),
		       out_safe(c->mem, str_from(c->opts.file)),
		       json_count(JSON_GET(reply, "knownGaps")) ? "  (with gaps: --json lists them)"
		                                                : "");
	return CODE_DONE;
}
