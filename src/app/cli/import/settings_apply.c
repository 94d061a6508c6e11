/* Stub until the next commit. */
#include "app/cli/import/settings_apply.h"

int settings_apply(struct cli *c, const struct import_place *place)
{
	(void)c;
	(void)place;
	return CODE_DONE;
}
