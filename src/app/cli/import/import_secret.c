/*
 * What may be a key, in settings of another program.
 *
 * Those settings are text that a person wrote for one program; a copy of a key in
 * the settings here would be one more place to lose it from.  So this errs on the
 * side of leaving out.  text/redact.c has the exact shapes for outputs; a program
 * on the command line does not reach it.
 */
#include "app/cli/import/settings_plan.h"

#include <string.h>

/* Compared without case. */
static const struct {
	struct str text;
	size_t tail;      /* letters and digits that have to follow */
	bool begins_word; /* only where no letter or digit precedes it */
} marks[] = {
	{ STR("token"), 0, false },      { STR("secret"), 0, false },
	{ STR("password"), 0, false },   { STR("passwd"), 0, false },
	{ STR("passphrase"), 0, false }, { STR("credential"), 0, false },
	{ STR("api-key"), 0, false },    { STR("api_key"), 0, false },
	{ STR("apikey"), 0, false },     { STR("access-key"), 0, false },
	{ STR("access_key"), 0, false }, { STR("key="), 0, false },
	{ STR("--key"), 0, false },      { STR("authorization"), 0, false },
	{ STR("bearer"), 0, true },      { STR("private key"), 0, false },
	{ STR("sk-"), 4, true },         { STR("sk_live_"), 4, true },
	{ STR("rk_live_"), 4, true },    { STR("ghp_"), 4, true },
	{ STR("gho_"), 4, true },        { STR("ghu_"), 4, true },
	{ STR("ghs_"), 4, true },        { STR("ghr_"), 4, true },
	{ STR("github_pat_"), 4, true }, { STR("glpat-"), 4, true },
	{ STR("xoxa-"), 4, true },       { STR("xoxb-"), 4, true },
	{ STR("xoxp-"), 4, true },       { STR("xoxo-"), 4, true },
	{ STR("xoxs-"), 4, true },       { STR("xoxr-"), 4, true },
	{ STR("npm_"), 30, true },       { STR("akia"), 12, true },
	{ STR("asia"), 12, true },       { STR("aiza"), 20, true },
	{ STR("eyj"), 20, true },
};

/* Variables of the daemon that hold keys of models; catalog/providers.json has them. */
static const char *const own_variables[] = {
	"ANTHROPIC_API_KEY",  "AWS_ACCESS_KEY_ID",     "AWS_BEARER_TOKEN_BEDROCK",
	"AWS_PROFILE",        "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
	"BRAVE_API_KEY",      "DEEPSEEK_API_KEY",      "GCE_METADATA_HOST",
	"GEMINI_API_KEY",     "GOOGLE_API_KEY",        "GOOGLE_APPLICATION_CREDENTIALS",
	"GROQ_API_KEY",       "MISTRAL_API_KEY",       "OPENAI_API_KEY",
	"OPENROUTER_API_KEY", "TAVILY_API_KEY",        "XAI_API_KEY",
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_word(char c)
{
	return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9');
}

static bool is_at(struct str s, size_t at, struct str mark)
{
	if (s.len - at < mark.len)
		return false;
	for (size_t i = 0; i < mark.len; i++)
		if (lower(s.ptr[at + i]) != mark.ptr[i])
			return false;
	return true;
}

static bool has_mark(struct str s, size_t at)
{
	for (size_t i = 0; i < COUNT_OF(marks); i++) {
		size_t end = at + marks[i].text.len, tail = 0;

		if (!is_at(s, at, marks[i].text) ||
		    (marks[i].begins_word && at && is_word(s.ptr[at - 1])))
			continue;
		while (end + tail < s.len && tail < marks[i].tail &&
		       (is_word(s.ptr[end + tail]) || strchr("_-", s.ptr[end + tail])))
			tail++;
		if (tail == marks[i].tail)
			return true;
	}
	return false;
}

/* user:password@host, and user@host of an address. */
static bool has_login(struct str s, size_t at)
{
	size_t begin = at;
	bool has_colon = false;

	if (s.ptr[at] != '@')
		return false;
	while (begin && !strchr("/ \t\n\"'=@", s.ptr[begin - 1])) {
		begin--;
		has_colon |= s.ptr[begin] == ':' && begin + 1 < at;
	}
	if (begin == at)
		return false;
	return (has_colon && s.ptr[begin] != ':') ||
	       (begin >= 3 && memcmp(s.ptr + begin - 3, "://", 3) == 0);
}

bool import_secret_in_text(struct str text)
{
	for (size_t at = 0; at < text.len; at++)
		if (has_mark(text, at) || has_login(text, at))
			return true;
	return false;
}

/* JSON is not deeper than its reader allows. */
bool import_secret_in(struct json v)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	if (json_type(v) == JSON_STR)
		return import_secret_in_text(json_str(v));
	if (json_type(v) != JSON_OBJ && json_type(v) != JSON_ARR)
		return false;
	while (json_next(&it, &key, &each))
		if (import_secret_in(each) ||
		    (json_type(v) == JSON_OBJ && import_secret_in_text(key)))
			return true;
	return false;
}

bool import_secret_is_own(struct str variable)
{
	for (size_t i = 0; i < COUNT_OF(own_variables); i++)
		if (str_eq(variable, str_from(own_variables[i])))
			return true;
	return false;
}
