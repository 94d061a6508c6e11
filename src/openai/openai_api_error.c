/* Errors in the form of both APIs. */
#include "base/gen/words.h"
#include "base/jw.h"
#include "openai/openai_api_write.h"

void openai_api_error_write(struct buf *out, struct str message, const char *type, struct str param,
                            struct str code)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KEY(&w, "error");
	jw_obj(&w);
	JW_KSTR(&w, "message", message);
	JW_KSTR(&w, "type", str_from(type));
	JW_KEY(&w, "param");
	if (str_is(param) && param.len)
		jw_str(&w, param);
	else
		jw_null(&w);
	JW_KEY(&w, "code");
	if (str_is(code))
		jw_str(&w, code);
	else
		jw_null(&w);
	jw_obj_end(&w);
	jw_obj_end(&w);
}

int openai_api_error_status(struct str category)
{
	static const struct {
		const char *word;
		int status;
	} rows[] = {
		{ WORD_ERROR_CATEGORY_RATE_LIMITED, 429 },
		{ WORD_ERROR_CATEGORY_OVERLOADED, 503 },
		{ WORD_ERROR_CATEGORY_QUOTA, 429 },
		{ WORD_ERROR_CATEGORY_BUDGET, 402 },
		{ WORD_ERROR_CATEGORY_NO_CANDIDATE, 404 },
		{ WORD_ERROR_CATEGORY_INVALID_REQUEST, 400 },
		{ WORD_ERROR_CATEGORY_CONTEXT_LENGTH, 400 },
		{ WORD_ERROR_CATEGORY_TIMEOUT, 504 },
		{ WORD_ERROR_CATEGORY_NETWORK, 502 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (str_is(category) && str_eq(category, str_from(rows[i].word)))
			return rows[i].status;
	return 500;
}
