/*
 * Variables that change what programs do: of the loader, the shell, interpreters, and programs
 * that start others.
 *
 * PATH=., LD_PRELOAD=./x.so or GIT_PAGER='sh -c …' turn a read-only command into any program.
 * Lists of known dangers are never complete, so a name in no list is UNKNOWN and not harmless.
 */
#include "policy/shell/analyze_internal.h"

size_t analyze_env_name_length(struct str s)
{
	size_t n = 0;

	for (; n < s.len; n++) {
		char c = s.ptr[n];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
		      (n && c >= '0' && c <= '9')))
			break;
	}
	return n;
}

bool analyze_env_is_name(struct str s)
{
	return s.len && analyze_env_name_length(s) == s.len;
}

struct str analyze_env_name_of_assignment(struct str word)
{
	ptrdiff_t at = str_find_char(word, '=');
	struct str name;

	if (at <= 0)
		return STR_NONE;
	name = str_head(word, (size_t)at);
	if (name.ptr[name.len - 1] == '+')
		name.len--;
	return analyze_env_is_name(name) ? name : STR_NONE;
}

/* Patterns have a * at the beginning, at the end, or at both. */
static bool matches(struct str name, const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct str p = str_from(patterns[i]);
		bool head = str_starts(p, STR("*")), tail = str_ends(p, STR("*"));
		struct str core = str_of(p.ptr + head, p.len - head - tail);

		if (head && tail ? str_find(name, core) >= 0
		    : head       ? str_ends(name, core)
		    : tail       ? str_starts(name, core)
		                 : str_eq(name, core))
			return true;
	}
	return false;
}

/* Of the shell and the loader, and common ones of every environment: risky exported or not. */
static const char *const special[] = {
	"LD_*",
	"DYLD_*",
	"PATH",
	"BASH_*",
	"BASHOPTS",
	"SHELLOPTS",
	"ENV",
	"IFS",
	"PS0",
	"PS1",
	"PS2",
	"PS4",
	"PROMPT_COMMAND",
	"SHELL",
	"HOME",
	"CDPATH",
	"GLOBIGNORE",
	"EXECIGNORE",
	"FUNCNEST",
	"TMPDIR",
	"GIT_*",
	"PAGER",
	"EDITOR",
	"VISUAL",
	"LESS*",
	"PYTHONPATH",
	"PYTHONSTARTUP",
	"PYTHONHOME",
	"PERL5*",
	"NODE_OPTIONS",
	"NODE_PATH",
	"RUBYOPT",
	"RUBYLIB",
	"histchars",
	"POSIXLY_CORRECT",
	"XDG_*",
	"MANPAGER",
	"OLDPWD",
	"PWD",
	"auto_resume",
	"TERMINFO",
	"GCONV_PATH",
};

/*
 * Risky only when programs see them: search paths, programs that others start (pagers, editors,
 * compilers), options of interpreters, locations of settings, proxies.
 */
static const char *const exported[] = {
	"*PATH",         "*_PATH_*",    "*_DIR",       "*_HOME",      "*_ROOT",    "TMP",
	"TEMP",          "SSH_*",       "GPG_*",       "GNUPG*",      "*PAGER",    "*EDITOR",
	"BROWSER",       "*_OPTIONS",   "*OPTS",       "*_OPT",       "*FLAGS",    "PERL*",
	"PYTHON*",       "RUBY*",       "NODE_*",      "JAVA*",       "_JAVA*",    "JDK_*",
	"LUA*",          "PHP*",        "R_*",         "MAKE*",       "CC",        "CXX",
	"CPP",           "LD",          "AR",          "AS",          "NM",        "RANLIB",
	"STRIP",         "OBJCOPY",     "CMAKE_*",     "RUSTC*",      "RUSTUP*",   "RUSTDOC*",
	"CARGO*",        "GO*",         "GCC_*",       "COMPILER_*",  "MAN*",      "TERMINFO*",
	"TERMCAP",       "LOCALDOMAIN", "RES_OPTIONS", "HOSTALIASES", "MALLOC_*",  "GLIBC_*",
	"*_proxy",       "*_PROXY",     "CURL_*",      "WGET*",       "npm_*",     "NPM_*",
	"YARN_*",        "PIP_*",       "UV_*",        "DOCKER_*",    "KUBE*",     "AWS_*",
	"AZURE_*",       "GOOGLE_*",    "GCLOUD_*",    "SUDO_*",      "*COMMAND*", "*_CMD",
	"*_HOOK*",       "*_SCRIPT",    "*_PROGRAM",   "*ASKPASS*",   "*WRAPPER*", "*PRELOAD*",
	"*_RC",          "*BASHRC",     "INPUTRC",     "VIMINIT",     "EXINIT",    "MYVIMRC",
	"TAR_*",         "GZIP",        "BZIP*",       "XZ_*",        "ZSTD_*",    "UNZIP*",
	"ZIP*",          "RSYNC_*",     "CVS_*",       "SVN_*",       "HG*",       "BAT_*",
	"FZF_*",         "JQ_*",        "AWK*",        "OPENSSL_*",   "SSL_*",     "REQUESTS_*",
	"GTK_*",         "QT_*",        "DBUS_*",      "DISPLAY",     "SYSTEMD_*", "LISTEN_*",
	"NOTIFY_SOCKET", "*_CONFIG",    "*_CONF",      "*_LIB",       "*_LIBS",
};

