/* What providers know: lists of models, words of effort, and keys that clients lend. */
#include "base/json.h"
#include "provider/keys/key_ring.h"
#include "provider/models/effort.h"
#include "provider/models/model_list.h"
#include "text/redact.h"

#include "t.h"

static void take(struct model_list *l, const char *text, enum err wanted)
{
	struct error e;
	struct json doc;

	CHECK(json_read(l->mem, str_from(text), &doc, &e) == OK);
	CHECK(model_list_take(l, &doc, 1, &e) == wanted);
}

TEST(the_catalogue_comes_first_and_the_servers_list_decides)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct model_list l;

	model_list_init(&l, mem, STR("anthropic"), NULL, 0, true);
	CHECK(l.count > 5 && !l.items[0].by_request_only && l.items[1].by_request_only);
	CHECK(l.items[0].prices[0].source == PRICE_SOURCE_CATALOG);
	take(&l,
	     "{\"data\":[{\"id\":\"claude-opus-5-5\"},{\"id\":\"text-embed\"},"
	     "{\"id\":\"new\",\"max_input_tokens\":9}]}",
	     OK);
	CHECK(l.count == 2);
	CHECK_STR(l.items[0].model, "claude-opus-5-5");
	CHECK(!l.items[0].by_request_only && l.items[1].by_request_only);
	CHECK(l.items[1].window_tokens == 9 && !l.items[1].price_count);
	take(&l, "{\"error\":1}", ERR_INVALID);
	CHECK(l.count == 2);
}

/* The window and the efforts are the model's own; the price is that of another provider. */
TEST(a_model_of_a_cloud_is_known_by_its_vendors_row_without_the_price)
{
	static const char *const names[] = { "us.anthropic.claude-sonnet-5-5-20260901-v1:0",
		                             "anthropic.claude-sonnet-5-5-v1:0",
		                             "claude-sonnet-5-5@20260901", "claude-sonnet-5-5" };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct model_list l, a;

	model_list_init(&a, mem, STR("anthropic"), NULL, 0, true);
	model_list_init(&l, mem, STR("bedrock"), NULL, 0, true);
	l.is_by_request = true;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const struct model_info *m;

		CHECK(model_list_admit(&l, str_from(names[i])));
		m = model_list_find(&l, str_from(names[i]));
		CHECK(m->window_tokens == a.items[0].window_tokens && m->window_tokens &&
		      str_eq(m->efforts, a.items[0].efforts) && !m->price_count &&
		      m->by_request_only);
	}
	CHECK(model_list_admit(&l, STR("meta.llama-x")));
	CHECK(!model_list_find(&l, STR("meta.llama-x"))->window_tokens);
	take(&l,
	     "{\"inferenceProfileSummaries\":[{\"inferenceProfileId\":\"eu.anthropic."
	     "claude-sonnet-5-5-v1:0\",\"inferenceProfileName\":\"EU Claude\"}]}",
	     OK);
	CHECK_STR(l.items[0].model, "eu.anthropic.claude-sonnet-5-5-v1:0");
	CHECK(l.items[0].window_tokens == a.items[0].window_tokens && l.items[0].by_request_only);
}

TEST(prices_and_shapes_of_other_servers_are_read)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct model_list l;

	model_list_init(&l, mem, STR("openrouter"), NULL, 0, true);
	take(&l,
	     "{\"data\":[{\"id\":\"a/"
	     "b\",\"context_length\":5000,\"pricing\":{\"prompt\":\"0.0000005\","
	     "\"completion\":\"0.000002\"},\"architecture\":{\"input_modalities\":[\"image\"]}},"
	     "{\"id\":\"a/c\",\"pricing\":{\"prompt\":\"-1\",\"completion\":\"x\"}}]}",
	     OK);
	const struct model_info *m = model_list_find(&l, STR("a/b"));

	CHECK(m && m->window_tokens == 5000 && m->prices[0].input == 500000000 &&
	      m->prices[0].output == 2000000000 && m->prices[0].source == PRICE_SOURCE_PROVIDER);
	CHECK(str_find(m->capabilities, STR("vision")) >= 0);
	CHECK(!model_list_find(&l, STR("a/c"))->price_count);
	model_list_init(&l, mem, STR("gemini"), NULL, 0, true);
	take(&l,
	     "{\"models\":[{\"name\":\"models/g-1\",\"inputTokenLimit\":7,"
	     "\"supportedGenerationMethods\":[\"generateContent\"]},"
	     "{\"name\":\"models/g-2\",\"supportedGenerationMethods\":[\"predict\"]}]}",
	     OK);
	CHECK(l.count == 1 && l.items[0].window_tokens == 7);
}

