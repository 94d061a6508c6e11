/*
 * Every verb with its options: what help, completion and the parser read.
 * One row, one line: a table is read down its columns.
 */
/* clang-format off */
#include "app/cli/cli.h"
#include "base/gen/words.h"

#define AT(field) offsetof(struct opts, field)
#define DELIVERIES WORDS_ON_BUSY_TEXT
#define SCOPES "once turn session workspace"
#define MODES WORDS_PERMISSION_MODE_TEXT
#define FORMS "agent-ui agent-policy"
#define PROFILES "read-only workspace-write danger-full-access read_only workspace_write danger_full_access"

static const struct opt run_opts[] = {
	{ OPT_TEXT, 's', "session", AT(session), 0, "ID", "Go on in this session; @last is the latest.", NULL },
	{ OPT_TEXT, 0, "thread", AT(thread), 0, "ID", "On this thread of it.", NULL },
	{ OPT_TEXT, 'm', "model", AT(model), 0, "MODEL", "Ask this model.", NULL },
	{ OPT_USD, 0, "budget", AT(budget_nano), AT(has_budget), "USD", "Most it may cost.", NULL },
	{ OPT_LIST, 0, "image", AT(images), 0, "FILE", "Show it this image; may be given again.", NULL },
	{ OPT_TEXT, 0, "delivery", AT(delivery), 0, "HOW", "What to do when the thread is busy.", DELIVERIES },
	{ OPT_TEXT, 'C', "dir", AT(dir), 0, "DIR", "Work in this directory.", NULL },
	{ OPT_DURATION, 0, "timeout", AT(timeout_ms), 0, "TIME", "Stop it after so long; exit 124.", NULL },
	{ OPT_FLAG, 'd', "detach", AT(detach), 0, NULL, "Print the ids and leave it running.", NULL },
	{ OPT_FLAG, 0, "wait", AT(wait), 0, NULL, "Wait while somebody else decides, instead of exit 4.", NULL },
	{ OPT_TEXT, 0, "script", AT(script), 0, "FILE", "Script of the scripted model.", NULL },
	{ OPT_FLAG, 0, "unattended", AT(unattended), 0, NULL, "With --here: what would ask is refused.", NULL },
	{ 0 },
};

static const struct opt serve_opts[] = {
	{ OPT_LIST, 0, "listen", AT(listen), 0, "HOST:PORT", "Listen there too; may be given again.", NULL },
	{ OPT_FLAG, 0, "allow-remote", AT(allow_remote), 0, NULL,
	  "Take addresses beyond loopback: whoever has the token may do anything.", NULL },
	{ OPT_TEXT, 0, "script", AT(script), 0, "FILE", "Script of the scripted model.", NULL },
	{ OPT_DURATION, 0, "idle-exit", AT(idle_exit_ms), 0, "TIME", "End after so long without work.", NULL },
	{ OPT_FLAG, 0, "unattended", AT(unattended), 0, NULL, "Nobody can be asked: what would ask is refused.", NULL },
	{ OPT_TEXT, 0, "config", AT(config), 0, "FILE", "A file of settings on top of the others.", NULL },
	{ OPT_FLAG, 0, "stop", AT(stop), 0, NULL, "End the daemon that runs for this data directory, and wait for it.", NULL },
	{ 0 },
};

static const struct opt send_opts[] = {
	{ OPT_TEXT, 0, "delivery", AT(delivery), 0, "HOW", "What to do when the thread is busy.", DELIVERIES },
	{ OPT_TEXT, 'm', "model", AT(model), 0, "MODEL", "Ask this model.", NULL },
	{ OPT_USD, 0, "budget", AT(budget_nano), AT(has_budget), "USD", "Most it may cost.", NULL },
	{ OPT_LIST, 0, "image", AT(images), 0, "FILE", "Show it this image; may be given again.", NULL },
	{ OPT_FLAG, 'f', "follow", AT(follow), 0, NULL, "Follow it like run.", NULL },
	{ 0 },
};

static const struct opt attach_opts[] = {
	{ OPT_DURATION, 0, "timeout", AT(timeout_ms), 0, "TIME", "Stop it after so long; exit 124.", NULL },
	{ OPT_FLAG, 0, "wait", AT(wait), 0, NULL, "Wait while somebody else decides, instead of exit 4.", NULL },
	{ 0 },
};

static const char attach_details[] =
	"As if run had been typed here: what happened so far, then what happens; questions are asked, and the\n"
	"exit code is the turn's. Ctrl-C stops the turn, a second one leaves it running.\n";

