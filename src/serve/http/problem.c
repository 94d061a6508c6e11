/*
 * Errors as application/problem+json (RFC 9457).
 */
#include "serve/http/problem.h"

#include "base/json.h"
#include "base/jw.h"

#include <stdarg.h>
#include <stdio.h>

/* A problem over JSON-RPC has the same members, so clients read one format. */
void problem_write(struct buf *out, enum error_code code, int status, struct str detail)
{
	const struct error_info *info = &error_infos[code];
	char type[96];
	struct json_writer w;

	snprintf(type, sizeof type, "urn:thole:problem:%.*s", STR_ARG(info->code));
	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "type", str_from(type));
	JW_KSTR(&w, "title", info->title);
	JW_KINT(&w, "status", status ? status : info->http);
	JW_KSTR(&w, "code", info->code);
	JW_KSTR(&w, "category", info->category);
	JW_KOPT(&w, "detail", detail);
	JW_KBOOL(&w, "retryable", info->retryable);
	jw_obj_end(&w);
}

void problem_reply_with(struct http_request *req, enum error_code code,
                        const struct http_field *header, struct str detail)
{
	struct http_field headers[4] = {
		{ STR("Content-Type"), PROBLEM_TYPE },
		HEADER_NO_STORE,
		HEADER_NO_SNIFF,
	};
	size_t count = 3;
	struct buf body = { 0 };

	if (header)
		headers[count++] = *header;
	problem_write(&body, code, 0, detail);
	http_reply(req, error_infos[code].http, headers, count, buf_str(&body));
	buf_done(&body);
}

void problem_reply(struct http_request *req, enum error_code code, const char *fmt, ...)
{
	char detail[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(detail, sizeof detail, fmt, args);
	va_end(args);
	problem_reply_with(req, code, NULL, str_from(detail));
}

/* For requests that the HTTP parser refused; the status stays the parser's. */
static enum error_code code_of(int status)
{
	switch (status) {
	case 408:
		return ERROR_CODE_TIMEOUT;
	case 413:
		return ERROR_CODE_PAYLOAD_TOO_LARGE;
	case 414:
	case 431:
		return ERROR_CODE_HEADER_TOO_LARGE;
	case 503:
		return ERROR_CODE_OVERLOADED;
	default:
		return ERROR_CODE_INVALID_REQUEST;
	}
}

void problem_of_status(void *user, int status, const char *why, struct buf *body,
                       struct str *content_type)
{
	(void)user;
	*content_type = PROBLEM_TYPE;
	problem_write(body, code_of(status), status, str_from(why));
}