TEST(a_list_survives_in_its_file_and_settings_close_it)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf text = { 0 };
	struct model_info given = { .provider = STR("lab"), .model = STR("one") };
	struct model_list l, again;

	model_list_init(&l, mem, STR("lab"), NULL, 0, true);
	CHECK(model_list_admit(&l, STR("asked")) && !model_list_admit(&l, STR("")));
	model_list_write(&l, STR("http://x"), &text);
	model_list_init(&again, mem, STR("lab"), NULL, 0, true);
	CHECK(!model_list_read(&again, STR("http://y"), buf_str(&text)));
	CHECK(model_list_read(&again, STR("http://x"), buf_str(&text)) && again.count == 1);
	CHECK(!model_list_read(&again, STR("http://x"), STR("no JSON")));
	model_list_init(&l, mem, STR("lab"), &given, 1, false);
	CHECK(!model_list_admit(&l, STR("two")) && model_list_admit(&l, STR("one")));
}

static void check_effort(enum effort wish, const char *efforts, bool reasons, const char *word,
                         int64_t tokens)
{
	struct model_info m = { .efforts = efforts ? str_from(efforts) : STR_NONE,
		                .reasons = reasons };
	struct body_options o = { 0 };

	effort_choose(wish, &m, &o);
	CHECK(str_eq(o.effort.len ? o.effort : STR(""), str_from(word)));
	CHECK(o.effort_tokens == tokens);
}

TEST(an_effort_becomes_what_the_model_accepts)
{
	check_effort(EFFORT_MAX, "low medium high xhigh max", true, "max", 0);
	check_effort(EFFORT_MINIMAL, "low high", true, "low", 0);
	check_effort(EFFORT_MEDIUM, "low high", true, "low", 0);
	check_effort(EFFORT_XHIGH, NULL, false, "high", 0);
	check_effort(EFFORT_MEDIUM, NULL, true, "medium", 8192);
	check_effort(EFFORT_HIGH, "none", false, "", 0);
	check_effort(0, "low", true, "", 0);
}

TEST(keys_go_from_a_connection_to_the_sessions_it_works_in)
{
	struct key_ring *r = key_ring_new(NULL);
	struct credentials *c = key_ring_port(r);
	const struct str *names;
	struct error e;

	key_ring_register(r, STR("acme"), STR("ACME_KEY"), KEY_KIND_KEY);
	CHECK(c->ops->lend(c, 1, STR("OTHER"), STR("k"), &e) == ERR_NOT_FOUND);
	CHECK(c->ops->lend(c, 1, STR("ACME_KEY"), STR("two words"), &e) == ERR_INVALID);
	CHECK(c->ops->lend(c, 1, STR("ACME_KEY"), STR("k-1"), &e) == OK);
	CHECK(!c->ops->of_session(c, STR("s"), &names));
	c->ops->bind(c, 2, STR("s"));
	CHECK(!key_ring_key(r, (struct key_client){ 0, STR("s") }, STR("acme")));
	c->ops->bind(c, 1, STR("s"));
	c->ops->leave(c, 1);
	CHECK(c->ops->of_session(c, STR("s"), &names) == 1 && str_eq(names[0], STR("acme")));
	CHECK_STR(keys_secret_for_header(
			  key_ring_key(r, (struct key_client){ 0, STR("s") }, STR("acme"))),
	          "k-1");
	CHECK(!key_ring_key(r, (struct key_client){ 0, STR("t") }, STR("acme")));
	CHECK(!c->ops->of_connection(c, 1, &names));
	c->ops->forget(c, STR("s"));
	CHECK(!key_ring_key(r, (struct key_client){ 0, STR("s") }, STR("acme")));
	key_ring_free(r);
}

