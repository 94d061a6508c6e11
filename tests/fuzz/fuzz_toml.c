/* Any bytes as TOML: refused, or JSON that reads the same twice. */
#include "app/cli/import/toml.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_of((const char *)data, size);
	struct arena *mem = arena_new();
	struct json one, two;
	struct error e;

	if (toml_read(mem, text, &one, &e) == OK &&
	    (json_type(one) != JSON_OBJ || toml_read(mem, text, &two, &e) != OK ||
	     !json_equal(one, two)))
		abort();
	arena_free(mem);
	return 0;
}
