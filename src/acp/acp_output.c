/*
 * The output of commands as it grows.  Events say how much there is; the text is read from the runtime, at most once at
 * a time for each call, and the editor gets its end.
 */
#include "acp/acp_parts.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <stdio.h>

#define TAIL_BYTES 16384 /* that the editor is shown while the command runs */
#define OUTPUTS_MAX 64

struct live_output {
	struct list node;
	struct acp_reading reading;
	char call[ACP_ID_MAX];
	bool is_reading, is_stale; /* more has come meanwhile */
};

static void output_free(struct live_output *o)
{
	acp_fetch_stop(&o->reading);
	list_remove(&o->node);
	memory_free(o);
}

void acp_output_free_all(struct acp_thread *t)
{
	while (!list_is_empty(&t->outputs))
		output_free(LIST_ITEM(t->outputs.next, struct live_output, node));
}

static void read_tail(struct live_output *o)
{
	buf_done(&o->reading.text);
	o->reading.offset = -TAIL_BYTES;
	o->is_reading = true;
	o->is_stale = false;
	acp_fetch_begin(&o->reading);
}

/* The beginning of the tail may be half a character. */
static void on_tail(struct acp_reading *r, bool is_ok)
{
	struct live_output *o = OWNER_OF(r, struct live_output, reading);
	struct buf params = { 0 };

	o->is_reading = false;
	if (is_ok && r->text.len) {
		acp_update_write_output(&params, str_from(r->t->id), str_from(o->call),
		                        buf_str(&r->text));
		acp_peer_notify(r->t->s, "session/update", &params);
	}
	if (o->is_stale)
		read_tail(o);
}

static struct live_output *find_output(struct acp_thread *t, struct str call)
{
	LIST_EACH (&t->outputs, node) {
		struct live_output *o = LIST_ITEM(node, struct live_output, node);

		if (str_eq(str_from(o->call), call))
			return o;
	}
	return NULL;
}

static size_t count_outputs(const struct acp_thread *t)
{
	size_t count = 0;

	LIST_EACH (&t->outputs, node)
		count++;
	return count;
}

static struct live_output *add_output(struct acp_thread *t, struct str call, struct str ref)
{
	struct live_output *o;

	if (!call.len || !ref.len || count_outputs(t) >= OUTPUTS_MAX)
		return NULL;
	o = memory_zeroed(1, sizeof *o);
	o->reading = (struct acp_reading){ .t = t, .max = TAIL_BYTES, .done = on_tail };
	snprintf(o->call, sizeof o->call, "%.*s", STR_ARG(call));
	snprintf(o->reading.ref, sizeof o->reading.ref, "%.*s", STR_ARG(ref));
	list_init(&o->node);
	list_add(&t->outputs, &o->node);
	return o;
}

/* What is not text is not shown; nothing follows the end of a call. */
void acp_output_event(struct acp_thread *t, struct str type, struct json event)
{
	struct str call = json_str(JSON_GET(event, "toolCallId"));
	struct live_output *o = find_output(t, call);

	if (str_eq(type, STR("process.output")) &&
	    !json_bool(JSON_GET(JSON_GET(event, "payload"), "binary"), false)) {
		if (!o)
			o = add_output(t, call, json_str(JSON_GET(event, "outputRef")));
		if (o && o->is_reading)
			o->is_stale = true;
		else if (o)
			read_tail(o);
	} else if (o && (str_eq(type, STR("tool.result")) || str_eq(type, STR("tool.failed")))) {
		output_free(o);
	}
}
