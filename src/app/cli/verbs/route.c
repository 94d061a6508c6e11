/*
 * models and route: lists models, their prices and where their keys come from,
 * and explains how a turn's model was chosen.
 */
#include "app/cli/connection.h"
#include "base/gen/words.h"
#include "base/jw.h"
#include "app/cli/print/key_origin.h"
#include "app/cli/print/out.h"
#include "app/cli/print/table.h"
#include "app/cli/ref.h"
#include "app/cli/cli_settings.h"

#define SHOWN_PER_PROVIDER 10

/* ---- models ---- */

static const char *price_text(struct arena *mem, struct json price)
{
	if (!json_is(price))
		return "unknown";
	return arena_printf(mem, "%s / %s%s", out_usd(mem, JSON_GET(price, "inputPerMTok")),
	                    out_usd(mem, JSON_GET(price, "outputPerMTok")),
	                    json_is(JSON_GET(price, "above")) ? "+" : "")
	        .ptr;
}

/* A quota that is low or used up matters more than the rate limit. */
static const char *limit_text(struct cli *c, struct json row)
{
	struct json rate = JSON_GET(row, "rate"), quota = JSON_GET(row, "quota");
	struct str word = json_str(JSON_GET(quota, "state"));
	struct json part = str_eq(word, STR("blocked")) || str_eq(word, STR("low")) ? quota : rate;
	struct str until = json_str(JSON_GET(part, "until"));

	word = json_str(JSON_GET(part, "state"));
	if (!until.len)
		return out_safe(c->mem, word);
	return arena_printf(c->mem, "%s, full again %s", out_safe(c->mem, word),
	                    out_until(c->mem, until))
	        .ptr;
}

/* Only the first ones of a provider: some list hundreds. */
static bool is_shown(struct cli *c, struct str provider, struct str *last, int *count)
{
	*count = str_eq(provider, *last) ? *count + 1 : 1;
	*last = provider;
	return c->opts.all || c->arg_count || *count <= SHOWN_PER_PROVIDER;
}

static const char *window_text(struct cli *c, struct json row)
{
	int64_t tokens = json_int(JSON_GET(row, "windowTokens"), 0);

	return tokens ? arena_printf(c->mem, "%lld", (long long)tokens).ptr : "unknown";
}

static void put_row(struct cli *c, struct table *t, struct json v)
{
	struct str state = json_str(JSON_GET(v, "state"));
	const char *cells[] = {
		arena_printf(c->mem, "%s/%s%s", out_safe(c->mem, json_str(JSON_GET(v, "provider"))),
		             out_safe(c->mem, json_str(JSON_GET(v, "model"))),
		             json_bool(JSON_GET(v, "isDefault"), false) ? " *" : "")
			.ptr,
		out_safe(c->mem, state),
		price_text(c->mem, JSON_GET(v, "price")),
		window_text(c, v),
		limit_text(c, v),
	};

	table_row(t, str_eq(state, STR("available")) ? TONE_PLAIN : TONE_DIM, cells);
}

/* A model that cannot be used now is dimmed and not left out: its state says why. */
static void put_models(struct cli *c, struct json models)
{
	static const char *const heads[] = { "MODEL",  "STATE", "$/MTOK IN / OUT",
		                             "WINDOW", "LIMIT", NULL };
	struct json_iter it = json_iter(models);
	struct str last = STR_NONE, key;
	int count = 0, left_out = 0;
	struct table t;
	struct json v;

	table_begin(&t, c, heads);
	while (json_next(&it, &key, &v)) {
		if (is_shown(c, json_str(JSON_GET(v, "provider")), &last, &count))
			put_row(c, &t, v);
		else
			left_out++;
	}
	table_print(&t, stdout);
	if (left_out)
		out_note(c, TONE_DIM, "%d more; `thole models --all` lists them.", left_out);
}

static void put_budgets(struct cli *c, struct json budgets)
{
	struct json_iter it = json_iter(budgets);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		printf("budget of the %s: %s of %s spent, %s set aside\n",
		       out_safe(c->mem, json_str(JSON_GET(v, "scope"))),
		       out_usd(c->mem, JSON_GET(v, "spentUsd")),
		       out_usd(c->mem, JSON_GET(v, "capUsd")),
		       out_usd(c->mem, JSON_GET(v, "reservedUsd")));
}

/* ---- keys ---- */

