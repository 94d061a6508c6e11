/*
 * Classifies provider errors: reads the error object in its many forms, the
 * HTTP status and the headers that say when to try again.
 */
#include "provider/failure.h"

#include "base/utf8.h"

#include <ctype.h>
#include <strings.h>
#include <time.h>

/* ---- times in headers ---- */

/*
 * "12" or "0.5" in units of unit_ms milliseconds.  In microseconds and rounded up:
 * waiting a little too long is harmless, too short is another refusal.  The bound comes
 * before the multiplication.
 */
static bool read_decimal(struct str s, int64_t unit_ms, int64_t *ret_ms)
{
	struct str fraction = s, whole = str_cut(&fraction, '.');
	int64_t scale = unit_ms * 1000, sum = 0; /* in microseconds */
	uint64_t n = 0;

	if (!str_to_u64(whole, &n))
		return false;
	n = MIN(n, (uint64_t)FAILURE_WAIT_MAX_MS);
	for (size_t i = 0; i < fraction.len; i++) {
		if (fraction.ptr[i] < '0' || fraction.ptr[i] > '9')
			return false;
		scale /= 10;
		sum += (fraction.ptr[i] - '0') * scale;
	}
	*ret_ms = MIN((int64_t)n * unit_ms + (sum + 999) / 1000, FAILURE_WAIT_MAX_MS);
	return true;
}

static int64_t unit_of(struct str *s)
{
	static const struct {
		struct str word;
		int64_t ms;
	} units[] = { { STR("ms"), 1 },
		      { STR("s"), 1000 },
		      { STR("m"), 60000 },
		      { STR("h"), 3600000 },
		      { STR("d"), 86400000 } };

	for (size_t i = 0; i < COUNT_OF(units); i++)
		if (str_starts(*s, units[i].word)) {
			*s = str_skip(*s, units[i].word.len);
			return units[i].ms;
		}
	return 0;
}

/* Go's format, which several vendors use in headers and in bodies. */
bool failure_duration(struct str s, int64_t *ret_ms)
{
	int64_t sum = 0;

	if (!s.len)
		return false;
	while (s.len) {
		size_t digits = 0;
		int64_t part;

		while (digits < s.len &&
		       (s.ptr[digits] == '.' || (s.ptr[digits] >= '0' && s.ptr[digits] <= '9')))
			digits++;

		struct str number = str_head(s, digits);

		s = str_skip(s, digits);

		int64_t unit = unit_of(&s);

		if (!unit || !read_decimal(number, unit, &part))
			return false;
		sum += part;
	}
	*ret_ms = MIN(sum, FAILURE_WAIT_MAX_MS);
	return true;
}

static bool read_number(struct str s, size_t at, size_t len, int64_t *ret)
{
	uint64_t n;

	if (at + len > s.len || !str_to_u64(str_of(s.ptr + at, len), &n))
		return false;
	*ret = (int64_t)n;
	return true;
}

/* Days since 1970 of a date, by the civil calendar. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	year -= month <= 2;

	int64_t era = year / 400, of_era = year - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* "Sun, 06 Nov 1994 08:49:37 GMT" in seconds; the other forms of RFC 9110 are not sent any more. */
static bool read_date(struct str s, int64_t *ret_s)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	int64_t day, year, hour, minute, second;

	if (s.len != 29 || !str_ends(s, STR(" GMT")) || !read_number(s, 5, 2, &day) ||
	    !read_number(s, 12, 4, &year) || !read_number(s, 17, 2, &hour) ||
	    !read_number(s, 20, 2, &minute) || !read_number(s, 23, 2, &second))
		return false;
	for (int64_t m = 0; m < 12; m++)
		if (!memcmp(months + 3 * m, s.ptr + 8, 3)) {
			*ret_s = ((days_of(year, m + 1, day) * 24 + hour) * 60 + minute) * 60 +
			         second;
			return true;
		}
	return false;
}

