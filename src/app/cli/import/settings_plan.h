#ifndef APP_SETTINGS_PLAN_H
#define APP_SETTINGS_PLAN_H
/*
 * What an import would change in the user's settings, and what it leaves out.
 *
 * claude_settings.c and codex_settings.c fill it; settings_apply.c shows it,
 * asks, and writes.  A change has a kind: anything but PLAN_PLAIN gives the
 * agent more rights and needs its own approval.
 */
#include "app/cli/cli.h"
#include "app/cli/import/import_find.h"

enum plan_kind {
	PLAN_PLAIN,       /* gives no more rights */
	PLAN_ALLOW_RULE,  /* --allow-rules */
	PLAN_SERVER,      /* --with-servers */
	PLAN_HOOKS,       /* --with-hooks */
	PLAN_FULL_ACCESS, /* --full-access: asks less, or a wider sandbox */
	PLAN_KINDS,
};

enum plan_place {
	PLAN_VALUE, /* the setting gets this value, unless it has one */
	PLAN_LIST,  /* the value is added to the list */
	PLAN_MEMBER /* the value is a member of the object */
};

struct plan_change {
	enum plan_kind kind;
	enum plan_place place;
	const char *key;   /* of the setting */
	struct str member; /* of an object; absent otherwise */
	struct str json;   /* the value */
	struct str from;   /* as it is written there */
	bool is_taken;     /* set by settings_apply.c */
};

struct plan_left {
	struct str what;
	const char *why;
};

#define PLAN_MAX 512

struct settings_plan {
	struct cli *c;
	struct plan_change changes[PLAN_MAX];
	size_t count;
	struct plan_left left[PLAN_MAX];
	size_t left_count;
	bool has_more; /* to show than PLAN_MAX */
	bool is_full;  /* changes were dropped: nothing that widens is taken */
};

void settings_plan_add(struct settings_plan *p, struct plan_change change);
/* why: one sentence, without a full stop. */
void settings_plan_leave(struct settings_plan *p, struct str what, const char *why);

/* After everything was added: takes widening changes out again if others were dropped. */
void settings_plan_close(struct settings_plan *p);

/* A value as JSON. */
struct str settings_plan_text(struct settings_plan *p, struct str value);
/*
 * Tool servers in our format from an object of {command, args, env, ...} by name.  Variables are
 * passed on by name: their values stay where they are.
 */
void settings_plan_servers(struct settings_plan *p, struct json servers);
/*
 * A file of settings; false: there is none, or it cannot be read, which is listed, and *ret is absent
 * only if there is none.
 */
bool settings_plan_file(struct settings_plan *p, struct str root, const char *name,
                        struct str *ret);
/* Lists every member that is not one of these words, which end with NULL. */
void settings_plan_leave_others(struct settings_plan *p, struct json obj, const char *const *known,
                                const char *why);

/* import_secret.c: whether a text, or any text in a value, may hold a key or a password. */
bool import_secret_in_text(struct str text);
bool import_secret_in(struct json v);
/* A variable with a key of the daemon's own providers: no other program gets it. */
bool import_secret_is_own(struct str variable);

void claude_settings_read(struct settings_plan *p, const struct import_place *place);
void codex_settings_read(struct settings_plan *p, const struct import_place *place);

#endif
