/* Stops the threads of a trial's session first, because they could start processes, and then the processes. */
#include "app/cli/trial/trial_stop.h"

#include "app/cli/connection.h"
#include "app/cli/params.h"
#include "base/gen/words.h"

#define WHY "the trial has ended"
#define GRACE_MS 500

/* How one row of a list is stopped.  The runtime refuses what has ended meanwhile: then it is gone. */
struct kind {
	const char *list, *rows, *stop, *id;
	bool (*is_running)(struct str status);
};

static bool is_thread_running(struct str status)
{
	return str_eq(status, STR(WORD_THREAD_STATUS_RUNNING)) ||
	       str_eq(status, STR(WORD_THREAD_STATUS_QUEUED)) ||
	       str_eq(status, STR(WORD_THREAD_STATUS_BLOCKED));
}

static bool is_process_running(struct str status)
{
	return str_eq(status, STR(WORD_PROCESS_STATUS_RUNNING));
}

static const struct kind threads = { "list_threads", "threads", "interrupt_turn", "threadId",
	                             is_thread_running };
static const struct kind processes = { "list_processes", "processes", "terminate_process",
	                               "processId", is_process_running };

static int stop_row(struct cli *c, const struct kind *k, struct str session, struct str id)
{
	struct params p;
	struct json reply;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	params_str(&p, k->id, id);
	params_cstr(&p, "reason", WHY);
	if (k == &threads)
		params_cstr(&p, "queuePolicy", WORD_QUEUE_POLICY_CLEAR);
	else
		params_int(&p, "graceMs", GRACE_MS);
	code = connection_try(c, k->stop, &p, true, &reply);
	return code == THOLE_OK || code == THOLE_REFUSED ? CODE_DONE
	                                                 : cli_failure_print(c, code, reply);
}

static int stop_kind(struct cli *c, const struct kind *k, struct str session, bool *ret_gone)
{
	struct params p;
	struct json reply, row;
	struct json_iter it;
	struct str key;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	if (k == &processes) /* those that have ended do not fill the page */
		params_cstr(&p, "status", WORD_PROCESS_STATUS_RUNNING);
	code = connection_call(c, k->list, &p, &reply);
	it = json_iter(code ? (struct json){ 0 } : json_get(reply, str_from(k->rows)));
	while (!code && json_next(&it, &key, &row)) {
		if (!k->is_running(json_str(JSON_GET(row, "status"))))
			continue;
		*ret_gone = false;
		code = stop_row(c, k, session, json_str(json_get(row, str_from(k->id))));
	}
	return code;
}

int trial_stop_rest(struct cli *c, struct str session, bool *ret_gone)
{
	int code;

	*ret_gone = true;
	code = stop_kind(c, &threads, session, ret_gone);
	return code ? code : stop_kind(c, &processes, session, ret_gone);
}