/* "2026-01-31T12:00:00Z" in seconds; fractions are dropped, other zones are not sent. */
static bool read_timestamp(struct str s, int64_t *ret_s)
{
	int64_t year, month, day, hour, minute, second;

	if (s.len < 20 || !str_ends(s, STR("Z")) || s.ptr[10] != 'T' ||
	    !read_number(s, 0, 4, &year) || !read_number(s, 5, 2, &month) ||
	    !read_number(s, 8, 2, &day) || !read_number(s, 11, 2, &hour) ||
	    !read_number(s, 14, 2, &minute) || !read_number(s, 17, 2, &second) || month < 1 ||
	    month > 12)
		return false;
	*ret_s = ((days_of(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
	return true;
}

/* Converts a point in time to a wait, by the response's Date or, without one, by our clock. */
static int64_t wait_until(const struct http_client_head *h, int64_t until_s)
{
	int64_t now_s;
	bool has_date = read_date(http_client_head_get(h, STR("date")), &now_s);

	if (!has_date)
		now_s = time(NULL);
	if (until_s < now_s)
		return has_date ? 0 : -1; /* our clocks differ */
	return MIN((until_s - now_s) * 1000, FAILURE_WAIT_MAX_MS);
}

/* ---- limits in headers ---- */

static const struct {
	struct str kind, limit, remaining, reset;
} limits[] = {
	{ STR("requests"), STR("x-ratelimit-limit-requests"), STR("x-ratelimit-remaining-requests"),
	  STR("x-ratelimit-reset-requests") },
	{ STR("tokens"), STR("x-ratelimit-limit-tokens"), STR("x-ratelimit-remaining-tokens"),
	  STR("x-ratelimit-reset-tokens") },
	{ STR("requests"), STR("anthropic-ratelimit-requests-limit"),
	  STR("anthropic-ratelimit-requests-remaining"),
	  STR("anthropic-ratelimit-requests-reset") },
	{ STR("tokens"), STR("anthropic-ratelimit-tokens-limit"),
	  STR("anthropic-ratelimit-tokens-remaining"), STR("anthropic-ratelimit-tokens-reset") },
	{ STR("input_tokens"), STR("anthropic-ratelimit-input-tokens-limit"),
	  STR("anthropic-ratelimit-input-tokens-remaining"),
	  STR("anthropic-ratelimit-input-tokens-reset") },
	{ STR("output_tokens"), STR("anthropic-ratelimit-output-tokens-limit"),
	  STR("anthropic-ratelimit-output-tokens-remaining"),
	  STR("anthropic-ratelimit-output-tokens-reset") },
};

static int64_t read_count(struct str s)
{
	uint64_t n;

	return str_to_u64(s, &n) && n <= INT64_MAX ? (int64_t)n : -1;
}

/* "6m0s", or a point in time. */
static int64_t read_reset(const struct http_client_head *h, struct str s)
{
	int64_t n;

	if (failure_duration(s, &n))
		return n;
	return read_timestamp(s, &n) ? wait_until(h, n) : -1;
}

/* Both families of headers have the same three members; a server sends one family. */
size_t failure_limits_read(const struct http_client_head *h, struct arena *mem,
                           const struct model_limit **ret)
{
	struct model_limit *out = NULL;
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(limits); i++) {
		struct model_limit m = { limits[i].kind,
			                 read_count(http_client_head_get(h, limits[i].limit)),
			                 read_count(http_client_head_get(h, limits[i].remaining)),
			                 read_reset(h, http_client_head_get(h, limits[i].reset)) };

		if (m.limit < 0 && m.remaining < 0)
			continue;
		if (!out)
			out = ARENA_ARRAY(mem, struct model_limit, COUNT_OF(limits));
		out[count++] = m;
	}
	*ret = out;
	return count;
}

/* The longest wait for a limit that is used up. */
static int64_t wait_for_reset(const struct http_client_head *h)
{
	int64_t wait = -1;

	for (size_t i = 0; i < COUNT_OF(limits); i++)
		if (str_eq(http_client_head_get(h, limits[i].remaining), STR("0"))) {
			int64_t ms = read_reset(h, http_client_head_get(h, limits[i].reset));

			wait = MAX(wait, ms);
		}
	return wait;
}

/* ---- trying again ---- */

/*
 * The most exact header first.  An unreadable Retry-After is not replaced by the reset
 * of a limit.
 */
void failure_hints_read(const struct http_client_head *h, struct failure_hints *ret)
{
	struct str should = http_client_head_get(h, STR("x-should-retry"));
	struct str in_ms = http_client_head_get(h, STR("retry-after-ms"));
	struct str after = http_client_head_get(h, STR("retry-after"));
	int64_t ms;

	*ret = (struct failure_hints){
		.retry_after_ms = -1,
		.should = str_eq(should, STR("true"))    ? SHOULD_RETRY
		          : str_eq(should, STR("false")) ? SHOULD_NOT_RETRY
		                                         : SHOULD_NOT_SAY,
	};
	if (read_decimal(in_ms, 1, &ms) || read_decimal(after, 1000, &ms))
		ret->retry_after_ms = ms;
	else if (after.len)
		ret->retry_after_ms = read_date(after, &ms) ? wait_until(h, ms) : -1;
	else
		ret->retry_after_ms = wait_for_reset(h);
}

/* ---- what the server said ---- */

/* What a server says about an error, from whatever place it says it. */
struct complaint {
	struct str message, type, code;
	int status;      /* its code when that is a number */
	int64_t wait_ms; /* -1: not said */
};

/* Of a list of field errors the first is used. */
static struct str message_of(struct json v)
{
	if (json_type(v) == JSON_ARR)
		v = JSON_GET(json_at(v, 0), "msg");
	return json_str(v);
}

static bool contains(struct str text, const char *what)
{
	size_t len = strlen(what);

	for (size_t i = 0; i + len <= text.len; i++)
		if (!strncasecmp(text.ptr + i, what, len))
			return true;
	return false;
}

/* Google's list: the wait, the quota, and why a key is refused. */
static void read_detail(struct json v, struct complaint *ret)
{
	struct str delay = json_str(JSON_GET(v, "retryDelay"));
	struct str reason = json_str(JSON_GET(v, "reason"));
	struct json_iter it = json_iter(JSON_GET(v, "violations"));
	struct json each;
	struct str key;
	int64_t ms;

	if (failure_duration(delay, &ms))
		ret->wait_ms = ms;
	if (reason.len)
		ret->code = reason;
	while (json_next(&it, &key, &each))
		if (contains(json_str(JSON_GET(each, "quotaId")), "PerDay"))
			ret->code = STR("quota_per_day");
}

/* Anthropic's object, or Google's list. */
static void read_details(struct json v, struct complaint *ret)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	if (json_type(v) == JSON_OBJ)
		ret->code = json_str(JSON_GET(v, "error_code"));
	while (json_type(v) == JSON_ARR && json_next(&it, &key, &each))
		read_detail(each, ret);
}

/*
 * `code` may be a word or an HTTP status; both are read.  A more precise code in
 * `details` stays unless `code` is a word too.
 */
static void read_complaint(struct json v, struct complaint *ret)
{
	struct json code = JSON_GET(v, "code"), status = JSON_GET(v, "status");

	if (json_type(v) == JSON_STR) {
		ret->message = json_str(v);
		return;
	}
	ret->message = message_of(JSON_GET(v, "message"));
	if (!ret->message.len) /* AWS, before a request reaches its service */
		ret->message = message_of(JSON_GET(v, "Message"));
	read_details(JSON_GET(v, "details"), ret);
	if (!ret->message.len)
		ret->message = message_of(JSON_GET(v, "detail"));
	ret->type = json_str(JSON_GET(v, "type"));
	if (json_str(code).len)
		ret->code = json_str(code);
	ret->status = (int)json_int(code, json_int(status, 0));
}

/*
 * Google sends a list with one object; some servers send the members without "error"
 * around them.
 */
static struct json error_in(struct json doc)
{
	if (json_type(doc) == JSON_ARR)
		doc = json_at(doc, 0);

	struct json error = JSON_GET(doc, "error");
	enum json_type type = json_type(error);

	return type == JSON_OBJ || type == JSON_STR ? error : doc;
}

/* ---- what it means ---- */

/* The first row that matches counts, so exceptions come before their range. */
static const struct meaning {
	int from, to;
	enum error_category category;
	bool retryable;
} by_status[] = {
	{ 300, 399, ERROR_CATEGORY_PROTOCOL, false },
	{ 401, 401, ERROR_CATEGORY_AUTH, false },
	{ 402, 402, ERROR_CATEGORY_QUOTA, false },
	{ 403, 403, ERROR_CATEGORY_AUTH, false },
	{ 408, 408, ERROR_CATEGORY_TIMEOUT, true },
	{ 409, 409, ERROR_CATEGORY_SERVER_ERROR, true }, /* a lock, say the vendor's clients */
	{ 424, 424, ERROR_CATEGORY_SERVER_ERROR, true }, /* Bedrock: the model failed */
	{ 425, 425, ERROR_CATEGORY_OVERLOADED, true },
	{ 429, 429, ERROR_CATEGORY_RATE_LIMITED, true },
	{ 400, 499, ERROR_CATEGORY_INVALID_REQUEST, false },
	{ 503, 503, ERROR_CATEGORY_OVERLOADED, true },
	{ 504, 504, ERROR_CATEGORY_TIMEOUT, true },
	{ 524, 524, ERROR_CATEGORY_TIMEOUT, true },
	{ 529, 529, ERROR_CATEGORY_OVERLOADED, true },
	{ 500, 599, ERROR_CATEGORY_SERVER_ERROR, true },
	{ 0, 0, ERROR_CATEGORY_SERVER_ERROR, true },
	{ -1, -1, ERROR_CATEGORY_PROTOCOL, false }, /* none of these */
};

/*
 * Words of `code` or `type`.  The special ones are more precise than a status;
 * the others are used only without a status, inside a stream.
 */
static const struct {
	struct str word;
	enum error_category category;
	bool retryable, is_special;
} by_word[] = {
	{ STR("insufficient_quota"), ERROR_CATEGORY_QUOTA, false, true },
	{ STR("billing_hard_limit_reached"), ERROR_CATEGORY_QUOTA, false, true },
	{ STR("billing_not_active"), ERROR_CATEGORY_QUOTA, false, true },
	{ STR("enforced_spend_limit_reached"), ERROR_CATEGORY_QUOTA, false, true },
	{ STR("spend_limit_reached"), ERROR_CATEGORY_QUOTA, false, true },
	{ STR("insufficient_balance"), ERROR_CATEGORY_QUOTA, false, true },
	{ STR("insufficient_credits"), ERROR_CATEGORY_QUOTA, false, true },
	{ STR("billing_error"), ERROR_CATEGORY_QUOTA, false, true },
	{ STR("quota_per_day"), ERROR_CATEGORY_QUOTA, false, true },
	{ STR("context_length_exceeded"), ERROR_CATEGORY_CONTEXT_LENGTH, false, true },
	{ STR("exceed_context_size_error"), ERROR_CATEGORY_CONTEXT_LENGTH, false, true },
	{ STR("content_filter"), ERROR_CATEGORY_CONTENT_FILTER, false, true },
	{ STR("content_policy_violation"), ERROR_CATEGORY_CONTENT_FILTER, false, true },
	{ STR("request_too_large"), ERROR_CATEGORY_CONTEXT_LENGTH, false, true },
	{ STR("API_KEY_INVALID"), ERROR_CATEGORY_AUTH, false, true },
	{ STR("overloaded_error"), ERROR_CATEGORY_OVERLOADED, true, true },
	{ STR("engine_overloaded"), ERROR_CATEGORY_OVERLOADED, true, true },
	{ STR("invalid_api_key"), ERROR_CATEGORY_AUTH, false, false },
	{ STR("authentication_error"), ERROR_CATEGORY_AUTH, false, false },
	{ STR("permission_error"), ERROR_CATEGORY_AUTH, false, false },
	{ STR("not_found_error"), ERROR_CATEGORY_INVALID_REQUEST, false, false },
	{ STR("timeout_error"), ERROR_CATEGORY_TIMEOUT, true, false },
	{ STR("rate_limit_exceeded"), ERROR_CATEGORY_RATE_LIMITED, true, false },
	{ STR("rate_limit_error"), ERROR_CATEGORY_RATE_LIMITED, true, false },
	{ STR("invalid_request_error"), ERROR_CATEGORY_INVALID_REQUEST, false, false },
	/* Bedrock, inside a stream. */
	{ STR("throttlingException"), ERROR_CATEGORY_RATE_LIMITED, true, false },
	{ STR("serviceUnavailableException"), ERROR_CATEGORY_OVERLOADED, true, false },
	{ STR("modelTimeoutException"), ERROR_CATEGORY_TIMEOUT, true, false },
	{ STR("validationException"), ERROR_CATEGORY_INVALID_REQUEST, false, false },
	{ STR("accessDeniedException"), ERROR_CATEGORY_AUTH, false, false },
};

/* vLLM, llama.cpp and many servers behind OpenRouter report it only in the message. */
static bool is_about_context(struct str message)
{
	return contains(message, "maximum context length") || contains(message, "context window") ||
	       contains(message, "context size") || contains(message, "context length exceeded") ||
	       contains(message, "too many tokens") || contains(message, "prompt is too long") ||
	       contains(message, "input token count") || contains(message, "input is too long");
}

/* Anthropic has no code for exhausted credit. */
static bool is_about_money(struct str message)
{
	return contains(message, "credit balance is too low");
}

static bool is_word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The whole word: "revision" is not about vision. */
static bool has_word(struct str text, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i + len <= text.len; i++)
		if (!strncasecmp(text.ptr + i, word, len) &&
		    (!i || !is_word_byte(text.ptr[i - 1])) &&
		    (i + len == text.len || !is_word_byte(text.ptr[i + len])))
			return true;
	return false;
}