/* One line per provider: where its key comes from, or the command that gives it one. */
static void put_keys(struct cli *c, struct json models)
{
	struct json_iter it = json_iter(models);
	struct str last = STR_NONE, key;
	struct json m;

	while (json_next(&it, &key, &m)) {
		struct str provider = json_str(JSON_GET(m, "provider"));
		const char *name = out_safe(c->mem, provider);

		if (str_eq(provider, last) || !json_is(JSON_GET(m, "baseUrl")))
			continue;
		last = provider;
		if (json_is(JSON_GET(m, "addressFrom")))
			printf("address of %s: %s, from %s\n", name, out_field(c, m, "baseUrl"),
			       out_field(c, m, "addressFrom"));
		if (json_is(JSON_GET(m, "keyFrom")))
			printf("key of %s: %s\n", name, key_origin_text(c, m));
		else if (json_is(JSON_GET(m, "remedy")))
			out_note(c, TONE_PLAIN, "%s has no credentials; %s", name,
			         out_safe(c->mem, json_str(JSON_GET(m, "remedy"))));
		else
			out_note(c, TONE_PLAIN,
			         "%s has no key; set %s, or `thole auth add %s` takes one.", name,
			         out_safe(c->mem, json_str(JSON_GET(m, "keyName"))), name);
	}
}

/* ---- the verb ---- */

static void put_troubles(struct cli *c, struct json troubles)
{
	struct json_iter it = json_iter(troubles);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		out_note(c, TONE_PLAIN, "no list of %s", out_safe(c->mem, json_str(v)));
}

static bool is_only_stand_in(struct json models)
{
	struct json_iter it = json_iter(models);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (!str_eq(json_str(JSON_GET(v, "provider")), STR("scripted")))
			return false;
	return true;
}

/* -q: what -m takes, one per line. */
static void put_names(struct cli *c, struct json models)
{
	struct json_iter it = json_iter(models);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		printf("%s/%s\n", out_field(c, v, "provider"), out_field(c, v, "model"));
}

static void put_not_offered(struct cli *c, struct json names)
{
	struct json_iter it = json_iter(names);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		out_note(c, TONE_PLAIN, "routing.fallback_chain names %s, which no provider offers",
		         out_safe(c->mem, json_str(v)));
}

static void put_all(struct cli *c, struct json reply)
{
	struct json models = JSON_GET(reply, "models");

	if (c->opts.quiet) {
		put_names(c, models);
		return;
	}
	if (json_count(models))
		put_models(c, models);
	else
		out_note(c, TONE_PLAIN, "no model of %s is available; `thole models` lists all",
		         c->arg_count ? out_safe(c->mem, str_from(c->args[0])) : "any provider");
	put_budgets(c, JSON_GET(reply, "budgets"));
	put_keys(c, models);
	put_troubles(c, JSON_GET(reply, "troubles"));
	put_not_offered(c, JSON_GET(reply, "notOffered"));
	if (!c->arg_count && is_only_stand_in(models))
		out_note(c, TONE_PLAIN,
		         "No key was found and no model server runs here. To set one up: thole "
		         "setup");
	cli_settings_tell_unread(c);
}

/* A name that no provider has is an error, and not an empty list. */
static int check_provider(struct cli *c, const char *name)
{
	struct json reply, row;
	struct str known = STR_NONE, key;
	struct params p;
	int code;

	params_begin(&p);
	code = connection_call(c, "list_providers", &p, &reply);
	if (code)
		return code;
	struct json_iter it = json_iter(JSON_GET(reply, "providers"));

	while (json_next(&it, &key, &row)) {
		struct str one = json_str(JSON_GET(row, "provider"));

		if (str_eq(one, str_from(name)))
			return CODE_DONE;
		known = arena_printf(c->mem, "%.*s%s%.*s", STR_ARG(known), known.len ? ", " : "",
		                     STR_ARG(one));
	}
	out_error(c, "There is no provider %s.", out_safe(c->mem, str_from(name)));
	fprintf(stderr, "  There are: %s. Another is set up in the setting providers.\n",
	        out_safe(c->mem, known));
	return CODE_CONFIG;
}

/*
 * Settings that the daemon has not read are a frequent reason for a missing model, hence the last
 * line.
 */
