/* Turns "/name words" into the prompt of a command file. */
#include "app/cli/extend/expand_command.h"

#include "app/cli/connection.h"
#include "app/cli/paths.h"
#include "app/cli/print/out.h"

#include <ctype.h>

static struct str first_word(struct str message, struct str *ret_rest)
{
	size_t len = 0;

	while (len < message.len && !isspace((unsigned char)message.ptr[len]))
		len++;
	*ret_rest = str_trim(str_skip(message, len));
	return str_head(message, len);
}

/* A path has a second slash. */
static bool is_name(struct str word)
{
	return word.len > 1 && word.len <= 129 && word.ptr[0] == '/' &&
	       str_find_char(str_skip(word, 1), '/') < 0;
}

enum expand_command expand_command(struct cli *c, const char *cwd, struct str message,
                                   struct json *ret)
{
	struct str rest, word = first_word(message, &rest);
	struct params p;
	int code;

	if (!is_name(word) || (!cwd && paths_work_dir(c, &cwd) != CODE_DONE))
		return EXPAND_COMMAND_NONE;
	params_begin(&p);
	params_cstr(&p, "cwd", cwd);
	params_str(&p, "name", str_skip(word, 1));
	params_str(&p, "arguments", rest);
	code = connection_try(c, "expand_command", &p, true, ret);
	if (code == THOLE_OK)
		return EXPAND_COMMAND_DONE;
	/* A prompt of a tool server exists, or its name is no command. */
	return str_eq(json_str(JSON_GET(*ret, "code")), STR("not_trusted")) ||
	                       str_find_char(word, ':') > 0
	               ? EXPAND_COMMAND_REFUSED
	               : EXPAND_COMMAND_NONE;
}

const char *expand_command_origin(struct cli *c, struct json reply)
{
	struct json row = JSON_GET(reply, "command");
	struct str note = json_str(JSON_GET(row, "note"));
	struct str model = json_str(JSON_GET(row, "model"));
	bool is_unknown = str_is(model) && !str_is(json_str(JSON_GET(reply, "model")));

	return arena_printf(c->mem, "/%s: %s%s%s%s%s%s",
	                    out_safe(c->mem, json_str(JSON_GET(row, "name"))),
	                    out_safe(c->mem, json_str(JSON_GET(row, "path"))),
	                    str_is(note) ? ". " : "",
	                    str_is(note) ? out_safe(c->mem, str_head(note, note.len - 1)) : "",
	                    is_unknown ? ". The model that it names, " : "",
	                    is_unknown ? out_safe(c->mem, model) : "",
	                    is_unknown ? ", cannot be asked here." : "")
	        .ptr;
}
