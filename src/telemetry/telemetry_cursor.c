/* Reads and writes the cursor (telemetry_cursor.h). */
#include "telemetry/telemetry_cursor.h"

#include "base/jw.h"
#include "base/os/sys.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define FILE_MAX 256

bool telemetry_cursor_read(struct str path, struct telemetry_cursor *ret)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	char text[FILE_MAX];
	struct json root;
	ssize_t len;
	int fd = open(arena_keep(mem, path).ptr, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return false;
	len = read(fd, text, sizeof text);
	close(fd);
	if (len <= 0 || json_read(mem, str_of(text, (size_t)len), &root, NULL) != OK)
		return false;
	if (json_type(JSON_GET(root, "acked")) != JSON_INT ||
	    json_type(JSON_GET(root, "from")) != JSON_INT ||
	    json_int(JSON_GET(root, "from"), 0) < 0)
		return false;
	ret->acked = json_uint(JSON_GET(root, "acked"), 0);
	ret->from = json_uint(JSON_GET(root, "from"), 0);
	snprintf(ret->runtime_id, sizeof ret->runtime_id, "%.*s",
	         STR_ARG(json_str(JSON_GET(root, "runtimeId"))));
	return ret->acked >= ret->from;
}

static bool write_file(const char *path, struct str text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool is_written = fd >= 0 && sys_write_all(fd, text.ptr, text.len);

	if (fd >= 0)
		close(fd);
	return is_written;
}

bool telemetry_cursor_write(struct str path, const struct telemetry_cursor *c)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;
	const char *temporary = arena_printf(mem, "%.*s.new", STR_ARG(path)).ptr;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KINT(&w, "acked", (int64_t)c->acked);
	JW_KINT(&w, "from", (int64_t)c->from);
	JW_KSTR(&w, "runtimeId", str_from(c->runtime_id));
	jw_obj_end(&w);
	buf_add_char(&out, '\n');
	/* Not synced: an older cursor sends spans again, with the same ids. */
	return write_file(temporary, buf_str(&out)) &&
	       rename(temporary, arena_keep(mem, path).ptr) == 0;
}
