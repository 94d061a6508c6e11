/* Fetches and keeps access tokens.  google_token.h has the picture. */
#include "provider/cloud/google_token.h"

#include "base/json.h"
#include "base/memory.h"

#include <stdio.h>
#include <time.h>

#define ANSWER_MAX 65536
#define FETCH_MS 30000
#define SPARE_S 120   /* renewed so long before it expires */
#define TOKENS_MAX 64 /* credentials with a token; the oldest gives way */

struct google_token {
	struct list node;
	struct google_tokens *all;
	struct sha256 id; /* of the credentials */
	struct secret *token;
	int64_t until_s;               /* by the monotonic clock: when it is renewed */
	struct http_client_call *call; /* not NULL: FETCHING */
	struct list waiting;
	int status;
	struct buf answer;
	char source[256]; /* for messages: where the credentials are */
	bool is_user;
};

struct google_tokens {
	struct http_client *http_client;
	struct scrub *scrub;
	struct list tokens; /* the oldest first */
	size_t count;
};

static int64_t now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t); /* a token grows old while the machine sleeps */
	return t.tv_sec;
}

/* ---- tokens ---- */

static void wipe_answer(struct google_token *t)
{
	if (t->answer.ptr)
		explicit_bzero(t->answer.ptr, t->answer.cap);
	buf_done(&t->answer);
}

static void drop_secret(struct google_token *t)
{
	if (t->token && t->all->scrub)
		redact_forget(t->all->scrub, keys_secret_for_header(t->token));
	keys_secret_free(t->token);
	t->token = NULL;
}

static void token_free(struct google_token *t)
{
	LIST_EACH_SAFE (&t->waiting, node, next)
		list_remove(node);
	if (t->call)
		http_client_cancel(t->call);
	list_remove(&t->node);
	t->all->count--;
	drop_secret(t);
	wipe_answer(t);
	memory_free(t);
}

static struct google_token *token_of(struct google_tokens *all, const struct google_key *k)
{
	struct google_token *t;

	LIST_EACH (&all->tokens, node) {
		t = LIST_ITEM(node, struct google_token, node);
		if (sha256_eq(&t->id, &k->id))
			return t;
	}
	if (all->count == TOKENS_MAX)
		LIST_EACH_SAFE (&all->tokens, node, next) {
			t = LIST_ITEM(node, struct google_token, node);
			if (!t->call) {
				token_free(t);
				break;
			}
		}
	t = memory_zeroed(1, sizeof *t);
	t->all = all;
	t->id = k->id;
	t->answer.max = ANSWER_MAX;
	t->is_user = k->kind == GOOGLE_USER;
	snprintf(t->source, sizeof t->source, "%.*s", STR_ARG(k->place.name));
	list_init(&t->waiting);
	list_add(&all->tokens, &t->node);
	all->count++;
	return t;
}

/* ---- the end of a request ---- */

/* A callback may begin to wait again, or stop waiting for another: the list is taken apart first. */
static void tell_all(struct google_token *t, const struct secret *token,
                     enum error_category category, bool retryable, struct str message)
{
	struct list told;

	list_init(&told);
	while (!list_is_empty(&t->waiting)) {
		struct list *node = t->waiting.next;

		list_remove(node);
		list_add(&told, node);
	}
	while (!list_is_empty(&told)) {
		struct google_wait *w = LIST_ITEM(told.next, struct google_wait, node);

		list_remove(&w->node);
		w->done(w, token, category, retryable, message);
	}
}

/* Only the word of an error is shown: its description may quote what was sent. */
static bool is_word(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!(s.ptr[i] >= 'a' && s.ptr[i] <= 'z') && s.ptr[i] != '_')
			return false;
	return s.len > 0 && s.len <= 64;
}

static void tell_refused(struct google_token *t, struct json doc)
{
	struct str word = json_str(JSON_GET(doc, "error"));
	bool may_pass = t->status >= 500 || t->status == 429 || t->status == 408;
	char text[600];

	snprintf(text, sizeof text, "no token for the credentials of %s: %.*s (status %d)%s",
	         t->source, STR_ARG(is_word(word) ? word : STR("refused")), t->status,
	         may_pass     ? ""
	         : t->is_user ? "; run: gcloud auth application-default login"
	                      : "; check the service account, its key and the clock");
	tell_all(t, NULL, may_pass ? ERROR_CATEGORY_OVERLOADED : ERROR_CATEGORY_AUTH, may_pass,
	         str_from(text));
}