/* A region is no credential; the parts of one account replace those of another as a whole. */
TEST(an_account_is_lent_in_parts_that_never_mix)
{
	struct key_ring *r = key_ring_new(NULL);
	struct credentials *c = key_ring_port(r);
	struct key_client session = { 0, STR("s") };
	const struct str *names;
	struct error e;

	key_ring_register(r, STR("cloud"), STR("ID"), KEY_KIND_IDENTITY);
	key_ring_register(r, STR("cloud"), STR("TOKEN"), KEY_KIND_PART);
	key_ring_register(r, STR("cloud"), STR("FILE"), KEY_KIND_POINTER);
	key_ring_register(r, STR("cloud"), STR("REGION"), KEY_KIND_PLAIN);
	CHECK(c->ops->lend(c, 1, STR("REGION"), STR("here"), &e) == OK);
	CHECK(!c->ops->of_connection(c, 1, &names));
	CHECK(c->ops->lend(c, 1, STR("FILE"), STR("a\nb"), &e) == ERR_INVALID);
	CHECK(c->ops->lend(c, 1, STR("ID"), STR("id-1"), &e) == OK);
	CHECK(c->ops->lend(c, 1, STR("TOKEN"), STR("token-1"), &e) == OK);
	CHECK(c->ops->of_connection(c, 1, &names) == 1 && str_eq(names[0], STR("cloud")));
	c->ops->bind(c, 1, STR("s"));
	CHECK(key_ring_has(r, session, STR("cloud")) && !key_ring_key(r, session, STR("cloud")));
	CHECK_STR(keys_secret_for_header(key_ring_variable(r, session, STR("cloud"), STR("TOKEN"))),
	          "token-1");
	CHECK(c->ops->lend(c, 2, STR("FILE"), STR("/a file with blanks"), &e) == OK);
	c->ops->bind(c, 2, STR("s"));
	CHECK(!key_ring_variable(r, session, STR("cloud"), STR("TOKEN")) &&
	      !key_ring_variable(r, session, STR("cloud"), STR("ID")));
	CHECK_STR(keys_secret_for_header(key_ring_variable(r, session, STR("cloud"), STR("FILE"))),
	          "/a file with blanks");
	key_ring_free(r);
}

/* An address or a part without a credential would change where another client's key goes. */
TEST(what_a_client_lends_without_a_credential_does_not_reach_a_session)
{
	struct key_ring *r = key_ring_new(NULL);
	struct credentials *c = key_ring_port(r);
	struct key_client session = { 0, STR("s") };
	struct error e;

	key_ring_register(r, STR("acme"), STR("KEY"), KEY_KIND_KEY);
	key_ring_register(r, STR("acme"), STR("URL"), KEY_KIND_PLAIN);
	key_ring_register(r, STR("acme"), STR("TOKEN"), KEY_KIND_PART);
	key_ring_register(r, STR("other"), STR("OTHER"), KEY_KIND_KEY);
	CHECK(c->ops->lend(c, 1, STR("KEY"), STR("k-1"), &e) == OK);
	c->ops->bind(c, 1, STR("s"));
	CHECK(c->ops->lend(c, 2, STR("URL"), STR("http://evil"), &e) == OK);
	CHECK(c->ops->lend(c, 2, STR("TOKEN"), STR("t"), &e) == OK);
	c->ops->bind(c, 2, STR("s"));
	CHECK(!key_ring_variable(r, session, STR("acme"), STR("URL")));
	CHECK(c->ops->lend(c, 2, STR("OTHER"), STR("o-1"), &e) == OK);
	c->ops->bind(c, 2, STR("s"));
	CHECK(!key_ring_variable(r, session, STR("acme"), STR("URL")) &&
	      !key_ring_variable(r, session, STR("acme"), STR("TOKEN")));
	CHECK(key_ring_key(r, session, STR("acme")) && key_ring_key(r, session, STR("other")));
	key_ring_free(r);
}

static bool is_redacted(struct scrub *s, const char *text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	return str_eq(redact_text(s, mem, str_from(text), NULL), STR(SCRUB_MARK));
}

TEST(a_lent_key_is_redacted_until_its_last_holder_is_gone)
{
	struct scrub *s = redact_new();
	struct key_ring *r = key_ring_new(s);
	struct credentials *c = key_ring_port(r);
	struct error e;

	key_ring_register(r, STR("acme"), STR("KEY"), KEY_KIND_KEY);
	CHECK(c->ops->lend(c, 1, STR("KEY"), STR("lent-key-1"), &e) == OK);
	CHECK(c->ops->lend(c, 1, STR("KEY"), STR("lent-key-1"), &e) == OK);
	c->ops->bind(c, 1, STR("s"));
	c->ops->leave(c, 1);
	CHECK(is_redacted(s, "lent-key-1"));
	c->ops->forget(c, STR("s"));
	CHECK(!is_redacted(s, "lent-key-1"));
	for (uint64_t i = 2; i < 400; i++) {
		char key[32];

		snprintf(key, sizeof key, "lent-key-%llu", (unsigned long long)i);
		CHECK(c->ops->lend(c, i, STR("KEY"), str_from(key), &e) == OK);
		CHECK(is_redacted(s, key));
		c->ops->leave(c, i);
	}
	key_ring_free(r);
	redact_free(s);
}

TEST_MAIN()
