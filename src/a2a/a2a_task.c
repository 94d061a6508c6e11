/* The fold of one task, and what it looks like to a peer. */
#include "a2a/a2a_task.h"

#include "a2a/a2a_id.h"
#include "base/gen/limits.h"
#include "base/gen/words.h"
#include "base/memory.h"

void a2a_task_init(struct a2a_task *t, struct str session_id, struct str task_id,
                   struct str output_url)
{
	*t = (struct a2a_task){ .mem = arena_new_small() };
	t->session_id = arena_keep(t->mem, session_id);
	t->task_id = arena_keep(t->mem, task_id);
	t->output_url = arena_keep(t->mem, output_url);
}

static void drop_texts(struct a2a_task *t)
{
	for (uint32_t i = 0; i < t->artifact_count; i++)
		buf_done(&t->artifacts[i].text);
	memory_free(t->artifacts);
	memory_free(t->entries);
	t->artifacts = NULL;
	t->entries = NULL;
	t->artifact_count = t->entry_count = 0;
}

void a2a_task_done(struct a2a_task *t)
{
	drop_texts(t);
	buf_done(&t->held);
	arena_free(t->mem);
	memory_free(t->light);
	*t = (struct a2a_task){ 0 };
}

static struct str move_text(char **at, struct str s)
{
	char *to = *at;

	if (!s.len)
		return STR_NONE;
	memcpy(to, s.ptr, s.len);
	*at += s.len;
	return str_of(to, s.len);
}

/* One block of the size that is needed: thousands of these wait at once. */
void a2a_task_lighten(struct a2a_task *t)
{
	struct str *const moved[] = { &t->session_id, &t->task_id, &t->output_url, &t->thread_id,
		                      &t->turn_id };
	size_t size = 1;
	char *at;

	drop_texts(t);
	for (size_t i = 0; i < COUNT_OF(moved); i++)
		size += moved[i]->len;
	at = t->light = memory_alloc(size);
	for (size_t i = 0; i < COUNT_OF(moved); i++)
		*moved[i] = move_text(&at, *moved[i]);
	t->at = t->words = t->words_id = t->schema = STR_NONE;
	arena_free(t->mem);
	t->mem = NULL;
}

/* A light task uses the event's own bytes: they live until the change is written. */
static struct str kept(struct a2a_task *t, struct str s)
{
	return t->light ? s : arena_keep(t->mem, s);
}

/* ---- history ---- */

static struct a2a_entry *add_entry(struct a2a_task *t)
{
	if (t->entry_count == LIMIT_A2A_HISTORY) {
		t->entry_count--;
		memmove(t->entries, t->entries + 1, t->entry_count * sizeof *t->entries);
	}
	if (!t->entries)
		t->entries = memory_zeroed(LIMIT_A2A_HISTORY, sizeof *t->entries);
	t->entries[t->entry_count] = (struct a2a_entry){ 0 };
	return &t->entries[t->entry_count++];
}

/* History and artifacts share one bound. */
static void keep_words(struct a2a_task *t, struct a2a_entry *entry, struct str text)
{
	if (text.len > LIMIT_A2A_TEXT_BYTES - t->text_bytes) {
		entry->is_cut = true;
		return;
	}
	t->text_bytes += text.len;
	entry->text = kept(t, text);
}

/* The parts of an input are shown by their previews; long ones are marked. */
static void add_input(struct a2a_task *t, struct json event)
{
	struct json payload = JSON_GET(event, "payload"), part;
	struct json peer = JSON_GET(JSON_GET(JSON_GET(payload, "options"), "metadata"), "a2a");
	struct json_iter it = json_iter(JSON_GET(payload, "input"));
	struct str id = json_str(JSON_GET(peer, "messageId")), key;
	struct buf words = { 0 };
	struct a2a_entry *entry;

	t->is_text_only |= json_bool(JSON_GET(peer, "textOnly"), false);
	if (t->light)
		return;
	entry = add_entry(t);
	entry->id = kept(t, id.len ? id : json_str(JSON_GET(event, "eventId")));
	while (json_next(&it, &key, &part)) {
		struct str preview = json_str(JSON_GET(part, "preview"));

		if (words.len)
			buf_add_char(&words, '\n');
		buf_add_str(&words, str_is(preview) ? preview : json_str(JSON_GET(part, "name")));
		entry->is_cut |= json_int(JSON_GET(part, "bytes"), 0) > (int64_t)preview.len;
	}
	keep_words(t, entry, buf_str(&words));
	buf_done(&words);
}

