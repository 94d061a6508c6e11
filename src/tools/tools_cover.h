#ifndef TOOLS_TOOLS_COVER_H
#define TOOLS_TOOLS_COVER_H
/* Whether the changes of a command can be undone; a part of its call (tools_int.h). */
#include "base/json.h"

enum covered { COVERED_NOT, COVERED_TAKING, COVERED_TAKEN, COVERED_COMPARING, COVERED_DONE };

struct tools_snapshot;
struct tools_cover {
	enum covered state;
	struct tools_snapshot *snapshot; /* that runs now, or NULL */
	struct json changes;             /* the report of the comparison */
	struct str not_covered;          /* one sentence: what undo does not restore; or absent */
};

#endif
