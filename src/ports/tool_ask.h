#ifndef PORTS_TOOL_ASK_H
#define PORTS_TOOL_ASK_H
/*
 * What tool servers offer to people outside of turns: prompts, values that complete an argument,
 * and resources, and their login.  Functions of struct toolset_ops use these structs.
 */
#include "base/err.h"
#include "base/list.h"
#include "base/str.h"

/* A text that a tool server offers to people. */
struct tool_prompt {
	struct str server, name;
	struct str description; /* one line */
	struct str hint;        /* its arguments, for people; or empty */
};

/*
 * Something that a person wants from a server, outside of any turn: the text of a prompt, values
 * that complete an argument of one, or the text of a resource.  Part of the caller's struct; done
 * is called once, later, within a few seconds; of resources/watch, within half a minute.
 */
enum tool_ask_kind {
	TOOL_ASK_PROMPT,
	TOOL_ASK_COMPLETION,
	TOOL_ASK_RESOURCE,
	TOOL_ASK_RELAY, /* a request of another client, and the result as the server gave it */
};
struct rec_call_client;

struct tool_ask {
	enum tool_ask_kind kind;
	/* name: of the prompt; of a resource its URI; of a relayed request its method */
	struct str server, name;
	/* words of the person; the last one is to be completed.  Of a relayed request its params */
	struct str arguments;
	/* Of a relayed request: what its caller answers; NULL: nothing is asked. */
	const struct rec_call_client *client;
	struct str caller; /* who wants it: a principal, else the session (tool_start.caller) */
	/* ERR_NOT_FOUND: it does not exist; other errors: the server failed. */
	void (*done)(struct tool_ask *a, enum err code);
	void *owner;
	/* Live until done returns: */
	struct str text;
	const struct str *values;
	size_t value_count;
	struct str message;  /* why it failed */
	int64_t server_code; /* of the server's error; 0: it gave none */
};

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
