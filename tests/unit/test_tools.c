/*
 * The toolset with a real supervisor and real sandboxes.  Denied and stopped
 * operations are checked from outside, not by what the tool reports.
 */
#include "base/os/clock.h"
#include "base/json.h"
#include "base/hash/sha256.h"
#include "lib/real_clock.h"
#include "net/loop.h"
#include "store/blobs.h"
#include "tools/tools.h"

#include "lib/t.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_MS 60000 /* a test that needs this long has failed */

struct rig {
	struct arena *mem;
	struct loop *loop;
	struct clock *clock;
	struct blobs *blobs;
	struct supervisor_host *host;
	struct toolset *tools;
	struct loop_wake wake;
	char dir[64], ws[96], data[96], outside[96];
	int calls;
};

struct call {
	struct rig *g;
	struct tool_handle *h;
	struct buf out;
	int64_t bytes;
	bool is_counting; /* bytes only */
	bool is_ended;
	int64_t pid;
	int violations;
	struct tool_violation violation; /* the latest */
	struct tool_end end;
	struct tool_change change;
};

/* ---- the sink ---- */

static void on_progress(void *owner, struct str message, int64_t completed, int64_t total)
{
}

static void on_output(void *owner, struct str data)
{
	struct call *c = owner;

	c->bytes += (int64_t)data.len;
	if (!c->is_counting)
		buf_add_str(&c->out, data);
}

static void on_started(void *owner, int64_t pid)
{
	((struct call *)owner)->pid = pid;
}

static struct str kept(struct call *c, struct str s)
{
	return arena_keep(c->g->mem, s);
}

static void on_violation(void *owner, const struct tool_violation *v)
{
	struct call *c = owner;

	c->violations++;
	c->violation = *v;
	c->violation.operation = kept(c, v->operation);
	c->violation.path = kept(c, v->path);
	c->violation.host = kept(c, v->host);
	c->violation.err_name = kept(c, v->err_name);
	c->violation.would_allow = kept(c, v->would_allow);
}

static void on_end(void *owner, const struct tool_end *end)
{
	struct call *c = owner;

	CHECK(!c->is_ended);
	c->is_ended = true;
	c->end = *end;
	c->end.message = kept(c, end->message);
	c->end.advice = kept(c, end->advice);
	c->end.structured = kept(c, end->structured);
	c->end.signal = kept(c, end->signal);
	if (end->change_count) {
		c->change = end->changes[0];
		c->change.path = kept(c, c->change.path);
		c->change.before = kept(c, c->change.before);
		c->change.hash = kept(c, c->change.hash);
		c->change.diff = kept(c, c->change.diff);
	}
}

static const struct tool_sink sink = { .progress = on_progress,
	                               .output = on_output,
	                               .started = on_started,
	                               .violation = on_violation,
	                               .end = on_end };

/* ---- the rig ---- */

static void on_wake(struct loop_wake *w)
{
	struct rig *g = OWNER_OF(w, struct rig, wake);

	g->blobs->ops->poll(g->blobs);
}

static const char *hand_program(void)
{
	static char full[PATH_MAX];
	const char *named = getenv("THOLE_HAND");

	return realpath(named ? named : "build/thole-supervisor", full) ? full : "";
}

static void put_file(const char *dir, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "w");
	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static struct str get_file(struct rig *g, const char *dir, const char *name)
{
	struct buf text = { 0 };
	struct str s;
	char path[256];
	FILE *f;
	int c;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "r");
	if (!f)
		return STR_NONE;
	while ((c = getc(f)) != EOF)
		buf_add_char(&text, (char)c);
	fclose(f);
	s = arena_keep(g->mem, buf_str(&text));
	buf_done(&text);
	return s;
}

/* Not below /tmp: a sandbox has its own, so the test would prove nothing. */
static void rig_start(struct rig *g, const char *mode)
{
	static const struct str env[] = { { "PATH", 4 }, { "HOME", 4 } };
	struct blobs_options bo = { .threads = true, .wake = loop_wake_call };
	struct error e;

	*g = (struct rig){ .mem = arena_new(), .loop = loop_new() };
	snprintf(g->dir, sizeof g->dir, "/var/tmp/thole-tools-XXXXXX");
	CHECK(mkdtemp(g->dir));
	chmod(g->dir, 0755);
	snprintf(g->ws, sizeof g->ws, "%s/ws", g->dir);
	snprintf(g->data, sizeof g->data, "%s/ws/data", g->dir);
	snprintf(g->outside, sizeof g->outside, "%s/outside", g->dir);
	CHECK(mkdir(g->ws, 0755) == 0 && mkdir(g->data, 0700) == 0 && mkdir(g->outside, 0755) == 0);
	g->clock = real_clock_new(g->loop);
	loop_wake_init(g->loop, &g->wake, on_wake);
	bo.dir = g->data;
	bo.wake_arg = &g->wake;
	CHECK_OK(blobs_open(&bo, &g->blobs, &e), &e);

	struct supervisor_host_options ho = { .loop = g->loop, .path = str_from(hand_program()) };

	CHECK_OK(supervisor_host_open(&ho, &g->host, &e), &e);

	struct tools_options o = { .loop = g->loop,
		                   .clock = g->clock,
		                   .blobs = g->blobs,
		                   .host = g->host,
		                   .data_dir = str_from(g->data),
		                   .mode = str_from(mode),
		                   .network = STR("restricted"),
		                   .timeout_ms = 30000,
		                   .env = env,
		                   .env_count = COUNT_OF(env),
		                   .environ = environ };

	CHECK_OK(tools_open(&o, &g->tools, &e), &e);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	return remove(path);
}