static void add_words(struct a2a_task *t, struct str id, struct str text, bool is_agent)
{
	struct a2a_entry *entry;

	if (t->light || !text.len)
		return;
	entry = add_entry(t);
	*entry = (struct a2a_entry){ .id = kept(t, id), .is_agent = is_agent };
	keep_words(t, entry, text);
}

bool a2a_task_has_message(const struct a2a_task *t, struct str message_id)
{
	for (uint32_t i = 0; i < t->entry_count; i++)
		if (!t->entries[i].is_agent && str_eq(t->entries[i].id, message_id))
			return true;
	return false;
}

/* ---- artifacts ---- */

/* NULL: there is none of that id. */
static struct a2a_artifact *find_artifact(struct a2a_task *t, struct str id)
{
	for (uint32_t i = t->artifact_count; i-- > 0;)
		if (str_eq(t->artifacts[i].id, id))
			return &t->artifacts[i];
	return NULL;
}

/* NULL: there are too many. */
static struct a2a_artifact *add_artifact(struct a2a_task *t, struct str id)
{
	struct a2a_artifact *a = find_artifact(t, id);

	if (a)
		return a;
	if (t->artifact_count == LIMIT_A2A_ARTIFACTS) {
		t->left_out++;
		return NULL;
	}
	if (!(t->artifact_count & (t->artifact_count - 1)))
		t->artifacts = memory_resize(t->artifacts,
		                             MAX(2 * t->artifact_count, 1) * sizeof *t->artifacts);
	a = &t->artifacts[t->artifact_count++];
	*a = (struct a2a_artifact){ .id = kept(t, id) };
	return a;
}

static void keep_text(struct a2a_task *t, struct json event, const struct a2a_change *c)
{
	struct a2a_artifact *a = t->light ? NULL : add_artifact(t, c->artifact_id);
	size_t room = LIMIT_A2A_TEXT_BYTES - t->text_bytes;

	if (!a)
		return;
	a->form = c->form;
	a->name = c->name;
	a->request_id = kept(t, json_str(JSON_GET(event, "modelRequestId")));
	/* A piece is added as a whole or not at all, so no character is cut. */
	a->is_cut |= c->text.len > room;
	if (a->is_cut)
		return;
	buf_add_str(&a->text, c->text);
	t->text_bytes += c->text.len;
}

/* ---- texts and data ---- */

/* Blanks alone may be followed by JSON: where pieces end does not decide. */
static bool begins_as_json(struct str text)
{
	text = str_trim(text);
	return !text.len || text.ptr[0] == '{' || text.ptr[0] == '[';
}

static void release(struct a2a_task *t)
{
	buf_done(&t->held);
	t->is_held = false;
}

/*
 * Data has no pieces: an answer that begins as JSON is held back until it is complete, or too long
 * for that.  True: nothing is shown yet.
 */
static bool hold(struct a2a_task *t, struct arena *scratch, struct a2a_change *c)
{
	if (!c->is_append)
		release(t);
	if (!c->is_append && !t->is_text_only && begins_as_json(c->text))
		t->is_held = true;
	if (!t->is_held)
		return false;
	buf_add_str(&t->held, c->text);
	if (t->held.len <= LIMIT_A2A_DATA_BYTES && begins_as_json(buf_str(&t->held)))
		return true;
	c->text = arena_keep(scratch, buf_str(&t->held));
	c->is_append = false;
	release(t);
	return false;
}

/* What was held back is complete: data, or a text that only began so. */
static void show_held(struct a2a_task *t, struct arena *scratch, struct json event,
                      struct a2a_change *c)
{
	struct json v;

