/*
 * The launcher of the portable tarball, linked statically: it starts a program
 * with the loader and the libraries that lie beside it, on systems that have
 * others or none.
 *
 *	DIR/thole                   this file
 *	DIR/thole-grpc              this file
 *	DIR/lib/thole-supervisor    this file
 *	DIR/lib/NAME.program        what it starts
 *	DIR/lib/ld-linux-*          the loader, and all libraries
 *
 * argv[0] of the program is the absolute path of the launcher; with it the
 * program starts itself again (base/os/own_program.h).
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static int fail(const char *what)
{
	perror(what);
	return 127;
}

/* Inside a sandbox there may be no /proc; then the kernel's own record of the path is used. */
static int find_self(char path[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - 1);
	const char *given = (const char *)getauxval(AT_EXECFN);

	if (len > 0 && len < PATH_MAX - 1) {
		path[len] = 0;
		return 1;
	}
	return given && given[0] == '/' && snprintf(path, PATH_MAX, "%s", given) < PATH_MAX;
}

/* dir/name; the process is about to become another one, so nothing is freed. */
static char *join(const char *dir, const char *name, const char *suffix)
{
	char *path = NULL;

	if (asprintf(&path, "%s/%s%s", dir, name, suffix) < 0)
		abort();
	return path;
}

/* Certificates of the tarball, where the system has none. */
static void offer_certificates(const char *lib)
{
	static const char *const places[] = { "/etc/ssl/certs/ca-certificates.crt",
		                              "/etc/pki/tls/certs/ca-bundle.crt",
		                              "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem" };
	const char *own = join(lib, "ca-certificates.crt", "");

	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (access(places[i], R_OK) == 0)
			return;
	if (access(own, R_OK) == 0)
		setenv("SSL_CERT_FILE", own, 0);
}

int main(int argc, char **argv)
{
	char self[PATH_MAX];
	char **args = calloc((size_t)argc + 8, sizeof *args);
	char *dir, *name, *lib, *program;
	int n = 0;

	if (!args || !find_self(self) || !(dir = strdup(self)) || !(name = strrchr(dir, '/')))
		return fail("thole: the launcher does not find itself");
	*name++ = 0;
	lib = join(dir, "lib", "");
	program = join(lib, name, ".program");
	if (access(program, R_OK) != 0)
		program = join(lib = dir, name, ".program");
	if (access(program, R_OK) != 0)
		return fail("thole: the directory lib of the tarball is missing");
	offer_certificates(lib);
	args[n++] = join(lib, LOADER, "");
	args[n++] = "--inhibit-cache";
	args[n++] = "--argv0";
	args[n++] = self;
	args[n++] = "--library-path";
	args[n++] = lib;
	args[n++] = program;
	for (int i = 1; i < argc; i++)
		args[n++] = argv[i];
	execv(args[0], args);
	return fail(args[0]);
}