static void rig_end(struct rig *g)
{
	g->blobs->ops->close(g->blobs);
	g->tools->ops->close(g->tools);
	supervisor_host_free(g->host);
	loop_wake_done(&g->wake);
	real_clock_free(g->clock);
	loop_free(g->loop);
	arena_free(g->mem);
	nftw(g->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#define UNTIL_DONE(g, condition)                                                                   \
	do {                                                                                       \
		int64_t end_ms = clock_mono_ms() + WAIT_MS;                                        \
		while (!(condition) && clock_mono_ms() < end_ms)                                   \
			loop_run_once((g)->loop, 20);                                              \
		CHECK(condition);                                                                  \
	} while (0)

static void call_begin(struct rig *g, struct call *c, const char *name, const char *args)
{
	struct tool_start start = { .call_id = arena_printf(g->mem, "tool_%d", ++g->calls),
		                    .name = str_from(name),
		                    .args = str_from(args),
		                    .cwd = str_from(g->ws) };

	c->g = g;
	c->h = g->tools->ops->start(g->tools, &start, &sink, c);
	CHECK(!c->is_ended);
}

static struct call call(struct rig *g, const char *name, const char *args)
{
	struct call c = { 0 };

	call_begin(g, &c, name, args);
	UNTIL_DONE(g, c.is_ended);
	c.h = NULL;
	return c;
}

static void call_done(struct call *c)
{
	buf_done(&c->out);
}

static bool has(struct str text, const char *what)
{
	return str_find(text, str_from(what)) >= 0;
}

static void check_out(struct call *c, const char *want)
{
	struct str got = buf_str(&c->out);

	if (c->end.failed)
		printf("failed: %.*s: %.*s\n", STR_ARG(error_category_word(c->end.category)),
		       STR_ARG(c->end.message));
	if (!str_eq(got, str_from(want)))
		printf("got: %.*s\n", STR_ARG(got));
	CHECK(!c->end.failed && str_eq(got, str_from(want)));
	call_done(c);
}

static void check_failed(struct call *c, const char *category, const char *message)
{
	if (!c->end.failed || !str_eq(error_category_word(c->end.category), str_from(category)) ||
	    !has(c->end.message, message))
		printf("failed %d: %.*s: %.*s\n", c->end.failed,
		       STR_ARG(error_category_word(c->end.category)), STR_ARG(c->end.message));
	CHECK(c->end.failed && str_eq(error_category_word(c->end.category), str_from(category)));
	CHECK(has(c->end.message, message));
	call_done(c);
}

static const char *args_of(struct rig *g, const char *fmt, ...) PRINTF_LIKE(2, 3);
static const char *args_of(struct rig *g, const char *fmt, ...)
{
	char text[2048];
	va_list list;

	va_start(list, fmt);
	vsnprintf(text, sizeof text, fmt, list);
	va_end(list);
	return arena_keep(g->mem, str_from(text)).ptr;
}

static struct json result(struct rig *g, const struct call *c)
{
	struct json v;
	struct error e;

	CHECK_OK(json_read(g->mem, c->end.structured, &v, &e), &e);
	return v;
}

/* ---- reading ---- */

TEST(a_file_is_read_by_lines)
{
	struct rig g;
	struct call c;

	rig_start(&g, "workspace_write");
	put_file(g.ws, "a.txt", "one\ntwo\nthree\n");
	c = call(&g, "read_file", "{\"path\":\"a.txt\"}");
	CHECK(c.end.executed == EXECUTED_YES && c.end.exit == EXIT_NONE && !c.pid);
	check_out(&c, "one\ntwo\nthree\n");
	c = call(&g, "read_file", "{\"path\":\"a.txt\",\"offset\":2,\"limit\":1}");
	CHECK(json_int(JSON_GET(result(&g, &c), "nextOffset"), 0) == 3);
	check_out(&c, "two\n[more follows from line 3 on]\n");
	c = call(&g, "read_file", "{\"path\":\"a.txt\",\"offset\":9}");
	check_failed(&c, "invalid_input", "no line 9");
	c = call(&g, "read_file", "{\"path\":\"none\"}");
	CHECK(c.end.executed == EXECUTED_NO && c.violations == 0);
	check_failed(&c, "not_found", "none does not exist");
	c = call(&g, "read_file", "{\"path\":\".\"}");
	check_failed(&c, "invalid_input", "is a directory");
	rig_end(&g);
}

TEST(a_large_or_binary_file_is_bounded)
{
	struct rig g;
	struct call c;
	struct buf text = { 0 };

	rig_start(&g, "workspace_write");
	for (int i = 0; i < 200000; i++)
		buf_add_c(&text, "0123456789");
	buf_add_char(&text, '\0');
	put_file(g.ws, "wide", text.ptr);
	buf_done(&text);
	c = call(&g, "read_file", "{\"path\":\"wide\"}");
	CHECK(!c.end.failed && c.bytes < 300000 && has(buf_str(&c.out), "[cut at 262144 bytes"));
	call_done(&c);
	c = call(&g, "read_file", args_of(&g, "{\"path\":\"%s\"}", "/bin/sh"));
	check_failed(&c, "invalid_input", "is binary");
	rig_end(&g);
}

TEST(directories_names_and_lines_are_found)
{
	struct rig g;
	struct call c;
	char sub[160];

	rig_start(&g, "workspace_write");
	snprintf(sub, sizeof sub, "%s/src", g.ws);
	CHECK(mkdir(sub, 0755) == 0);
	put_file(sub, "main.c", "int main(void)\n{\n\treturn 0;\n}\n");
	put_file(sub, "main.h", "int main(void);\n");
	put_file(g.ws, "README.md", "Main thing\n");
	c = call(&g, "list_dir", "{\"path\":\"src\"}");
	check_out(&c, "main.c\nmain.h\n");
	/* the placeholder of a missing protected path is no file of the user */
	c = call(&g, "write_file", "{\"path\":\"src/new.h\",\"content\":\"\"}");
	call_done(&c);
	c = call(&g, "list_dir", "{}");
	check_out(&c, "README.md\ndata/\nsrc/\n");
	CHECK(unlink(arena_printf(g.mem, "%s/new.h", sub).ptr) == 0);
	c = call(&g, "glob", "{\"pattern\":\"**/*.{c,h}\"}");
	check_out(&c, "src/main.c\nsrc/main.h\n");
	c = call(&g, "glob", "{\"pattern\":\"src/*.c\"}");
	check_out(&c, "src/main.c\n");
	c = call(&g, "search", "{\"pattern\":\"main\\\\(\",\"glob\":\"*.c\"}");
	check_out(&c, "src/main.c:1:int main(void)\n");
	c = call(&g, "search", "{\"pattern\":\"MAIN\",\"ignoreCase\":true,\"path\":\"README.md\"}");
	CHECK(json_int(JSON_GET(result(&g, &c), "matches"), 0) == 1);
	call_done(&c);
	c = call(&g, "search", "{\"pattern\":\"nowhere at all\"}");
	check_out(&c, "");
	c = call(&g, "search", "{\"pattern\":\"(\"}");
	check_failed(&c, "invalid_input", "pattern");
	rig_end(&g);
}

/* ---- writing ---- */

static struct str blob(struct rig *g, struct str ref);

struct reading {
	struct blob_read r;
	bool is_done;
};

static void on_blob(struct blob_read *r)
{
	OWNER_OF(r, struct reading, r)->is_done = true;
}

static struct str blob(struct rig *g, struct str ref)
{
	struct reading x = { .r = { .ref = ref, .max = 65536, .done = on_blob } };
	struct str text;

	g->blobs->ops->read(g->blobs, &x.r);
	UNTIL_DONE(g, x.is_done);
	CHECK(x.r.result == OK && x.r.sealed);
	text = arena_keep(g->mem, str_of(x.r.data, x.r.len));
	port_blob_read_done(&x.r);
	return text;
}

TEST(a_file_is_written_with_its_difference_and_what_it_was)
{
	struct rig g;
	struct call c;

	rig_start(&g, "workspace_write");
	c = call(&g, "write_file", "{\"path\":\"new/dir/a.txt\",\"content\":\"one\\ntwo\\n\"}");
	CHECK(!c.end.failed && c.end.change_count == 1);
	CHECK(c.change.change == ARTIFACT_CHANGE_CREATED && !c.change.has_before);
	CHECK(str_eq(c.change.path, STR("new/dir/a.txt")) && c.change.size == 8);
	call_done(&c);
	CHECK(str_eq(get_file(&g, g.ws, "new/dir/a.txt"), STR("one\ntwo\n")));

	c = call(&g, "write_file", "{\"path\":\"new/dir/a.txt\",\"content\":\"one\\n2\\n\"}");
	CHECK(c.change.change == ARTIFACT_CHANGE_UPDATED && c.change.has_before);
	CHECK(str_eq(c.change.before, STR("one\ntwo\n")));
	CHECK(str_eq(c.change.diff, STR("--- a/new/dir/a.txt\n+++ b/new/dir/a.txt\n"
	                                "@@ -1,2 +1,2 @@\n one\n-two\n+2\n")));
	CHECK(str_eq(c.change.diff, buf_str(&c.out)));

	/* what was there is in safety under the name that the result tells */
	CHECK(str_eq(blob(&g, json_str(JSON_GET(result(&g, &c), "beforeRef"))), STR("one\ntwo\n")));
	struct sha256 hash = sha256_of(STR("one\n2\n"));

	CHECK(str_eq(c.change.hash, sha256_hex(g.mem, &hash)));
	call_done(&c);

	c = call(&g, "write_file", "{\"path\":\"new/dir/a.txt\",\"content\":\"one\\n2\\n\"}");
	CHECK(!c.end.failed && c.end.change_count == 0 && has(buf_str(&c.out), "already"));
	call_done(&c);
	rig_end(&g);
}

TEST(an_edit_is_exact)
{
	struct rig g;
	struct call c;
	struct stat st;
	char path[160];

	rig_start(&g, "workspace_write");
	put_file(g.ws, "run.sh", "#!/bin/sh\necho a\necho a\n");
	snprintf(path, sizeof path, "%s/run.sh", g.ws);
	CHECK(chmod(path, 0755) == 0);
	c = call(&g, "edit_file",
	         "{\"path\":\"run.sh\",\"oldText\":\"echo a\\n\",\"newText\":\"echo b\\n\"}");
	check_failed(&c, "invalid_input", "occurs 2 times");
	c = call(&g, "edit_file", "{\"path\":\"run.sh\",\"oldText\":\"echo c\",\"newText\":\"\"}");
	CHECK(str_is(c.end.advice));
	check_failed(&c, "invalid_input", "does not occur");
	CHECK(has(get_file(&g, g.ws, "run.sh"), "echo a\necho a\n"));
	c = call(&g, "edit_file",
	         "{\"path\":\"run.sh\",\"oldText\":\"echo a\",\"newText\":\"echo b\","
	         "\"replaceAll\":true}");
	CHECK(!c.end.failed && has(c.change.before, "echo a\necho a\n"));
	call_done(&c);
	CHECK(str_eq(get_file(&g, g.ws, "run.sh"), STR("#!/bin/sh\necho b\necho b\n")));
	CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0755);
	c = call(&g, "edit_file", "{\"path\":\"none\",\"oldText\":\"a\",\"newText\":\"b\"}");
	check_failed(&c, "not_found", "none does not exist");
	rig_end(&g);
}

TEST(a_megabyte_is_written_whole)
{
	struct rig g;
	struct call c;
	struct buf args = { 0 };

	rig_start(&g, "workspace_write");
	buf_add_c(&args, "{\"path\":\"big\",\"content\":\"");
	for (int i = 0; i < 100000; i++)
		buf_add_c(&args, "0123456789");
	buf_add_c(&args, "\"}");
	buf_add_char(&args, '\0');
	c = call(&g, "write_file", args.ptr);
	CHECK(!c.end.failed && c.change.size == 1000000);
	CHECK(get_file(&g, g.ws, "big").len == 1000000);
	call_done(&c);
	buf_done(&args);
	rig_end(&g);
}

/* ---- what the sandbox denies ---- */

TEST(a_refused_file_is_told_as_a_denial)
{
	struct rig g;
	struct call c;
	char path[160];

	rig_start(&g, "workspace_write");
	put_file(g.outside, "secret", "canary\n");
	put_file(g.data, "token", "canary\n");

	c = call(&g, "write_file", args_of(&g, "{\"path\":\"%s/x\",\"content\":\"x\"}", g.outside));
	CHECK(c.violations == 1 && c.violation.kind == VIOLATION_KIND_FILESYSTEM);
	CHECK(str_eq(c.violation.operation, STR("write")) && c.violation.is_blocked);
	CHECK(has(c.violation.would_allow, args_of(&g, "write root %s ", g.outside)));
	CHECK(c.end.executed == EXECUTED_NO && has(c.end.advice, "ask for"));
	check_failed(&c, "sandbox_denied", "The sandbox refused it");
	CHECK(!str_is(get_file(&g, g.outside, "x")));

	c = call(&g, "read_file", args_of(&g, "{\"path\":\"%s/secret\"}", g.outside));
	CHECK(c.violations == 1 && !has(buf_str(&c.out), "canary"));
	check_failed(&c, "sandbox_denied", "secret");

	/* what others believe or run, whether it is there or not */
	c = call(&g, "write_file", "{\"path\":\".mcp.json\",\"content\":\"{}\"}");
	CHECK(c.violations == 1 && !str_is(c.violation.would_allow));
	check_failed(&c, "sandbox_denied", ".mcp.json");
	c = call(&g, "write_file", "{\"path\":\".git/hooks/post-commit\",\"content\":\"x\"}");
	CHECK(c.violations == 1);
	check_failed(&c, "sandbox_denied", "post-commit");
	CHECK(!str_is(get_file(&g, g.ws, ".git/hooks/post-commit")));

	/* the runtime's own state */
	c = call(&g, "read_file", "{\"path\":\"data/token\"}");
	CHECK(c.violations == 1 && !has(buf_str(&c.out), "canary"));
	check_failed(&c, "sandbox_denied", "token");

	/* a link that leads out */
	snprintf(path, sizeof path, "%s/way", g.ws);
	CHECK(symlink(g.outside, path) == 0);
	c = call(&g, "write_file", "{\"path\":\"way/x\",\"content\":\"x\"}");
	check_failed(&c, "sandbox_denied", "leads out");
	CHECK(!str_is(get_file(&g, g.outside, "x")));
	rig_end(&g);
}

TEST(a_read_only_sandbox_denies_all_writes)
{
	struct rig g;
	struct call c;

	rig_start(&g, "read_only");
	c = call(&g, "write_file", "{\"path\":\"a\",\"content\":\"x\"}");
	CHECK(has(c.violation.would_allow, "workspace_write"));
	check_failed(&c, "sandbox_denied", "a cannot be written");
	c = call(&g, "shell", "{\"command\":\"echo x > b\"}");
	CHECK(c.end.is_error);
	call_done(&c);
	CHECK(!str_is(get_file(&g, g.ws, "a")) && !str_is(get_file(&g, g.ws, "b")));
	rig_end(&g);
}

TEST(a_refused_connection_is_told_as_a_denial)
{
	struct rig g;
	struct call c;

	rig_start(&g, "workspace_write");
	c = call(&g, "shell", "{\"command\":\"exec 3<>/dev/tcp/192.0.2.7/443\"}");
	CHECK(c.violations >= 1 && c.violation.kind == VIOLATION_KIND_NETWORK);
	CHECK(str_eq(c.violation.host, STR("192.0.2.7")) && c.violation.port == 443);
	CHECK(has(c.violation.would_allow, "192.0.2.7:443"));
	check_failed(&c, "sandbox_denied", "connect to 192.0.2.7:443");
	rig_end(&g);
}

/* ---- the shell ---- */

TEST(a_command_runs_in_the_workspace)
{
	struct rig g;
	struct call c;
	char sub[160];

	rig_start(&g, "workspace_write");
	snprintf(sub, sizeof sub, "%s/sub", g.ws);
	CHECK(mkdir(sub, 0755) == 0);
	c = call(&g, "shell", "{\"command\":\"echo out; echo err >&2; echo out; pwd > where\"}");
	CHECK(c.pid > 0 && c.end.exit == EXIT_BY_CODE && c.end.exit_code == 0);
	CHECK(c.end.survivors == 0 && c.violations == 0 && c.end.max_rss_bytes > 0);
	check_out(&c, "out\nerr\nout\n");
	CHECK(has(get_file(&g, g.ws, "where"), g.ws));
	c = call(&g, "shell", "{\"command\":\"exit 7\"}");
	CHECK(!c.end.failed && c.end.is_error && c.end.has_exit_code && c.end.exit_code == 7);
	call_done(&c);
	c = call(&g, "shell", "{\"command\":\"basename $PWD\",\"cwd\":\"sub\"}");
	check_out(&c, "sub\n");
	c = call(&g, "shell", "{\"command\":\"true\",\"cwd\":\"none\"}");
	CHECK(c.end.exit == EXIT_NEVER_BEGAN && !c.pid);
	check_failed(&c, "invalid_input", "none");
	c = call(&g, "shell", "{\"command\":\"true\",\"cwd\":\"../..\"}");
	check_failed(&c, "invalid_input", "cwd");
	c = call(&g, "shell", "{\"command\":\"kill -SEGV $$\"}");
	CHECK(c.end.exit == EXIT_BY_SIGNAL && str_eq(c.end.signal, STR("SIGSEGV")));
	check_failed(&c, "process_failed", "SIGSEGV");
	rig_end(&g);
}

TEST(a_command_gets_only_the_variables_that_it_is_given)
{
	struct rig g;
	struct call c;

	setenv("THOLE_TEST_CANARY", "canary", 1);
	rig_start(&g, "workspace_write");
	c = call(&g, "shell", "{\"command\":\"env\"}");
	CHECK(has(buf_str(&c.out), "PATH=") && !has(buf_str(&c.out), "canary"));
	call_done(&c);
	rig_end(&g);
	unsetenv("THOLE_TEST_CANARY");
}

TEST(a_command_that_takes_too_long_is_ended)
{
	struct rig g;
	struct call c;

	rig_start(&g, "workspace_write");
	c = call(&g, "shell", "{\"command\":\"echo begun; sleep 1000\",\"timeoutMs\":300}");
	CHECK(c.end.exit == EXIT_BY_TIMEOUT && c.end.retryable && c.end.survivors == 0);
	CHECK(str_eq(buf_str(&c.out), STR("begun\n")) && c.end.executed == EXECUTED_PARTLY);
	check_failed(&c, "timeout", "300 ms");
	rig_end(&g);
}

/* ---- stopping ---- */

#define BEAT "while :; do echo >> beat; sleep 0.02; done"

static off_t beats(struct rig *g)
{
	struct stat st;
	char path[160];

	snprintf(path, sizeof path, "%s/beat", g->ws);
	return stat(path, &st) == 0 ? st.st_size : 0;
}

/* No longer than the time that ten beats take, it has not grown: its writer is gone. */
static bool is_silent(struct rig *g)
{
	off_t before = beats(g);

	poll(NULL, 0, 200);
	return beats(g) == before;
}

TEST(cancelling_leaves_no_process)
{
	struct rig g;
	struct call c = { 0 };

	rig_start(&g, "workspace_write");
	call_begin(&g, &c, "shell",
	           "{\"command\":\"trap '' TERM; setsid sh -c '" BEAT "' & " BEAT "\"}");
	UNTIL_DONE(&g, c.pid && beats(&g) > 3);
	g.tools->ops->cancel(g.tools, c.h);
	g.tools->ops->cancel(g.tools, c.h);
	UNTIL_DONE(&g, c.is_ended);
	CHECK(c.end.cancelled && !c.end.failed && c.end.exit == EXIT_BY_STOP);
	CHECK(c.end.executed == EXECUTED_PARTLY && c.end.survivors == 0);
	CHECK(is_silent(&g) && kill((pid_t)c.pid, 0) < 0);
	call_done(&c);

	/* before it began */
	c = (struct call){ 0 };
	call_begin(&g, &c, "shell", "{\"command\":\"echo x > made; sleep 1000\"}");
	g.tools->ops->cancel(g.tools, c.h);
	UNTIL_DONE(&g, c.is_ended);
	CHECK(c.end.cancelled);
	call_done(&c);
	rig_end(&g);
}

TEST(closing_the_toolset_ends_what_runs)
{
	struct rig g;
	struct call c = { 0 };

	rig_start(&g, "workspace_write");
	call_begin(&g, &c, "shell", "{\"command\":\"" BEAT "\"}");
	UNTIL_DONE(&g, beats(&g) > 3);
	g.blobs->ops->close(g.blobs);
	g.tools->ops->close(g.tools);
	supervisor_host_free(g.host);
	CHECK(!c.is_ended && is_silent(&g));
	call_done(&c);
	loop_wake_done(&g.wake);
	real_clock_free(g.clock);
	loop_free(g.loop);
	arena_free(g.mem);
	nftw(g.dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A runtime in a child of ours, killed without a word. */
NORETURN static void be_a_runtime(int tell)
{
	struct rig g;
	struct call c = { 0 };

	rig_start(&g, "workspace_write");
	call_begin(&g, &c, "shell", "{\"command\":\"setsid sh -c '" BEAT "' & " BEAT "\"}");
	if (write(tell, g.dir, sizeof g.dir) != sizeof g.dir)
		_exit(1);
	for (;;)
		loop_run_once(g.loop, 100);
}

TEST(a_killed_runtime_leaves_nothing)
{
	struct rig g = { 0 };
	int pipes[2];
	pid_t pid;

	CHECK(pipe(pipes) == 0);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		be_a_runtime(pipes[1]);
	CHECK(read(pipes[0], g.dir, sizeof g.dir) == sizeof g.dir);
	snprintf(g.ws, sizeof g.ws, "%s/ws", g.dir);

	int64_t end_ms = clock_mono_ms() + WAIT_MS;

	while (beats(&g) <= 3 && clock_mono_ms() < end_ms)
		poll(NULL, 0, 10);
	CHECK(beats(&g) > 3);
	kill(pid, SIGKILL);
	CHECK(waitpid(pid, NULL, 0) == pid);
	while (!is_silent(&g) && clock_mono_ms() < end_ms)
		;
	CHECK(is_silent(&g));
	close(pipes[0]);
	close(pipes[1]);
	nftw(g.dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A child of ours; as process 1 of a namespace we may have others. */
static pid_t supervisor(void)
{
	char path[64], name[32];
	FILE *list;
	int pid, found = 0;

	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	list = fopen(path, "r");
	while (list && !found && fscanf(list, "%d", &pid) == 1) {
		snprintf(path, sizeof path, "/proc/%d/comm", pid);
		FILE *comm = fopen(path, "r");

		if (comm && fscanf(comm, "%31s", name) == 1 &&
		    !strcmp(name, "thole-superviso") /* of 15 bytes */)
			found = pid;
		if (comm)
			fclose(comm);
	}
	CHECK(list && found);
	fclose(list);
	return found;
}

TEST(a_lost_supervisor_is_told_and_replaced)
{
	struct rig g;
	struct call c = { 0 };

	rig_start(&g, "workspace_write");
	call_begin(&g, &c, "shell", "{\"command\":\"" BEAT "\"}");
	UNTIL_DONE(&g, beats(&g) > 3);
	kill(supervisor(), SIGKILL);
	UNTIL_DONE(&g, c.is_ended);
	CHECK(c.end.exit == EXIT_UNSEEN && c.end.executed == EXECUTED_UNKNOWN);
	check_failed(&c, "lost", "supervisor");

	int64_t end_ms = clock_mono_ms() + WAIT_MS;

	while (!is_silent(&g) && clock_mono_ms() < end_ms)
		;
	CHECK(is_silent(&g));
	c = call(&g, "shell", "{\"command\":\"echo again\"}");
	check_out(&c, "again\n");
	rig_end(&g);
}

/* ---- output ---- */

static long peak_kib(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return use.ru_maxrss;
}

TEST(a_gigabyte_of_output_does_not_grow_us)
{
	struct rig g;
	struct call c = { .is_counting = true };
	long before;

	rig_start(&g, "workspace_write");
	struct call warm = call(&g, "shell", "{\"command\":\"head -c 1000000 /dev/zero\"}");

	call_done(&warm);
	before = peak_kib();
	call_begin(&g, &c, "shell", "{\"command\":\"head -c 1000000000 /dev/zero\"}");
	UNTIL_DONE(&g, c.is_ended);
	CHECK(!c.end.failed && c.bytes == 1000000000);
	CHECK(peak_kib() - before < 16 * 1024);
	rig_end(&g);
}

TEST(a_paused_call_stands_still_and_goes_on)
{
	struct rig g;
	struct call c = { .is_counting = true };
	int64_t at;

	rig_start(&g, "workspace_write");
	call_begin(&g, &c, "shell", "{\"command\":\"head -c 3000000 /dev/zero\"}");
	UNTIL_DONE(&g, c.bytes > 0);
	g.tools->ops->pause(g.tools, c.h);
	at = c.bytes;
	for (int i = 0; i < 10; i++)
		loop_run_once(g.loop, 10);
	CHECK(c.bytes == at && !c.is_ended);
	g.tools->ops->resume(g.tools, c.h);
	UNTIL_DONE(&g, c.is_ended);
	CHECK(c.bytes == 3000000);
	rig_end(&g);
}

TEST(calls_run_side_by_side)
{
	struct rig g;
	struct call c[16] = { 0 };
	int ended = 0;

	rig_start(&g, "workspace_write");
	for (size_t i = 0; i < COUNT_OF(c); i++)
		call_begin(&g, &c[i], "shell", args_of(&g, "{\"command\":\"echo %zu\"}", i));
	while (ended < (int)COUNT_OF(c)) {
		ended = 0;
		loop_run_once(g.loop, 20);
		for (size_t i = 0; i < COUNT_OF(c); i++)
			ended += c[i].is_ended;
	}
	for (size_t i = 0; i < COUNT_OF(c); i++)
		check_out(&c[i], args_of(&g, "%zu\n", i));
	rig_end(&g);
}

/* ---- the boundary ---- */

static struct str profile(struct rig *g, const struct tool_sandbox *s)
{
	return rec_text(g->mem, &rec_sandbox_profile_desc, s->profile);
}

TEST(the_boundary_is_told_before_and_is_the_same_twice)
{
	struct rig g;
	struct tool_sandbox a, b;
	struct json p;
	struct error e;

	rig_start(&g, "workspace_write");

	struct tool_start start = { .name = STR("shell"),
		                    .args = STR("{\"command\":\"true\"}"),
		                    .cwd = str_from(g.ws) };

	CHECK_OK(g.tools->ops->bind(g.tools, g.mem, &start, &a, &e), &e);
	CHECK_OK(g.tools->ops->bind(g.tools, g.mem, &start, &b, &e), &e);
	CHECK(str_eq(profile(&g, &a), profile(&g, &b)));
	CHECK(a.mode == SANDBOX_MODE_WORKSPACE_WRITE);
	CHECK_OK(json_read(g.mem, profile(&g, &a), &p, &e), &e);
	CHECK(str_eq(json_str(JSON_GET(p, "tier")), a.tier) && a.tier.len);
	CHECK(str_eq(json_str(json_at(JSON_GET(p, "writeRoots"), 0)), str_from(g.ws)));

	start.name = STR("read_file");
	CHECK_OK(g.tools->ops->bind(g.tools, g.mem, &start, &a, &e), &e);
	CHECK(a.mode == SANDBOX_MODE_READ_ONLY && a.profile->network->mode == NETWORK_MODE_OFF);
	start.cwd = STR("/nonexistent");
	CHECK(g.tools->ops->bind(g.tools, g.mem, &start, &a, &e) == ERR_NOT_FOUND);
	start.name = STR("nothing");
	CHECK(g.tools->ops->bind(g.tools, g.mem, &start, &a, &e) == ERR_NOT_FOUND);
	rig_end(&g);
}

TEST(an_approval_widens_one_sandbox_but_not_for_links_or_the_runtimes_own_files)
{
	struct rig g;
	struct tool_sandbox a;
	struct error e;

	rig_start(&g, "workspace_write");

	struct tool_start start = {
		.name = STR("shell"),
		.args = STR("{\"command\":\"true\"}"),
		.cwd = str_from(g.ws),
		.more = STR("{\"network\":\"full\",\"writeRoots\":[\"/usr/share\"]}")
	};

	CHECK_OK(g.tools->ops->bind(g.tools, g.mem, &start, &a, &e), &e);
	CHECK(a.profile->network->mode == NETWORK_MODE_FULL &&
	      str_find(profile(&g, &a), STR("/usr/share")) > 0);
	start.more = STR("{\"mode\":\"danger_full_access\"}");
	CHECK_OK(g.tools->ops->bind(g.tools, g.mem, &start, &a, &e), &e);
	CHECK(a.mode == SANDBOX_MODE_DANGER_FULL_ACCESS);
	start.more = STR("{\"writeRoots\":[\"/\"]}");
	CHECK(g.tools->ops->bind(g.tools, g.mem, &start, &a, &e) == ERR_INVALID);
	start.more = STR("{\"writeRoots\":[\"/usr/../usr/share\"]}");
	CHECK(g.tools->ops->bind(g.tools, g.mem, &start, &a, &e) == ERR_INVALID);
	start.more = STR("{\"readRoots\":[\"/nonexistent\"]}");
	CHECK(g.tools->ops->bind(g.tools, g.mem, &start, &a, &e) == ERR_INVALID);
	start.more = STR("{\"writeRoots\":[\"/opt/none\"]}");
	CHECK(g.tools->ops->bind(g.tools, g.mem, &start, &a, &e) == ERR_INVALID);
	/* single files: as they are, nothing around them; a command is given none to write */
	start.more = STR("{\"readFiles\":[\"/etc/debian_version\",\"/etc/none\"]}");
	CHECK_OK(g.tools->ops->bind(g.tools, g.mem, &start, &a, &e), &e);
	CHECK(str_find(profile(&g, &a), STR("\"/etc/debian_version\"")) > 0 &&
	      str_find(profile(&g, &a), STR("\"/etc\"")) < 0 &&
	      str_find(profile(&g, &a), STR("none")) < 0);
	start.more = STR("{\"readFiles\":[\"/etc\"]}");
	CHECK(g.tools->ops->bind(g.tools, g.mem, &start, &a, &e) == ERR_INVALID);
	start.more = STR("{\"writeFiles\":[\"/etc/debian_version\"]}");
	CHECK(g.tools->ops->bind(g.tools, g.mem, &start, &a, &e) == ERR_INVALID);
	/* what a policy says last */
	start.more = STR("{\"writeRoots\":[\"/usr/share\"],\"atMost\":\"workspace_write\"}");
	CHECK_OK(g.tools->ops->bind(g.tools, g.mem, &start, &a, &e), &e);
	CHECK(str_find(profile(&g, &a), STR("/usr/share")) < 0);
	start.more = STR_NONE;
	CHECK_OK(g.tools->ops->bind(g.tools, g.mem, &start, &a, &e), &e);
	CHECK(a.mode == SANDBOX_MODE_WORKSPACE_WRITE &&
	      a.profile->network->mode != NETWORK_MODE_FULL);
	rig_end(&g);
}

TEST(what_cannot_be_had_is_an_error_and_no_toolset)
{
	struct tools_options o = { .mode = STR("unavailable"), .network = STR("off") };
	struct loop *l = loop_new();
	struct supervisor_host_options ho = { .loop = l, .path = STR("/nonexistent") };
	struct toolset *t;
	struct error e;

	o.loop = l;
	o.clock = real_clock_new(l);
	CHECK(supervisor_host_open(&ho, &o.host, &e) == ERR_NOT_FOUND);
	CHECK(tools_open(&o, &t, &e) == ERR_UNSUPPORTED);
	real_clock_free(o.clock);
	loop_free(l);
}

TEST_MAIN()