/* There is no common code for it: models without vision, sizes and formats that are not taken. */
static bool is_about_image(struct str message)
{
	return has_word(message, "image") || has_word(message, "images") ||
	       has_word(message, "image_url") || has_word(message, "input_image") ||
	       has_word(message, "vision") || has_word(message, "multimodal") ||
	       has_word(message, "picture") || has_word(message, "pictures");
}

static void apply_word(struct str word, int status, struct failure *f)
{
	for (size_t i = 0; i < COUNT_OF(by_word); i++)
		if (str_eq(by_word[i].word, word) && (by_word[i].is_special || !status)) {
			f->category = by_word[i].category;
			f->retryable = by_word[i].retryable;
		}
}

/*
 * Order of evidence: the status, then the words, which are more precise, then the text
 * for servers that have no word.  x-should-retry, by which a vendor overrides its own
 * status, comes last and does not apply to an exhausted quota.
 */
static void classify(const struct complaint *c, int status, const struct failure_hints *hints,
                     struct failure *f)
{
	const struct meaning *m = by_status;

	while (m->from >= 0 && (status < m->from || status > m->to))
		m++;
	*f = (struct failure){ .category = m->category,
		               .retryable = m->retryable,
		               .retry_after_ms = hints->retry_after_ms };
	apply_word(c->type, status, f);
	apply_word(c->code, status, f);
	if (f->category == ERROR_CATEGORY_INVALID_REQUEST && is_about_context(c->message))
		f->category = ERROR_CATEGORY_CONTEXT_LENGTH;
	if (f->category == ERROR_CATEGORY_INVALID_REQUEST && is_about_money(c->message))
		f->category = ERROR_CATEGORY_QUOTA;
	f->names_image = (f->category == ERROR_CATEGORY_INVALID_REQUEST ||
	                  f->category == ERROR_CATEGORY_CONTEXT_LENGTH) &&
	                 is_about_image(c->message);
	if (f->retry_after_ms < 0 && f->retryable)
		f->retry_after_ms = c->wait_ms;
	/* An exhausted quota is not retried, even if a header says when. */
	if (f->category == ERROR_CATEGORY_QUOTA)
		f->retry_after_ms = -1;
	else if (hints->should != SHOULD_NOT_SAY)
		f->retryable = hints->should == SHOULD_RETRY;
}

