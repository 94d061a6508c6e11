#ifndef APP_IMPORT_WORDS_H
#define APP_IMPORT_WORDS_H
/* The names of the programs that sessions and settings come from. */
#include "app/cli/import/session_reader.h"
#include "base/gen/words.h"

/* As people write it. */
static inline const char *import_words_name(enum session_program program)
{
	return program == SESSION_CLAUDE ? "Claude Code" : "codex";
}

/* As the command line and the log write it. */
static inline const char *import_words_key(enum session_program program)
{
	return program == SESSION_CLAUDE ? WORD_IMPORT_PROGRAM_CLAUDE : WORD_IMPORT_PROGRAM_CODEX;
}

#endif
