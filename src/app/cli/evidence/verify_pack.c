/* verify DIR|FILE.tar.zst: checks an evidence pack, without data directory and daemon. */
#include "app/cli/evidence/evidence_verbs.h"

#include "app/cli/print/out.h"
#include "base/gen/words.h"

#include <sys/stat.h>

bool verify_pack_is_path(const char *word)
{
	struct stat st;

	return strchr(word, '/') || str_ends(str_from(word), STR(".zst")) || stat(word, &st) == 0;
}

/* Has the word the form of an id that the runtime gives, and is a file here? */
static bool is_ambiguous(const char *word)
{
	static const char *const forms[] = { "@last", "sess_", "thr_", "turn_", "task_" };
	struct stat st;

	for (size_t i = 0; i < COUNT_OF(forms); i++)
		if (str_starts(str_from(word), str_from(forms[i])))
			return !strchr(word, '/') && stat(word, &st) == 0;
	return false;
}

int verify_pack_check_word(struct cli *c, const char *word)
{
	if (!is_ambiguous(word))
		return CODE_DONE;
	out_error(c,
	          "%s is a file here, and it looks like an id. Write ./%s for the file, or "
	          "a shorter beginning of the id.",
	          out_safe(c->mem, str_from(word)), out_safe(c->mem, str_from(word)));
	return CODE_USAGE;
}

bool verify_pack_is_all(const struct cli *c)
{
	return (c->verb->run == verb_verify || c->verb->run == verb_replay) && c->args[0] &&
	       verify_pack_is_path(c->args[0]);
}

void verify_pack_findings(struct cli *c, struct json report)
{
	struct json_iter it = json_iter(JSON_GET(report, "findings"));
	int64_t more = json_int(JSON_GET(report, "findingCount"), 0) -
	               (int64_t)json_count(JSON_GET(report, "findings"));
	struct json f;
	struct str key;

	while (json_next(&it, &key, &f)) {
		int64_t event = json_int(JSON_GET(f, "sequence"), -1);
		int64_t byte = json_int(JSON_GET(f, "byte"), -1);

		printf("%s%s", out_tone_on(c->color_out, TONE_BAD),
		       str_is(json_str(JSON_GET(f, "file"))) ? out_field(c, f, "file") : "pack");
		if (event >= 0)
			printf(", event %lld", (long long)event);
		if (byte >= 0)
			printf(", byte %lld", (long long)byte);
		printf("%s: ", out_tone_off(c->color_out));
		if (str_is(json_str(JSON_GET(f, "code"))))
			printf("%s: ", out_field(c, f, "code"));
		printf("%s\n", out_field(c, f, "what"));
	}
	if (more > 0)
		printf("and %lld more findings\n", (long long)more);
}

static void put_word(const char *word)
{
	for (; *word; word++)
		putchar(*word == '_' ? ' ' : *word);
}

static void put_counts(struct json events)
{
	static const char *const states[] = { WORDS_CHAIN_STATE };
	const char *separator = "";

	for (size_t i = 0; i < COUNT_OF(states); i++) {
		int64_t n = json_int(json_get(events, str_from(states[i])), 0);

		if (n || !i) {
			printf("%s%lld ", separator, (long long)n);
			put_word(states[i]);
			separator = ", ";
		}
	}
}

static const char *status_text(struct cli *c, struct json signature)
{
	const char *status = out_field(c, signature, "status");

	return strcmp(status, "another_key") == 0 ? "of another key" : status;
}

static void put_signature(struct cli *c, struct json report)
{
	struct json signature = JSON_GET(report, "signature"),
		    tree = JSON_GET(report, "checkpoint");
	struct json stamp = JSON_GET(report, "timestamp");

	if (json_is(signature))
		printf("signature %s  key %s  signed %s%s\n", status_text(c, signature),
		       out_field_or_dash(c, signature, "keyId"),
		       out_field_or_dash(c, signature, "signedAt"),
		       json_bool(JSON_GET(signature, "keyGiven"), false)
		               ? ""
		               : "; whose key it is, only --key shows");
	if (json_is(stamp))
		printf("timestamp %s  not checked here; run: openssl ts -verify -in manifest.tsr "
		       "-data %s "
		       "-CAfile CA\n",
		       out_field_or_dash(c, stamp, "time"), out_field_or_dash(c, stamp, "of"));
	if (json_is(tree))
		printf("checkpoint  %s  %lld leaves\n", out_field(c, tree, "origin"),
		       (long long)json_int(JSON_GET(tree, "treeSize"), 0));
}

static void put_report(struct cli *c, struct json report)
{
	int64_t expired = json_int(JSON_GET(report, "expiredThrough"), 0);
	struct json scope = JSON_GET(report, "scope");

	verify_pack_findings(c, report);
	printf("%s  ", out_field(c, report, "status"));
	if (str_is(json_str(JSON_GET(report, "evidenceId"))))
		printf("%s  %s %s  events %lld to %lld: ", out_field(c, report, "evidenceId"),
		       out_field(c, scope, "kind"), out_field(c, scope, "scope_id"),
		       (long long)json_int(JSON_GET(report, "fromSequence"), 0),
		       (long long)json_int(JSON_GET(report, "toSequence"), 0));
	put_counts(JSON_GET(report, "events"));
	if (expired)
		printf(", expired through %lld", (long long)expired);
	if (json_bool(JSON_GET(report, "partial"), false))
		printf(", still running when it was made");
	printf("; %lld files\n", (long long)json_int(JSON_GET(report, "files"), 0));
	if (str_is(json_str(JSON_GET(report, "headHash"))))
		printf("head of the log at event %lld: %s\n",
		       (long long)json_int(JSON_GET(report, "toSequence"), 0),
		       out_field(c, report, "headHash"));
	put_signature(c, report);
}

/* text: the report, which is freed; NULL: there is none, as `why` says. */
static int put_text(struct cli *c, int code, char *text, const struct thole_error *why,
                    void (*print)(struct cli *c, struct json report))
{
	struct json report;

	if (!text) {
		out_error(c, "%s.", out_safe(c->mem, str_from(why->message)));
		return CODE_USAGE;
	}
	if (json_read_trusted(c->mem, str_from(text), &report, NULL) == OK) {
		if (c->opts.json)
			out_json(report);
		else
			print(c, report);
	}
	thole_free(text);
	return code == THOLE_OK ? CODE_DONE : CODE_FAILED;
}

int verify_pack_report(struct cli *c, const char *path, verify_pack_reader *read,
                       void (*print)(struct cli *c, struct json report))
{
	struct thole_error why;
	char *text;
	int code = read(path, &text, &why);

	return put_text(c, code, text, &why, print);
}

static int verify_signed(struct cli *c, const char *path)
{
	struct str keys = verify_checkpoint_text(c, c->opts.key);
	struct thole_error why;
	char *text;
	int code;

	if (!str_is(keys))
		return CODE_USAGE;
	code = thole_verify_signed_pack(path, keys.ptr, &text, &why);
	return put_text(c, code, text, &why, put_report);
}

int verify_pack(struct cli *c, const char *path)
{
	if (c->opts.key)
		return verify_signed(c, path);
	return verify_pack_report(c, path, thole_verify_pack, put_report);
}