int verb_models(struct cli *c)
{
	struct params p;
	struct json reply;
	int code = connection_open(c);

	if (code)
		return code;
	params_begin(&p);
	if (c->arg_count)
		params_cstr(&p, "provider", c->args[0]);
	params_cstr(&p, "refresh",
	            c->opts.refresh ? WORD_LIST_REFRESH_ALL : WORD_LIST_REFRESH_MISSING);
	code = connection_call(c, "list_models", &p, &reply);
	if (code)
		return code;
	if (c->arg_count && !json_count(JSON_GET(reply, "models")))
		code = check_provider(c, c->args[0]);
	if (code)
		return code;
	if (c->opts.json)
		out_json(JSON_GET(reply, "models"));
	else
		put_all(c, reply);
	return CODE_DONE;
}

/* ---- route explain ---- */

struct telling {
	struct cli *c;
	struct str turn; /* absent: the newest that was routed */
	struct arena *mem;
};

static const char *text_at(struct telling *t, struct json v, const char *key)
{
	return out_safe(t->mem, json_str(json_get(v, str_from(key))));
}

static const char *name_at(struct telling *t, struct json v, const char *provider,
                           const char *model)
{
	return arena_printf(t->mem, "%s/%s", text_at(t, v, provider), text_at(t, v, model)).ptr;
}

static void put_head(struct telling *t, const char *word)
{
	printf("%s%-11s%s", out_tone_on(t->c->color_out, TONE_BOLD), word,
	       out_tone_off(t->c->color_out));
}

static void put_words(struct telling *t, const char *before, struct json words)
{
	struct json_iter it = json_iter(words);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v)) {
		printf("%s%s", before, out_safe(t->mem, json_str(v)));
		before = " ";
	}
}

static void tell_profile(struct telling *t, struct json e)
{
	struct json p = JSON_GET(e, "taskProfile");

	put_head(t, "task");
	printf("%s, %s, budget %s, fallback %s", text_at(t, p, "kind"),
	       text_at(t, p, "latencyTarget"), text_at(t, p, "budgetClass"),
	       text_at(t, p, "fallbackPolicy"));
	put_words(t, ", needs ", JSON_GET(p, "requiredCapabilities"));
	putchar('\n');
}

static void tell_candidates(struct telling *t, struct json e)
{
	struct json set = JSON_GET(e, "candidateModelSet"), v;
	struct json_iter it = json_iter(JSON_GET(set, "candidates"));
	struct str key;

	put_head(t, "candidates");
	printf("%lld\n", (long long)json_int(JSON_GET(set, "candidateCount"), 0));
	while (json_next(&it, &key, &v))
		printf("  %-28s %s, limit %s\n", name_at(t, v, "provider", "model"),
		       price_text(t->c->mem, JSON_GET(v, "price")), text_at(t, v, "limitState"));
	it = json_iter(JSON_GET(set, "excluded"));
	while (json_next(&it, &key, &v)) {
		const char *detail = text_at(t, v, "detail");

		printf("  %-28s not: %s%s%s\n", name_at(t, v, "provider", "model"),
		       text_at(t, v, "reason"), *detail ? ", " : "", detail);
	}
}

static void tell_decision(struct telling *t, struct json e)
{
	struct json d = JSON_GET(e, "routingDecision"), v;
	struct json_iter it = json_iter(JSON_GET(d, "fallbackChain"));
	const char *before = "  then ";
	struct str key;

	put_head(t, "decided");
	printf("%s by %s: %s\n", name_at(t, d, "selectedProvider", "selectedModel"),
	       text_at(t, d, "decisionSource"), text_at(t, d, "decisionReason"));
	while (json_next(&it, &key, &v)) {
		if (json_bool(JSON_GET(v, "tried"), false))
			continue;
		printf("%s%s", before, name_at(t, v, "provider", "model"));
		before = ", ";
	}
	if (*before == ',')
		putchar('\n');
}

static void tell_not_possible(struct telling *t, struct json e)
{
	put_head(t, "no model");
	printf("%s; %s\n", text_at(t, e, "statusReason"),
	       text_at(t, JSON_GET(e, "payload"), "remedy"));
}

static void tell_fallback(struct telling *t, struct json e)
{
	struct json p = JSON_GET(e, "payload");

	put_head(t, "fallback");
	printf("%s gives way to %s: %s\n", name_at(t, JSON_GET(p, "from"), "provider", "model"),
	       name_at(t, JSON_GET(p, "to"), "provider", "model"), text_at(t, e, "statusReason"));
}

