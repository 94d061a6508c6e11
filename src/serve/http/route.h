#ifndef SERVE_ROUTE_H
#define SERVE_ROUTE_H
/*
 * Maps paths to routes, and queries to the params of a command.  Pure.
 *
 * The catalogue has the names and types of a read's arguments, so
 * "?limit=5&archived=true" becomes
 * {"limit":5,"archived":true} because the command's row says so.
 */
#include "catalog/catalog.h"
#include "net/http/http_parse.h"

enum route_kind {
	ROUTE_COMMAND, /* POST /v1/commands/{name} */
	ROUTE_READ,    /* a plain GET of a read command */
	ROUTE_RUN,
	ROUTE_EVENTS,
	ROUTE_OUTPUT,
	ROUTE_RPC,
	ROUTE_HEALTH,
	ROUTE_READY,
	ROUTE_METRICS,
	ROUTE_OPENAPI,
	ROUTE_ASYNCAPI,
	ROUTE_RESOURCE,
	ROUTE_HOME,
	ROUTE_CONSOLE_FILE,
	ROUTE_CONSOLE_SESSION,
	ROUTE_SIGN_IN,
	ROUTE_SIGN_OUT,
	ROUTE_NODE,
	ROUTE_TRIGGER,
	ROUTE_MCP,
	ROUTE_AGUI,
	ROUTE_OPENAI, /* everything below /openai/v1/, with any method */
	ROUTE_A2A_CARD,
	ROUTE_A2A, /* everything below /a2a, with any method */
};

#define ROUTE_VALUES_MAX 2

struct route {
	enum route_kind kind;
	const char *method;
	const char *pattern;  /* {x} stands for one segment, the argument x */
	enum command command; /* of a read */
	bool takes_head;      /* HEAD counts as GET */
};

struct route_match {
	const struct route *route;
	struct str values[ROUTE_VALUES_MAX]; /* of the {x}, in order */
};

/* 0, ERROR_CODE_NOT_FOUND, or ERROR_CODE_METHOD_NOT_ALLOWED; then ret->route is what is there. */
enum error_code route_find(const struct http_message *m, struct route_match *ret);

/*
 * The params of a read from path and query.  When a code comes back, *ret_bad
 * names the parameter.
 */
enum error_code route_params(const struct route_match *match, const struct http_message *m,
                             struct buf *out, struct str *ret_bad);

#endif
