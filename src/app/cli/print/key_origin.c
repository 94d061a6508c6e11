/* Says where credentials come from; the words are those of the enum key_origin. */
#include "app/cli/print/key_origin.h"

#include "app/cli/print/out.h"
#include "base/gen/words.h"

const char *key_origin_text(struct cli *c, struct json row)
{
	struct str from = json_str(JSON_GET(row, "keyFrom"));
	const char *variable = out_safe(c->mem, json_str(JSON_GET(row, "keyName")));

	if (str_eq(from, STR(WORD_KEY_ORIGIN_CLIENT_ENVIRONMENT)))
		return "from the environment of this command";
	if (str_eq(from, STR(WORD_KEY_ORIGIN_DAEMON_ENVIRONMENT)))
		return arena_printf(c->mem, "%s, from the environment of the daemon", variable).ptr;
	if (str_eq(from, STR(WORD_KEY_ORIGIN_SYSTEMD_CREDENTIAL)))
		return "a systemd credential";
	if (str_eq(from, STR(WORD_KEY_ORIGIN_AUTH_FILE)))
		return "kept by `thole auth add`";
	if (str_eq(from, STR(WORD_KEY_ORIGIN_CREDENTIALS_FILE)))
		return arena_printf(c->mem, "from %s", variable).ptr;
	if (str_eq(from, STR(WORD_KEY_ORIGIN_METADATA_SERVER)))
		return arena_printf(c->mem, "from the metadata server %s", variable).ptr;
	return str_eq(from, STR(WORD_KEY_ORIGIN_NOT_NEEDED)) ? "needs none" : "no key";
}
