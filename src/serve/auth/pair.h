#ifndef SERVE_PAIR_H
#define SERVE_PAIR_H
/* The commands about paired devices (devices.h); the faces answer them themselves. */
#include "base/json.h"
#include "serve/serve_int.h"

/* Is it pair_device, list_devices or revoke_device? */
bool pair_is_command(struct str command);
/* 0, and the reply is written; or why not, and detail says it.  params: an object, or absent. */
enum error_code pair_command(struct serve *s, const struct caller *caller, struct str command,
                             struct json params, struct buf *reply, struct error *detail);

#endif
