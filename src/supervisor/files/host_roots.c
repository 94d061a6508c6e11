/*
 * Looks which default roots exist.  The lists are fixed; a root that is
 * missing, or that is reached through a link, is left out.
 */
#include "supervisor/files/host_roots.h"

#include "base/gen/system_paths.h"

#include "base/path/path.h"
#include "base/os/sys.h"

#include "base/os/own_program.h"

#include <libgen.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char *const system_names[] = { SYSTEM_PATHS_SANDBOX };
static const char *const plain_names[] = { "/etc/passwd", "/etc/group", "/etc/hosts",
	                                   "/etc/resolv.conf" };
static const char *const tool_names[] = {
	".cargo",
	".rustup",
	".nvm",
	".pyenv",
	".rbenv",
	".asdf",
	".sdkman",
	".volta",
	".bun",
	".deno",
	".ghcup",
	".opam",
	".elan",
	".local/bin",
	".local/lib",
	".local/share/mise",
	".local/share/uv",
	".local/pipx/venvs",
	".local/share/pipx/venvs",
	".local/share/fnm",
	".local/state/fnm_multishells",
	".local/share/pnpm",
	".local/share/gem/ruby",
	".local/go",
	".npm-global",
	".nodenv",
	".goenv",
	".jenv",
	".rvm",
	".gem/ruby",
	".dotnet",
	".juliaup",
	".julia/juliaup",
	".pixi",
	"go",
	"miniconda3",
	"miniforge3",
	"anaconda3",
};

static struct sandbox_paths existing(struct arena *mem, const char *const *names, size_t count)
{
	struct sandbox_paths l = { ARENA_ARRAY(mem, struct str, count), 0 };

	for (size_t i = 0; i < count; i++) {
		/* a plan would not find what is behind a link (/etc/ssl -> ...) */
		FD_SCOPE fd = sys_open_place(AT_FDCWD, names[i]);

		if (fd >= 0)
			l.at[l.count++] = str_from(names[i]);
	}
	return l;
}

struct sandbox_paths host_roots_system(struct arena *mem)
{
	return existing(mem, system_names, COUNT_OF(system_names));
}

struct sandbox_paths host_roots_plain(struct arena *mem)
{
	return existing(mem, plain_names, COUNT_OF(plain_names));
}

struct sandbox_paths host_roots_tools(struct arena *mem, struct str home)
{
	const char *paths[COUNT_OF(tool_names)];

	if (!path_is_clean(home) || home.len == 1)
		return (struct sandbox_paths){ 0 };
	for (size_t i = 0; i < COUNT_OF(tool_names); i++)
		paths[i] = arena_printf(mem, "%.*s/%s", STR_ARG(home), tool_names[i]).ptr;
	return existing(mem, paths, COUNT_OF(paths));
}

struct own {
	struct arena *mem;
	struct sandbox_paths list;
};

/* Only what the system's roots do not show already. */
static void add_own(struct own *o, const char *path)
{
	struct str p = str_from(path);

	if (!path_is_clean(p) || sandbox_host_is_system(p) || path_is_under(p, STR("/lib")))
		return;
	for (size_t i = 0; i < o->list.count; i++)
		if (str_eq(o->list.at[i], p))
			return;
	o->list.at = arena_grow(o->mem, o->list.at, o->list.count * sizeof *o->list.at,
	                        (o->list.count + 1) * sizeof *o->list.at);
	o->list.at[o->list.count++] = arena_keep(o->mem, p);
}

/*
 * A library is often a link to its version: both names are needed.  The
 * loader may know it as PROGRAM/../lib/NAME, which is not a clean path.
 */
static int on_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
	struct own *o = arg;
	char real[PATH_MAX];

	(void)size;
	if (!name || info->dlpi_name[0] != '/')
		return 0;

	struct str dir =
		arena_keep(o->mem, str_of(info->dlpi_name, (size_t)(name - info->dlpi_name) + 1));

	if (realpath(dir.ptr, real))
		add_own(o, arena_printf(o->mem, "%s%s", real, name).ptr);
	if (realpath(info->dlpi_name, real))
		add_own(o, real);
	return 0;
}

/*
 * File tools are a verb of this program, so a sandbox for them must show the program and its
 * libraries wherever they are installed.
 */
struct sandbox_paths host_roots_own(struct arena *mem)
{
	struct own o = { .mem = mem };
	char path[PATH_MAX], self[PATH_MAX];

	/* The program comes first: file tools are started by this path. */
	if (realpath(own_program_path(path), self)) {
		o.list.at = ARENA_ARRAY(mem, struct str, 1);
		o.list.at[o.list.count++] = arena_keep(mem, str_from(self));
		dl_iterate_phdr(on_library, &o);
		/* what the launcher of the portable tarball starts lies beside it */
		if (own_program_is_portable())
			add_own(&o, dirname(self));
	}
	return o.list;
}
