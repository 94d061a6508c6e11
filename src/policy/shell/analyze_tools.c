/*
 * Programs whose options and operands need more than a row of the table.
 *
 * A function here starts from the flags of the row (analyze_apply_kind) and corrects them:
 * either the row is read-only and an option takes that away, or the row changes something and
 * analyze_read_only() gives it back for the forms that only show.
 */
#include "policy/shell/programs.h"

/* ---- subcommands ---- */

/*
 * "systemctl status", "pip list": the first operand is a reading subcommand, every word is
 * known, and no option that changes its meaning is given.
 */
bool analyze_tools_is_query(struct judge *j, struct command *c, const struct program *p,
                            const char *words)
{
	struct str first = STR_NONE;

	for (uint32_t i = 1; i < c->n; i++) {
		struct str s = c->w[i].text;

		if (!c->w[i].is_known)
			return false;
		if (s.len > 1 && s.ptr[0] == '-') {
			struct str value = str_skip(s, s.ptr[1] == '-' ? 2 : 1);
			struct str name = str_cut(&value, '=');
			bool is_long = s.ptr[1] == '-';

			/* An option before the subcommand may change anything. */
			if (!str_is(first) || analyze_in_list(p->bad, name, is_long))
				return false;
			for (size_t k = 0; !is_long && k < name.len && spend(j, LETTER_STEPS); k++)
				if (analyze_in_list(p->bad, str_of(name.ptr + k, 1), false))
					return false;
		} else if (!str_is(first)) {
			first = s;
		}
	}
	if (analysis_is_spent(j->budget) || !analyze_is_among(words, first))
		return false;
	analyze_read_only(c);
	/* npm and its like read settings of the directory, which may change until it runs. */
	if (p->kind & (P_RUNS | P_INSTALLS))
		c->act->flags &= ~(unsigned)ACT_COMPLETE;
	return true;
}

/* A version, an address, or a path that may be outside the workspace. */
static bool is_elsewhere(struct str word)
{
	static const char *const signs[] = { "@", "://", "../", "=/", "~" };

	for (size_t i = 0; i < COUNT_OF(signs); i++)
		if (str_find(word, str_from(signs[i])) >= 0)
			return true;
	return str_starts(word, STR("/")) || str_eq(word, STR("..")) || str_ends(word, STR("/.."));
}

/* npm test, cargo build: they run the project's code, like make. */
static bool is_work(const struct command *c, const struct program *p)
{
	for (uint32_t i = 1; i < c->n; i++)
		if (!c->w[i].is_known || is_elsewhere(c->w[i].text))
			return false;
	return c->n > 1 && p->works && analyze_is_among(p->works, c->w[1].text);
}

/* Options that change neither where it works nor what it loads from. */
static bool is_tame_option(struct str word)
{
	static const char *const tame =
		"--json --offline --quiet -q --verbose -v --silent --locked --frozen "
		"--frozen-lockfile "
		"--format-version --depth=0 --all --no-deps --release --help --save --save-dev "
		"--save-exact --no-save --no-audit --no-fund --legacy-peer-deps --prefer-offline "
		"--production --omit=dev --dev -D -S -E -r -U --upgrade --requirement --features "
		"--disable-pip-version-check --ignore-scripts";

	return analyze_is_among(tame, word);
}

/* @scope/name@1.2 is a package; an address or another directory is not. */
static bool leads_elsewhere(struct str word)
{
	struct str rest = str_starts(word, STR("@")) ? str_skip(word, 1) : word;
	struct str name = str_cut(&rest, '@');

	return is_elsewhere(name) || (str_is(rest) && is_elsewhere(rest)) ||
	       str_find(word, STR(":")) >= 0;
}

/* The subcommand, then plain words and tame options. */
static bool is_tame(const struct command *c, const char *subcommands)
{
	if (c->n < 2 || !subcommands || !c->w[1].is_known ||
	    !analyze_is_among(subcommands, c->w[1].text))
		return false;
	for (uint32_t i = 2; i < c->n; i++) {
		struct str word = c->w[i].text;

		if (!c->w[i].is_known || leads_elsewhere(word) ||
		    (str_starts(word, STR("-")) && !is_tame_option(word)))
			return false;
	}
	return true;
}

