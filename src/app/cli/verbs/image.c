/*
 * Images of a prompt: reads the files of --image and writes them as input parts.
 *
 * A command holds 1 MiB.  Images that fit beside the text are part of it; a larger
 * one is uploaded first, and its part names the upload.
 */
#include "app/cli/print/out.h"
#include "app/cli/follow/turn.h"

#include "base/gen/limits.h"
#include "base/hash/base64.h"
#include "base/jw.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define PIECE_BYTES (512u << 10) /* of an upload: as base64 it fits into a command */

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
	const char *shown = out_safe(c->mem, str_from(path));
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	*ret = fd >= 0 ? paths_read_fd(c->mem, fd, IMAGE_BYTES_MAX) : STR_NONE;
	if (!str_is(*ret) && errno == EFBIG)
		out_error(c, "The image %s is too large: 20 MiB are the limit.", shown);
	else if (!str_is(*ret))
		out_error(c, "The image %s could not be read: %s.", shown, strerror(errno));
	else if (!str_is(image_kind(*ret)))
		out_error(c, "%s is no PNG, JPEG, GIF or WebP.", shown);
	if (fd >= 0)
		close(fd);
	return str_is(*ret) && str_is(image_kind(*ret)) ? CODE_DONE : CODE_USAGE;
}

int image_check(struct cli *c)
{
	size_t total = 0;
	int code = CODE_DONE;

	c->images = ARENA_ARRAY(c->mem, struct str, (size_t)c->opts.images.count + 1);
	for (size_t i = 0; i < (size_t)c->opts.images.count && !code; i++) {
		code = read_image(c, c->opts.images.items[i], &c->images[i]);
		total += c->images[i].len;
	}
	if (code || total <= IMAGE_BYTES_MAX)
		return code;
	out_error(c, "The images are too large: 20 MiB are the limit for all of a message.");
	return CODE_USAGE;
}

/* ---- parts ---- */

/* A name that is no text cannot be part of a message. */
static void write_name(struct json_writer *w, struct str path)
{
	struct str rest = path, name;

	if (!path.len || !utf8_is_valid(path))
		return;
	do
		name = str_cut(&rest, '/');
	while (str_is(rest));
	JW_KSTR(w, "name", name);
}

static void write_inline(struct json_writer *w, struct str data, struct str path)
{
	CLEANUP(buf_done) struct buf coded = { 0 };

	base64_write(&coded, data);
	jw_obj(w);
	JW_KSTR(w, "type", STR("image"));
	JW_KSTR(w, "mediaType", image_kind(data));
	JW_KSTR(w, "data", buf_str(&coded));
	write_name(w, path);
	jw_obj_end(w);
}

/* Sends the piece at this offset; the reply names the upload. */
static int send_piece(struct cli *c, struct str data, size_t offset, struct json *reply)
{
	CLEANUP(buf_done) struct buf coded = { 0 };
	struct str piece = str_head(str_skip(data, offset), PIECE_BYTES);
	struct params p;

	base64_write(&coded, piece);
	params_begin(&p);
	if (offset)
		params_str(&p, "outputRef", json_str(JSON_GET(*reply, "outputRef")));
	else
		params_str(&p, "mediaType", image_kind(data));
	params_int(&p, "offset", (int64_t)offset);
	params_str(&p, "data", buf_str(&coded));
	params_bool(&p, "last", offset + piece.len == data.len);
	return connection_try(c, "upload_output", &p, true, reply);
}

static int write_upload(struct cli *c, struct json_writer *w, struct str data, struct str path,
                        struct json *reply)
{
	int code = THOLE_OK;

	for (size_t at = 0; at < data.len && code == THOLE_OK; at += PIECE_BYTES)
		code = send_piece(c, data, at, reply);
	if (code != THOLE_OK)
		return code;
	jw_obj(w);
	JW_KSTR(w, "type", STR("image"));
	JW_KSTR(w, "mediaType", image_kind(data));
	JW_KSTR(w, "ref", json_str(JSON_GET(*reply, "outputRef")));
	JW_KINT(w, "bytes", (int64_t)data.len);
	JW_KSTR(w, "sha256", json_str(JSON_GET(*reply, "sha256")));
	write_name(w, path);
	jw_obj_end(w);
	return code;
}

int image_write(struct cli *c, struct json_writer *w, struct str data, struct str path,
                size_t *room, struct json *ret_problem)
{
	if (data.len > *room)
		return write_upload(c, w, data, path, ret_problem);
	*room -= data.len;
	write_inline(w, data, path);
	return THOLE_OK;
}

static void write_piped(struct json_writer *w, struct str text)
{
	jw_obj(w);
	JW_KSTR(w, "type", STR("file"));
	JW_KSTR(w, "name", STR("stdin"));
	JW_KSTR(w, "text", text);
	jw_obj_end(w);
}

int image_read_input(struct cli *c, struct str prompt, struct str *ret)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;
	struct json problem = { 0 };
	size_t room = IMAGE_INLINE_MAX - MIN(prompt.len + c->piped.len, IMAGE_INLINE_MAX);
	int code = THOLE_OK;

	jw_init(&w, &out);
	if (!c->opts.images.count && !str_is(c->piped)) {
		jw_str(&w, prompt);
	} else {
		jw_arr(&w);
		jw_obj(&w);
		JW_KSTR(&w, "type", STR("text"));
		JW_KSTR(&w, "text", prompt);
		jw_obj_end(&w);
		for (size_t i = 0; i < (size_t)c->opts.images.count && code == THOLE_OK; i++)
			code = image_write(c, &w, c->images[i], str_from(c->opts.images.items[i]),
			                   &room, &problem);
		if (str_is(c->piped))
			write_piped(&w, c->piped);
		jw_arr_end(&w);
	}
	*ret = arena_keep(c->mem, buf_str(&out));
	return code == THOLE_OK ? CODE_DONE : cli_failure_print(c, code, problem);
}