static void tell_failure_of(struct telling *t, struct json e)
{
	struct json p = JSON_GET(e, "payload");

	put_head(t, "failed");
	printf("%s, attempt %lld: %s (%s)\n", name_at(t, p, "provider", "model"),
	       (long long)json_int(JSON_GET(p, "attempt"), 1), text_at(t, p, "message"),
	       text_at(t, p, "category"));
}

static void tell_blocked(struct telling *t, struct json e)
{
	put_head(t, "blocked");
	printf("%s: %s\n", text_at(t, JSON_GET(e, "payload"), "scope"),
	       text_at(t, e, "statusReason"));
}

static void tell_cost(struct telling *t, struct json e)
{
	struct json p = JSON_GET(e, "payload");
	bool is_end = json_is(JSON_GET(p, "basis"));

	put_head(t, is_end ? "cost" : "set aside");
	printf("%s%s%s\n",
	       out_usd(t->mem, json_get(p, is_end ? STR("amountUsd") : STR("estimatedUsd"))),
	       is_end ? " by " : "", is_end ? text_at(t, p, "basis") : "");
}

static const struct {
	const char *type;
	void (*tell)(struct telling *t, struct json e);
} tellers[] = {
	{ "task.profile.resolved", tell_profile },
	{ "routing.candidates.resolved", tell_candidates },
	{ "routing.decided", tell_decision },
	{ "routing.not_possible", tell_not_possible },
	{ "routing.fallback.applied", tell_fallback },
	{ "model.failed", tell_failure_of },
	{ "quota.blocked", tell_blocked },
	{ "cost.estimated", tell_cost },
	{ "cost.recorded", tell_cost },
};

static struct thole_stream *open_stream(struct cli *c, struct str session, int *ret_code)
{
	struct params p;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	params_int(&p, "after", 0);
	params_bool(&p, "follow", false);
	jw_key(&p.w, STR("types"));
	jw_arr(&p.w);
	for (size_t i = 0; i < COUNT_OF(tellers); i++)
		jw_str(&p.w, str_from(tellers[i].type));
	jw_arr_end(&p.w);
	return connection_subscribe(c, &p, ret_code);
}

static void print_event(struct telling *t, struct json e)
{
	struct str type = json_str(JSON_GET(e, "type"));

	for (size_t i = 0; i < COUNT_OF(tellers); i++)
		if (str_eq(type, str_from(tellers[i].type)))
			tellers[i].tell(t, e);
}

/* Reads the routing events of one turn; default: the newest. */
static int tell_turn(struct telling *t, struct str session, bool is_raw)
{
	struct json *events = NULL;
	size_t count = 0, cap = 0;
	int code = CODE_DONE;
	struct thole_stream *s = open_stream(t->c, session, &code);
	char *text;
	size_t len;

	while (s && thole_next(s, -1, &text, &len) == THOLE_OK) {
		struct json e;

		if (json_read_trusted(t->mem, arena_keep(t->mem, str_of(text, len)), &e, NULL) ==
		    OK) {
			if (count == cap) {
				size_t grown = cap ? cap * 2 : 64;

				events = arena_grow(t->mem, events, count * sizeof *events,
				                    grown * sizeof *events);
				cap = grown;
			}
			events[count++] = e;
		}
		thole_free(text);
	}
	if (!s)
		return code;
	thole_unsubscribe(s);
	for (size_t i = count; i-- > 0 && !str_is(t->turn);)
		t->turn = json_str(JSON_GET(events[i], "turnId"));
	for (size_t i = 0; i < count; i++) {
		if (!str_eq(json_str(JSON_GET(events[i], "turnId")), t->turn))
			continue;
		if (is_raw)
			out_json(events[i]);
		else
			print_event(t, events[i]);
	}
	if (!str_is(t->turn))
		out_note(t->c, TONE_DIM, "nothing was routed there yet");
	return CODE_DONE;
}

/* A session means its newest routed turn. */
int verb_route(struct cli *c)
{
	struct telling t = { .c = c, .mem = c->mem };
	struct ref r;
	int code;

	if (strcmp(c->args[0], "explain") != 0)
		return opt_usage(c, "`thole route` knows explain, not \"%s\".", c->args[0]);
	code = connection_open(c);
	if (!code)
		code = ref_find(c, c->arg_count > 1 ? c->args[1] : "@last", &r);
	if (code)
		return code;
	t.turn = r.kind == REF_TURN || r.kind == REF_TASK ? r.turn : STR_NONE;
	return tell_turn(&t, r.session, c->opts.json);
}
