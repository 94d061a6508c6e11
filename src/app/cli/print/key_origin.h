#ifndef APP_CLI_PRINT_KEY_ORIGIN_H
#define APP_CLI_PRINT_KEY_ORIGIN_H
/* Where the credentials of a provider come from, in words. */
#include "app/cli/cli.h"
#include "base/json.h"

/* row: of list_models or list_providers. */
const char *key_origin_text(struct cli *c, struct json row);

#endif