void analyze_tools_subcommand(struct judge *j, struct command *c, const struct program *p)
{
	struct program options = *p;

	if (analyze_tools_is_query(j, c, p, p->queries))
		return;
	if (is_work(c, p) || is_tame(c, p->maintains)) {
		c->act->flags &= ~(unsigned)ACT_NETWORK;
		c->act->why = STR_NONE;
		options.kind &= ~(unsigned)(P_NETWORK | P_INSTALLS);
		analyze_apply_kind(j, c, options.kind);
	} else if (is_tame(c, p->installs)) {
		c->act->registry = str_from(p->registry);
	}
	analyze_plainly(j, c, &options);
	for (uint32_t i = 1; i < c->n; i++)
		if (c->w[i].is_known && str_find(c->w[i].text, STR("://")) > 0)
			analyze_word_add_hosts_of(j, c, i);
	if (c->act->flags & ACT_NETWORK)
		c->act->has_unknown_host |= !c->act->hosts.count;
}

void analyze_tools_package(struct judge *j, struct command *c, const struct program *p)
{
	analyze_tools_subcommand(j, c, p);
}

/* dpkg -l, rpm -q: one letter decides.  rpm fetches a package from a URL; -V runs its scripts. */
void analyze_tools_dpkg(struct judge *j, struct command *c, const struct program *p)
{
	bool is_dpkg = str_starts(c->w[0].text, STR("dpkg"));
	const char *looks = is_dpkg ? "-l -L -s -S -p -I -c --list --listfiles --status --search "
	                              "--print-architecture --get-selections -W --show"
	                            : "-q -qa -qi -ql -qf -qR -qp -qc -qd --query";

	if (c->n > 1 && c->w[1].is_known && analyze_is_among(looks, c->w[1].text)) {
		for (uint32_t i = 2; i < c->n; i++)
			if (!c->w[i].is_known || analyze_word_starts_with(c, i, "-") ||
			    str_find_char(c->w[i].text, ':') >= 0)
				return;
		for (uint32_t i = 2; i < c->n; i++)
			if (str_find_char(c->w[i].text, '/') >= 0)
				analyze_word_add_word_path(j, c, i, ACT_READS, 0);
		analyze_read_only(c);
		return;
	}
	analyze_plainly(j, c, p);
}

/* ---- files ---- */

static bool is_broad(struct str path)
{
	return str_eq(path, STR("/")) || str_eq(path, STR("/*"));
}

void analyze_tools_rm(struct judge *j, struct command *c, const struct program *p)
{
	bool is_deep = analyze_has_flag(c, "rR", "recursive");
	bool is_broadly = false;

	analyze_scan_options(j, c, p, 1);
	for (uint32_t k = 0; k < c->operand_count; k++)
		analyze_word_add_word_path(j, c, c->operands[k], ACT_DELETES,
		                           is_deep ? ACT_PATH_DEEP : 0);
	for (uint32_t k = 0; k < c->act->path_count; k++)
		is_broadly |= is_broad(c->act->paths[k].path);
	c->act->why = is_broadly ? STR("it deletes everything")
	              : is_deep  ? STR("rm -r deletes a tree")
	                         : STR("rm deletes files");
}

/*
 * chmod MODE FILE, chown WHO FILE: the first operand is no path.  setfacl, setfattr and chattr
 * have no such operand, or one that may look like an option.
 */
void analyze_tools_mode(struct judge *j, struct command *c, const struct program *p)
{
	unsigned deep = analyze_has_flag(c, "R", "recursive") ? ACT_PATH_DEEP : 0;
	bool has_mode = analyze_is_among("chmod chown chgrp", str_from(p->name));
	uint32_t from;

	for (uint32_t i = 1; i < c->n; i++)
		has_mode &= !analyze_word_starts_with(c, i, "--ref");
	analyze_scan_options(j, c, p, 1);
	/* -x as a mode looks like an option. */
	from = has_mode ? 1 : 0;
	for (uint32_t i = 1; i < c->n; i++)
		if (analyze_word_starts_with(c, i, "-") && c->w[i].text.len > 1 &&
		    strchr("rwxst", c->w[i].text.ptr[1]))
			from = 0;
	for (uint32_t k = from; k < c->operand_count; k++)
		analyze_word_add_word_path(j, c, c->operands[k], ACT_WRITES, deep);
	c->act->effect = STR("change");
}

