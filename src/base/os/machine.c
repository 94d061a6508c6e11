/* Which files this process sees; machine.h. */
#include "base/os/machine.h"

#include "base/hash/sha256.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIGITS 16 /* of the hash; enough for the nodes of one database */

/* The kernel makes another one at each boot, also of a copy of a machine. */
static bool read_boot(char *to, size_t size)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, to, size - 1);

	if (fd >= 0)
		close(fd);
	to[n > 0 ? n : 0] = 0;
	return n > 0;
}

struct str machine_files(struct arena *mem)
{
	char boot[64];
	struct stat mounts, root;
	struct str text;
	struct sha256 hash;

	if (!read_boot(boot, sizeof boot) || stat("/proc/self/ns/mnt", &mounts) != 0 ||
	    stat("/", &root) != 0)
		return STR_NONE;
	text = arena_printf(mem, "%s %llu %llu %llu", boot, (unsigned long long)mounts.st_ino,
	                    (unsigned long long)root.st_dev, (unsigned long long)root.st_ino);
	hash = sha256_of(text);
	return str_head(sha256_hex(mem, &hash), DIGITS);
}
