#ifndef FILETOOL_FILE_PATTERN_H
#define FILETOOL_FILE_PATTERN_H
/* Patterns over paths below the directory where a tool starts. */
#include "base/json.h"

/* What an argument says, without "./". */
struct str file_pattern_of(struct str pattern);
/* path is relative; a pattern without a slash is one of names. */
bool file_pattern_matches(struct str pattern, struct str path);
bool file_pattern_path_matches(struct str pattern, struct str path); /* with all of it, always */
/* What is not looked into unless the pattern names it. */
bool file_pattern_is_skipped(struct str pattern, const char *name);

#endif