/* Output to /dev/null or standard output is no write. */
void analyze_tools_tee(struct judge *j, struct command *c, const struct program *p)
{
	analyze_scan_options(j, c, p, 1);
	for (uint32_t k = 0; k < c->operand_count; k++)
		analyze_word_add_word_path(j, c, c->operands[k], ACT_WRITES, 0);
	for (uint32_t k = 0; k < c->act->path_count; k++)
		if (!(c->act->paths[k].flags & ACT_PATH_HARMLESS))
			return;
	analyze_read_only(c);
}

/* The second operand is the output. */
void analyze_tools_uniq(struct judge *j, struct command *c, const struct program *p)
{
	analyze_scan_options(j, c, p, 1);
	for (uint32_t k = 0; k < c->operand_count; k++)
		if (c->w[c->operands[k]].is_many)
			analyze_twist(j, c, c->operands[k], "may become several words");
	if (c->operand_count)
		if (!analyze_word_is_word(c, c->operands[0], "-"))
			analyze_word_add_word_path(j, c, c->operands[0], ACT_READS, 0);
	if (c->operand_count > 1) {
		uint32_t before = c->act->path_count;

		analyze_word_add_word_path(j, c, c->operands[1], ACT_WRITES, 0);
		analyze_by_option(c, before, c->operands[1]);
		analyze_unsafe(c, STR("write"),
		               analyze_explain(j, c, 0, "writes its second operand"));
	}
	if (p->kind & P_FILTER && !c->operand_count)
		c->names = c->input;
}

static bool is_signed_number(struct str s)
{
	return s.len && strchr("0123456789+-", s.ptr[0]);
}

/*
 * xxd has words for options, with one dash or two, and numbers may follow a letter directly.
 * Read as clusters, -ps would take the file for the value of -s.
 */
void analyze_tools_xxd(struct judge *j, struct command *c, const struct program *p)
{
	static const char values[] = "c cols g groupsize l len s seek skip o offset n name R";
	uint32_t last;

	for (uint32_t i = 1; i < c->n; i++) {
		struct str s = c->w[i].text, name = str_skip(s, str_starts(s, STR("--")) ? 2 : 1);

		if (!c->w[i].is_known && analyze_word_may_lead_dash(&c->w[i]))
			analyze_twist(j, c, i, "may turn out to be an option");
		if (!analyze_word_starts_with(c, i, "-") || s.len < 2) {
			c->operands[c->operand_count++] = i;
			continue;
		}
		/* -r and everything that begins like it: the dump becomes the file again. */
		if (name.len && name.ptr[0] == 'r')
			analyze_twist(j, c, i, "makes it do something else");
		if (analyze_is_among(values, name) && i + 1 < c->n)
			i++;
		else if (name.len > 1 && strchr("cglson", name.ptr[0]) &&
		         !is_signed_number(str_skip(name, 1)))
			analyze_word_add_guess(j, c, i);
	}
	last = c->operand_count;
	for (uint32_t k = 0; k < last; k++)
		if (!analyze_word_is_word(c, c->operands[k], "-"))
			analyze_word_add_word_path(j, c, c->operands[k], k ? ACT_WRITES : ACT_READS,
			                           0);
	if (last > 1)
		analyze_unsafe(c, STR("write"),
		               analyze_explain(j, c, 0, "writes its second operand"));
	(void)p;
}

/* grep and similar: -l prints names. */
void analyze_tools_grep(struct judge *j, struct command *c, const struct program *p)
{
	analyze_plainly(j, c, p);
	if (analyze_has_flag(c, "lL", "files-with-matches") || analyze_has_flag(c, "", "files")) {
		const struct values *all = NULL;
		uint32_t from =
			analyze_has_flag(c, "ef", "regexp") || analyze_has_flag(c, "", "files") ? 0
												: 1;

		if (c->operand_count <= from)
			all = analyze_word_one_value(j, STR("."), VALUE_BARE);
		for (uint32_t k = from; k < c->operand_count; k++) {
			const struct token *t = &c->w[c->operands[k]];
			const struct values *one =
				t->is_known ? analyze_word_one_value(j, t->text, VALUE_BELOW)
					    : t->values;

			all = k == from ? one : analyze_word_join_values(j, all, one);
			if (!all)
				break;
		}
		c->names = all;
	} else if (c->operand_count == 1 && !analyze_has_flag(c, "rRefoc", "recursive")) {
		c->names = c->input; /* a filter */
	} else {
		c->names = NULL;
	}
}

