/* What all updates have: session and kind; and the content block of a text. */
#include "acp/message/acp_part.h"

struct str acp_part_member(struct json v, const char *name)
{
	return json_str(json_get(v, str_from(name)));
}

void acp_part_begin(struct acp_part *u, const char *kind)
{
	jw_obj(&u->w);
	JW_KSTR(&u->w, "sessionId", u->v->session_id);
	JW_KEY(&u->w, "update");
	jw_obj(&u->w);
	JW_KSTR(&u->w, "sessionUpdate", str_from(kind));
}

void acp_part_end(struct acp_part *u)
{
	jw_obj_end(&u->w);
	jw_obj_end(&u->w);
}

void acp_part_write_text(struct json_writer *w, struct str text)
{
	jw_obj(w);
	JW_KSTR(w, "type", STR("text"));
	JW_KSTR(w, "text", text);
	jw_obj_end(w);
}