static const struct opt ps_opts[] = {
	{ OPT_FLAG, 'a', "all", AT(all), 0, NULL, "What is over, too.", NULL },
	{ 0 },
};

static const struct opt log_opts[] = {
	{ OPT_FLAG, 'f', "follow", AT(follow), 0, NULL, "Go on as it happens.", NULL },
	{ OPT_COUNT, 0, "since", AT(since), AT(has_since), "SEQ", "Begin after this event.", NULL },
	{ OPT_TEXT, 't', "type", AT(types), 0, "A,B", "Only these classes; 'tool.*' is a family.", NULL },
	{ OPT_TEXT, 0, "match", AT(match), 0, "TEXT", "Only events that have this text in them.", NULL },
	{ OPT_TEXT, 0, "as", AT(as), 0, "FORM", "As events of another standard, one JSON object per line.", FORMS },
	{ 0 },
};

static const struct opt policy_opts[] = {
	{ OPT_LIST, 0, "rules", AT(rules), 0, "[SOURCE=]FILE", "Rules to judge by, instead of those of the settings.", NULL },
	{ OPT_TEXT, 'C', "dir", AT(dir), 0, "DIR", "As if it were run there.", NULL },
	{ OPT_TEXT, 0, "mode", AT(mode), 0, "MODE", "Under this mode.", MODES },
	{ OPT_FLAG, 0, "unattended", AT(unattended), 0, NULL, "Nobody can be asked.", NULL },
	{ OPT_FLAG, 0, "no-cage", AT(no_sandbox), 0, NULL, "There is no cage to run it in.", NULL },
	{ OPT_FLAG, 0, "trust", AT(trust), 0, NULL, "The allow rules of projects count.", NULL },
	{ OPT_TEXT, 0, "revoke", AT(revoke), 0, "GRANT", "With saved: take it back.", NULL },
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why.", NULL },
	{ 0 },
};

static const struct opt stop_opts[] = {
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why.", NULL },
	{ OPT_TEXT, 0, "queue", AT(queue_policy), 0, "HOW", "What happens to turns that wait.",
	  WORDS_QUEUE_POLICY_TEXT },
	{ 0 },
};

static const struct opt approvals_opts[] = {
	{ OPT_FLAG, 'w', "watch", AT(watch), 0, NULL, "Show them as they come, and decide here.", NULL },
	{ 0 },
};

static const char approvals_details[] =
	"With -w in a terminal each is asked as run asks: y once, t this turn, s this session, e edit, n no. Elsewhere\n"
	"a line for each that comes (--json: the action). Ctrl-C or Ctrl-D leaves; what is owed stays owed.\n";

static const struct opt approve_opts[] = {
	{ OPT_TEXT, 0, "scope", AT(scope), 0, "HOW", "How far it reaches; once when not given.", SCOPES },
	{ OPT_TEXT, 0, "input", AT(input), 0, "JSON", "Allow it with these arguments instead.", NULL },
	{ OPT_TEXT, 0, "answer", AT(response), 0, "TEXT", "The answer to a question.", NULL },
	{ OPT_TEXT, 0, "payload", AT(payload), 0, "JSON", "The answer as JSON.", NULL },
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why.", NULL },
	{ 0 },
};

static const struct opt decide_opts[] = {
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why, in other words than the record's.", NULL },
	{ 0 },
};

static const struct opt deny_opts[] = {
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why; the model is told.", NULL },
	{ 0 },
};

static const struct opt queue_opts[] = {
	{ OPT_TEXT, 0, "remove", AT(remove), 0, "TURN", "Take it out.", NULL },
	{ OPT_TEXT, 0, "promote", AT(promote), 0, "TURN", "Put it first.", NULL },
	{ OPT_PAIR, 0, "move", AT(move), 0, "TURN PLACE", "Put it at this place, from 1.", NULL },
	{ 0 },
};

static const struct opt retain_opts[] = {
	{ OPT_COUNT, 0, "through", AT(through), AT(has_through), "SEQ", "The last event to remove.", NULL },
	{ OPT_COUNT, 0, "keep", AT(keep), AT(has_keep), "N", "Or how many of the newest stay.", NULL },
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why.", NULL },
	{ 0 },
};

static const struct opt compact_opts[] = {
	{ OPT_COUNT, 0, "keep", AT(since), AT(has_since), "TURNS", "So many of the newest turns stay as they are.", NULL },
	{ 0 },
};

