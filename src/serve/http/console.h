#ifndef SERVE_CONSOLE_H
#define SERVE_CONSOLE_H
/*
 * The console in the browser: its files, and signing in to it (signin.h).
 *
 * The files hold no secret and are given to anybody who is at the right
 * place; everything they show is read with the cookie, by the same paths and
 * under the same scopes as with a token.
 */
#include "serve/serve_int.h"

/* Was the console built into this program? */
bool console_is_here(void);

/* GET / and GET /console/{name} */
void console_page(struct http_request *req);
void console_file(struct http_request *req, struct str name);

/* POST /v1/console/sign-in {"code": ...}; of strangers */
void console_sign_in(struct serve *s, struct http_request *req);
void console_sign_out(struct serve *s, struct http_request *req);
/* GET /v1/console/session: who is signed in, with what scopes, until when */
void console_session(struct serve *s, struct http_request *req, const struct caller *caller);

/* Opens a loopback port when there is none; false: detail says why there is none still. */
bool console_has_port(struct serve *s, struct error *detail);
/*
 * The command open_console.  Opens a loopback port when there is none.  0,
 * and the reply is written; or why not, and detail says it.
 */
enum error_code console_open(struct serve *s, const struct caller *caller, struct buf *reply,
                             struct error *detail);

#endif