/* Locale, terminal and colour settings, whose values are short names. */
static const char *const harmless[] = {
	"LC_*",
	"LANG",
	"LANGUAGE",
	"TZ",
	"TERM",
	"NO_COLOR",
	"CLICOLOR",
	"CLICOLOR_FORCE",
	"FORCE_COLOR",
	"COLUMNS",
	"LINES",
	"CI",
	"VERBOSE",
	"RUST_LOG",
	"RUST_BACKTRACE",
	"LS_COLORS",
	"GREP_COLOR",
	"GREP_COLORS",
	"QUOTING_STYLE",
	"TIME_STYLE",
	"BLOCK_SIZE",
	"SOURCE_DATE_EPOCH",
	"DEBIAN_FRONTEND",
	"COLORTERM",
	"TERM_PROGRAM",
};

/* Harmless switches that a pattern above would match. */
static const char *const switches[] = {
	"PYTHONUNBUFFERED",
	"PYTHONDONTWRITEBYTECODE",
	"PYTHONIOENCODING",
	"PYTHONHASHSEED",
	"PYTHONUTF8",
	"NODE_ENV",
	"GIT_OPTIONAL_LOCKS",
	"GIT_TERMINAL_PROMPT",
	"GOOS",
	"GOARCH",
	"CARGO_TERM_COLOR",
	"RUST_TEST_THREADS",
};

/* Where interpreters look for modules: a choice of code, for a program that runs code anyway. */
static const char *const module_paths[] = { "PYTHONPATH", "NODE_PATH", "PERL5LIB", "RUBYLIB" };

static const char *const pagers[] = { "PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER" };

/* Names of locales, terminals and zones; a path in them would be opened. */
static bool is_plain_value(const struct token *value)
{
	struct str s = value->text;

	if (!value->is_known)
		return false;
	return !s.len || (s.ptr[0] != '/' && s.ptr[0] != ':' && s.ptr[0] != '.' &&
	                  str_find(s, STR("..")) < 0);
}

/*
 * Exceptions first: a switch or a pager that is off would also match a pattern of the dangerous
 * lists.
 */
enum var_risk analyze_env_risk_of_variable(struct str name, const struct token *value,
                                           bool is_exported)
{
	bool is_plain = value && is_plain_value(value);

	if (matches(name, pagers, COUNT_OF(pagers)) && is_plain &&
	    (!value->text.len || str_eq(value->text, STR("cat"))))
		return VAR_HARMLESS;
	if (matches(name, switches, COUNT_OF(switches)))
		return is_plain && str_find_char(value->text, '/') < 0 ? VAR_HARMLESS
		                                                       : VAR_DANGEROUS;
	if (matches(name, harmless, COUNT_OF(harmless)))
		return is_plain ? VAR_HARMLESS : VAR_UNKNOWN;
	if (matches(name, special, COUNT_OF(special)))
		return VAR_DANGEROUS;
	return is_exported && matches(name, exported, COUNT_OF(exported)) ? VAR_DANGEROUS
	                                                                  : VAR_UNKNOWN;
}

bool analyze_env_is_module_path(struct str name, const struct token *value)
{
	return value && value->is_known && matches(name, module_paths, COUNT_OF(module_paths));
}

bool analyze_env_is_risky(struct str name)
{
	return !analyze_env_is_name(name) ||
	       analyze_env_risk_of_variable(name, NULL, true) == VAR_DANGEROUS;
}
