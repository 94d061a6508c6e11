/* A task, and what changed in it, as a peer reads them. */
#include "a2a/a2a_id.h"
#include "a2a/a2a_task.h"

static void write_text_part(struct json_writer *w, struct str text)
{
	jw_obj(w);
	JW_KSTR(w, "text", text);
	jw_obj_end(w);
}

/* JSON that was checked before. */
static void write_data_part(struct json_writer *w, struct str data, struct str type)
{
	jw_obj(w);
	JW_KEY(w, "data");
	jw_raw(w, data);
	JW_KOPT(w, "mediaType", type);
	jw_obj_end(w);
}

static void write_ids(struct json_writer *w, const struct a2a_task *t, const char *task)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();

	jw_kstr(w, str_from(task), a2a_id_make(mem, t->session_id, t->task_id));
	JW_KSTR(w, "contextId", a2a_id_make(mem, t->session_id, t->thread_id));
}

static void write_status(struct json_writer *w, const struct a2a_task *t)
{
	jw_obj(w);
	JW_KSTR(w, "state", a2a_state_word(t->state));
	if (t->at.len)
		JW_KSTR(w, "timestamp", t->at);
	if (t->words.len) {
		JW_KEY(w, "message");
		jw_obj(w);
		JW_KSTR(w, "messageId", t->words_id);
		write_ids(w, t, "taskId");
		JW_KSTR(w, "role", STR("ROLE_AGENT"));
		JW_KEY(w, "parts");
		jw_arr(w);
		write_text_part(w, t->words);
		if (t->schema.len)
			write_data_part(w, t->schema, STR("application/schema+json"));
		jw_arr_end(w);
		jw_obj_end(w);
	}
	jw_obj_end(w);
}

static void write_said(struct json_writer *w, const struct a2a_artifact *a)
{
	struct str text = buf_str(&a->text);

	if (a->form == A2A_FORM_DATA && !a->is_cut)
		write_data_part(w, text, STR("application/json"));
	else
		write_text_part(w, text.len && a->form == A2A_FORM_TEXT ? text : STR(""));
}

static void write_file_part(struct json_writer *w, const struct a2a_task *t,
                            const struct a2a_artifact *a)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();

	jw_obj(w);
	if (a->form == A2A_FORM_RAW)
		JW_KSTR(w, "raw", a->content);
	else if (a->form == A2A_FORM_LINK)
		JW_KSTR(w, "url", a->ref);
	else
		JW_KSTR(w, "url",
		        arena_printf(mem, "%.*s%.*s", STR_ARG(t->output_url), STR_ARG(a->ref)));
	JW_KOPT(w, "filename", a->name.len ? a->name : STR_NONE);
	JW_KOPT(w, "mediaType", a->media_type.len ? a->media_type : STR_NONE);
	jw_obj_end(w);
}

static void write_parts(struct json_writer *w, const struct a2a_task *t,
                        const struct a2a_artifact *a)
{
	jw_arr(w);
	if (a->form == A2A_FORM_TEXT || a->form == A2A_FORM_DATA)
		write_said(w, a);
	if (a->form == A2A_FORM_CHANGE)
		write_data_part(w, a->change, STR_NONE);
	if (a->ref.len)
		write_file_part(w, t, a);
	jw_arr_end(w);
}

static void write_artifact(struct json_writer *w, const struct a2a_task *t,
                           const struct a2a_artifact *a)
{
	jw_obj(w);
	JW_KSTR(w, "artifactId", a->id);
	JW_KOPT(w, "name", a->name.len ? a->name : STR_NONE);
	JW_KEY(w, "parts");
	write_parts(w, t, a);
	if (a->is_cut) {
		JW_KEY(w, "metadata");
		jw_obj(w);
		JW_KBOOL(w, "thole.truncated", true);
		jw_obj_end(w);
	}
	jw_obj_end(w);
}

static void write_artifacts(struct json_writer *w, const struct a2a_task *t)
{
	JW_KEY(w, "artifacts");
	jw_arr(w);
	for (uint32_t i = 0; i < t->artifact_count; i++)
		if (!t->artifacts[i].is_void)
			write_artifact(w, t, &t->artifacts[i]);
	jw_arr_end(w);
}