	c->text = arena_keep(scratch, buf_str(&t->held));
	c->is_append = false;
	release(t);
	if (json_read(scratch, c->text, &v, NULL) == OK) {
		c->form = A2A_FORM_DATA;
		c->text = json_text(scratch, v);
	}
	keep_text(t, event, c);
}

static void on_delta(struct a2a_task *t, struct arena *scratch, struct json event,
                     struct a2a_change *ret)
{
	struct json payload = JSON_GET(event, "payload");
	struct str step = json_str(JSON_GET(event, "stepId"));
	struct str kind = json_str(JSON_GET(payload, "kind"));
	struct str text = json_str(JSON_GET(payload, "text"));
	struct a2a_change c = { .kind = A2A_CHANGE_ARTIFACT,
		                .artifact_id = step,
		                .name = STR("answer"),
		                .text = text };

	if (!text.len || !step.len || str_eq(kind, STR(WORD_DELTA_KIND_TOOL_ARGUMENTS)))
		return;
	c.is_append = t->open_step == str_hash(step);
	t->open_step = str_hash(step);
	if (hold(t, scratch, &c))
		return;
	*ret = c;
	keep_text(t, event, ret);
}

static void on_text_end(struct a2a_task *t, struct arena *scratch, struct json event,
                        struct a2a_change *ret)
{
	struct str step = json_str(JSON_GET(event, "stepId"));

	if (!step.len || t->open_step != str_hash(step))
		return;
	t->open_step = 0;
	*ret = (struct a2a_change){ .kind = A2A_CHANGE_ARTIFACT,
		                    .artifact_id = step,
		                    .name = STR("answer"),
		                    .text = STR(""),
		                    .is_append = true,
		                    .is_last = true };
	if (t->is_held)
		show_held(t, scratch, event, ret);
}

/* What a failed request wrote is no result. */
static void on_text_failed(struct a2a_task *t, struct json event)
{
	struct str request = json_str(JSON_GET(event, "modelRequestId"));

	t->open_step = 0;
	release(t);
	for (uint32_t i = 0; i < t->artifact_count; i++)
		t->artifacts[i].is_void |=
			request.len && str_eq(t->artifacts[i].request_id, request);
}

/* What happened to a file, in words that do not depend on our events. */
static struct str describe_file(struct arena *mem, struct json payload)
{
	static const char *const shown[] = { "change", "path", "mediaType", "sizeBytes", "sha256" };
	struct buf out = { 0 };
	struct json_writer w;
	struct str text;

	jw_init(&w, &out);
	jw_obj(&w);
	for (size_t i = 0; i < COUNT_OF(shown); i++) {
		struct json v = json_get(payload, str_from(shown[i]));

		if (!json_is(v))
			continue;
		jw_key(&w, str_from(shown[i]));
		jw_value(&w, v);
	}
	jw_obj_end(&w);
	text = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return text;
}

/* ---- files ---- */

/* A file in the workspace: what a peer can read is what was stored of it. */
static void describe_change(struct arena *scratch, struct json event, struct a2a_change *c)
{
	struct json payload = JSON_GET(event, "payload");
	struct str diff = json_str(JSON_GET(JSON_GET(event, "refs"), "diff"));
	bool is_stored = str_starts(c->ref, STR("out_"));

	c->form = A2A_FORM_CHANGE;
	c->name = json_str(JSON_GET(payload, "path"));
	c->change = describe_file(scratch, payload);
	if (!is_stored) {
		c->media_type = STR("text/x-diff");
		c->ref = diff;
	}
}

