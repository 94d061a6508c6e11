/* How an event of a run is written, and the ends of messages. */
#include "agui/agui_write.h"

struct json_writer *agui_write_begin(struct agui_writing *x, const char *type)
{
	*x = (struct agui_writing){ 0 };
	jw_init(&x->w, &x->json);
	jw_obj(&x->w);
	JW_KSTR(&x->w, "type", str_from(type));
	return &x->w;
}

void agui_write_send(struct agui_run *r, struct agui_writing *x)
{
	jw_obj_end(&x->w);
	buf_add_str(r->out, STR("data: "));
	buf_add_str(r->out, buf_str(&x->json));
	buf_add_str(r->out, STR("\n\n"));
	buf_done(&x->json);
}

void agui_write_message(struct agui_run *r, const struct agui_speaker *s, const char *type,
                        struct str id, const char *role)
{
	struct agui_writing x;
	struct json_writer *w = agui_write_begin(&x, type);

	JW_KSTR(w, "messageId", id);
	if (role)
		JW_KSTR(w, "role", str_from(role));
	JW_KOPT(w, "subagentRunId", s->subagent_id);
	agui_write_send(r, &x);
}

void agui_write_end_reasoning(struct agui_run *r, struct agui_speaker *s)
{
	if (!str_is(s->reasoning_id))
		return;
	agui_write_message(r, s, "REASONING_MESSAGE_END", s->reasoning_id, NULL);
	agui_write_message(r, s, "REASONING_END", s->reasoning_id, NULL);
	s->reasoning_id = STR_NONE;
}

void agui_write_end_messages(struct agui_run *r, struct agui_speaker *s)
{
	agui_write_end_reasoning(r, s);
	if (str_is(s->text_id))
		agui_write_message(r, s, "TEXT_MESSAGE_END", s->text_id, NULL);
	s->text_id = STR_NONE;
}
