/* models: what can be asked, with which key, at what price. */
#include "app/cli/link.h"
#include "app/cli/out.h"

static const char *tokens_text(struct arena *mem, struct json n)
{
	int64_t tokens = json_int(n, 0);

	if (tokens <= 0)
		return "unknown";
	if (tokens % 1000 == 0)
		return arena_printf(mem, "%lldk", (long long)tokens / 1000).ptr;
	return arena_printf(mem, "%lld", (long long)tokens).ptr;
}

static const char *price_text(struct arena *mem, struct json m)
{
	if (!json_bool(JSON_GET(m, "priced"), false))
		return "unknown";
	return arena_printf(mem, "%s / %s", usd_text(mem, JSON_GET(m, "inputPerMTok")),
	                    usd_text(mem, JSON_GET(m, "outputPerMTok")))
	        .ptr;
}

static const char *words_text(struct arena *mem, struct json words)
{
	struct buf out = { 0 };
	struct json_iter it = json_iter(words);
	struct json word;
	struct str key;

	while (json_next(&it, &key, &word)) {
		if (out.len)
			buf_add_char(&out, ' ');
		buf_add_str(&out, json_str(word));
	}
	const char *kept = safe(mem, buf_str(&out));

	buf_done(&out);
	return kept;
}

static void add_row(struct table *t, struct json m)
{
	struct arena *mem = t->c->mem;
	bool has_key = json_bool(JSON_GET(m, "hasCredential"), false);
	struct str name = arena_printf(mem, "%.*s/%.*s", STR_ARG(json_str(JSON_GET(m, "provider"))),
	                               STR_ARG(json_str(JSON_GET(m, "model"))));
	const char *cells[] = { safe(mem, name), has_key ? "yes" : "no", price_text(mem, m),
		                tokens_text(mem, JSON_GET(m, "windowTokens")),
		                words_text(mem, JSON_GET(m, "capabilities")) };

	table_row(t, has_key ? TONE_PLAIN : TONE_DIM, cells);
}

/* One sentence for each provider that cannot be asked, and what to type. */
static void tell_keyless(struct cli *c, struct json models)
{
	struct json_iter it = json_iter(models);
	struct str last = STR_NONE, key;
	struct json m;

	while (json_next(&it, &key, &m)) {
		struct str provider = json_str(JSON_GET(m, "provider"));

		if (json_bool(JSON_GET(m, "hasCredential"), false) || str_eq(provider, last))
			continue;
		last = provider;
		note(c, TONE_PLAIN, "%s has no key; `thole auth add %s` takes one.",
		     safe(c->mem, provider), safe(c->mem, provider));
	}
}

int verb_models(struct cli *c)
{
	static const char *const heads[] = { "MODEL", "KEY", "$ PER MTOK", "WINDOW", "CAN", NULL };
	struct params p;
	struct json reply, models, m;
	struct table t;
	struct str key;
	int code = link_open(c);

	if (code)
		return code;
	params_begin(&p);
	code = link_call(c, "get_capabilities", &p, &reply);
	if (code)
		return code;
	models = JSON_GET(reply, "providers");
	if (c->opts.json) {
		put_json(models);
		return CODE_DONE;
	}

	struct json_iter it = json_iter(models);

	table_begin(&t, c, heads);
	while (json_next(&it, &key, &m))
		add_row(&t, m);
	table_print(&t, stdout);
	tell_keyless(c, models);
	return CODE_DONE;
}