static const struct opt rollback_opts[] = {
	{ OPT_FLAG, 0, "interrupt", AT(all), 0, NULL, "End a turn that runs first.", NULL },
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why.", NULL },
	{ 0 },
};

static const struct opt fork_opts[] = {
	{ OPT_COUNT, 0, "at", AT(since), AT(has_since), "SEQ", "From what had ended by this event.", NULL },
	{ 0 },
};

static const char rollback_details[] =
	"The log keeps everything, and files stay as they are. A session's id means: to its beginning.\n";
static const struct opt erase_opts[] = {
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Which law or whose wish; has to be given.", NULL },
	{ 0 },
};

static const char retain_details[] =
	"The events are gone for good; the state at that point and its hash stay, and verify begins\n"
	"there. The model is not told of turns that were removed.\n";

static const char erase_details[] =
	"Text and arguments of the event are gone for good; its ids, its place and its hash stay,\n"
	"and verify says so. Outputs in files are not touched.\n";

static const struct opt sandbox_opts[] = {
	{ OPT_TEXT, 'p', "profile", AT(profile), 0, "P", "What it may do.", PROFILES },
	{ OPT_TEXT, 'C', "dir", AT(dir), 0, "DIR", "The workspace; this directory when not given.", NULL },
	{ OPT_LIST, 0, "write", AT(write), 0, "DIR", "May be written too; may be given again.", NULL },
	{ OPT_LIST, 0, "read", AT(read), 0, "PATH", "May be read too; may be given again.", NULL },
	{ OPT_LIST, 0, "deny-read", AT(deny_read), 0, "PATH", "Looks empty; may be given again.", NULL },
	{ OPT_LIST, 0, "deny", AT(deny), 0, "PATTERN",
	  "As a deny rule on a path: * ? and **; write:PATTERN is read-only; may be given again.", NULL },
	{ OPT_LIST, 0, "protect", AT(protect), 0, "PATH", "Stays as it is; may be given again.", NULL },
	{ OPT_TEXT, 0, "memory", AT(memory), 0, "BYTES", "Memory of all its processes: 512M, 4G.", NULL },
	{ OPT_TEXT, 0, "processes", AT(processes), 0, "N", "Processes it may have at once.", NULL },
	{ OPT_TEXT, 0, "file-size", AT(file_size), 0, "BYTES", "Largest file it may write; 4G when not given, 0 for no limit.",
	  NULL },
	{ OPT_TEXT, 0, "private-size", AT(private_size), 0, "BYTES", "Size of its private directories; 2G when not given.", NULL },
	{ OPT_TEXT, 0, "net", AT(net), 0, "HOW", "Its network: none, a loopback of its own, the host's.",
	  WORDS_NETWORK_MODE_TEXT },
	{ OPT_LIST, 0, "allow-host", AT(allow_host), 0, "HOST",
	  "Reached through a proxy: NAME, *.NAME, ADDRESS, with :PORT; may be given again.", NULL },
	{ OPT_LIST, 0, "env", AT(env), 0, "NAME=VALUE", "A variable for it; may be given again.", NULL },
	{ OPT_DURATION, 0, "timeout", AT(timeout_ms), 0, "TIME", "End it after so long.", NULL },
	{ OPT_FLAG, 0, "fail-closed", AT(fail_closed), 0, NULL, "Only the strongest cage will do.", NULL },
	{ 0 },
};

