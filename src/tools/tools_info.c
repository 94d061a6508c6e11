/* What the tools are called and what they take: the words that a model reads. */
#include "tools/tools_int.h"

#define TEXT(literal)                                                                              \
	{                                                                                          \
		"" literal, sizeof(literal) - 1                                                    \
	}
#define FILE_TIMEOUT_MS 30000
#define PATH_TYPE "{\"type\":\"string\",\"minLength\":1,\"maxLength\":4096"

#define READ_SCHEMA                                                                                \
	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"path\"],"             \
	"\"properties\":{"                                                                         \
	"\"path\":" PATH_TYPE ",\"description\":\"The file, relative to the workspace.\"},"        \
	"\"offset\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"First line, from 1.\"}," \
	"\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100000,"                        \
	"\"description\":\"How many lines; 2000 when absent.\"}}}"

#define WRITE_SCHEMA                                                                               \
	"{\"type\":\"object\",\"additionalProperties\":false,"                                     \
	"\"required\":[\"path\",\"content\"],\"properties\":{"                                     \
	"\"path\":" PATH_TYPE ",\"description\":\"The file, relative to the workspace.\"},"        \
	"\"content\":{\"type\":\"string\",\"description\":\"All of it.\"}}}"

#define EDIT_SCHEMA                                                                                \
	"{\"type\":\"object\",\"additionalProperties\":false,"                                     \
	"\"required\":[\"path\",\"oldText\",\"newText\"],\"properties\":{"                         \
	"\"path\":" PATH_TYPE ",\"description\":\"The file, relative to the workspace.\"},"        \
	"\"oldText\":{\"type\":\"string\",\"minLength\":1,"                                        \
	"\"description\":\"What stands there now, exactly, blanks and line ends included.\"},"     \
	"\"newText\":{\"type\":\"string\",\"description\":\"What shall stand there.\"},"           \
	"\"replaceAll\":{\"type\":\"boolean\","                                                    \
	"\"description\":\"Every occurrence; without it there must be exactly one.\"}}}"

#define PATCH_SCHEMA                                                                               \
	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"patch\"],"            \
	"\"properties\":{\"patch\":{\"type\":\"string\",\"minLength\":1,"                          \
	"\"description\":\"*** Begin Patch, *** Update File: PATH (or Add, Delete), hunks, *** "   \
	"End "                                                                                     \
	"Patch; or a unified diff.\"}}}"

#define LIST_SCHEMA                                                                                \
	"{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"                     \
	"\"path\":" PATH_TYPE ",\"description\":\"The directory; the workspace when absent.\"}}}"

#define IGNORED_TYPE                                                                               \
	"{\"type\":\"boolean\",\"description\":\"Look at what .gitignore and .ignore leave out "   \
	"too.\"}"

#define GLOB_SCHEMA                                                                                \
	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"pattern\"],"          \
	"\"properties\":{"                                                                         \
	"\"pattern\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":1024,\"description\":"     \
	"\"*, ?, [..], {a,b}, and ** for any depth; without a slash it is matched with names "     \
	"anywhere.\"},"                                                                            \
	"\"ignored\":" IGNORED_TYPE ","                                                            \
	"\"path\":" PATH_TYPE ",\"description\":\"Where to look; the workspace when absent.\"}}}"

#define SEARCH_SCHEMA                                                                              \
	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"pattern\"],"          \
	"\"properties\":{"                                                                         \
	"\"pattern\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":4096,"                     \
	"\"description\":\"A regular expression, matched line by line.\"},"                        \
	"\"path\":" PATH_TYPE ",\"description\":\"A file or directory; the workspace when "        \
	"absent.\"},"                                                                              \
	"\"glob\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":1024,"                        \
	"\"description\":\"Only files of such names.\"},"                                          \
	"\"ignored\":" IGNORED_TYPE ","                                                            \
	"\"ignoreCase\":{\"type\":\"boolean\"},"                                                   \
	"\"maxResults\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":2000,"                     \
	"\"description\":\"200 when absent.\"}}}"

#define ESCALATE_TYPE                                                                              \
	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"reason\"],"           \
	"\"description\":\"Mode on_request only: ask a person for more than the sandbox, or to "   \
	"do "                                                                                      \
	"without it.\",\"properties\":{"                                                           \
	"\"reason\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":1000},"                     \
	"\"network\":{\"type\":\"boolean\"},"                                                      \
	"\"hosts\":{\"type\":\"array\",\"maxItems\":16,\"items\":{\"type\":\"string\"}},"          \
	"\"write\":{\"type\":\"array\",\"maxItems\":16,\"items\":{\"type\":\"string\"}},"          \
	"\"read\":{\"type\":\"array\",\"maxItems\":16,\"items\":{\"type\":\"string\"}}}}"

