#ifndef APP_ACP_LINK_H
#define APP_ACP_LINK_H
/*
 * The connection of `thole acp` to the runtime: one lane for commands, which is
 * enrolled as the editor's channel, and one stream of events per session.
 *
 *   NONE ──► UP ──► AWAY (the other side went away; a daemon that returns is taken)
 *            ▲        │ none returned
 *            │        ▼
 *            └──── a daemon is started; if that fails, open calls are refused: NONE
 *
 * Calls without a reply are sent again over a new connection.  Those that change
 * something carry an id or an idempotency key, so that they happen once.
 */
#include "acp/acp_session.h"
#include "app/cli/connection.h"
#include "app/cli/follow/event_reader.h"
#include "base/list.h"

#include <poll.h>

enum acp_link_state { ACP_LINK_NONE, ACP_LINK_UP, ACP_LINK_AWAY };

struct acp_link {
	struct cli *c;
	struct acp_session *s;
	enum acp_link_state state;
	struct thole_lane *lane;
	unsigned long long enrol_id; /* of the open call that enrols; 0: none */
	struct list calls, followers;
	struct list leaving; /* followers whose readers are being stopped */
	int64_t away_since;
};

void acp_link_init(struct acp_link *l, struct cli *c, struct acp_session *s);
void acp_link_done(struct acp_link *l);

/* Callbacks of the session. */
void acp_link_call(struct acp_link *l, uint64_t tag, const char *command, struct str params);
void acp_link_follow(struct acp_link *l, struct str session_id, int64_t after);
void acp_link_unfollow(struct acp_link *l, struct str session_id);

/* Connects, if calls wait for it, and passes on what has come: replies and events. */
void acp_link_step(struct acp_link *l);

/* The descriptors to wait for; returns their number, at most LIMIT_ACP_SESSIONS + 1. */
size_t acp_link_poll(const struct acp_link *l, struct pollfd *ret);
/* How long to wait at most; -1: no limit. */
int acp_link_timeout_ms(const struct acp_link *l);

#endif
