#ifndef MCP_OFFER_MCP_RELAY_H
#define MCP_OFFER_MCP_RELAY_H
/*
 * What a tool server asks the MCP client that called its tool through this runtime: its user, its
 * model, its directories.  Pure.
 *
 * The client said what it answers (struct rec_call_client).  One question for its user keeps the form
 * that a person can answer, too.  Everything else is answered by an object with one response for each
 * key.  The runtime reads neither what is asked nor the answers, but for their forms.
 */
#include "catalog/gen/records.h"
#include "mcp/offer/mcp_question.h"

#define MCP_RELAY_MAX 8 /* questions at once */

/* Whether the client answers that request itself; client: NULL answers nothing. */
bool mcp_relay_takes(const struct rec_call_client *client, struct str method, struct json params);
/* Keeps the request in q.  ERR_TOO_LARGE, ERR_INVALID: it cannot be passed on. */
enum err mcp_relay_read(struct arena *mem, struct str method, struct json params,
                        struct mcp_question *q, struct error *e) MUST_USE;
/*
 * All questions of the list without a response that the client answers, as one in ret; or only the
 * first of them, if it does not take several together.  What does not fit is left for the next one:
 * returns how many of them are asked.  Strings live in mem.
 */
size_t mcp_relay_join(struct arena *mem, const struct list *questions, bool is_together,
                      struct mcp_question *ret);
/* The response to q in what the client answered; absent: there is none. */
struct str mcp_relay_response(struct arena *mem, const struct mcp_question *q, struct str answer);

#endif
