/*
 * Programs whose options and operands need more than a row of the table.
 *
 * A function here starts from the flags of the row (analyze_apply_kind) and corrects them:
 * either the row is read-only and an option takes that away, or the row changes something and
 * make_read_only() gives it back for the forms that only show.
 */
#include "policy/shell/programs.h"

/* ---- subcommands ---- */

static bool is_among(const char *list, struct str word)
{
	struct str rest = str_from(list);

	while (list && str_is(rest))
		if (str_eq(str_cut(&rest, ' '), word))
			return true;
	return false;
}

/* Takes back the flags of the row, unless an option has set another effect. */
static void make_read_only(struct command *c)
{
	struct act *a = c->act;

	if (a->flags & ACT_OPAQUE)
		return;
	for (uint32_t i = 0; i < a->word_count; i++)
		if (a->words[i].flags & ACT_WORD_TWIST)
			return;

	a->flags &= ~(unsigned)(ACT_NETWORK | ACT_SYSTEM | ACT_RUNS_CODE | ACT_DESTRUCTIVE);
	a->flags |= ACT_READ_ONLY | ACT_COMPLETE;
	a->effect = STR("read");
	a->why = STR_NONE;
	a->rollback = STR_NONE;
}

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
	if (analysis_is_spent(j->budget) || !is_among(words, first))
		return false;
	make_read_only(c);
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
	return c->n > 1 && p->works && is_among(p->works, c->w[1].text);
}

