/* Headers for pages of other origins. */
#include "serve/http/cors.h"

size_t cors_headers(const struct http_request *req, struct http_field *headers, size_t count)
{
	struct str origin = http_parse_find(&req->in, STR("origin"));

	if (!origin.len)
		return count;
	headers[count++] = (struct http_field){ STR("Access-Control-Allow-Origin"), origin };
	headers[count++] =
		(struct http_field){ STR("Access-Control-Expose-Headers"),
		                     STR("Thole-Session, Thole-Ignored, WWW-Authenticate") };
	headers[count++] = (struct http_field){ STR("Vary"), STR("Origin") };
	return count;
}

void cors_preflight(struct http_request *req)
{
	struct http_field headers[3 + CORS_HEADERS_MAX] = {
		{ STR("Access-Control-Allow-Methods"), STR("GET, POST, DELETE") },
		{ STR("Access-Control-Allow-Headers"),
		  STR("authorization, content-type, accept, idempotency-key, thole-session, "
		      "thole-cwd, "
		      "a2a-version, a2a-extensions") },
		{ STR("Access-Control-Max-Age"), STR("600") },
	};

	http_reply(req, 204, headers, cors_headers(req, headers, 3), STR(""));
}