void analyze_tools_dd(struct judge *j, struct command *c, const struct program *p)
{
	(void)p;
	for (uint32_t i = 1; i < c->n; i++) {
		struct str s = c->w[i].text;

		if (!c->w[i].is_known)
			analyze_twist(j, c, i, "may turn out to be an output");
		else if (str_starts(s, STR("if=")))
			analyze_word_add_text_path(j, c, str_skip(s, 3), (int)i, ACT_READS, 0);
		else if (str_starts(s, STR("of=")))
			analyze_word_add_text_path(j, c, str_skip(s, 3), (int)i, ACT_WRITES, 0);
	}
	for (uint32_t k = 0; k < c->act->path_count; k++)
		if (c->act->paths[k].use & ACT_WRITES &&
		    !(c->act->paths[k].flags & ACT_PATH_HARMLESS)) {
			analyze_unsafe(c, STR("overwrite"), STR("dd overwrites its output"));
			c->act->effect = STR("overwrite");
			if (str_starts(c->act->paths[k].path, STR("/dev/")))
				c->act->flags |= ACT_DESTRUCTIVE | ACT_SYSTEM;
		}
}

/* ---- the network ---- */

static bool is_listed_option(const struct program *p, struct str name, bool is_long)
{
	return analyze_in_list(p->flags, name, is_long) ||
	       analyze_in_list(p->values, name, is_long) ||
	       analyze_in_list(p->reads, name, is_long) ||
	       analyze_in_list(p->writes, name, is_long);
}

/* Every option is one whose effect is known: these programs have hundreds. */
static bool has_known_options(struct judge *j, const struct command *c, const struct program *p)
{
	for (uint32_t i = 1; i < c->n; i++) {
		struct str s = c->w[i].text, value = str_skip(s, 2), name = str_cut(&value, '=');

		if (c->act->words[i].flags & ACT_WORD_VALUE ||
		    !analyze_word_starts_with(c, i, "-") || s.len < 2 || str_eq(s, STR("--")))
			continue;
		if (s.ptr[1] == '-' && !is_listed_option(p, name, true))
			return false;
		for (size_t k = 1; s.ptr[1] != '-' && k < s.len && spend(j, LETTER_STEPS); k++) {
			struct str letter = str_of(s.ptr + k, 1);

			if (!is_listed_option(p, letter, false))
				return false;
			if (!analyze_in_list(p->flags, letter, false))
				break; /* the rest is its value */
		}
	}
	return true;
}

/* Values that name a file: -H @FILE sends it, -w @FILE reads it, %output{FILE} writes it. */
static void check_client_values(struct judge *j, struct command *c)
{
	for (uint32_t i = 1; i < c->n; i++) {
		struct str s = c->w[i].text;
		ptrdiff_t at = str_find_char(s, '@');
		bool is_option = analyze_word_starts_with(c, i, "-");

		if (str_find(s, STR("%output")) >= 0 ||
		    (c->act->words[i].flags & ACT_WORD_VALUE && !at) ||
		    (is_option && at > 0 && (s.ptr[1] != '-' || s.ptr[at - 1] == '=')))
			analyze_twist(j, c, i, "names a file that it reads or writes");
	}
}

static bool begins_with(struct str s, const char *lower)
{
	size_t len = strlen(lower);

	for (size_t i = 0; i < len && i < s.len; i++)
		if ((s.ptr[i] >= 'A' && s.ptr[i] <= 'Z' ? s.ptr[i] + 32 : s.ptr[i]) != lower[i])
			return false;
	return s.len >= len;
}

/* http://, https://, ftp://, in any case; other protocols do more than fetch. */
static bool is_plain_scheme(struct str s)
{
	static const char *const schemes[] = { "http://", "https://", "ftp://", "ftps://" };

	for (size_t i = 0; i < COUNT_OF(schemes); i++)
		if (begins_with(s, schemes[i]))
			return true;
	return false;
}