#define SHELL_SCHEMA                                                                               \
	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"command\"],"          \
	"\"properties\":{"                                                                         \
	"\"command\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":131071,"                   \
	"\"description\":\"What bash shall run.\"},"                                               \
	"\"cwd\":" PATH_TYPE ",\"description\":\"Where; the workspace when absent.\"},"            \
	"\"escalate\":" ESCALATE_TYPE ","                                                          \
	"\"maxFileBytes\":{\"type\":\"integer\",\"minimum\":1,"                                    \
	"\"description\":\"Largest file it may write, if less than usual.\"},"                     \
	"\"privateBytes\":{\"type\":\"integer\",\"minimum\":65536,"                                \
	"\"description\":\"Size of its private /tmp and home, if less than usual.\"},"             \
	"\"timeoutMs\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":86400000,"                  \
	"\"description\":\"When to give up.\"}}}"

#define START_SCHEMA                                                                               \
	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"command\"],"          \
	"\"properties\":{"                                                                         \
	"\"command\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":131071,"                   \
	"\"description\":\"What bash shall run.\"},"                                               \
	"\"cwd\":" PATH_TYPE ",\"description\":\"Where; the workspace when absent.\"},"            \
	"\"maxFileBytes\":{\"type\":\"integer\",\"minimum\":1,"                                    \
	"\"description\":\"Largest file it may write, if less than usual.\"},"                     \
	"\"privateBytes\":{\"type\":\"integer\",\"minimum\":65536,"                                \
	"\"description\":\"Size of its private /tmp and home, if less than usual.\"},"             \
	"\"pty\":{\"type\":\"boolean\",\"description\":\"Give it a terminal.\"},"                  \
	"\"cols\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":10000,"                          \
	"\"description\":\"Columns of the terminal; 80 when absent.\"},"                           \
	"\"rows\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":10000,"                          \
	"\"description\":\"Its rows; 24 when absent.\"},"                                          \
	"\"inactivityMs\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":86400000,"               \
	"\"description\":\"End it when it has written nothing for so long.\"},"                    \
	"\"timeoutMs\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":2592000000,"                \
	"\"description\":\"End it after so long, whatever it does.\"}}}"

#define LOCAL(word, what, schema)                                                                  \
	.name = TEXT(word), .description = TEXT(what), .input_schema = TEXT(schema),               \
	.owner = TEXT("local"), .is_sandboxed = true
#define READS                                                                                      \
	.capabilities = TEXT("[\"read\"]"), .policy = TEXT("allowed"),                             \
	.item_kind = TEXT("tool_call"), .is_read_only = true, .is_concurrency_safe = true,         \
	.timeout_ms = FILE_TIMEOUT_MS
/* What a file held is kept first, so that nothing is destroyed. */
#define WRITES                                                                                     \
	.policy = TEXT("ask"), .item_kind = TEXT("file_change"), .timeout_ms = FILE_TIMEOUT_MS
#define RUNS                                                                                       \
	.capabilities = TEXT("[\"read\",\"write\",\"shell\"]"), .policy = TEXT("ask"),             \
	.item_kind = TEXT("command"), .is_destructive = true, .is_command = true

const struct tool_row tools_info_rows[] = {
	{ .info = { LOCAL("read_file",
	                  "Read a text file, or a range of its lines. An image (PNG, JPEG, GIF, "
	                  "WebP) is shown.",
	                  READ_SCHEMA),
	            READS },
	  .need = NEED_READ },
	{ .info = { LOCAL("write_file",
	                  "Write a file, new or in place of what is there, with the directories it "
	                  "needs. Answers with the difference.",
	                  WRITE_SCHEMA),
	            WRITES, .capabilities = TEXT("[\"write\"]") },
	  .need = NEED_WRITE },
	{ .info = { LOCAL("edit_file",
	                  "Replace a text in a file by another one, exactly. Answers with the "
	                  "difference.",
	                  EDIT_SCHEMA),
	            WRITES, .capabilities = TEXT("[\"read\",\"write\"]") },
	  .need = NEED_WRITE },
	{ .info = { LOCAL("apply_patch",
	                  "Change, add and delete several files by a patch, all or none.",
	                  PATCH_SCHEMA),
	            WRITES, .capabilities = TEXT("[\"read\",\"write\"]") },
	  .need = NEED_WRITE },
	{ .info = { LOCAL("list_dir", "List a directory: / behind directories, @ behind links.",
	                  LIST_SCHEMA),
	            READS },
	  .need = NEED_READ },
	{ .info = { LOCAL("glob", "Find files by their names.", GLOB_SCHEMA), READS },
	  .need = NEED_READ },
	{ .info = { LOCAL("search", "Find lines in files: path:line:text.", SEARCH_SCHEMA), READS },
	  .need = NEED_READ },
	{ .info = { LOCAL("shell",
	                  "Run a command with bash in the workspace. Output and errors come "
	                  "together; the exit code is told.",
	                  SHELL_SCHEMA),
	            RUNS },
	  .need = NEED_SHELL },
	{ .info = { LOCAL("start_process",
	                  "Start a command with bash that goes on in the background: a server, a "
	                  "watcher, an interpreter. Answers with its processId at once.",
	                  START_SCHEMA),
	            RUNS, .is_background = true },
	  .need = NEED_SHELL },
};
const size_t tools_info_row_count = COUNT_OF(tools_info_rows);
