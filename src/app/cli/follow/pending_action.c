/* Makes rows of list_actions from events, so that prompts read one form. */
#include "app/cli/follow/pending_action.h"

#include "base/jw.h"

struct json pending_action_read(struct arena *mem, const struct shown_event *f)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer jw;
	struct json_iter it = json_iter(f->payload);
	struct json v, action = { 0 };
	struct str key;

	jw_init(&jw, &text);
	jw_obj(&jw);
	JW_KSTR(&jw, "actionId", f->action);
	JW_KOPT(&jw, "sessionId", f->session);
	JW_KOPT(&jw, "turnId", f->turn);
	JW_KOPT(&jw, "toolCallId", f->tool_call);
	JW_KOPT(&jw, "expiresAt", json_str(shown_event_path(f->payload, STR("wait.until"))));
	while (json_next(&it, &key, &v)) {
		jw_key(&jw, key);
		jw_value(&jw, v);
	}
	jw_obj_end(&jw);
	if (json_read_trusted(mem, buf_str(&text), &action, NULL) != OK)
		action = (struct json){ 0 };
	return action;
}