static const struct opt task_opts[] = {
	{ OPT_TEXT, 's', "session", AT(session), 0, "ID", "In this session; a new one when not given.", NULL },
	{ OPT_TEXT, 0, "thread", AT(thread), 0, "ID", "On this thread of it.", NULL },
	{ OPT_TEXT, 0, "title", AT(title), 0, "TEXT", "A short name.", NULL },
	{ OPT_TEXT, 0, "kind", AT(task_kind), 0, "WORD", "Kind of work; workers ask for it.", NULL },
	{ OPT_TEXT, 0, "priority", AT(priority), 0, "WORD", "What goes first.", "low normal high urgent" },
	{ OPT_TEXT, 0, "parent", AT(parent), 0, "TASK", "The task above it.", NULL },
	{ OPT_LIST, 0, "accept", AT(accept), 0, "NAME:KIND[:REF]",
	  "What completion needs: an artifact, evidence or text; may be given again.", NULL },
	{ OPT_USD, 0, "budget", AT(budget_nano), AT(has_budget), "USD", "Most it may cost.", NULL },
	{ OPT_DURATION, 0, "timeout", AT(timeout_ms), 0, "TIME", "Most time it may take.", NULL },
	{ OPT_COUNT, 0, "attempts", AT(attempts), AT(has_attempts), "N", "Try again by itself, so often in all.", NULL },
	{ OPT_FLAG, 0, "start", AT(start), 0, NULL, "With new: start it at once.", NULL },
	{ OPT_FLAG, 0, "external", AT(external), 0, NULL, "With start and retry: for a worker outside, not the agent.", NULL },
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why.", NULL },
	{ OPT_TEXT, 0, "status", AT(status), 0, "WORD", "With ls: only these.", NULL },
	{ OPT_FLAG, 'a', "all", AT(all), 0, NULL, "With ls: what is over, too.", NULL },
	{ OPT_FLAG, 0, "remove", AT(remove_edge), 0, NULL, "With link: take the edge away.", NULL },
	{ OPT_COUNT, 0, "percent", AT(percent), AT(has_percent), "N", "With progress: how much is done.", NULL },
	{ OPT_TEXT, 0, "phase", AT(phase), 0, "WORD", "With progress: where it is, a word of the enum phase.", NULL },
	{ OPT_TEXT, 0, "category", AT(category), 0, "WORD", "With fail: the kind of failure; tool_failed when not given.", NULL },
	{ OPT_TEXT, 0, "run", AT(run), 0, "ID", "With progress, complete and fail: the run of an external worker.", NULL },
	{ OPT_LIST, 0, "evidence", AT(evidence), 0, "REF", "With complete: evidence; may be given again.", NULL },
	{ 0 },
};

static const struct opt agent_opts[] = {
	{ OPT_TEXT, 's', "session", AT(session), 0, "ID", "In this session; @last when not given.", NULL },
	{ OPT_TEXT, 0, "thread", AT(thread), 0, "ID", "With spawn: on this thread of it.", NULL },
	{ OPT_TEXT, 0, "task", AT(parent), 0, "TASK", "With spawn: for this task.", NULL },
	{ OPT_TEXT, 0, "nickname", AT(nickname), 0, "NAME", "With spawn: a name for people.", NULL },
	{ OPT_TEXT, 'm', "model", AT(model), 0, "MODEL", "With spawn: its own model.", NULL },
	{ OPT_USD, 0, "budget", AT(budget_nano), AT(has_budget), "USD", "With spawn: most it may cost.", NULL },
	{ OPT_LIST, 0, "tool", AT(tools), 0, "NAME", "With spawn: a tool it may use; may be given again.", NULL },
	{ OPT_FLAG, 0, "read-only", AT(read_only), 0, NULL, "With spawn: it may change nothing.", NULL },
	{ OPT_FLAG, 0, "discard-worktree", AT(discard_worktree), 0, NULL, "With close: its worktree goes, whatever it holds.", NULL },
	{ OPT_FLAG, 0, "worktree", AT(worktree), 0, NULL, "With spawn: it works in a git worktree of its own.", NULL },
	{ OPT_TEXT, 0, "delivery", AT(delivery), 0, "HOW", "With send: how it meets a busy child.", DELIVERIES },
	{ OPT_FLAG, 'a', "all", AT(all), 0, NULL, "With wait: until all of them rest.", NULL },
	{ OPT_DURATION, 0, "timeout", AT(timeout_ms), 0, "TIME", "With wait: how long at most.", NULL },
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "With close: why.", NULL },
	{ 0 },
};

static const struct opt tools_opts[] = {
	{ OPT_TEXT, 0, "thread", AT(thread), 0, "ID", "For this thread.", NULL },
	{ OPT_TEXT, 0, "mode", AT(mode), 0, "MODE", "As if this mode held.", NULL },
	{ 0 },
};

static const struct opt job_opts[] = {
	{ OPT_TEXT, 's', "session", AT(session), 0, "ID", "In this session; a new one when not given.", NULL },
	{ OPT_TEXT, 0, "items", AT(items), 0, "FILE", "With new: one item per line; stdin when not given.", NULL },
	{ OPT_COUNT, 'j', "jobs", AT(concurrency), AT(has_concurrency), "N", "Items at once.", NULL },
	{ OPT_COUNT, 0, "attempts", AT(attempts), AT(has_attempts), "N", "Attempts per item.", NULL },
	{ OPT_DURATION, 0, "timeout", AT(timeout_ms), 0, "TIME", "Most time it may take.", NULL },
	{ OPT_TEXT, 0, "status", AT(status), 0, "WORD", "With items: only these.",
	  WORDS_JOB_ITEM_STATUS_TEXT },
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why.", NULL },
	{ 0 },
};