static void write_entry(struct json_writer *w, const struct a2a_task *t, const struct a2a_entry *m)
{
	jw_obj(w);
	JW_KSTR(w, "messageId", m->id);
	write_ids(w, t, "taskId");
	JW_KSTR(w, "role", m->is_agent ? STR("ROLE_AGENT") : STR("ROLE_USER"));
	JW_KEY(w, "parts");
	jw_arr(w);
	write_text_part(w, m->text.len ? m->text : STR(""));
	jw_arr_end(w);
	if (m->is_cut) {
		JW_KEY(w, "metadata");
		jw_obj(w);
		JW_KBOOL(w, "thole.truncated", true);
		jw_obj_end(w);
	}
	jw_obj_end(w);
}

static void write_history(struct json_writer *w, const struct a2a_task *t, int64_t most)
{
	uint32_t from = 0;

	if (most == 0 || !t->entry_count)
		return;
	if (most > 0 && most < t->entry_count)
		from = t->entry_count - (uint32_t)most;
	JW_KEY(w, "history");
	jw_arr(w);
	for (uint32_t i = from; i < t->entry_count; i++)
		write_entry(w, t, &t->entries[i]);
	jw_arr_end(w);
}

/* Our own ids, so that an operator finds the task in the log. */
static void write_metadata(struct json_writer *w, const struct a2a_task *t)
{
	JW_KEY(w, "metadata");
	jw_obj(w);
	JW_KSTR(w, "thole.sessionId", t->session_id);
	JW_KSTR(w, "thole.taskId", t->task_id);
	if (t->turn_id.len)
		JW_KSTR(w, "thole.turnId", t->turn_id);
	if (t->left_out)
		JW_KINT(w, "thole.artifactsLeftOut", t->left_out);
	jw_obj_end(w);
}

void a2a_task_write(struct json_writer *w, const struct a2a_task *t,
                    const struct a2a_task_shown *shown)
{
	jw_obj(w);
	write_ids(w, t, "id");
	JW_KEY(w, "status");
	write_status(w, t);
	if (!shown->without_artifacts)
		write_artifacts(w, t);
	write_history(w, t, shown->history);
	write_metadata(w, t);
	jw_obj_end(w);
}

/* Without the id of the task: a direct reply is no part of one.  Its context continues. */
void a2a_task_write_message(struct json_writer *w, const struct a2a_task *t)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();

	jw_obj(w);
	JW_KSTR(w, "messageId", t->words_id);
	JW_KSTR(w, "contextId", a2a_id_make(mem, t->session_id, t->thread_id));
	JW_KSTR(w, "role", STR("ROLE_AGENT"));
	JW_KEY(w, "parts");
	jw_arr(w);
	write_said(w, a2a_task_last_text(t));
	jw_arr_end(w);
	write_metadata(w, t);
	jw_obj_end(w);
}

static void write_artifact_change(struct json_writer *w, const struct a2a_task *t,
                                  const struct a2a_change *c)
{
	struct buf text = { 0 };
	struct a2a_artifact a = { .form = c->form,
		                  .id = c->artifact_id,
		                  .name = c->name,
		                  .media_type = c->media_type,
		                  .ref = c->ref,
		                  .change = c->change,
		                  .content = c->content };

	buf_add_str(&text, c->text);
	a.text = text;
	JW_KEY(w, "artifactUpdate");
	jw_obj(w);
	write_ids(w, t, "taskId");
	JW_KEY(w, "artifact");
	write_artifact(w, t, &a);
	JW_KBOOL(w, "append", c->is_append);
	JW_KBOOL(w, "lastChunk", c->is_last);
	jw_obj_end(w);
	buf_done(&text);
}

void a2a_task_write_change(struct json_writer *w, const struct a2a_task *t,
                           const struct a2a_change *c)
{
	jw_obj(w);
	if (c->kind == A2A_CHANGE_ARTIFACT) {
		write_artifact_change(w, t, c);
	} else {
		JW_KEY(w, "statusUpdate");
		jw_obj(w);
		write_ids(w, t, "taskId");
		JW_KEY(w, "status");
		write_status(w, t);
		jw_obj_end(w);
	}
	jw_obj_end(w);
}
