#ifndef SERVE_RPC_H
#define SERVE_RPC_H
/*
 * JSON-RPC 2.0: one connection, over lines or over a WebSocket.
 *
 * A method is a command's name, its params are the command's, its result is
 * the reply, and an error carries the problem as data.  Answered here are:
 *
 *   initialize {clientInfo?, capabilities?, channelId?, resumeToken?, token?}
 *       → {protocol, version, schemaVersion, runtimeId, principal, channelId, resumeToken,
 *          scopes, capabilities}; the connection is a channel from then on
 *   ping {} → {}
 *   via {via: "stdio"} → {}; sent by `thole rpc` before initialize
 *   subscribe_events {sessionId?, after?, cursor?, types?, threadId?, turnId?, channelId?, as?,
 *                     follow?}
 *       → {subscriptionId, after | cursor}
 *       then notifications: event (params is the stored envelope, byte for byte),
 *       gap {subscriptionId, from, to, recoveryMode, snapshot},
 *       stream_end {subscriptionId, reason}
 *   unsubscribe_events {subscriptionId} → {subscriptionId}
 *   open_console, pair_device, list_devices, revoke_device, list_issuers: commands of the server (console.h,
 *       pair.h)
 *
 * An unauthenticated connection (the Unix socket, another user) may only ping,
 * state its transport (via) and initialize with a token.
 *
 * Input is read while fewer than in_flight_max calls are open and the peer reads
 * our replies; otherwise it waits in the kernel.
 */
#include "net/jsonrpc.h"
#include "serve/serve_int.h"

struct rpc {
	struct list node;    /* in serve->rpcs */
	struct serve *serve; /* NULL: it is gone, and so are calls and subscriptions */
	struct jsonrpc *peer;
	struct stream *s; /* lines, or */
	struct ws *ws;
	struct caller caller;
	struct control_channel *channel; /* when it has been enrolled */
	struct list calls, subs;
	unsigned call_count, sub_count;
	uint64_t next_sub;
	struct buf ahead; /* read, but too much is in flight */
	struct keepalive keepalive;
	struct loop_timer again;
	void (*on_gone)(void *arg);
	void *on_gone_arg;
	bool is_known; /* the peer is authenticated */
	bool is_held;  /* reading waits */
	bool is_eof;   /* the peer sends no more */
	bool is_ending;
	bool is_lagging; /* ended because it does not read */
	bool is_initialized;
};

/* Lines.  caller.scopes of 0: not known yet. */
void rpc_open_lines(struct serve *s, struct stream *stream, const struct caller *caller,
                    void (*on_gone)(void *arg), void *arg);
/* Ends the request. */
void rpc_open_websocket(struct serve *s, struct http_request *req, const struct caller *caller);

/* Ends it when nothing is open on it. */
void rpc_drain(struct rpc *c);
/* Forgets everything and closes; the struct is freed when the loop has closed it. */
void rpc_drop(struct rpc *c);

/* ---- rpc.c for rpc_sub.c and rpc_init.c ---- */

void rpc_send(struct rpc *c, struct str text);
void rpc_send_event(struct rpc *c, struct bytes *body);
size_t rpc_pending(const struct rpc *c);
/* A call or subscription has ended: continue reading, or end the connection. */
void rpc_settle(struct rpc *c);
/* reply may be NULL (a notification). */
void rpc_refuse(struct jsonrpc_call *reply, enum error_code code, struct str detail);
void rpc_reply(struct jsonrpc_call *reply, struct buf *result); /* empties the buffer */

/* ---- rpc_sub.c ---- */

void rpc_sub_subscribe(struct rpc *c, struct jsonrpc_call *reply, struct json params);
/* Answers a reconnect_channel that was accepted; the events from its fromSequence on follow. */
void rpc_sub_follow(struct rpc *c, struct jsonrpc_call *reply, struct str params, struct str body);
void rpc_sub_unsubscribe(struct rpc *c, struct jsonrpc_call *reply, struct json params);
/* The peer has read: continue sending. */
void rpc_sub_resume_all(struct rpc *c);
/* Confirms subscriptions that have waited too long for the control. */
void rpc_sub_tick(struct rpc *c);
/* Drops subscriptions without an end, or all. */
void rpc_sub_drop_all(struct rpc *c, bool only_followers);

/* ---- rpc_init.c ---- */

void rpc_init_connection(struct rpc *c, struct jsonrpc_call *reply, struct json params);

#endif