/* The tail of a long lifetime, or a tenth of a short one, is not used. */
static void keep_token(struct google_token *t, struct secret *token, int64_t seconds)
{
	drop_secret(t);
	t->token = token;
	t->until_s = now_s() + seconds - MIN((int64_t)SPARE_S, seconds / 10);
	if (t->all->scrub)
		redact_know(t->all->scrub, keys_secret_for_header(token));
}

static void read_answer(struct google_token *t)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json doc = { 0 };
	bool is_json = json_read(mem, buf_str(&t->answer), &doc, NULL) == OK;
	struct str text = is_json ? json_str(JSON_GET(doc, "access_token")) : STR_NONE;
	int64_t seconds = is_json ? json_int(JSON_GET(doc, "expires_in"), 0) : 0;
	struct secret *token = t->status == 200 && text.len ? keys_secret_new(text) : NULL;

	if (text.len)
		explicit_bzero((char *)text.ptr, text.len);
	wipe_answer(t);
	t->answer.max = ANSWER_MAX;
	if (!token) {
		tell_refused(t, doc);
		return;
	}
	keep_token(t, token, MAX(MIN(seconds, (int64_t)86400), (int64_t)0));
	tell_all(t, t->token, 0, false, STR(""));
}

static void on_head(void *owner, const struct http_client_head *head)
{
	((struct google_token *)owner)->status = head->status;
}

static size_t on_body(void *owner, struct str bytes)
{
	buf_add_str(&((struct google_token *)owner)->answer, bytes);
	return bytes.len;
}

static void on_end(void *owner, const struct http_client_end *end)
{
	struct google_token *t = owner;
	char text[512];

	t->call = NULL;
	if (end->result == HTTP_CLIENT_OK) {
		read_answer(t);
		return;
	}
	wipe_answer(t);
	t->answer.max = ANSWER_MAX;
	snprintf(text, sizeof text, "no token for the credentials of %s: %.*s", t->source,
	         STR_ARG(end->message));
	tell_all(t, NULL, ERROR_CATEGORY_NETWORK, end->result != HTTP_CLIENT_UNTRUSTED,
	         str_from(text));
}

static const struct http_client_sink sink = { on_head, on_body, on_end };

/* ---- asking ---- */

static enum err fetch(struct google_token *t, const struct google_key *k, struct error *e)
{
	static const struct http_client_header form[] = {
		{ STR("Content-Type"), STR("application/x-www-form-urlencoded") }
	};
	static const struct http_client_header metadata[] = { { STR("Metadata-Flavor"),
		                                                STR("Google") } };
	bool is_metadata = k->kind == GOOGLE_METADATA;
	struct http_client_request r = {
		.url = k->token_url,
		.headers = is_metadata ? metadata : form,
		.header_count = 1,
		.connect_ms = 10000,
		.total_ms = FETCH_MS,
		.response_max = ANSWER_MAX,
	};
	enum err err = google_key_form(k, time(NULL), &r.body, e);

	r.is_secret = true;
	r.is_direct = is_metadata; /* it knows this machine by its address */
	if (err) {
		buf_done(&r.body);
		return err;
	}
	t->status = 0;
	t->call = http_client_send(t->all->http_client, &r, &sink, t);
	return OK;
}

enum err google_token_get(struct google_tokens *all, const struct google_key *k,
                          struct google_wait *w, const struct secret **ret, struct error *e)
{
	struct google_token *t = token_of(all, k);
	bool is_fresh = t->token && now_s() < t->until_s;
	enum err err = is_fresh || t->call ? OK : fetch(t, k, e);

	if (!err)
		*ret = is_fresh ? t->token : NULL;
	if (!err && !is_fresh)
		list_add(&t->waiting, &w->node);
	return err;
}

void google_token_leave(struct google_wait *w)
{
	list_remove(&w->node);
}

void google_token_refused(struct google_tokens *all, const struct secret *token)
{
	LIST_EACH (&all->tokens, node) {
		struct google_token *t = LIST_ITEM(node, struct google_token, node);

		if (t->token && keys_secret_is_same(t->token, token))
			t->until_s = 0;
	}
}

struct google_tokens *google_token_new(struct http_client *http_client, struct scrub *scrub)
{
	struct google_tokens *all = memory_zeroed(1, sizeof *all);

	all->http_client = http_client;
	all->scrub = scrub;
	list_init(&all->tokens);
	return all;
}

void google_token_free(struct google_tokens *all)
{
	if (!all)
		return;
	while (!list_is_empty(&all->tokens))
		token_free(LIST_ITEM(all->tokens.next, struct google_token, node));
	memory_free(all);
}