static const struct opt schedule_opts[] = {
	{ OPT_TEXT, 's', "session", AT(session), 0, "ID", "In this session; one for all schedules when not given.", NULL },
	{ OPT_TEXT, 0, "cron", AT(cron), 0, "FORM", "With new: \"30 8 * * mon-fri\", @daily and the like.", NULL },
	{ OPT_DURATION, 0, "every", AT(every_ms), 0, "TIME", "With new: 10m, 6h.", NULL },
	{ OPT_TEXT, 0, "at", AT(at), 0, "WHEN", "With new: once, 2026-12-24T18:00:00Z.", NULL },
	{ OPT_TEXT, 0, "timezone", AT(timezone), 0, "ZONE", "Of --cron: Europe/Berlin; UTC when not given.", NULL },
	{ OPT_TEXT, 0, "missed", AT(missed), 0, "WORD", "Runs that nobody was there for.", WORDS_MISSED_POLICY_TEXT },
	{ OPT_TEXT, 0, "overlap", AT(overlap), 0, "WORD", "While the task before is still open.", WORDS_OVERLAP_POLICY_TEXT },
	{ 0 },
};

static const char schedule_details[] =
	"new OBJECTIVE...     make one and print its id; --cron, --every or --at says when\n"
	"ls, show SCHEDULE    what there is, and one in full\n"
	"pause, resume, rm SCHEDULE\n";

static const struct opt process_opts[] = {
	{ OPT_FLAG, 'f', "follow", AT(follow), 0, NULL, "With log: go on until it ends.", NULL },
	{ OPT_FLAG, 0, "eof", AT(eof), 0, NULL, "With write: end its input afterwards.", NULL },
	{ OPT_DURATION, 0, "grace", AT(timeout_ms), 0, "TIME", "With stop: before it is killed.", NULL },
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "With stop: why.", NULL },
	{ 0 },
};

static const char process_details[] =
	"ls [SESSION]            those that run; of a session those that ended, too\n"
	"show ID                 one of them\n"
	"log ID                  what it has written; -f goes on\n"
	"write ID WORDS...       a line for its input\n"
	"resize ID COLUMNS ROWS  the size of its terminal\n"
	"stop ID                 end it and all that it started\n";

static const char job_details[] =
	"new INSTRUCTION      make one and print its id; the items come from --items or stdin\n"
	"ls, show JOB         what there is, and how far one is\n"
	"items JOB            its items with attempts and outputs\n"
	"retry JOB ITEM       try one failed item again\n"
	"cancel JOB           what is done stays done\n";

static const char task_details[] =
	"new OBJECTIVE...     make one and print its id\n"
	"ls, show TASK        what there is, and one in full\n"
	"start TASK           let the agent do it, or with --external a worker that claims it\n"
	"pause, resume, retry, cancel, archive TASK\n"
	"update TASK          with --title, --priority, --budget, --timeout, --accept\n"
	"progress TASK WORDS  how far it is, with --percent and --phase\n"
	"complete TASK WORDS  it is done; --accept NAME for criteria that hold, --evidence REF\n"
	"fail TASK WORDS      it cannot be done, and why\n"
	"link A RELATION B    parent, blocks, source_task, produced_artifact, evidence and the like\n"
	"unlink A RELATION B  takes that away\n"
	"graph TASK           the edges of its tree\n";

static const char agent_details[] =
	"tree [ID]            child agents of a session, as the tree they are\n"
	"spawn ROLE WORDS...  make one and give it work; prints its id\n"
	"send AGENT WORDS...  tell it something more\n"
	"wait AGENT...        until one of them rests, or with --all all of them\n"
	"resume AGENT         go on after a restart\n"
	"close AGENT          end it and everything below it\n";

static const char run_details[] =
	"The answer goes to stdout as it comes, everything else to stderr. In a terminal you are\n"
	"asked right there when a decision is needed; elsewhere the command to type is printed and\n"
	"the exit code is 4. Ctrl-C stops the turn, a second one leaves it running.\n"
	"\"-\" among the words stands for what comes on stdin: git diff | thole run \"review this\" -\n";

