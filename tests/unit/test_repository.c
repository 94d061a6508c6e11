/* What git would run automatically: settings of repositories, nested, bare, linked, broken. */
#include "base/path/repository.h"
#include "lib/t.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

TEST(settings_that_name_a_program_are_known)
{
	static const char *const runs[] = {
		"[core]\n\tfsmonitor = ./x\n",
		"[Core]\nFSMonitor=.git/x",
		"[core] fsmonitor = \"./x y\"\n",
		"[diff]\n\texternal = ./x\n",
		"[tar \"tgz\"]\n\tcommand = ./x\n",
		"[man \"x\"]\n\tcmd = ./x\n",
		"[browser \"x\"]\n\tpath = ./x\n",
		"[difftool \"x\"]\n\tpath = ./x\n",
		"[hook \"x\"]\n\tcommand = ./x\n",
		"[diff \"jpg\"]\n\ttextconv = ./x\n",
		"[diff.jpg]\ntextconv = ./x\n",
		"[diff \"jpg\"]\ncommand = ./x\n",
		"[filter \"lfs\"]\n\tclean = ./x\n",
		"[filter \"a]b\"]\n\tprocess = ./x\n",
		"[include]\n\tpath = ../x\n",
		"[includeIf \"gitdir:/\"]\n\tpath = x\n",
		"[core]\n\thooksPath = ./hooks\n",
		"[core]\n\tpager = ./x\n",
		"[pager]\n\tlog = ./x\n",
		"[gpg \"ssh\"]\n\tprogram = ./x\n",
		"[merge \"x\"]\n\tdriver = ./x %A\n",
		"[core]\n\tbare = false\n[interactive]\n\tdiffFilter = ./x\n",
		"[core\n\tfsmonitor = ./x\n",
		"[gc]\n\trecentObjectsHook = ./x\n",
		"[difftool \"a\"]\n\tpath = ./x\n",
		"[mergetool \"a\"]\n\tpath = ./x\n",
		"[imap]\n\ttunnel = ./x\n",
		"[hook \"a\"]\n\tevent = pre-commit\n\tcommand = ./x\n",
		"[tar \"tar.xz\"]\n\tcommand = ./x\n",
		"[guitool \"a\"]\n\tcmd = ./x\n",
		"[browser \"a\"]\n\tcmd = ./x\n",
		"[man \"a\"]\n\tpath = ./x\n",
		"[instaweb]\n\thttpd = ./x\n",
		"[lfs \"customtransfer.a\"]\n\tpath = ./x\n",
		"[sendemail]\n\tsendmailCmd = ./x\n",
		"[sendemail]\n\ttoCmd = ./x\n",
	};
	static const char *const plain[] = {
		"",
		"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n",
		"[core]\n\tfsmonitor = true\n",
		"[remote \"origin\"]\n\turl = https://h.example/x\n\tfetch = +refs/heads/*:x/*\n",
		"[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n",
		"[user]\n\tname = fsmonitor\n# [core] fsmonitor = ./x\n; [diff] external = x\n",
		"[diff]\n\trenames = copies\n[pager]\n\tlog = false\n",
		"[alias]\n\tst = status\n",
	};

	for (size_t i = 0; i < COUNT_OF(runs); i++)
		CHECK(repository_config_runs_code(str_from(runs[i])));
	for (size_t i = 0; i < COUNT_OF(plain); i++)
		CHECK(!repository_config_runs_code(str_from(plain[i])));
}

static char top[64];

static void run(const char *command)
{
	char line[1024];

	snprintf(line, sizeof line, "cd %s && %s", top, command);
	CHECK(system(line) == 0);
}

static bool runs_code(const char *below)
{
	char path[256];

	snprintf(path, sizeof path, "%s/%s", top, below);
	return repository_runs_code(NULL, str_from(path));
}