/* A bare word is a host too: evil.org/x. */
static void add_bare_host(struct judge *j, struct command *c, struct str s)
{
	struct str host = s;

	for (size_t k = 0; k < host.len; k++)
		if (strchr("/?#", host.ptr[k]))
			host.len = k;
	/* http:/evil.org and http:evil.org are addresses for some clients. */
	if (str_find(s, STR(":/")) >= 0 || str_starts(s, STR("http:")) ||
	    str_starts(s, STR("https:")))
		c->act->has_unknown_host = true;
	analyze_word_add_host(j, c, host);
}

/* curl, wget: hosts from URLs, files from options. */
void analyze_tools_client(struct judge *j, struct command *c, const struct program *p)
{
	analyze_scan_options(j, c, p, 1);
	check_client_values(j, c);
	/* The value of --url is one more address. */
	for (uint32_t i = 1; i < c->n; i++) {
		struct str value = c->w[i].text, name = str_cut(&value, '=');

		/* --ur is --url where no other option begins like that */
		if (!c->w[i].is_known || name.len < 3 || !str_starts(STR("--url"), name))
			continue;
		if (str_is(value))
			analyze_word_add_host(j, c, STR("")); /* not followed */
		else if (i + 1 < c->n)
			c->operands[c->operand_count++] = i + 1;
	}
	for (uint32_t k = 0; k < c->operand_count; k++) {
		uint32_t i = c->operands[k];
		struct str s = c->w[i].text;

		if (c->w[i].is_known && begins_with(s, "file:")) {
			analyze_word_add_guess(j, c, i);
			analyze_twist(j, c, i, "reads a local file");
		} else if (c->w[i].is_known && str_find(s, STR("://")) >= 0 &&
		           !is_plain_scheme(s)) {
			analyze_twist(j, c, i, "speaks another protocol");
		}
		if (!analyze_word_add_hosts_of(j, c, i))
			add_bare_host(j, c, s);
	}
	/* What is left are hosts and output files, both of which rules can name. */
	if (!(p->kind & P_RUNS) && has_known_options(j, c, p))
		c->act->flags |= ACT_COMPLETE;
	/* The server may choose the file name, so the whole directory counts as written. */
	if (str_eq(str_from(p->name), STR("wget")) && !analyze_has_flag(c, "O", "output-document"))
		analyze_word_add_current(j, c, ACT_WRITES, ACT_PATH_DEEP);
	if (str_eq(str_from(p->name), STR("curl")) &&
	    (analyze_has_flag(c, "OJ", "remote-name-all") ||
	     analyze_has_flag(c, "", "remote-header-name")))
		analyze_word_add_current(j, c, ACT_WRITES, ACT_PATH_DEEP);
	if (!c->operand_count)
		c->act->has_unknown_host = true;
}

/* socat: addresses in a language of its own, which also starts programs. */
void analyze_tools_socat(struct judge *j, struct command *c, const struct program *p)
{
	analyze_plainly(j, c, p);
	c->act->has_unknown_host = true;
}

/* ping, dig, nc: operands are hosts. */
void analyze_tools_net(struct judge *j, struct command *c, const struct program *p)
{
	analyze_scan_options(j, c, p, 1);
	for (uint32_t k = 0; k < c->operand_count; k++)
		if (!analyze_word_add_hosts_of(j, c, c->operands[k]) &&
		    c->w[c->operands[k]].is_known)
			analyze_word_add_host(j, c, c->w[c->operands[k]].text);
	if (!c->operand_count)
		c->act->has_unknown_host = true;
}

static void resolves_name(struct judge *j, struct command *c, uint32_t i)
{
	analyze_unsafe(c, STR("send"),
	               analyze_explain(j, c, i, "is a name that it asks the network for"));
	c->act->flags |= ACT_NETWORK;
	c->act->has_unknown_host = true;
}

/* A word of ss's filters, a service (:ssh) or a number: no name that has to be resolved. */
static bool is_filter_word(struct str s)
{
	static const char words[] = "state exclude established syn-sent syn-recv fin-wait-1 "
				    "fin-wait-2 time-wait closed "
				    "close-wait last-ack listening listen closing all connected "
				    "synchronized bucket big "
				    "sport dport src dst dev fwmark cgroup autobound and or not ( "
				    ") ! & | = == != < > <= "
				    ">= eq neq ge le lt gt";
	bool has_letter = false;

	for (size_t i = 0; i < s.len; i++)
		has_letter |= !strchr("0123456789.:/*[]", s.ptr[i]);
	return !has_letter || analyze_is_among(words, s) || str_starts(s, STR(":"));
}

