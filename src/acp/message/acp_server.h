#ifndef ACP_ACP_SERVER_H
#define ACP_ACP_SERVER_H
/*
 * Tool servers that an editor names, in the form of attach_tool_servers.  Pure.
 *
 *   [{"name":"My files","command":"/bin/x","args":[],"env":[{"name":"K","value":"v"}]}]
 *   {"My-files":{"command":"/bin/x","args":[],"env":{"K":"v"}}}
 *
 * The runtime decides which of them can be used; here only their shape is
 * checked.  A name is for people: it becomes one that names of tools may contain.
 */
#include "base/buf.h"
#include "base/json.h"
#include "base/err.h"

/* servers: the list of the editor, or nothing.  ERR_INVALID: one of them is not as the schema says. */
enum err acp_server_write(struct buf *out, struct arena *mem, struct json servers,
                          size_t *ret_count, struct error *e) MUST_USE;

#endif
