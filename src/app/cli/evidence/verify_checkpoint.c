/* verify --checkpoint FILE: do the data of this machine continue a checkpoint that was kept elsewhere? */
#include "app/cli/evidence/evidence_verbs.h"

#include "app/cli/connection.h"
#include "app/cli/params.h"
#include "app/cli/print/out.h"

#include <errno.h>

#define TEXT_MAX (64u << 10)

/* The text of a file of at most 64 KiB; absent: it cannot be read, and the error was printed. */
struct str verify_checkpoint_text(struct cli *c, const char *path)
{
	struct str text = paths_read_file(c->mem, path, TEXT_MAX);

	if (!str_is(text) && errno == EFBIG)
		out_error(c, "%s is larger than 64 KiB.", out_safe(c->mem, str_from(path)));
	else if (!str_is(text))
		out_error(c, "%s: %s.", out_safe(c->mem, str_from(path)), strerror(errno));
	else if (!text.len)
		out_error(c, "%s is empty.", out_safe(c->mem, str_from(path)));
	return str_is(text) && text.len ? text : STR_NONE;
}

static void put_report(struct cli *c, struct json reply)
{
	struct json_iter it = json_iter(JSON_GET(reply, "findings"));
	int64_t all = json_int(JSON_GET(reply, "findingCount"), 0);
	int64_t expired = json_int(JSON_GET(reply, "expired"), 0);
	struct json f;
	struct str key;

	while (json_next(&it, &key, &f)) {
		printf("%s%s%s: %s", out_tone_on(c->color_out, TONE_BAD), out_field(c, f, "code"),
		       out_tone_off(c->color_out),
		       str_is(json_str(JSON_GET(f, "sessionId"))) ? out_field(c, f, "sessionId")
		                                                  : "checkpoint");
		if (json_int(JSON_GET(f, "sequence"), 0))
			printf(", event %lld", (long long)json_int(JSON_GET(f, "sequence"), 0));
		printf(": %s\n", out_field(c, f, "what"));
	}
	if (all > (int64_t)json_count(JSON_GET(reply, "findings")))
		printf("and %lld more\n",
		       (long long)(all - (int64_t)json_count(JSON_GET(reply, "findings"))));
	printf("%s  %lld of %lld leaves, %lld session%s compared", out_field(c, reply, "status"),
	       (long long)json_int(JSON_GET(reply, "treeSize"), 0),
	       (long long)json_int(JSON_GET(reply, "currentSize"), 0),
	       (long long)json_int(JSON_GET(reply, "sessions"), 0),
	       json_int(JSON_GET(reply, "sessions"), 0) == 1 ? "" : "s");
	if (expired)
		printf(", %lld expired", (long long)expired);
	if (json_int(JSON_GET(reply, "removed"), 0))
		printf(", %lld removed and recorded",
		       (long long)json_int(JSON_GET(reply, "removed"), 0));
	printf("\n");
	if (json_int(JSON_GET(reply, "unsignedAnchors"), 0))
		out_note(c, TONE_BAD,
		         "The newest %lld checkpoints have no signature; see: thole key show",
		         (long long)json_int(JSON_GET(reply, "unsignedAnchors"), 0));
}

/* The checkpoint.json of a pack has the note as a member, with the proofs of the pack. */
static struct str note_of(struct cli *c, struct str text)
{
	struct json doc;
	struct str note = STR_NONE;

	if (str_starts(text, STR("{")) && json_read(c->mem, text, &doc, NULL) == OK)
		note = json_str(JSON_GET(doc, "checkpoint"));
	return str_is(note) ? note : text;
}

int verify_checkpoint(struct cli *c)
{
	struct str note = verify_checkpoint_text(c, c->opts.checkpoint), keys = STR_NONE;
	struct json reply;
	struct params p;
	int code;

	if (c->opts.key)
		keys = verify_checkpoint_text(c, c->opts.key);
	if (!str_is(note) || (c->opts.key && !str_is(keys)))
		return CODE_USAGE;
	code = connection_open_to_read(c);
	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "checkpoint", note_of(c, note));
	params_str(&p, "publicKeys", keys);
	code = connection_call(c, "verify_checkpoint", &p, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else
		put_report(c, reply);
	return str_eq(json_str(JSON_GET(reply, "status")), STR("continues")) ? CODE_DONE
	                                                                     : CODE_FAILED;
}
