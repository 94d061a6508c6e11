/*
 * Chooses the writer of an export format.
 */
#include "export/export.h"

#include "base/jw.h"

bool export_write(enum event_form form, struct json ev, struct json_writer *w, struct str *ret_name)
{
	switch (form) {
	case EVENT_FORM_AGENT_UI:
		return agent_ui_write(ev, w, ret_name);
	case EVENT_FORM_AGENT_POLICY:
		return agent_policy_write(ev, w, ret_name);
	case EVENT_FORM_CLOUDEVENTS:
		return cloudevents_write(ev, w, ret_name);
	case EVENT_FORM_AGENT_TOOL:
		return agent_tool_write(ev, w, ret_name);
	case EVENT_FORM_AGENT_CONTEXT:
		return agent_context_write(ev, w, ret_name);
	case EVENT_FORM_AGENT_ARTIFACT:
		return agent_artifact_write(ev, w, ret_name);
	case EVENT_FORM_AGENT_EVIDENCE:
		return agent_evidence_write(ev, w, ret_name);
	default:
		return false;
	}
}
