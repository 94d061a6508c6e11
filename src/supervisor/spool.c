/*
 * Moves output of a background process into a file of bounded size.
 */
#include "supervisor/spool.h"

#include "base/os/sys.h"

#include <errno.h>

#define PIECE 65536
#define PIECES 16 /* before others get their turn */

enum err spool_open(struct spool *s, const char *path, int64_t max, struct error *e)
{
	*s = (struct spool){ .max = max };
	s->file_fd =
		open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (s->file_fd < 0)
		return fail_errno(e, ERR_IO, "spool file %s", path);
	return OK;
}

/*
 * The bytes beyond the maximum are dropped here and not left in the pipe: a full pipe would block
 * the process, and a limit on output must not stop its work.
 */
static void append_bytes(struct spool *s, const char *data, size_t len)
{
	size_t room =
		s->max && s->written + (int64_t)len > s->max ? (size_t)(s->max - s->written) : len;
	size_t done = 0;

	while (done < room) {
		ssize_t n = write(s->file_fd, data + done, room - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break; /* a full disk: counted as dropped, said in the list */
		done += (size_t)n;
	}
	s->written += (int64_t)done;
	s->dropped += (int64_t)(len - done);
}

/*
 * At most PIECES reads per call: a process that writes faster than this loop reads would
 * otherwise keep every other job waiting.  The descriptor stays readable, so the loop calls
 * again.
 */
bool spool_pump(struct spool *s, int from)
{
	static char piece[PIECE];

	for (int i = 0; i < PIECES; i++) {
		ssize_t len = read(from, piece, sizeof piece);

		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return errno == EAGAIN; /* EIO: the terminal's other side is closed */
		if (len == 0)
			return false;
		append_bytes(s, piece, (size_t)len);
	}
	return true;
}

void spool_done(struct spool *s)
{
	sys_close(&s->file_fd);
}