/* What to do about a signature or a token that AWS finds too old; absent: nothing to add. */
static struct str advice_of(struct str message)
{
	if (contains(message, "signature expired") ||
	    contains(message, "signature not yet current"))
		return STR("the clock of this machine is wrong; to set it, run: timedatectl "
		           "set-ntp true");
	if (contains(message, "security token included in the request is expired"))
		return STR("get new credentials, for example with: aws sso login, then eval "
		           "\"$(aws configure export-credentials --format env)\"");
	return STR_NONE;
}

/* One line, no control characters, bounded. */
static struct str clean_message(struct arena *mem, struct str s)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	utf8_add_safe(&out, utf8_head(str_trim(s), 4 * FAILURE_MESSAGE_MAX), true);
	for (size_t i = 0; i < out.len; i++)
		if (out.ptr[i] == '\n' || out.ptr[i] == '\t')
			out.ptr[i] = ' ';
	return utf8_preview(mem, buf_str(&out), FAILURE_MESSAGE_MAX);
}

/*
 * The server's message if there is one; a redirect is explained, because the message of
 * a redirect is usually HTML.
 */
static struct str message_for(struct arena *mem, struct str provider, int status,
                              const struct complaint *c, struct str location)
{
	if (status >= 300 && status < 400)
		return arena_printf(
			mem,
			"%.*s answers with a redirect (%d)%s%.*s, which is not followed; "
			"correct the base URL",
			STR_ARG(provider), status, location.len ? " to " : "",
			STR_ARG(clean_message(mem, location)));
	if (c->message.len && str_is(advice_of(c->message)))
		return arena_printf(mem, "%.*s; %.*s", STR_ARG(clean_message(mem, c->message)),
		                    STR_ARG(advice_of(c->message)));
	if (c->message.len)
		return clean_message(mem, c->message);
	if (status)
		return arena_printf(mem, "%.*s answers with status %d", STR_ARG(provider), status);
	return arena_printf(mem, "%.*s reports an error without saying which", STR_ARG(provider));
}

void failure_of_answer(struct arena *mem, struct str provider, int status,
                       const struct failure_hints *hints, struct str body, struct failure *ret)
{
	struct complaint c = { .wait_ms = -1 };
	struct json doc;

	if (json_read_trusted(mem, body, &doc, NULL) == OK)
		read_complaint(error_in(doc), &c);
	classify(&c, status, hints, ret);
	ret->message = message_for(mem, provider, status, &c, hints->location);
}

/* Inside a stream the status was 200; a status in the object counts only if it is one. */
void failure_of_event(struct arena *mem, struct str provider, struct json error,
                      struct failure *ret)
{
	static const struct failure_hints none = { .retry_after_ms = -1 };
	struct complaint c = { .wait_ms = -1 };

	read_complaint(error, &c);
	classify(&c, c.status >= 400 && c.status < 600 ? c.status : 0, &none, ret);
	ret->message = message_for(mem, provider, 0, &c, STR(""));
}