/* A whole filter may be one word: '( dport = :ssh )'. */
static bool is_filter(struct str s)
{
	while (str_is(s))
		if (!is_filter_word(str_cut(&s, ' ')))
			return false;
	return true;
}

/* ss dst NAME and lsof -i @NAME look the name up, which sends it to a server. */
void analyze_tools_ss(struct judge *j, struct command *c, const struct program *p)
{
	bool is_lsof = str_eq(str_from(p->name), STR("lsof"));

	analyze_scan_options(j, c, p, 1);
	for (uint32_t k = 0; !is_lsof && k < c->operand_count; k++)
		if (!c->w[c->operands[k]].is_known || !is_filter(c->w[c->operands[k]].text))
			resolves_name(j, c, c->operands[k]);
	for (uint32_t i = 1; is_lsof && i < c->n; i++)
		if (!c->w[i].is_known || str_find_char(c->w[i].text, '@') >= 0)
			resolves_name(j, c, i);
}

/* ---- the system ---- */

/* date +FORMAT prints; a bare number or -s sets the clock. */
void analyze_tools_date(struct judge *j, struct command *c, const struct program *p)
{
	analyze_scan_options(j, c, p, 1);
	for (uint32_t k = 0; k < c->operand_count; k++) {
		uint32_t i = c->operands[k];

		if (!analyze_word_starts_with(c, i, "+") &&
		    !(c->w[i].word && str_starts(c->w[i].word->raw, STR("\"+"))) &&
		    !str_starts(c->w[i].text, STR("+")))
			analyze_twist(j, c, i, "sets the clock");
	}
}

/* A bare word becomes the new name. */
void analyze_tools_hostname(struct judge *j, struct command *c, const struct program *p)
{
	analyze_scan_options(j, c, p, 1);
	for (uint32_t k = 0; k < c->operand_count; k++)
		analyze_twist(j, c, c->operands[k], "sets the name of the machine");
}

void analyze_tools_ip(struct judge *j, struct command *c, const struct program *p)
{
	uint32_t i = 1;

	(void)p;
	while (i < c->n && analyze_word_starts_with(c, i, "-") &&
	       !analyze_word_starts_with(c, i, "-b") && !analyze_word_starts_with(c, i, "-n"))
		i++;
	if (i < c->n && c->w[i].is_known &&
	    analyze_is_among("a addr address l link r route n neigh rule -V", c->w[i].text) &&
	    (i + 1 == c->n || analyze_word_is_word(c, i + 1, "show") ||
	     analyze_word_is_word(c, i + 1, "list") || analyze_word_is_word(c, i + 1, "ls") ||
	     analyze_word_is_word(c, i + 1, "get"))) {
		analyze_read_only(c);
		return;
	}
	analyze_unsafe(c, STR("change"), STR("ip may change the network"));
	c->act->flags |= ACT_SYSTEM;
}

void analyze_tools_ifconfig(struct judge *j, struct command *c, const struct program *p)
{
	(void)p;
	(void)j;
	if (c->n == 1 || (c->n == 2 && c->w[1].is_known)) {
		analyze_read_only(c);
		return;
	}
	analyze_unsafe(c, STR("change"), STR("ifconfig may change the network"));
	c->act->flags |= ACT_SYSTEM;
}

/* Without -b it accepts keys, some of which kill processes. */
void analyze_tools_top(struct judge *j, struct command *c, const struct program *p)
{
	analyze_scan_options(j, c, p, 1);
	if (!analyze_has_flag(c, "b", NULL))
		analyze_unsafe(c, STR("change"), STR("top without -b waits for commands"));
}