static const char serve_details[] =
	"Listens on the Unix socket in the data directory, and on TCP where asked. SIGTERM or Ctrl-C\n"
	"stops it in order, a second one at once. Exit 70: the log could not be written.\n"
	"The address and the data directory are one line on stderr; `thole token` prints the token.\n";

static const char approve_details[] =
	"The first answer stands, wherever it comes from. Questions want --answer (a number picks an\n"
	"option) or --payload.\n";

static const char decide_details[] =
	"A decision, approval, grant or waiver of Agent Policy, from FILE or stdin. It allows or denies; one that\n"
	"does neither, is over, or is about something else leaves the question open.\n";

static const char show_details[] =
	"Of an output (out_…) the bytes: what an item of a job or a tool has left.\n";

static const char diff_details[] =
	"Of a turn, or of a whole session; @last without a name.\n";

static const char undo_details[] =
	"Newest change first. A file that is not what the turn made of it any more stays as it is, and\n"
	"nothing after it is touched.\n";

static const char export_details[] =
	"session: all events as JSON lines, byte for byte as stored.\n"
	"script:  what the models and tools said, as a script of the scripted model: record once with\n"
	"         a key, play it again without. docs/reference/scripted-model.md describes the file.\n";
static const struct opt mcp_opts[] = {
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why.", NULL },
	{ 0 },
};

static const char mcp_details[] =
	"trust: servers of the working directory's .mcp.json start from now on, as long as that file\n"
	"stays as it is; of a server that runs, changed definitions of tools are taken as known.\n";

static const char hooks_details[] =
	"trust:      the hooks of the working directory's .thole/hooks.json are asked from now on, as\n"
	"            long as that file stays as it is.\n"
	"trust HOOK: the program of that hook, which has changed since it was recorded, may run again.\n";

static const char policy_details[] =
	"show            the rules of the settings, with the layer that each comes from\n"
	"test COMMAND    what would be decided of a command line; nothing is run, exit 0\n"
	"explain COMMAND the same, command by command\n"
	"saved [ID]      what was granted in a session; --revoke GRANT takes it back\n"
	"mode [MODE] [ID] what decides in a session where no rule does; with a MODE: from now on that\n";


static const char auth_details[] =
	"The key is read from the terminal, where it is not shown, or from stdin. It is kept in the data\n"
	"directory, in a file that only you can read. A variable like OPENAI_API_KEY goes before it.\n";

static const char path_details[] = "curl -N --unix-socket \"$(thole path socket)\" http://thole/v1/run "
				   "--json '{\"input\":\"hi\"}'\n";

static const char sandbox_details[] =
	"Runs one command in the cage that tools get, and ends with its exit code: 125 means that the\n"
	"cage was refused, 126 and 127 that the command could not be executed. --json writes the facts\n"
	"(the boundary, the process, what was refused) as one line to descriptor 3 if that is open, else\n"
	"to stderr: thole sandbox run --json -- make test 3>facts.json\n"
	"`thole sandbox probe` tells as JSON what this machine can do, and what it cannot.\n";
static const char open_details[] =
	"Prints an address whose code works once, within a minute, and opens it where there is a screen.\n"
	"With an ID it leads to that thread. A daemon that listens on no port opens one on loopback.\n";

static const struct opt doctor_opts[] = {
	{ OPT_FLAG, 0, "online", AT(online), 0, NULL, "Start a daemon when none runs, and try to reach the providers.", NULL },
	{ OPT_LIST, 0, "listen", AT(listen), 0, "HOST:PORT", "Is this address free? May be given again.", NULL },
	{ 0 },
};

static const char doctor_details[] =
	"Without --online nothing is started and nothing leaves the machine; providers, tool servers and the log are\n"
	"then looked at when a daemon runs. docs/reference/doctor.md lists the checks, whose ids stay what they are.\n";

static const struct opt pair_opts[] = {
	{ OPT_TEXT, 0, "url", AT(url), 0, "URL", "Where the device reaches this runtime: your tunnel or proxy, https.", NULL },
	{ OPT_TEXT, 0, "name", AT(name), 0, "NAME", "What it is called; phone when not given.", NULL },
	{ OPT_FLAG, 0, "lan", AT(lan), 0, NULL,
	  "The URL is plain http:// on the local network; it may then read and decide, and nothing else.", NULL },
	{ 0 },
};

