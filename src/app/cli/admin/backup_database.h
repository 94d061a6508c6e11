#ifndef APP_CLI_BACKUP_DATABASE_H
#define APP_CLI_BACKUP_DATABASE_H
/* backup and restore of a log in PostgreSQL: what it says, and the program pg_dump. */
#include "app/cli/cli.h"

/* Whether the log of this call is in a database; --store is a setting then.  Prints what is wrong. */
int backup_database_find(struct cli *c, bool *ret);
/* Fills an empty directory; *ret is its backup.json. */
int backup_database_write(struct cli *c, const char *into, struct json *ret);
/* Which parts belong together.  target: where the backup is now. */
void backup_database_show(struct cli *c, const char *target, struct json manifest);
/* Compares the database with the backup in this directory, and prints what was found. */
int backup_database_compare(struct cli *c, const char *dir);

/* True: the directory is the backup of a log in a database. */
bool backup_database_is(struct cli *c, const char *dir);
/* The commands that restore it.  from: its name, of an archive that is unpacked in dir or of dir. */
void backup_database_show_restore(struct cli *c, const char *from, const char *dir, bool is_packed);

#endif