/* Pagers and man: plain viewing passes, +cmd and unusual options do not. */
void analyze_tools_less(struct judge *j, struct command *c, const struct program *p)
{
	analyze_plainly(j, c, p);
	/* man shows a file when its operand looks like one. */
	for (uint32_t k = 0; p->kind & P_TEXT && k < c->operand_count; k++)
		if (!c->w[c->operands[k]].is_known ||
		    str_find_char(c->w[c->operands[k]].text, '/') >= 0 ||
		    analyze_has_flag(c, "l", "local-file"))
			analyze_word_add_word_path(j, c, c->operands[k], ACT_READS, 0);
	for (uint32_t i = 1; i < c->n; i++)
		if (!c->w[i].is_known ? analyze_word_may_lead_dash(&c->w[i])
		                      : analyze_word_starts_with(c, i, "+"))
			analyze_twist(j, c, i, "may be a command of the pager");
}

/* ---- outputs ---- */

/* The length of an option of `writes` that this word begins with, dashes included; 0: none. */
static size_t output_option(const struct program *p, struct str word)
{
	struct str rest = str_from(p->writes), name;
	size_t dashes = str_starts(word, STR("--")) ? 2 : 1;

	if (!str_starts(word, STR("-")))
		return 0;
	while (p->writes && str_is(rest)) {
		struct str given = str_skip(word, dashes);

		name = str_cut(&rest, ' ');
		if (!str_starts(given, name))
			continue;
		/* -ofile, but not -outfile for -out. */
		if (given.len == name.len || given.ptr[name.len] == '=' ||
		    (name.len == 1 && dashes == 1))
			return dashes + name.len;
	}
	return 0;
}

/*
 * Compilers and others whose options are words of their own with one dash: -fno-common is no
 * cluster with -o.  The options of `writes` name files that are written.
 */
void analyze_tools_outputs(struct judge *j, struct command *c, const struct program *p)
{
	struct program options = *p;

	options.writes = NULL;
	analyze_plainly(j, c, &options);
	for (uint32_t i = 1; i < c->n; i++) {
		struct str s = c->w[i].text;
		size_t len = c->w[i].is_known ? output_option(p, s) : 0;

		if (!len)
			continue;
		if (len == s.len && i + 1 < c->n)
			analyze_word_add_word_path(j, c, i + 1, ACT_WRITES, 0);
		else if (len < s.len)
			analyze_word_add_text_path(j, c, str_skip(s, len + (s.ptr[len] == '=')),
			                           (int)i, ACT_WRITES, 0);
	}
	if (c->act->flags & ACT_NETWORK)
		c->act->has_unknown_host = true;
}

/* ---- builds ---- */

/* make runs its makefile; these options choose another file, shell or rule. */
void analyze_tools_make(struct judge *j, struct command *c, const struct program *p)
{
	static const char *const variables[] = { "SHELL", ".SHELLFLAGS", "MAKEFLAGS", "MAKEFILES",
		                                 "MAKE",  "PATH",        "CC",        "CXX",
		                                 "LD",    "AR",          "CPP",       "INSTALL",
		                                 "RM",    "SUDO",        "PYTHON",    "BASH",
		                                 "SH" };

	analyze_scan_options(j, c, p, 1);
	for (uint32_t k = 0; k < c->operand_count; k++) {
		uint32_t i = c->operands[k];
		struct str s = c->w[i].text, name = s;

		analyze_word_add_guess(j, c, i);
		if (str_find_char(s, '=') <= 0)
			continue;
		name = str_cut(&name, '=');
		while (name.len && strchr(":+?!", name.ptr[name.len - 1]))
			name.len--;
		for (size_t v = 0; v < COUNT_OF(variables); v++)
			if (str_eq(name, str_from(variables[v])))
				analyze_twist(j, c, i, "changes what make runs");
	}
	/* A makefile or a directory outside the workspace is code that the user has not chosen. */
	for (uint32_t k = 0; k < c->act->path_count; k++) {
		const struct act_path *path = &c->act->paths[k];

		if (!(path->flags & (ACT_PATH_INSIDE | ACT_PATH_GUESS)) && path->word > 0)
			analyze_twist(j, c, (uint32_t)path->word, "may be any file");
	}
	for (uint32_t i = 1; i < c->n; i++)
		if (analyze_word_is_word(c, i, "-") || analyze_word_is_word(c, i, "-f-") ||
		    (analyze_word_starts_with(c, i, "--") && str_ends(c->w[i].text, STR("=-"))))
			analyze_twist(j, c, i, "reads rules from standard input");
}

