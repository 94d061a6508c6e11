#ifndef PORTS_TOOL_LOGIN_H
#define PORTS_TOOL_LOGIN_H
/* The login of a person at a tool server, as toolset_ops.login takes it. */
#include "base/err.h"
#include "base/list.h"
#include "base/str.h"

#include <stdbool.h>

/*
 * A person signs in to a server, in two steps: without `redirected` the reply has the page to open,
 * with it the login is completed.  Part of the caller's struct; done is called once, later.
 */
struct tool_login {
	struct list node;      /* of the toolset */
	struct str redirected; /* the address that the browser was redirected to; or absent */
	/* ERR_INVALID: `redirected` is not of the login; other errors: it failed. */
	void (*done)(struct tool_login *l, enum err code);
	void *owner;
	/* Live until done returns: */
	bool is_signed_in;
	struct str url, redirect_uri; /* the page to open, if is_signed_in is false */
	struct str message;           /* why it failed */
};

#endif
