#include "export/export.h"

bool form_write(enum event_form form, struct json ev, struct json_writer *w, struct str *ret_name)
{
	switch (form) {
	case EVENT_FORM_AGENT_UI:
		return form_write_ui(ev, w, ret_name);
	case EVENT_FORM_AGENT_POLICY:
		return form_write_policy(ev, w, ret_name);
	default:
		return false;
	}
}
