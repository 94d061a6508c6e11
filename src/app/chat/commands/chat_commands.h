#ifndef APP_CHAT_COMMANDS_H
#define APP_CHAT_COMMANDS_H
/*
 * The slash commands, and commands of a shell.  chat_commands.c has the table;
 * commands that are more than a verb of the command line have a file each.
 */
#include "base/json.h"
#include "base/str.h"

struct chat;

/* ---- chat_shell.c ---- */

void chat_shell_run(struct chat *ch, struct str command);

/* ---- chat_commands.c ---- */

/* Runs "/word arguments"; false: there is no such command. */
bool chat_commands_run(struct chat *ch, struct str line);
/* Names and help of the commands, for completion; ends with NULL. */
const char *chat_commands_name(size_t i);
const char *chat_commands_help(size_t i);
/* The verb behind a command, in the words of chat_verb.h; NULL: it changes the chat itself. */
const char *chat_commands_verb(size_t i, bool *ret_needs_session);

/* ---- chat_extend.c ---- */

/* Asks which commands, skills and agents are files here. */
void chat_extend_ask(struct chat *ch);
/* Says how many hooks of the project are not trusted, and so do not run. */
void chat_extend_hooks(struct chat *ch, struct json reply);
void chat_extend_reply(struct chat *ch, struct json reply);
void chat_extend_done(struct chat *ch);
/* For chat_complete: asks the server of the prompt that the line names; the owner is the chat. */
void chat_extend_complete(void *owner, struct str line);
void chat_extend_completed(struct chat *ch, struct json reply);
/* Runs a verb that shows what can be trusted; *ret_hash: of exactly that, or "". */
void chat_extend_show(struct chat *ch, const char *verb, char *ret_hash, size_t size);
/* Sends the text of the command that the line names; false: no file has that name. */
bool chat_extend_run(struct chat *ch, struct str line);
/* Adds a directory to the workspace of the session, or removes one: "remove DIR". */
void chat_extend_directory(struct chat *ch, struct str args);
/* Lists the instruction files of the session, or opens one in the editor. */
void chat_extend_memory(struct chat *ch, struct str args);

/* ---- chat_rewind.c ---- */

/* "/rewind", "/rewind N": takes back the Nth message from the end, or one that the user picks. */
void chat_rewind_run(struct chat *ch, struct str args);

/* ---- chat_export.c ---- */

/* "/export [FILE]": writes the session to a new file. */
void chat_export_run(struct chat *ch, struct str args);

#endif
