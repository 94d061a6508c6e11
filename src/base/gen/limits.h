/* Written by scripts/catalog.py from catalog/; do not edit. */

#ifndef BASE_GEN_LIMITS_H
#define BASE_GEN_LIMITS_H
/* Every layer may include this. */

/* A command is words and refs; larger things are stored first and named. */
#define LIMIT_BODY_BYTES 1048576
/* An id that a client brings. */
#define LIMIT_ID_BYTES 256
/* Deeper than any real input; keeps readers from running out of stack. */
#define LIMIT_JSON_DEPTH 64
/* Default bound of a string field; what is longer belongs behind a ref. */
#define LIMIT_STR_BYTES 65536
/* Default bound of a list field. */
#define LIMIT_LIST_ITEMS 4096
/* Default bound of a json field inside a command. */
#define LIMIT_JSON_BYTES 262144
/* Entries of one object of strings in a command. */
#define LIMIT_DICT_ENTRIES 64
/* One line on a screen. */
#define LIMIT_TITLE_BYTES 512
/* A person typed it. */
#define LIMIT_REASON_BYTES 2000
/* As long as an id. */
#define LIMIT_IDEMPOTENCY_KEY_BYTES 256
/* An image that a turn names by the ref of a stored output; providers take no larger ones. */
#define LIMIT_IMAGE_BYTES 8388608
/* Whole input of one turn inside a command. */
#define LIMIT_INPUT_BYTES 1048576
/* Parts of one input. */
#define LIMIT_INPUT_PARTS 64
/* Largest envelope; keeps redelivery, fan-out and clients cheap. */
#define LIMIT_EVENT_BYTES 65536
/* What a person reads at a glance. */
#define LIMIT_PREVIEW 2048
/* Above this an output is spilled and the event holds a preview. */
#define LIMIT_INLINE_OUTPUT_BYTES 65536
/* What a model is given of one result; the rest is behind the ref. */
#define LIMIT_TOOL_RESULT_TOKENS 8192
/* Tools listed inline in tool.catalog.resolved; the rest is behind the ref. */
#define LIMIT_CATALOG_INLINE_BYTES 8192
/* What is read of a hook before it is spilled and cut. */
#define LIMIT_HOOK_OUTPUT_BYTES 1048576
/* Heads of changed sessions are anchored in sess_system this often: what a truncated tail can hide is bounded by it. */
#define LIMIT_ANCHOR_INTERVAL_S 300
/* What is kept of the output of one command: a gigabyte is more than anybody reads, and a flood does not fill the disk. The rest is drained and counted. */
#define LIMIT_PROCESS_OUTPUT_BYTES 1073741824
/* A summary is no longer than this; what a model writes beyond it is dropped. */
#define LIMIT_SUMMARY_BYTES 65536
/* A gathered piece goes out when it is this large. */
#define LIMIT_DELTA_BYTES 16384
/* Bytes of one provider stream waiting for a commit; then the provider is paused. */
#define LIMIT_STREAM_BUFFER_BYTES 262144
/* process.output states offsets, a few times a second at most. */
#define LIMIT_PROCESS_OUTPUT_EVENTS_PER_S 4
/* One page of the store; never an open cursor. */
#define LIMIT_PAGE_ROWS 256
/* One page of the store. */
#define LIMIT_PAGE_BYTES 262144
/* Most rows of one page of a list command. */
#define LIMIT_LIST_ROWS 256
/* Rows of a page when the caller says nothing. */
#define LIMIT_LIST_ROWS_DEFAULT 50
/* A reader that falls behind further is closed and comes back by cursor. */
#define LIMIT_SSE_CLIENT_BUFFER_BYTES 262144
/* Subscribers served in one iteration of the loop, so that thousands of them delay neither effects nor commands. */
#define LIMIT_FANOUT_READERS_PER_TURN 16
/* Events that stay in memory after their commit, over all sessions, so that subscribers who keep up read nothing. */
#define LIMIT_FANOUT_RECENT_BYTES 1048576
/* Index rows that wait in row_log; the commit that passes this applies them, behind its answers. */
#define LIMIT_ROW_LOG_ROWS 512
/* The same in bytes: so much room they take in the file before they are applied. */
#define LIMIT_ROW_LOG_BYTES 131072
/* A comment this often keeps proxies from closing. */
#define LIMIT_SSE_PING_S 15
/* More than any client of ours sends. */
#define LIMIT_HTTP_HEADER_LINES 100
/* Head of one request. */
#define LIMIT_HTTP_HEADER_BYTES 16384
/* Time for the head; slow senders hold no connection. */
#define LIMIT_HTTP_HEADER_S 10
/* Time for a body. */
#define LIMIT_HTTP_BODY_S 30
/* Path and query. */
#define LIMIT_HTTP_TARGET_BYTES 8192
/* An idle kept-alive connection is closed. */
#define LIMIT_HTTP_IDLE_S 120
/* One message; as large as a body. */
#define LIMIT_WS_FRAME_BYTES 1048576
/* One JSON-RPC line; as large as a body. */
#define LIMIT_RPC_LINE_BYTES 1048576
/* Open at once; the rest wait in the backlog. */
#define LIMIT_CONNECTIONS 1024
/* From one address, where the daemon listens beyond this machine; the next ones get 503. */
#define LIMIT_CONNECTIONS_PER_PEER 256
/* One client follows that many streams. */
#define LIMIT_SUBSCRIPTIONS_PER_CONNECTION 64
/* Per connection; more wait unread. */
#define LIMIT_REQUESTS_IN_FLIGHT 64
/* Turns that wait on one thread. */
#define LIMIT_QUEUE_LENGTH 64
/* Calls one answer of a model may ask for. */
#define LIMIT_CALLS_PER_ANSWER 64
/* Read-only calls of a turn that run together. */
#define LIMIT_PARALLEL_TOOLS 4
/* Deliveries of one session that are not over; beyond it they fail at once. */
#define LIMIT_DELIVERIES_PER_SESSION 1024
/* Attempts of one delivery: about five hours with the waits between them. */
#define LIMIT_DELIVERY_ATTEMPTS 8
/* Wait behind the first attempt; four times as long behind each further one. */
#define LIMIT_DELIVERY_BASE_MS 1000
/* Longest wait between two attempts. */
#define LIMIT_DELIVERY_WAIT_MAX_MS 3600000
/* How long a wait without a deadline may last before it is said: a day. */
#define LIMIT_WAIT_OVERDUE_MS 86400000
/* Schedules of one session; each has a thread. */
#define LIMIT_SCHEDULES_PER_SESSION 64
/* Shortest interval of a schedule. */
#define LIMIT_SCHEDULE_MIN_MS 1000
/* Longest interval of a schedule: a year. */
#define LIMIT_SCHEDULE_MAX_MS 31622400000
/* How late a run may begin without counting as missed. */
#define LIMIT_SCHEDULE_GRACE_MS 60000
/* Missed runs that are made up for one by one; older ones are told and left out. */
#define LIMIT_SCHEDULE_CATCH_UP 16
/* Tasks that have not ended. */
#define LIMIT_OPEN_TASKS_PER_SESSION 4096
/* Tasks under tasks; delegation ends somewhere. */
#define LIMIT_TASK_DEPTH 16
/* Edges of one task. */
#define LIMIT_EDGES_PER_TASK 256
/* Retries end somewhere. */
#define LIMIT_ATTEMPTS_PER_TASK 32
/* Agent tasks of one session that run together. */
#define LIMIT_PARALLEL_TASKS 4
/* Record of one task without its attempts; it must fit a fact. */
#define LIMIT_TASK_RECORD_BYTES 16384
/* How long an external worker may be silent when it says nothing. */
#define LIMIT_LEASE_MS 30000
/* Shorter leases would only measure the network. */
#define LIMIT_LEASE_MIN_MS 100
/* A worker that is silent for a day is gone. */
#define LIMIT_LEASE_MAX_MS 86400000
/* First wait before a task is tried again by itself. */
#define LIMIT_BACKOFF_MS 1000
/* Longest such wait. */
#define LIMIT_BACKOFF_MAX_MS 3600000
/* Threads of one session. */
#define LIMIT_THREADS_PER_SESSION 1024
/* Open at once. */
#define LIMIT_SUBAGENTS_PER_SESSION 64
/* Children of children. */
#define LIMIT_SUBAGENT_DEPTH 4
/* Items of one job. */
#define LIMIT_JOB_ITEMS 1000000
/* Schema of a job's outputs: it goes along with every item. */
#define LIMIT_JOB_SCHEMA_BYTES 16384
/* Items at once. */
#define LIMIT_JOB_CONCURRENCY 64
/* A turn that goes in circles ends. */
#define LIMIT_REQUESTS_PER_TURN 200
/* Schema of an answer or a tool. */
#define LIMIT_SCHEMA_BYTES 65536
/* Whole model request. */
#define LIMIT_MODEL_TIMEOUT_S 600
/* Silence of a model stream. */
#define LIMIT_MODEL_IDLE_S 60
/* Answers in a row that break off at their length or a pause and are continued; then the turn fails. */
#define LIMIT_ANSWER_PARTS 4
/* Same candidate, same run, where another may step in or waiting does not help. */
#define LIMIT_MODEL_ATTEMPTS 3
/* A longer wait means fallback, where another model may step in. */
#define LIMIT_RETRY_WAIT_MAX_MS 10000
/* How long a turn goes on asking a model that fails. */
#define LIMIT_RETRY_BUDGET_MS 900000
/* Longest wait between two tries when the provider names none. */
#define LIMIT_RETRY_DELAY_MAX_MS 120000
/* One command. */
#define LIMIT_PROCESS_TIMEOUT_MS 120000
/* Silence of one command. */
#define LIMIT_PROCESS_IDLE_MS 60000
/* In one cage. */
#define LIMIT_PROCESS_COUNT 256
/* In one cage. */
#define LIMIT_PROCESS_MEMORY_BYTES 2147483648
/* What is being stopped has this long; then it is killed. */
#define LIMIT_STOP_WAIT_MS 5000
/* What judging one call may take, its command line, its rules and all that they call together; beyond it the call is not understood. Tens of milliseconds. */
#define LIMIT_ANALYSIS_STEPS 2000000
/* Memory that judging one call may take; beyond it the call is not understood. */
#define LIMIT_ANALYSIS_BYTES 16777216
/* Arguments of one call; a call with more is refused, for it cannot be judged and shown. */
#define LIMIT_CALL_INPUT_BYTES 1048576
/* Arguments of a call shown inline; larger ones are behind a ref. */
#define LIMIT_INLINE_ARGS 8192
/* Between the soft and the hard signal. */
#define LIMIT_PROCESS_GRACE_MS 5000
/* One write to a command. */
#define LIMIT_STDIN_BYTES 65536
/* One line of a tool server; larger results belong behind a resource. */
#define LIMIT_MCP_MESSAGE_BYTES 16777216
/* Of one tool server; more would fill a model's context with their definitions. */
#define LIMIT_MCP_TOOLS 256
/* Open at one tool server. */
#define LIMIT_MCP_CALLS 64
/* From the start of a tool server to its list of tools. */
#define LIMIT_MCP_START_MS 20000
/* How long a turn waits for tool servers that are starting; then it begins, and the model gets a list of the missing ones. */
#define LIMIT_TOOLS_WAIT_MS 35000
/* A call of a server's tool without a sign of life, when the server's settings say nothing. */
#define LIMIT_MCP_CALL_MS 120000
/* What fetch_url takes of one answer; a page that is read is smaller. */
#define LIMIT_FETCH_BYTES 4194304
/* fetch_url, redirects included. */
#define LIMIT_FETCH_TIMEOUT_MS 30000
/* One hook. */
#define LIMIT_HOOK_TIMEOUT_MS 5000
/* Events after which the state of a session is saved again when the session leaves memory. */
#define LIMIT_SNAPSHOT_EVENTS 200
/* Commands that wait while a session is folded back. */
#define LIMIT_SESSION_WAITING_COMMANDS 64
/* Ended calls, approvals, tasks, jobs, processes, hooks, outputs, incidents and deliveries that stay in memory and in snapshots, of each kind; older ones are read from the log. */
#define LIMIT_TERMINAL_WINDOW 16
/* Ended turns of a thread that are at hand and shown by snapshots; older ones are read from the log by sequence. */
#define LIMIT_WINDOW_TURNS 8
/* Above this, waiting for commit, providers and processes are paused. */
#define LIMIT_COMMIT_PAUSE_BYTES 8388608
/* The same, by the age of the oldest. */
#define LIMIT_COMMIT_PAUSE_MS 250
/* Above this new commands get 503. */
#define LIMIT_COMMIT_REFUSE_BYTES 33554432
/* The same, by the age of the oldest. */
#define LIMIT_COMMIT_REFUSE_MS 2000
/* The writer checkpoints when the log of the store passes this. */
#define LIMIT_WAL_BYTES 67108864
/* Freed to write closing facts when the disk is full. */
#define LIMIT_BALLAST_BYTES 8388608
/* A larger jump of the wall clock is a warning and re-arms the timers. */
#define LIMIT_CLOCK_JUMP_S 60
/* Body of one outbound HTTP answer. */
#define LIMIT_WIRE_RESPONSE_BYTES 67108864
/* How long the one-time code of a console address works. */
#define LIMIT_CONSOLE_CODE_S 60
/* One-time codes at once; a new one takes the place of the oldest. */
#define LIMIT_CONSOLE_CODES 16
/* How long a browser stays signed in: a working day. */
#define LIMIT_CONSOLE_SESSION_S 43200
/* How long the one-time code for a second device works: time to fetch it. */
#define LIMIT_PAIRING_CODE_S 300
/* Such codes at once; a new one takes the place of the oldest. */
#define LIMIT_PAIRING_CODES 4
/* Devices that are paired at once. */
#define LIMIT_PAIRED_DEVICES 16
/* How long a paired device stays signed in: a month; it can be revoked at any time. */
#define LIMIT_DEVICE_SESSION_S 2592000
/* Wrong codes in a row by one name of this runtime before it takes none for a minute. */
#define LIMIT_SIGN_IN_TRIES 10
/* Longest wait inside one call. */
#define LIMIT_WAIT_MAX_S 600

#endif
