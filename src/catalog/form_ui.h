#ifndef CATALOG_FORM_UI_H
#define CATALOG_FORM_UI_H
/*
 * The column "ui" of the event rows: the Agent UI event of each class.
 * export/agent_ui.c writes such events from it.
 */
#include "catalog/catalog.h"

/* The words of a row, each from its own enum. */
enum ui_word {
	UI_WORD_TYPE,
	UI_WORD_OWNER,
	UI_WORD_SCOPE,
	UI_WORD_PHASE,
	UI_WORD_SURFACE,
	UI_WORD_PERSISTENCE,
	UI_WORD_CONTROL,
	UI_WORD_ENTITY,
	UI_WORD_ARTIFACT,
	UI_WORD_COUNT
};

struct ui_key {
	struct str key; /* on the wire */
	const struct enum_desc *words;
};
extern const struct ui_key ui_keys[UI_WORD_COUNT];

struct ui_words {
	uint8_t of[UI_WORD_COUNT]; /* 0: absent */
};

/*
 * Words that replace the row's when the envelope's field at this path has the value `is`; is
 * absent: when the field is present.
 */
struct ui_when {
	struct str path, is;
	struct ui_words say;
};

/* A key of Agent UI and the path of our field with its value. */
struct ui_from {
	struct str key, path;
	bool is_status; /* the value is a status and is translated */
};

struct ui_row {
	struct ui_words say;
	const struct ui_when *when; /* all matching ones apply, later ones win */
	const struct ui_from *from;
	uint8_t when_count, from_count;
};
extern const struct ui_row ui_rows[EV_COUNT];

/* Fields of the envelope that Agent UI names differently. */
struct ui_rename {
	struct str ours, theirs;
};
extern const struct ui_rename ui_renames[];
extern const size_t ui_rename_count;

extern const enum ui_status ui_statuses[STATUS_COUNT];

#endif
