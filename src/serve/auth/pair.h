#ifndef SERVE_PAIR_H
#define SERVE_PAIR_H
/* Commands about paired devices (devices.h) and issuers (issuers.h), answered by the server itself. */
#include "base/json.h"
#include "serve/serve_int.h"

/* Whether it is pair_device, list_devices, revoke_device or list_issuers. */
bool pair_is_command(struct str command);
/* Returns 0 and writes the reply, or an error code with detail.  params: an object, or absent. */
enum error_code pair_command(struct serve *s, const struct caller *caller, struct str command,
                             struct json params, struct buf *reply, struct error *detail);

#endif
