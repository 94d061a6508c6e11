/* Directories of the option --add-dir. */
#include "app/cli/extend/add_dirs.h"

#include "app/cli/connection.h"
#include "app/cli/print/out.h"

#include <stdlib.h>
#include <sys/stat.h>

int add_dirs_check(struct cli *c)
{
	struct words *dirs = &c->opts.add_dirs;

	for (int i = 0; i < dirs->count; i++) {
		char *path = realpath(dirs->items[i], NULL);
		struct stat st;
		bool is_dir = path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);

		if (is_dir)
			dirs->items[i] = arena_keep(c->mem, str_from(path)).ptr;
		free(path);
		if (!is_dir)
			return opt_usage(c, "--add-dir: %s is no directory.", dirs->items[i]);
	}
	return CODE_DONE;
}

int add_dirs_send(struct cli *c, struct str session)
{
	int code = CODE_DONE;

	for (int i = 0; i < c->opts.add_dirs.count && !code; i++) {
		struct json reply;
		struct params p;

		params_begin(&p);
		params_str(&p, "sessionId", session);
		params_cstr(&p, "directory", c->opts.add_dirs.items[i]);
		params_key(c, &p);
		code = connection_call(c, "add_directory", &p, &reply);
	}
	return code;
}
