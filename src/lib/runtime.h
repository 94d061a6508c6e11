#ifndef LIB_RUNTIME_H
#define LIB_RUNTIME_H
/*
 * A whole runtime in this process: the only place where all adapters meet.
 *
 * A runtime has its own thread or, with own_loop, runs whenever its owner
 * steps it.  The owner uses it through descriptors that speak JSON-RPC, like
 * any other client.
 */
#include "base/err.h"
#include "thole/thole.h"

struct runtime;

enum err runtime_open(const struct thole_options *o, struct runtime **ret,
                      struct error *e) MUST_USE;

/* A connected descriptor, or -1.  From any thread. */
int runtime_connect(struct runtime *r);

/* Stops in order: no new commands, what is under way becomes durable, then the end. */
void runtime_close(struct runtime *r);

/* Where its owner finds the hooks that it answers; NULL: it answers none. */
struct hook_queue *runtime_hook_queue(const struct runtime *r);

int runtime_port(const struct runtime *r);
const char *runtime_token(const struct runtime *r);
int runtime_done_fd(const struct runtime *r);
/* OK: it stopped because it was idle. */
enum err runtime_why_done(const struct runtime *r, struct error *e);

int runtime_fd(const struct runtime *r);
int runtime_timeout_ms(struct runtime *r);
void runtime_step(struct runtime *r, int timeout_ms);
bool runtime_is_stepped(const struct runtime *r);

#endif
