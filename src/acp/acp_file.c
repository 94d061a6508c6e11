/*
 * Files with unsaved text.  When a prompt of this editor reads a file, the runtime waits a moment for the text that the
 * editor has; the call itself, with its permission and its sandbox, stays in the runtime.  The editor is asked only if it
 * has declared fs/read_text_file, and only about its own prompts.
 */
#include "acp/acp_parts.h"

#include "base/gen/limits.h"
#include "base/gen/words.h"
#include "base/memory.h"

#include <stdio.h>

#define FILES_MAX 64

struct file_read {
	struct list node;
	char call[ACP_ID_MAX];
	char *path;      /* as in the arguments of the call */
	int64_t request; /* id of the open request to the editor; 0: none */
};

static void file_free(struct file_read *f)
{
	list_remove(&f->node);
	memory_free(f->path);
	memory_free(f);
}

void acp_file_free_all(struct acp_thread *t)
{
	while (!list_is_empty(&t->files))
		file_free(LIST_ITEM(t->files.next, struct file_read, node));
}

static struct file_read *find_call(struct acp_thread *t, struct str call)
{
	LIST_EACH (&t->files, node) {
		struct file_read *f = LIST_ITEM(node, struct file_read, node);

		if (str_eq(str_from(f->call), call))
			return f;
	}
	return NULL;
}

static size_t count_files(const struct acp_thread *t)
{
	size_t count = 0;

	LIST_EACH (&t->files, node)
		count++;
	return count;
}

/* Later arguments, of a hook or of a person, replace the first. */
static void note_path(struct acp_thread *t, struct str call, struct json args)
{
	struct str path = json_str(JSON_GET(args, "path"));
	struct file_read *f = find_call(t, call);

	if (!path.len || (!f && count_files(t) >= FILES_MAX))
		return;
	if (!f) {
		f = memory_zeroed(1, sizeof *f);
		snprintf(f->call, sizeof f->call, "%.*s", STR_ARG(call));
		list_init(&f->node);
		list_add(&t->files, &f->node);
	}
	memory_free(f->path);
	f->path = memory_strndup(path.ptr, path.len);
}

static void ask_editor(struct acp_thread *t, struct file_read *f)
{
	struct buf params = { 0 };
	struct json_writer w;

	jw_init(&w, &params);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", str_from(t->id));
	JW_KSTR(&w, "path",
	        f->path[0] == '/' ? str_from(f->path)
	                          : arena_printf(t->s->mem, "%s/%s", t->cwd, f->path));
	jw_obj_end(&w);
	f->request = acp_peer_ask(t->s, "fs/read_text_file", &params);
}

/* The call has ended: the text is not needed any more. */
static void withdraw(struct acp_thread *t, struct file_read *f)
{
	struct buf params = { 0 };

	if (f->request) {
		acp_message_write_cancel(&params, f->request);
		acp_peer_notify(t->s, "$/cancel_request", &params);
	}
	file_free(f);
}

static bool may_run(struct str type, struct json payload)
{
	return str_eq(type, STR("sandbox.applied")) ||
	       (str_eq(type, STR("tool.progress")) &&
	        str_eq(json_str(JSON_GET(payload, "kind")),
	               STR(WORD_TOOL_PROGRESS_KIND_DISPATCHED)));
}

void acp_file_event(struct acp_thread *t, struct str type, struct json event)
{
	struct json payload = JSON_GET(event, "payload");
	struct str call = json_str(JSON_GET(event, "toolCallId"));
	struct file_read *f = find_call(t, call);

	if (!t->s->client.reads_files || t->state == ACP_PROMPT_NONE ||
	    !str_eq(json_str(JSON_GET(event, "turnId")), str_from(t->turn)))
		return;
	if (str_eq(type, STR("tool.started")) &&
	    str_eq(json_str(JSON_GET(payload, "toolName")), STR("read_file")))
		note_path(t, call, JSON_GET(payload, "safeArgs"));
	else if (f && str_eq(type, STR("tool.args")) && json_is(JSON_GET(payload, "safeArgs")))
		note_path(t, call, JSON_GET(payload, "safeArgs"));
	else if (f && !f->request && may_run(type, payload))
		ask_editor(t, f);
	else if (f && (str_eq(type, STR("tool.result")) || str_eq(type, STR("tool.failed"))))
		withdraw(t, f);
}

/* ---- the answer ---- */

static struct file_read *find_request(struct acp_session *s, int64_t id, struct acp_thread **ret)
{
	LIST_EACH (&s->threads, outer) {
		*ret = LIST_ITEM(outer, struct acp_thread, node);
		LIST_EACH (&(*ret)->files, node) {
			struct file_read *f = LIST_ITEM(node, struct file_read, node);

			if (f->request == id)
				return f;
		}
	}
	return NULL;
}

/* Without a text the file is read from disk at once. */
static void offer(struct acp_thread *t, const struct file_read *f, struct str text)
{
	struct acp_params p;

	acp_peer_begin_call(&p, str_from(t->id));
	JW_KSTR(&p.w, "toolCallId", str_from(f->call));
	JW_KSTR(&p.w, "path", str_from(f->path));
	if (str_is(text) && text.len <= LIMIT_FILE_TEXT_BYTES)
		JW_KSTR(&p.w, "text", text);
	acp_peer_call(t->s, ACP_CALL_OTHER, "offer_file_text", &p);
}

bool acp_file_answered(struct acp_session *s, const struct jsonrpc_message *m)
{
	struct acp_thread *t;
	struct file_read *f;
	int64_t id;

	if (!str_to_i64(m->id, &id) || id <= 0 || !(f = find_request(s, id, &t)))
		return false;
	offer(t, f,
	      m->kind == JSONRPC_RESULT ? json_str(JSON_GET(m->result, "content")) : STR_NONE);
	file_free(f);
	return true;
}