TEST(a_repository_is_found_as_git_finds_it)
{
	snprintf(top, sizeof top, "/tmp/repository-XXXXXX");
	CHECK(mkdtemp(top) != NULL);
	run("mkdir -p none plain/.git plain/src vendor/x/.git/hooks vendor/x/deep bare.git/objects "
	    "bare.git/refs file linked/.git fifo/.git big/.git module/.git/modules/m tree/.git "
	    "tree.git hooked/.git/hooks");
	run("printf '[core]\\n\\tbare = false\\n' | tee plain/.git/config module/.git/config "
	    "tree.git/config hooked/.git/config > tree/.git/config");
	run("printf '[core]\\n\\tfsmonitor = ./x\\n' | tee vendor/x/.git/config bare.git/config "
	    "> module/.git/modules/m/config");
	run("echo ref > bare.git/HEAD && echo 'gitdir: ../vendor/x/.git' > file/.git");
	run("ln -s /dev/zero linked/.git/config && mkfifo fifo/.git/config");
	run("head -c 70000 /dev/zero | tr '\\0' '#' > big/.git/config");
	run("echo ../../vendor/x/.git > tree/.git/commondir");
	run("touch hooked/.git/hooks/post-index-change");
	CHECK(!runs_code("none"));
	CHECK(!runs_code("plain"));
	CHECK(!runs_code("plain/src"));
	CHECK(runs_code("vendor/x"));
	CHECK(runs_code("vendor/x/deep"));
	CHECK(!runs_code("vendor"));
	CHECK(runs_code("bare.git"));
	CHECK(runs_code("file"));
	CHECK(runs_code("linked"));
	CHECK(runs_code("fifo"));
	CHECK(runs_code("big"));
	CHECK(runs_code("module"));
	CHECK(runs_code("tree"));
	CHECK(runs_code("hooked"));
	run("mkdir plain/.git/config.worktree");
	CHECK(runs_code("plain"));
	run("chmod 555 plain/.git/config.worktree");
	CHECK(!runs_code("plain"));
	run("chmod 755 plain/.git/config.worktree && touch plain/.git/config.worktree/x && "
	    "chmod 555 plain/.git/config.worktree");
	CHECK(runs_code("plain"));
	run("chmod -R u+w . && rm -rf ../$(basename $PWD)");
}

TEST(the_user_is_read_without_anything_that_runs)
{
	struct repository_user u;

	snprintf(top, sizeof top, "/tmp/repository-XXXXXX");
	CHECK(mkdtemp(top) != NULL);
	repository_user(top, &u);
	CHECK(!u.name[0] && !u.email[0] && !u.branch[0]);
	run("mkdir -p .config/git dots repo/.git");
	run("printf '[user]\\nname = Old\\nemail = old@x\\n' > .config/git/config");
	run("printf '[user]\\n\\tname = \"Ada \\\\\"L\\\\\" # x\" ; y\\n[alias]\\n\\tco = !x\\n"
	    "[user \"other\"]\\nemail = no\\n[init]\\ndefaultBranch=main\\n' > dots/gitconfig");
	run("ln -s dots/gitconfig .gitconfig");
	repository_user(top, &u);
	CHECK_STR(str_from(u.name), "Ada \"L\" # x");
	CHECK_STR(str_from(u.email), "old@x");
	CHECK_STR(str_from(u.branch), "main");
	repository_user(NULL, &u);
	CHECK(!u.name[0]);
	CHECK(!repository_signs(str_from(top), top));
	run("printf '[commit]\\ngpgSign = true\\n' >> dots/gitconfig");
	CHECK(repository_signs(str_from(top), top));
	run("printf '[commit]\\ngpgsign = false\\n' > repo/.git/config");
	char repo[300];

	snprintf(repo, sizeof repo, "%s/repo", top);
	CHECK(!repository_signs(str_from(repo), top));
	run("printf '[user]\\nname = a\\tb\\n' > dots/gitconfig");
	repository_user(top, &u);
	CHECK_STR(str_from(u.name), "Old");
	run("rm -rf ../$(basename $PWD)");
}

TEST_MAIN()