/* The patch names the files that it changes. */
void analyze_tools_patch(struct judge *j, struct command *c, const struct program *p)
{
	analyze_plainly(j, c, p);
	analyze_word_add_current(j, c, ACT_WRITES, ACT_PATH_DEEP);
}

/* Plain names only: -l prints the targets of links. */
void analyze_tools_ls(struct judge *j, struct command *c, const struct program *p)
{
	const struct values *all = analyze_word_one_value(j, STR("."), VALUE_BARE);
	struct program with_deep = *p;

	if (analyze_has_flag(c, "R", "recursive"))
		with_deep.kind |= P_DEEP;
	analyze_plainly(j, c, &with_deep);
	if (analyze_has_flag(c, "lonsgFpQbBNZ", "format") || analyze_has_flag(c, "", "classify"))
		return;
	for (uint32_t k = 0; k < c->operand_count && all; k++) {
		const struct token *t = &c->w[c->operands[k]];

		all = t->is_known ? analyze_word_join_values(
					    j, all, analyze_word_one_value(j, t->text, VALUE_BELOW))
		                  : analyze_word_join_values(j, all, t->values);
	}
	c->names = all;
}

/* ps e prints the variables of processes, and keys in them. */
void analyze_tools_ps(struct judge *j, struct command *c, const struct program *p)
{
	analyze_scan_options(j, c, p, 1);
	for (uint32_t k = 0; k < c->operand_count; k++)
		if (!c->w[c->operands[k]].is_known ||
		    memchr(c->w[c->operands[k]].text.ptr, 'e', c->w[c->operands[k]].text.len))
			analyze_unsafe(c, STR("read"),
			               STR("ps with e shows the variables of processes"));
	if (analyze_has_flag(c, "E", NULL))
		analyze_unsafe(c, STR("read"), STR("ps with E shows the variables of processes"));
}

void analyze_tools_getent(struct judge *j, struct command *c, const struct program *p)
{
	analyze_scan_options(j, c, p, 1);
	for (uint32_t i = 1; i < c->n; i++)
		if (!c->w[i].is_known || analyze_word_is_word(c, i, "shadow") ||
		    analyze_word_is_word(c, i, "gshadow")) {
			analyze_unsafe(c, STR("read"), STR("it may show passwords"));
		} else if (analyze_word_is_word(c, i, "hosts") ||
		           analyze_word_is_word(c, i, "networks") ||
		           analyze_word_starts_with(c, i, "ahosts")) {
			analyze_unsafe(c, STR("send"), STR("it asks the network for names"));
			c->act->flags |= ACT_NETWORK;
			c->act->has_unknown_host = true;
		}
}

/* @FILE holds further options, --plugin among them. */
void analyze_tools_binary(struct judge *j, struct command *c, const struct program *p)
{
	analyze_plainly(j, c, p);
	for (uint32_t i = 1; i < c->n; i++)
		if (c->w[i].is_known ? analyze_word_starts_with(c, i, "@")
		                     : !c->w[i].values && analyze_word_may_lead_dash(&c->w[i]))
			analyze_twist(j, c, i, "may hold further options");
}

/* Names from everywhere on this machine. */
void analyze_tools_locate(struct judge *j, struct command *c, const struct program *p)
{
	analyze_scan_options(j, c, p, 1);
	analyze_word_add_text_path(j, c, STR("/"), -1, ACT_LISTS, ACT_PATH_DEEP);
}

/* Its language can read files, evaluate texts and, if that is enabled, run programs. */
void analyze_tools_yq(struct judge *j, struct command *c, const struct program *p)
{
	analyze_plainly(j, c, p);
	for (uint32_t i = 1; i < c->n; i++)
		if (!c->w[i].is_known || str_find(c->w[i].text, STR("load")) >= 0 ||
		    str_find(c->w[i].text, STR("eval(")) >= 0 ||
		    str_find(c->w[i].text, STR("eval (")) >= 0 ||
		    str_find(c->w[i].text, STR("system")) >= 0 ||
		    str_find(c->w[i].text, STR("import")) >= 0 ||
		    str_find(c->w[i].text, STR("include")) >= 0)
			analyze_twist(j, c, i, "may read other files or run something");
}