/* The list of harmless subcommands is in `writes` of the table row, which is unused otherwise. */
void analyze_tools_subcommand(struct judge *j, struct command *c, const struct program *p)
{
	struct program options = *p;

	if (analyze_tools_is_query(j, c, p, p->writes))
		return;
	options.writes = NULL;
	if (is_work(c, p)) {
		c->act->flags &= ~(unsigned)ACT_NETWORK;
		c->act->why = STR_NONE;
		options.kind &= ~(unsigned)(P_NETWORK | P_INSTALLS);
		analyze_apply_kind(j, c, options.kind);
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

/* dpkg -l, rpm -q: one letter decides. */
void analyze_tools_dpkg(struct judge *j, struct command *c, const struct program *p)
{
	bool is_dpkg = str_starts(c->w[0].text, STR("dpkg"));
	const char *looks = is_dpkg ? "-l -L -s -S -p -I -c --list --listfiles --status --search "
	                              "--print-architecture --get-selections -W --show"
	                            : "-q -qa -qi -ql -qf -qR -qp -qc -qd --query -V --verify";

	if (c->n > 1 && c->w[1].is_known && is_among(looks, c->w[1].text)) {
		for (uint32_t i = 2; i < c->n; i++)
			if (!c->w[i].is_known || analyze_word_starts_with(c, i, "-"))
				return;
		make_read_only(c);
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

/* cp and ln: with -t the directory comes first. */
static bool take_target_dir(struct judge *j, struct command *c, unsigned use, unsigned flags)
{
	bool has_dir = false;

	for (uint32_t i = 1; i < c->n; i++)
		if (analyze_word_is_word(c, i, "-t") ||
		    analyze_word_starts_with(c, i, "--target-directory") ||
		    analyze_word_starts_with(c, i, "-t"))
			has_dir = true;
	/* Every operand is a source then; the directory is the value of the option. */
	for (uint32_t k = 0; has_dir && k < c->operand_count; k++)
		analyze_word_add_word_path(j, c, c->operands[k], use, flags);
	return has_dir;
}

void analyze_tools_cp(struct judge *j, struct command *c, const struct program *p)
{
	bool is_link = str_ends(c->w[0].text, STR("ln"));
	unsigned deep =
		analyze_has_flag(c, "rRa", "recursive") || analyze_has_flag(c, "", "archive")
			? ACT_PATH_DEEP
			: 0;

	analyze_scan_options(j, c, p, 1);
	if (take_target_dir(j, c, ACT_READS, deep))
		return;
	/* "ln target" makes a link of that name in the current directory. */
	if (is_link && c->operand_count == 1)
		analyze_word_add_current(j, c, ACT_WRITES, 0);
	for (uint32_t k = 0; k < c->operand_count; k++)
		if (k + 1 < c->operand_count || c->operand_count == 1)
			analyze_word_add_word_path(j, c, c->operands[k], ACT_READS, deep);
		else
			analyze_word_add_word_path(j, c, c->operands[k], ACT_WRITES, 0);
}

/* A source disappears with everything in it, so moving counts as deleting a tree. */
void analyze_tools_mv(struct judge *j, struct command *c, const struct program *p)
{
	analyze_scan_options(j, c, p, 1);
	if (take_target_dir(j, c, ACT_READS | ACT_DELETES, ACT_PATH_DEEP))
		return;
	for (uint32_t k = 0; k < c->operand_count; k++)
		analyze_word_add_word_path(j, c, c->operands[k],
		                           k + 1 < c->operand_count ? ACT_READS | ACT_DELETES
		                                                    : ACT_WRITES,
		                           k + 1 < c->operand_count ? ACT_PATH_DEEP : 0);
	c->act->effect = STR("move");
	c->act->rollback = STR("move it back; what it replaced has to come from version control");
}

/* chmod MODE FILE, chown WHO FILE: the first operand is no path. */
void analyze_tools_mode(struct judge *j, struct command *c, const struct program *p)
{
	unsigned deep = analyze_has_flag(c, "R", "recursive") ? ACT_PATH_DEEP : 0;
	bool has_reference = false;
	uint32_t from;

	for (uint32_t i = 1; i < c->n; i++)
		has_reference |= analyze_word_starts_with(c, i, "--ref");
	analyze_scan_options(j, c, p, 1);
	/* -x as a mode looks like an option. */
	from = has_reference ? 0 : 1;
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
	make_read_only(c);
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

/* ---- archives ---- */

static const char tar_bad[] = "I F checkpoint-action to-command use-compress-program info-script "
			      "new-volume-script rmt-command "
			      "rsh-command index-file volno-file remove-files";

/* The old form: tar xzf, without a dash. */
static struct str tar_mode(const struct command *c)
{
	for (uint32_t i = 1; i < c->n; i++) {
		struct str s = c->w[i].text;

		if (!c->w[i].is_known)
			continue;
		if (str_starts(s, STR("--"))) {
			static const char *const names[] = { "list",     "extract", "create",
				                             "append",   "update",  "delete",
				                             "diff",     "get",     "concatenate",
				                             "catenate", "compare" };

			for (size_t k = 0; k < COUNT_OF(names); k++)
				if (s.len > 4 && str_starts(str_from(names[k]), str_skip(s, 2)))
					return str_from(names[k]);
			continue;
		}
		if (i > 1 && s.ptr[0] != '-')
			continue;
		for (size_t k = s.len && s.ptr[0] == '-'; k < s.len; k++) {
			if (strchr("txcruAd", s.ptr[k]))
				return s.ptr[k] == 't' || s.ptr[k] == 'd' ? STR("list")
				       : s.ptr[k] == 'x'                  ? STR("extract")
				                                          : STR("create");
			/* The rest of the cluster is the value of this letter. */
			if (strchr("fCTXbKVNgL", s.ptr[k]))
				break;
		}
	}
	return STR_NONE;
}

/* Where an archive is unpacked: -C DIR, -CDIR, --directory=DIR, for this letter. */
static void add_unpacked(struct judge *j, struct command *c, const char *letter, const char *name)
{
	for (uint32_t i = 1; i < c->n; i++) {
		struct str s = c->w[i].text;
		struct str value = s, head = str_cut(&value, '=');

		if (analyze_word_is_word(c, i, letter) || analyze_word_is_word(c, i, name)) {
			if (i + 1 < c->n)
				analyze_word_add_word_path(j, c, i + 1, ACT_WRITES, ACT_PATH_DEEP);
		} else if (str_eq(head, str_from(name)) && str_is(value)) {
			analyze_word_add_text_path(j, c, value, (int)i, ACT_WRITES, ACT_PATH_DEEP);
		} else if (analyze_word_starts_with(c, i, letter) && s.len > 2) {
			analyze_word_add_text_path(j, c, str_skip(s, 2), (int)i, ACT_WRITES,
			                           ACT_PATH_DEEP);
		}
	}
}

void analyze_tools_tar(struct judge *j, struct command *c, const struct program *p)
{
	struct str mode = tar_mode(c);
	struct program options = *p;

	options.bad = tar_bad;
	/* A glob as operand may expand to --checkpoint-action=exec=…. */
	analyze_scan_options(j, c, &options, 1);
	if (c->n > 1 && c->w[1].is_known && !analyze_word_starts_with(c, 1, "-") &&
	    memchr(c->w[1].text.ptr, 'I', c->w[1].text.len))
		analyze_twist(j, c, 1, "makes it do something else");
	for (uint32_t i = 1; i < c->n; i++) {
		if (c->w[i].is_known && !analyze_word_starts_with(c, i, "--"))
			analyze_word_add_guess(j, c, i);
		/* An archive with a colon in its name is on another machine. */
		if (c->w[i].is_known && str_find_char(c->w[i].text, ':') > 0)
			analyze_twist(j, c, i, "may be on another machine");
	}
	if (str_eq(mode, STR("list")) || str_eq(mode, STR("diff")) ||
	    str_eq(mode, STR("compare"))) {
		make_read_only(c);
		for (uint32_t k = 0; k < c->operand_count; k++)
			analyze_word_add_word_path(j, c, c->operands[k], ACT_READS, ACT_PATH_GUESS);
		return;
	}
	if (str_eq(mode, STR("extract")))
		add_unpacked(j, c, "-C", "--directory");
	if (analyze_has_flag(c, "P", "absolute-names"))
		analyze_twist(j, c, 0, "with -P writes anywhere");
	c->act->flags &= ~(unsigned)ACT_COMPLETE;
	analyze_set_why(c, str_eq(mode, STR("extract")) ? STR("tar extracts files")
	                                                : STR("tar writes an archive"));
}

void analyze_tools_zip(struct judge *j, struct command *c, const struct program *p)
{
	bool is_unzip = str_starts(c->w[0].text, STR("unzip"));

	analyze_scan_options(j, c, p, 1);
	for (uint32_t k = 0; k < c->operand_count; k++)
		analyze_word_add_guess(j, c, c->operands[k]);
	if (is_unzip && (analyze_has_flag(c, "l", NULL) || analyze_has_flag(c, "t", NULL) ||
	                 analyze_has_flag(c, "Z", NULL)))
		make_read_only(c);
	else
		c->act->flags &= ~(unsigned)ACT_COMPLETE;
	if (is_unzip && !(c->act->flags & ACT_READ_ONLY))
		add_unpacked(j, c, "-d", "--directory");
}

/* gzip -c, -l and -t do not change the file. */
void analyze_tools_compress(struct judge *j, struct command *c, const struct program *p)
{
	bool leaves = analyze_has_flag(c, "clt", "stdout") || analyze_has_flag(c, "", "list") ||
	              analyze_has_flag(c, "", "test");

	analyze_scan_options(j, c, p, 1);
	for (uint32_t k = 0; k < c->operand_count; k++)
		if (!analyze_word_is_word(c, c->operands[k], "-"))
			analyze_word_add_word_path(
				j, c, c->operands[k],
				leaves ? ACT_READS : ACT_READS | ACT_DELETES | ACT_WRITES, 0);
	if (leaves || !c->operand_count)
		make_read_only(c);
}

/* host:path is remote unless a slash precedes the colon, by the rule of rsync and scp. */
void analyze_tools_rsync(struct judge *j, struct command *c, const struct program *p)
{
	bool is_remote = false;

	analyze_scan_options(j, c, p, 1);
	for (uint32_t k = 0; k < c->operand_count; k++) {
		uint32_t i = c->operands[k];
		ptrdiff_t at = str_find_char(c->w[i].text, ':');

		if (c->w[i].is_known && at > 0 &&
		    str_find_char(str_head(c->w[i].text, (size_t)at), '/') < 0) {
			is_remote = true;
			analyze_word_add_host(j, c, str_head(c->w[i].text, (size_t)at));
		} else if (c->w[i].is_known && str_starts(c->w[i].text, STR("rsync://"))) {
			is_remote = analyze_word_add_hosts_of(j, c, i);
		} else {
			analyze_word_add_word_path(
				j, c, i, k + 1 < c->operand_count ? ACT_READS : ACT_WRITES,
				ACT_PATH_DEEP);
		}
	}
	if (is_remote) {
		c->act->flags |= ACT_NETWORK;
		c->act->effect = STR("send");
	}
	if (analyze_has_flag(c, "", "delete") || analyze_has_flag(c, "", "remove-source-files")) {
		c->act->flags |= ACT_DESTRUCTIVE;
		c->act->effect = STR("delete");
	}
}

/* ---- the network ---- */

/* curl, wget: hosts from URLs, files from options; a bare word is a host too. */
void analyze_tools_client(struct judge *j, struct command *c, const struct program *p)
{
	analyze_scan_options(j, c, p, 1);
	for (uint32_t k = 0; k < c->operand_count; k++) {
		uint32_t i = c->operands[k];

		if (c->w[i].is_known && str_starts(c->w[i].text, STR("file:"))) {
			analyze_word_add_guess(j, c, i);
			analyze_twist(j, c, i, "reads a local file");
		}
		if (!analyze_word_add_hosts_of(j, c, i)) {
			struct str s = c->w[i].text;

			analyze_word_add_host(j, c, str_cut(&s, '/'));
		}
	}
	/* What is left are hosts and output files, both of which rules can name. */
	c->act->flags |= ACT_COMPLETE;
	/* The server may choose the file name, so the whole directory counts as written. */
	if (str_eq(c->w[0].text, STR("wget")) && !analyze_has_flag(c, "O", "output-document"))
		analyze_word_add_current(j, c, ACT_WRITES, ACT_PATH_DEEP);
	if (str_eq(c->w[0].text, STR("curl")) && analyze_has_flag(c, "OJ", "remote-name"))
		analyze_word_add_current(j, c, ACT_WRITES, ACT_PATH_DEEP);
	if (!c->operand_count)
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
	    is_among("a addr address l link r route n neigh rule -V", c->w[i].text) &&
	    (i + 1 == c->n || analyze_word_is_word(c, i + 1, "show") ||
	     analyze_word_is_word(c, i + 1, "list") || analyze_word_is_word(c, i + 1, "ls") ||
	     analyze_word_is_word(c, i + 1, "get"))) {
		make_read_only(c);
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
		make_read_only(c);
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
	for (uint32_t i = 1; i + 1 < c->n; i++) {
		if (!analyze_word_is_word(c, i, "-f") && !analyze_word_is_word(c, i, "--file") &&
		    !analyze_word_is_word(c, i, "--makefile") &&
		    !analyze_word_is_word(c, i, "-C") && !analyze_word_is_word(c, i, "--directory"))
			continue;
		analyze_word_add_word_path(j, c, i + 1, ACT_READS, 0);
		if (!c->w[i + 1].is_known || !c->w[i + 1].text.len ||
		    analyze_word_is_word(c, i + 1, "-") ||
		    !(c->act->paths[c->act->path_count - 1].flags & ACT_PATH_INSIDE))
			analyze_twist(j, c, i + 1, "may be any file");
	}
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

/* Its language can read files. */
void analyze_tools_yq(struct judge *j, struct command *c, const struct program *p)
{
	analyze_plainly(j, c, p);
	for (uint32_t i = 1; i < c->n; i++)
		if (!c->w[i].is_known || str_find(c->w[i].text, STR("load")) >= 0)
			analyze_twist(j, c, i, "may read other files");
}
