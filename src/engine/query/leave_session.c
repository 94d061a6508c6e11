/* A channel leaves one of its sessions and stays connected. */
#include "core/gen/inputs.h"
#include "engine/query/query.h"
#include "engine/request/channel.h"
#include "engine/session/apply.h"
#include "engine/engine_state.h"

static void forget_session(struct channel *ch, size_t at)
{
	for (size_t i = at + 1; i < ch->sessions.count; i++) {
		ch->sessions.items[i - 1] = ch->sessions.items[i];
		ch->acked.items[i - 1] = ch->acked.items[i];
	}
	ch->sessions.count--;
	ch->acked.count--;
}

static void reply_with(struct request *r, const char *status)
{
	struct reply_leave_session reply = { .session_id = r->session->id,
		                             .status = str_from(status) };

	r->response.reply = rec_text(r->mem, &reply_leave_session_desc, &reply);
	request_keep(r);
	request_wait(r);
}

/* Without the channel the session counts as idle, once its work has ended. */
void query_leave_session(struct request *r, const struct cmd_leave_session *c)
{
	struct str id = r->caller.channel_id;
	struct channel *ch = str_is(id) ? map_get(&r->engine->channels, id) : NULL;
	ptrdiff_t at = ch ? channel_session_at(ch, r->session->id) : -1;
	struct decision *d;

	(void)c;
	if (at < 0) {
		reply_with(r, "no_op");
		return;
	}
	d = apply_begin(r->session, &r->command);
	input_channel_gone(d, ch->handle.id, DISCONNECT_CAUSE_CLOSED, ch->acked.items[at]);
	apply_end(r->session, d);
	forget_session(ch, (size_t)at);
	reply_with(r, "left");
}