static const char pair_details[] =
	"--url URL            a QR code for the device; the code in it works once, within five minutes\n"
	"ls                   the devices that are paired\n"
	"revoke DEVICE        by id or name; its streams end at once\n"
	"There is no relay: the URL is your own tunnel or proxy to the daemon's port, and has to pass the\n"
	"Host header on. With --lan everybody on that network can read along, and decide in its name.\n";

static const struct opt demo_opts[] = {
	{ OPT_FLAG, 'k', "keep", AT(all), 0, NULL, "Leave the directory, to look around in.", NULL },
	{ 0 },
};

static const char demo_details[] =
	"An agent that is told to steal a key, a daemon that is killed twice, a log that knows all of it. What\n"
	"it claims was looked at in the same run; exit 1: something does not hold on this machine.\n";

static const char completion_details[] =
	"bash: eval \"$(thole completion bash)\"\n"
	"zsh:  eval \"$(thole completion zsh)\" after compinit, or the text as _thole in $fpath\n"
	"fish: thole completion fish | source\n";

/* name, words, summary, details, options, least and most words, function, one of ten, completion */
const struct verb verbs[] = {
	{ "run", "PROMPT...", "Submit a turn and follow it to its end.", run_details, run_opts, 0, -1,
	  verb_run, true, NULL },
	{ "serve", "", "Run the daemon.", serve_details, serve_opts, 0, 0, verb_serve, true, NULL },
	{ "ps", "", "What runs or waits, and for what.", NULL, ps_opts, 0, 0, verb_ps, true, NULL },
	{ "log", "[ID]", "The facts of a session, one line each.", NULL, log_opts, 0, 1, verb_log, true,
	  "@id" },
	{ "show", "[ID]", "A session, thread, turn, task or action in a few lines.", show_details, NULL, 0, 1,
	  verb_show, true, "@id" },
	{ "why", "[ID]", "What it waits for, since when, and what ends it.", NULL, NULL, 0, 1, verb_why,
	  true, "@id" },
	{ "approvals", "", "Decisions that are owed.", approvals_details, approvals_opts, 0, 0, verb_approvals, true, NULL },
	{ "approve", "ACTION", "Allow it, or answer it.", approve_details, approve_opts, 1, 1,
	  verb_approve, true, "@action" },
	{ "deny", "ACTION", "Refuse it.", NULL, deny_opts, 1, 1, verb_deny, true, "@action" },
	{ "decide", "ACTION [FILE]", "Answer with a record of a policy engine.", decide_details, decide_opts, 1, 2,
	  verb_decide, false, "@action" },
	{ "doctor", "", "Is everything in order, and if not, what to do.", doctor_details, doctor_opts, 0, 0, verb_doctor,
	  true, NULL },
	{ "send", "ID PROMPT...", "Give a session more to do and do not wait.", NULL, send_opts, 1, -1,
	  verb_send, false, "@id" },
	{ "attach", "[ID]", "Follow the turn that runs there, and decide.", attach_details, attach_opts, 0, 1,
	  verb_attach, false, "@id" },
	{ "agent", "WHAT [ARGS...]", "Child agents of a session.", agent_details, agent_opts, 1, -1, verb_agent, false,
	  "tree spawn send wait resume close" },
	{ "tools", "[ID]", "Tools of a session, and what the policy says of each.", NULL, tools_opts, 0, 1,
	  verb_tools, false, "@id" },
	{ "env", "[ID]", "Where a session works: directory, shell, sandbox, network, limits.", NULL, NULL, 0, 1, verb_env, false,
	  "@id" },
	{ "job", "WHAT [ARGS...]", "The same instruction for many items.", job_details, job_opts, 1, 3, verb_job,
	  false, "new ls show items retry cancel" },
	{ "schedule", "WHAT [ARGS...]", "Tasks by the clock.", schedule_details, schedule_opts, 1, -1,
	  verb_schedule, false, "new ls show pause resume rm" },
	{ "task", "WHAT [ARGS...]", "Work that outlives a turn.", task_details, task_opts, 1, -1, verb_task,
	  false, "new ls show start pause resume retry cancel archive update progress complete fail link unlink graph" },
	{ "stop", "ID", "End what runs there.", NULL, stop_opts, 1, 1, verb_stop, false, "@id" },
	{ "resume", "ID", "Go on after a restart, or release a held queue.", NULL, NULL, 1, 1,
	  verb_resume, false, "@id" },
	{ "queue", "ID", "Turns that wait, and their order.", NULL, queue_opts, 1, 1, verb_queue, false,
	  "@id" },
	{ "compact", "ID [WORDS...]", "Replace older turns by a summary; the words say what to keep.", NULL,
	  compact_opts, 1, -1, verb_compact, false, "@id" },
	{ "rollback", "TURN", "Go back to this turn: what came after it leaves the history.", rollback_details,
	  rollback_opts, 1, 1, verb_rollback, false, "@id" },
	{ "fork", "ID", "Go on from here, or from a turn, on a thread of its own.", NULL, fork_opts, 1, 1,
	  verb_fork, false, "@id" },
	{ "models", "[PROVIDER]", "Models that can be asked, with price and state.", NULL, NULL, 0, 1,
	  verb_models, false, NULL },
	{ "route", "explain [TURN]", "Why a turn asked the model that it asked.", NULL, NULL, 1, 2,
	  verb_route, false, "explain" },
	{ "hooks", "ls|trust [HOOK]", "The hooks, and vouching for those of the project.", hooks_details, mcp_opts, 1, 2,
	  verb_hooks, false, "ls trust" },
	{ "mcp", "ls|show|trust [SERVER]", "The tool servers, and vouching for one.", mcp_details, mcp_opts,
	  1, 2, verb_mcp, false, "ls show trust" },
	{ "policy", "WHAT [ARGS...]", "What may be done, and why.", policy_details, policy_opts,
	  1, -1, verb_policy, false, "show test explain saved mode" },
	{ "process", "WHAT [ARGS...]", "Commands that run in the background.", process_details, process_opts, 1, -1,
	  verb_process, false, "ls show log write resize stop" },
	{ "channel", "[list]", "Peers that are enrolled.", NULL, NULL, 0, 1, verb_channel, false, "list" },
	{ "export", "session|script ID", "A session as JSON lines, or as a script that plays it again.",
	  export_details, NULL, 2, 2, verb_export, false, "session script" },
	{ "diff", "[TURN]", "What tools changed in files.", diff_details, NULL, 0, 1, verb_diff, false, "@id" },
	{ "undo", "[TURN]", "Take those changes back.", undo_details, NULL, 0, 1, verb_undo, false, "@id" },
	{ "verify", "[ID]", "Prove that the log is what was written.", NULL, NULL, 0, 1, verb_verify,
	  false, "@id" },
	{ "retain", "ID", "Remove the beginning of a session's log.", retain_details, retain_opts, 1, 1,
	  verb_retain, false, "@id" },
	{ "erase", "ID SEQ", "Erase the words of one event.", erase_details, erase_opts, 2, 2, verb_erase,
	  false, "@id" },
	{ "rebuild", "[ID]", "Make what follows from the log anew.", NULL, NULL, 0, 1, verb_rebuild, false,
	  "@id" },
	{ "sandbox", "run|probe [-- COMMAND...]", "One command in the cage that tools get.", sandbox_details,
	  sandbox_opts, 1, -1, verb_sandbox, false, "run probe" },
	{ "auth", "add NAME|ls|rm NAME", "Keys of model providers.", auth_details, NULL, 0, 2, verb_auth,
	  false, "add ls rm" },
	{ "rpc", "", "JSON-RPC 2.0 on stdin and stdout.", NULL, NULL, 0, 0, verb_rpc, false, NULL },
	{ "open", "[ID]", "The console in a browser.", open_details, NULL, 0, 1, verb_open, false, "@id" },
	{ "pair", "--url URL|ls|revoke DEVICE", "A second device: approve from your phone.", pair_details,
	  pair_opts, 0, 2, verb_pair, false, "ls revoke" },
	{ "config", "", "Paths and settings.", NULL, NULL, 0, 0, verb_config, false, NULL },
	{ "path", "[WHAT]", "Where data, socket, token or log are.", path_details, NULL, 0, 1, verb_path, false,
	  "data socket token log" },
	{ "token", "", "The secret for HTTP.", NULL, NULL, 0, 0, verb_token, false, NULL },
	{ "demo", "", "See it work, in a throw-away directory.", demo_details, demo_opts, 0, 0, verb_demo, false, NULL },
	{ "completion", "bash|zsh|fish", "Completion for a shell.", completion_details, NULL, 1, 1,
	  verb_completion, false, "bash zsh fish" },
	{ "version", "", "The version of this program.", NULL, NULL, 0, 0, verb_version, false, NULL },
	{ "help", "[VERB|all|man]", "This; man: as a manual page.", NULL, NULL, 0, 1, verb_help, false, NULL },
	{ 0 },
};
