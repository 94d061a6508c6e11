/* Loads libpq on first use.  It stays loaded, because OpenSSL does not support unloading. */
#include "store/postgres/wire/pg_lib.h"

#include <dlfcn.h>
#include <pthread.h>

#define PIPELINES 140000 /* the version whose API is used */

static struct pg_lib loaded;
static struct error failure;

static void load_once(void)
{
	void *handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);

	if (!handle) {
		fail(&failure, ERR_UNSUPPORTED,
		     "store_library: libpq.so.5 could not be loaded. To keep the log in "
		     "PostgreSQL, "
		     "install libpq5");
		return;
	}
#define LOAD(type, name, args)                                                                     \
	*(void **)&loaded.name = dlsym(handle, #name);                                             \
	if (!loaded.name) {                                                                        \
		fail(&failure, ERR_UNSUPPORTED,                                                    \
		     "store_library: libpq lacks %s. Install libpq5 of PostgreSQL 14 or later",    \
		     #name);                                                                       \
		return;                                                                            \
	}
	PG_LIB_FUNCTIONS(LOAD)
#undef LOAD
	if (loaded.PQlibVersion() < PIPELINES)
		fail(&failure, ERR_UNSUPPORTED,
		     "store_library: libpq has version %d. Install libpq5 of PostgreSQL 14 or "
		     "later",
		     loaded.PQlibVersion() / 10000);
}

const struct pg_lib *pg_lib_load(struct error *e)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_once);
	if (!failure.code)
		return &loaded;
	if (e)
		*e = failure;
	return NULL;
}