/* False: it is nothing that a peer gets. */
static bool read_file(struct arena *scratch, struct json event, struct a2a_change *c)
{
	struct json payload = JSON_GET(event, "payload");
	bool is_link = str_eq(json_str(JSON_GET(payload, "kind")), STR("link"));
	bool is_seen =
		str_eq(json_str(JSON_GET(payload, "change")), STR(WORD_ARTIFACT_CHANGE_OBSERVED));
	bool has_path = str_is(json_str(JSON_GET(payload, "path")));

	*c = (struct a2a_change){ .kind = A2A_CHANGE_ARTIFACT,
		                  .artifact_id = json_str(JSON_GET(event, "artifactId")),
		                  .name = json_str(JSON_GET(payload, "name")),
		                  .media_type = json_str(JSON_GET(payload, "mediaType")),
		                  .ref = json_str(JSON_GET(JSON_GET(event, "refs"), "read")),
		                  .content = json_str(JSON_GET(payload, "content")),
		                  .is_last = true };
	if (is_link && is_seen && !has_path)
		c->form = A2A_FORM_LINK;
	else if (str_is(c->name) && !has_path)
		c->form = str_is(c->content) ? A2A_FORM_RAW : A2A_FORM_STORED;
	else
		describe_change(scratch, event, c);
	return c->form == A2A_FORM_LINK || !is_seen;
}

/* The bytes share the bound of the texts; without them the file still has its address. */
static void keep_content(struct a2a_task *t, struct a2a_artifact *a, struct str content)
{
	a->content = STR_NONE;
	if (a->form != A2A_FORM_RAW)
		return;
	if (content.len > LIMIT_A2A_TEXT_BYTES - t->text_bytes) {
		a->form = A2A_FORM_STORED;
		return;
	}
	t->text_bytes += content.len;
	a->content = kept(t, content);
}

static void on_file(struct a2a_task *t, struct arena *scratch, struct json event,
                    struct a2a_change *ret)
{
	struct a2a_artifact *a;
	struct a2a_change c;

	if (!read_file(scratch, event, &c))
		return;
	*ret = c;
	t->has_file = true;
	a = t->light ? NULL : add_artifact(t, ret->artifact_id);
	if (!a)
		return;
	a->form = ret->form;
	a->name = kept(t, ret->name);
	a->media_type = kept(t, ret->media_type);
	a->ref = kept(t, ret->ref);
	a->change = kept(t, ret->change);
	keep_content(t, a, ret->content);
}

/* ---- states ---- */

static void enter(struct a2a_task *t, struct json event, enum a2a_state state, struct str words,
                  struct a2a_change *ret)
{
	bool is_same = t->state == state && !words.len;

	if (is_same)
		return;
	t->state = state;
	t->at = kept(t, json_str(JSON_GET(event, "timestamp")));
	t->words = words.len ? kept(t, words) : STR_NONE;
	t->words_id = kept(t, json_str(JSON_GET(event, "eventId")));
	if (!a2a_state_is_interrupted(state))
		t->schema = STR_NONE;
	ret->kind = A2A_CHANGE_STATUS;
}

/*
 * The wait begins with the event of the task; what is asked was said by the action before it, in
 * the same commit.
 */
static void on_action(struct a2a_task *t, struct arena *scratch, struct json event,
                      struct a2a_change *ret)
{
	struct json payload = JSON_GET(event, "payload"), schema = JSON_GET(payload, "schema");
	bool is_question = str_eq(json_str(JSON_GET(payload, "actionType")),
	                          STR(WORD_ACTION_TYPE_STRUCTURED_INPUT));
	struct str prompt = json_str(JSON_GET(payload, "prompt"));

	t->has_asked = true;
	add_words(t, json_str(JSON_GET(event, "eventId")), prompt, true);
	t->schema = is_question && json_is(schema) ? json_text(t->light ? scratch : t->mem, schema)
	                                           : STR_NONE;
	enter(t, event, is_question ? A2A_STATE_INPUT_REQUIRED : A2A_STATE_AUTH_REQUIRED, prompt,
	      ret);
}

static void on_resolved(struct a2a_task *t, struct json event)
{
	struct json answer = JSON_GET(JSON_GET(event, "payload"), "answerPreview");
	struct str text = json_str(JSON_GET(answer, "answer"));

	if (t->light || !json_is(answer))
		return;
	add_words(t, json_str(JSON_GET(event, "eventId")),
	          text.len ? text : json_text(t->mem, answer), false);
}

