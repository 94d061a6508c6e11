/*
 * Start-up files of the installed shells and tools, which execute or trust them.
 * Checks that the list of protected paths (catalog/protected_paths.json) has
 * each of them.
 */
#include "app/cli/doctor/doctor.h"
#include "base/gen/protected_paths.h"

struct starter {
	const char *program;
	const char *files; /* below the home directory, separated by blanks */
};

static const struct starter starters[] = {
	{ "bash", ".bashrc .bash_profile .bash_login .bash_logout .profile .inputrc" },
	{ "zsh", ".zshenv .zprofile .zshrc .zlogin .zlogout" },
	{ "fish", ".config/fish/config.fish" },
	{ "ksh", ".kshrc .profile" },
	{ "mksh", ".mkshrc .profile" },
	{ "tcsh", ".tcshrc .cshrc .login .logout" },
	{ "csh", ".cshrc .login .logout" },
	{ "nu", ".config/nushell/config.nu" },
	{ "pwsh", ".config/powershell/profile.ps1" },
	{ "xonsh", ".xonshrc .config/xonsh/rc.xsh" },
	{ "elvish", ".elvish/rc.elv .config/elvish/rc.elv" },
	{ "vim", ".vimrc .vim .gvimrc" },
	{ "nvim", ".config/nvim/init.lua" },
	{ "emacs", ".emacs .emacs.d .config/emacs/init.el" },
	{ "git", ".gitconfig .config/git/config .config/git/attributes" },
	{ "npm", ".npmrc" },
	{ "yarn", ".yarnrc .yarnrc.yml" },
	{ "bun", ".bunfig.toml .bun/bin" },
	{ "deno", ".deno/bin" },
	{ "cargo", ".cargo/config.toml .cargo/config .cargo/env .cargo/bin" },
	{ "python3", ".pythonrc .local/lib/python3/site-packages/usercustomize.py .pdbrc" },
	{ "pip", ".pip .config/pip/pip.conf" },
	{ "ipython", ".ipython" },
	{ "jupyter", ".jupyter" },
	{ "conda", ".condarc" },
	{ "ruby", ".irbrc .gemrc .pryrc" },
	{ "bundle", ".bundle/config" },
	{ "R", ".Rprofile .Renviron" },
	{ "julia", ".julia/config/startup.jl" },
	{ "octave", ".octaverc" },
	{ "ghci", ".ghci" },
	{ "sbt", ".sbt" },
	{ "mvn", ".m2/settings.xml .mavenrc" },
	{ "gradle", ".gradle/init.gradle .gradle/init.d" },
	{ "bazel", ".bazelrc" },
	{ "gdb", ".gdbinit .config/gdb/gdbinit" },
	{ "lldb", ".lldbinit" },
	{ "tmux", ".tmux.conf .config/tmux/tmux.conf" },
	{ "screen", ".screenrc" },
	{ "less", ".lessfilter .lesskey" },
	{ "curl", ".curlrc" },
	{ "wget", ".wgetrc" },
	{ "psql", ".psqlrc" },
	{ "sqlite3", ".sqliterc" },
	{ "mutt", ".muttrc .mutt" },
	{ "direnv", ".direnvrc .config/direnv/direnvrc .envrc" },
	{ "ssh", ".ssh/config .ssh/rc" },
	{ "gpg", ".gnupg/gpg.conf .gnupg/gpg-agent.conf" },
	{ "docker", ".docker/config.json" },
	{ "kubectl", ".kube/config" },
	{ "aws", ".aws/config" },
};

/* A protected directory covers everything below it. */
static bool is_covered(struct str file)
{
	static const char *const names[] = { PROTECTED_PATHS_TREE, PROTECTED_PATHS_HOME,
		                             PROTECTED_PATHS_BELOW_HOME };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct str name = str_from(names[i]);

		if (str_starts(file, name) && (file.len == name.len || file.ptr[name.len] == '/'))
			return true;
	}
	return false;
}

/* Only programs that are installed are checked: the list of all would be noise. */
void doctor_startup(struct doctor *d)
{
	CLEANUP(buf_done) struct buf covered = { 0 }, open = { 0 };

	for (size_t i = 0; i < COUNT_OF(starters); i++) {
		struct str rest = str_from(starters[i].files);
		bool is_first = true;

		if (!doctor_is_in_path(d, starters[i].program))
			continue;
		while (str_is(rest)) {
			struct str file = str_cut(&rest, ' ');
			bool is = is_covered(file);

			if (!is)
				buf_printf(&open, "%s%s: ~/%.*s", open.len ? ", " : "",
				           starters[i].program, STR_ARG(file));
			else if (is_first)
				buf_printf(&covered, "%s%s", covered.len ? ", " : "",
				           starters[i].program);
			is_first &= !is;
		}
	}
	if (open.len)
		doctor_tell(
			d, HEALTH_NOTE, "startup",
			doctor_text(d, "start-up files that are not protected: %.*s",
		                    STR_ARG(buf_str(&open))),
			"Do not work in the home directory, or deny writing to them with a rule.");
	else
		doctor_tell(d, HEALTH_OK, "startup",
		            doctor_text(d, "start-up files are protected of: %.*s",
		                        STR_ARG(buf_str(&covered))),
		            NULL);
}
