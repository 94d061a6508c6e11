#ifndef APP_CONFORM_LOG_H
#define APP_CONFORM_LOG_H
/* The reports of `thole conform log` and its neighbours, in the format that --as names. */
#include "app/cli/cli.h"
#include "base/buf.h"

/* conform log PATH... */
int conform_log(struct cli *c);
/* The pack of --pack, or of the program; absent: the reason was printed. */
struct str conform_log_pack_text(struct cli *c);
/* conform self (conform_self.c) */
int conform_self(struct cli *c);
/* conform live URL (conform_live.c) */
int conform_live(struct cli *c);
/* conform pack */
int conform_log_pack(struct cli *c);
/*
 * Checks these paths with the results of scenarios (JSON; absent: none) and prints the report.
 * Returns the exit code.
 */
int conform_log_report(struct cli *c, char *const *paths, size_t count, struct str scenarios);

/* "log.jsonl, line 12, event 5 (turn.started)" */
struct str conform_table_place(struct arena *mem, struct json first);
/* "not shown" */
struct str conform_table_result(struct arena *mem, struct json row);
void conform_table_print(struct cli *c, struct json report);
void conform_junit_print(struct json report);
void conform_html_print(struct json report);

#endif