static void on_task(struct a2a_task *t, struct json event, struct str type, struct a2a_change *ret)
{
	struct json payload = JSON_GET(event, "payload");
	struct str status = json_str(JSON_GET(event, "status"));
	struct str message = json_str(JSON_GET(payload, "message"));
	enum a2a_state state = a2a_state_of_status(status, json_str(JSON_GET(payload, "category")));

	if (!t->is_found && !t->light && str_eq(type, STR("task.created"))) {
		t->is_found = true;
		t->first_sequence = json_uint(JSON_GET(event, "sequence"), 0);
		t->thread_id = arena_keep(t->mem, json_str(JSON_GET(event, "threadId")));
		t->turn_id = arena_keep(t->mem, json_str(JSON_GET(event, "turnId")));
	}
	if (!str_is(status) || state == A2A_STATE_NONE ||
	    (a2a_state_is_interrupted(state) && a2a_state_is_interrupted(t->state)))
		return;
	if (!message.len)
		message = json_str(JSON_GET(payload, "reason"));
	enter(t, event, state, a2a_state_is_final(state) ? message : STR_NONE, ret);
}

/* A background task gets its turn later than its first event. */
static void on_submitted(struct a2a_task *t, struct json event)
{
	if (!t->light && !t->turn_id.len &&
	    !str_is(json_str(JSON_GET(JSON_GET(event, "payload"), "mergedInto"))))
		t->turn_id = arena_keep(t->mem, json_str(JSON_GET(event, "turnId")));
	add_input(t, event);
}

void a2a_task_event(struct a2a_task *t, struct arena *scratch, struct json event,
                    struct a2a_change *ret)
{
	struct str type = json_str(JSON_GET(event, "type"));

	*ret = (struct a2a_change){ 0 };
	if (!str_eq(json_str(JSON_GET(event, "taskId")), t->task_id) ||
	    (a2a_state_is_final(t->state) && t->is_found))
		return;
	t->last_sequence = json_uint(JSON_GET(event, "sequence"), 0);
	if (str_eq(type, STR("turn.submitted")))
		on_submitted(t, event);
	else if (str_eq(type, STR("model.delta")))
		on_delta(t, scratch, event, ret);
	else if (str_eq(type, STR("model.completed")))
		on_text_end(t, scratch, event, ret);
	else if (str_eq(type, STR("model.failed")))
		on_text_failed(t, event);
	else if (str_eq(type, STR("artifact.changed")))
		on_file(t, scratch, event, ret);
	else if (str_eq(type, STR("action.required")))
		on_action(t, scratch, event, ret);
	else if (str_eq(type, STR("action.resolved")))
		on_resolved(t, event);
	else if (str_starts(type, STR("task.")) && !str_starts(type, STR("task.attempt.")))
		on_task(t, event, type, ret);
}

bool a2a_task_read_row(struct a2a_task *t, struct json row)
{
	struct json error = JSON_GET(row, "lastError");
	struct str at = json_str(JSON_GET(row, "updatedAt"));

	t->state = a2a_state_of_status(json_str(JSON_GET(row, "status")),
	                               json_str(JSON_GET(error, "category")));
	if (t->state == A2A_STATE_NONE || str_is(json_str(JSON_GET(row, "parentTaskId"))))
		return false;
	t->is_found = true;
	t->thread_id = arena_keep(t->mem, json_str(JSON_GET(row, "threadId")));
	t->turn_id = arena_keep(t->mem, json_str(JSON_GET(row, "turnId")));
	t->at = arena_keep(t->mem, at.len ? at : json_str(JSON_GET(row, "createdAt")));
	return true;
}

/* NULL: the agent said nothing, or more than is kept. */
const struct a2a_artifact *a2a_task_last_text(const struct a2a_task *t)
{
	for (uint32_t i = t->artifact_count; i-- > 0;)
		if (!t->artifacts[i].is_void)
			return t->artifacts[i].is_cut || !t->artifacts[i].text.len
			               ? NULL
			               : &t->artifacts[i];
	return NULL;
}

bool a2a_task_is_plain(const struct a2a_task *t)
{
	return t->state == A2A_STATE_COMPLETED && !t->has_asked && !t->has_file && !t->left_out &&
	       a2a_task_last_text(t);
}
