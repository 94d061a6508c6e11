/* Images of a prompt: reads the files of --image and encodes them as input parts. */
#include "app/cli/print/out.h"
#include "app/cli/follow/turn.h"

#include "base/hash/base64.h"
#include "base/jw.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* A command holds 1 MiB, which includes the text and the other members. */
#define IMAGES_MAX ((1u << 20) - (1u << 16))

struct str image_kind(struct str data)
{
	if (str_starts(data, STR("\x89PNG\r\n\x1a\n")))
		return STR("image/png");
	if (str_starts(data, STR("\xff\xd8\xff")))
		return STR("image/jpeg");
	if (str_starts(data, STR("GIF8")))
		return STR("image/gif");
	if (str_starts(data, STR("RIFF")) && str_starts(str_skip(data, 8), STR("WEBP")))
		return STR("image/webp");
	return STR_NONE;
}

/* O_NONBLOCK: a FIFO must not block the command. */
static int read_image(struct cli *c, const char *path, struct str *ret)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	*ret = fd >= 0 ? paths_read_fd(c->mem, fd, IMAGES_MAX) : STR_NONE;
	if (!str_is(*ret))
		out_error(c,
		          errno == EFBIG ? "The image %s is too large: %s."
		                         : "The image %s could not be read: %s.",
		          out_safe(c->mem, str_from(path)),
		          errno == EFBIG ? "720 KiB fit into a command" : strerror(errno));
	if (fd >= 0)
		close(fd);
	return str_is(*ret) ? CODE_DONE : CODE_USAGE;
}

/* room: bytes of base64 that all images of the command may still take. */
static int write_image(struct cli *c, struct json_writer *w, const char *path, size_t *room)
{
	struct str data, type;
	struct buf coded = { 0 };
	int code = read_image(c, path, &data);

	if (code)
		return code;
	type = image_kind(data);
	if (!str_is(type)) {
		out_error(c, "%s is no PNG, JPEG, GIF or WebP.", out_safe(c->mem, str_from(path)));
		return CODE_USAGE;
	}
	base64_write(&coded, data);
	if (coded.len > *room) {
		out_error(c,
		          "The image %s is too large: 720 KiB fit into a command, all images "
		          "together.",
		          out_safe(c->mem, str_from(path)));
		buf_done(&coded);
		return CODE_USAGE;
	}
	*room -= coded.len;
	jw_obj(w);
	JW_KSTR(w, "type", STR("image"));
	JW_KSTR(w, "mediaType", type);
	JW_KSTR(w, "data", buf_str(&coded));
	jw_obj_end(w);
	buf_done(&coded);
	return CODE_DONE;
}

int image_read_input(struct cli *c, struct str prompt, struct str *ret)
{
	struct buf out = { 0 };
	struct json_writer w;
	size_t room = IMAGES_MAX;
	int code = CODE_DONE;

	jw_init(&w, &out);
	if (!c->opts.images.count) {
		jw_str(&w, prompt);
	} else {
		jw_arr(&w);
		jw_obj(&w);
		JW_KSTR(&w, "type", STR("text"));
		JW_KSTR(&w, "text", prompt);
		jw_obj_end(&w);
		for (size_t i = 0; i < (size_t)c->opts.images.count && !code; i++)
			code = write_image(c, &w, c->opts.images.items[i], &room);
		jw_arr_end(&w);
	}
	*ret = arena_keep(c->mem, buf_str(&out));
	buf_done(&out);
	return code;
}
