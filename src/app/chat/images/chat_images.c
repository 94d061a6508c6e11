/*
 * Images of a message.  An image is read when it is attached, because a
 * screenshot that was dropped on the terminal may be gone when the message is
 * sent; the input holds a label for it, "[image 1: pic.png 640×480, 12 KB]".
 *
 * Labels are numbered over the whole chat and images stay for a while, so a
 * message that comes back for editing still has its images.
 */
#include "app/chat/chat.h"

#include "app/chat/images/chat_image.h"
#include "base/hash/base64.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PASTE_MAX 8192 /* a longer paste is a text */

void chat_images_done(struct chat *ch)
{
	for (size_t i = 0; i < CHAT_IMAGES_MAX; i++)
		buf_done(&ch->images.items[i].data);
}

/* ---- reading ---- */

static const char *full_path(struct chat *ch, struct str path)
{
	const char *home = getenv("HOME");

	if (str_starts(path, STR("~/")) && home)
		return arena_printf(ch->mem, "%s/%.*s", home, STR_ARG(str_skip(path, 2))).ptr;
	if (str_starts(path, STR("/")))
		return arena_keep(ch->mem, path).ptr;
	/* Over ssh a relative name is a file of the other machine, which is not read here. */
	return ch->c->is_remote ? "" : arena_printf(ch->mem, "%s/%.*s", ch->cwd, STR_ARG(path)).ptr;
}

/* NULL: it was read; else why not. */
static const char *read_image(struct chat *ch, const char *path, struct str *ret)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat st;
	const char *why = NULL;

	if (fd < 0)
		return strerror(errno);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		why = "it is no ordinary file";
	else if (st.st_size > (off_t)IMAGE_BYTES_MAX)
		why = "20 MiB fit into a message; make it smaller first";
	else
		*ret = paths_read_fd(ch->mem, fd, IMAGE_BYTES_MAX);
	close(fd);
	if (!why && !str_is(*ret))
		why = strerror(errno);
	if (!why && !str_is(image_kind(*ret)))
		why = "it is no PNG, JPEG, GIF or WebP";
	return why;
}

static struct str last_part(struct str path)
{
	ptrdiff_t slash;

	while ((slash = str_find_char(path, '/')) >= 0)
		path = str_skip(path, (size_t)slash + 1);
	return path;
}

static void write_label(struct chat *ch, struct chat_image *im, struct str name)
{
	unsigned width, height;
	const char *size = "";

	if (chat_image_size(buf_str(&im->data), &width, &height))
		size = arena_printf(ch->mem, " %u×%u", width, height).ptr;
	snprintf(im->label, sizeof im->label, "[image %u: %s%s, %zu KB]", ++ch->images.last,
	         out_safe_cut(ch->mem, name, 40), size, (im->data.len + 1023) / 1024);
}

/* ---- attaching ---- */

static bool can_see(const struct chat *ch)
{
	return !ch->images.is_known || ch->images.has_vision;
}

static void warn(struct chat *ch)
{
	if (!can_see(ch))
		chat_paint_notice(ch, "  %s cannot see images; /model lists others",
		                  *ch->view.model ? ch->view.model : "the model");
}

static bool is_word(const char *path)
{
	return !path[strcspn(path, " \t\n")];
}

/* Is there a place for one more beside those that this text names?  If not, it tells the user. */
static bool has_place(struct chat *ch, struct str text)
{
	const char *label = ch->images.items[ch->images.last % CHAT_IMAGES_MAX].label;
	bool is_free = !*label || str_find(text, str_from(label)) < 0;

	if (!is_free)
		chat_paint_notice(ch, "  A message takes %d images; the next was not attached.",
		                  CHAT_IMAGES_MAX);
	return is_free;
}

/* The label of an image that was read.  full: where it is, NULL if it is no file. */
static const char *keep_image(struct chat *ch, struct str name, const char *full, struct str data)
{
	struct chat_image *im = &ch->images.items[ch->images.last % CHAT_IMAGES_MAX];

	buf_clear(&im->data);
	buf_add_str(&im->data, data);
	name = last_part(name);
	write_label(ch, im, name);
	snprintf(im->name, sizeof im->name, "%.*s", full ? (int)name.len : 0, name.ptr);
	*im->path = 0;
	if (full && is_word(full) && strlen(full) < sizeof im->path)
		snprintf(im->path, sizeof im->path, "%s", full);
	chat_edit_keep_label(&ch->edit, str_from(im->label));
	warn(ch);
	return im->label;
}

/* NULL: it cannot be attached, and the user knows why. */
static const char *attach(struct chat *ch, struct str path)
{
	const char *full = full_path(ch, path), *why;
	struct str data = STR_NONE;

	why = read_image(ch, full, &data);
	if (!why)
		return keep_image(ch, path, full, data);
	chat_paint_notice(ch, "  The image %s was not attached: %s.",
	                  out_safe_cut(ch->mem, path, 80), why);
	return NULL;
}

static void insert(struct chat *ch, const char *label)
{
	chat_edit_replace(&ch->edit, ch->edit.cursor, ch->edit.cursor,
	                  arena_printf(ch->mem, "%s ", label));
}

void chat_images_clipboard(struct chat *ch)
{
	struct str data;
	const char *why = chat_clipboard_read(ch->mem, IMAGE_BYTES_MAX, &data);

	if (!why && !str_is(image_kind(data)))
		why = "the clipboard holds no image";
	if (why)
		chat_paint_notice(ch, "  No image was pasted: %s.", why);
	else if (has_place(ch, buf_str(&ch->edit.text)))
		insert(ch, keep_image(ch, STR("clipboard"), NULL, data));
}

bool chat_images_paste(struct chat *ch, struct str pasted)
{
	struct str paths[CHAT_IMAGE_PATHS];
	size_t count;

	if (pasted.len > PASTE_MAX)
		return false;
	count = chat_image_paths(ch->mem, pasted, paths);
	for (size_t i = 0; i < count; i++)
		if (access(full_path(ch, paths[i]), F_OK) != 0)
			return false; /* a text that only looks like names */
	for (size_t i = 0; i < count; i++) {
		const char *label =
			has_place(ch, buf_str(&ch->edit.text)) ? attach(ch, paths[i]) : NULL;

		if (label)
			insert(ch, label);
	}
	return count > 0;
}

/* The word that ends at the blank before the cursor: "@pic.png " becomes a label. */
void chat_images_typed(struct chat *ch)
{
	struct chat_edit *e = &ch->edit;
	size_t end = e->cursor, from;
	struct str word;
	const char *label;

	if (!end || (e->text.ptr[end - 1] != ' ' && e->text.ptr[end - 1] != '\n'))
		return;
	from = --end;
	while (from && e->text.ptr[from - 1] != ' ' && e->text.ptr[from - 1] != '\n')
		from--;
	word = chat_edit_part(e, from, end);
	if (!str_starts(word, STR("@")) || !chat_image_is_name(word) ||
	    access(full_path(ch, str_skip(word, 1)), F_OK) != 0 ||
	    !has_place(ch, buf_str(&e->text)))
		return;
	label = attach(ch, str_skip(word, 1));
	if (label)
		chat_edit_replace(e, from, e->cursor, arena_printf(ch->mem, "%s ", label));
}

/* The image whose label the text begins with; NULL: none. */
static const struct chat_image *image_at(const struct chat *ch, struct str text)
{
	for (size_t i = 0; i < CHAT_IMAGES_MAX && str_starts(text, STR("[")); i++)
		if (*ch->images.items[i].label &&
		    str_starts(text, str_from(ch->images.items[i].label)))
			return &ch->images.items[i];
	return NULL;
}

/* A word, or a whole label with the names in it. */
static size_t word_len(const struct chat *ch, struct str text)
{
	const struct chat_image *im = image_at(ch, text);
	size_t len = 0;

	while (!im && len < text.len && text.ptr[len] != ' ' && text.ptr[len] != '\n')
		len++;
	return im ? strlen(im->label) : len;
}

/*
 * Names with @ that no blank has followed; the message is about to be sent.  A word without @ stays
 * a word: a message may speak about a picture.
 */
struct str chat_images_find(struct chat *ch, struct str text)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	while (text.len) {
		size_t len = word_len(ch, text);
		struct str word = str_head(text, len);
		struct str path = str_starts(word, STR("@")) ? str_skip(word, 1) : STR("");
		const char *label = NULL;

		if (chat_image_is_name(path) && access(full_path(ch, path), F_OK) == 0 &&
		    has_place(ch, buf_str(&out)) && has_place(ch, text))
			label = attach(ch, path);
		buf_add_str(&out, label ? str_from(label) : word);
		if (len < text.len)
			buf_add_char(&out, text.ptr[len++]);
		text = str_skip(text, len);
	}
	return arena_keep(ch->mem, buf_str(&out));
}

struct str chat_images_named(struct chat *ch, struct str text)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	while (text.len) {
		const struct chat_image *at = image_at(ch, text);
		const struct chat_image *found = at && *at->path ? at : NULL;
		size_t len = found ? strlen(found->label) : 1;

		buf_add_c(&out, found ? "@" : "");
		buf_add_str(&out, found ? str_from(found->path) : str_head(text, 1));
		text = str_skip(text, len);
	}
	return arena_keep(ch->mem, buf_str(&out));
}

/* ---- sending ---- */

static bool is_named(const struct chat_image *im, struct str text)
{
	return *im->label && im->data.len && str_find(text, str_from(im->label)) >= 0;
}

bool chat_images_fit(struct chat *ch, struct str text)
{
	size_t total = 0, count = 0;

	for (size_t i = 0; i < CHAT_IMAGES_MAX; i++)
		if (is_named(&ch->images.items[i], text)) {
			total += ch->images.items[i].data.len;
			count++;
		}
	if (count && !can_see(ch))
		chat_view_note(&ch->view, TONE_BAD,
		               "  Not sent: %s cannot see images. /model NAME chooses another; or "
		               "delete the image.",
		               *ch->view.model ? ch->view.model : "the model");
	else if (total > IMAGE_BYTES_MAX)
		chat_view_note(&ch->view, TONE_BAD,
		               "  Not sent: the images have %zu KB together, and 20 MB fit into a "
		               "message.",
		               total / 1024);
	else
		return true;
	return false;
}

bool chat_images_write(struct chat *ch, struct str text, struct json_writer *w)
{
	size_t room = IMAGE_INLINE_MAX - MIN(text.len + ch->outputs.len, IMAGE_INLINE_MAX);
	struct json problem = { 0 };
	int code = THOLE_OK;

	for (size_t i = 0; i < CHAT_IMAGES_MAX && code == THOLE_OK; i++)
		if (is_named(&ch->images.items[i], text))
			code = image_write(ch->c, w, buf_str(&ch->images.items[i].data),
			                   str_from(ch->images.items[i].name), &room, &problem);
	if (code == THOLE_OK)
		return true;
	chat_view_note(&ch->view, TONE_BAD, "  Not sent: an image could not be uploaded: %s",
	               str_is(json_str(JSON_GET(problem, "detail")))
	                       ? out_safe_cut(ch->mem, json_str(JSON_GET(problem, "detail")), 200)
	                       : "the runtime does not answer.");
	return false;
}

/* ---- models ---- */

static bool row_sees(struct json row)
{
	struct json_iter it = json_iter(JSON_GET(row, "capabilities"));
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (str_eq(json_str(v), STR("vision")))
			return true;
	return false;
}

static bool names_image(const struct chat *ch, struct str text)
{
	for (size_t i = 0; i < CHAT_IMAGES_MAX; i++)
		if (is_named(&ch->images.items[i], text))
			return true;
	return false;
}

/* Of the model that was chosen; without a choice the runtime takes one that sees. */
void chat_images_models(struct chat *ch, struct json models)
{
	struct json_iter it = json_iter(models);
	struct json row;
	struct str key;

	ch->images.is_known = ch->images.has_vision = false;
	while (json_next(&it, &key, &row)) {
		struct str model = json_str(JSON_GET(row, "model"));
		struct str whole =
			arena_printf(ch->mem, "%.*s/%.*s",
		                     STR_ARG(json_str(JSON_GET(row, "provider"))), STR_ARG(model));

		if (str_is(ch->pick) && !str_eq(ch->pick, model) && !str_eq(ch->pick, whole))
			continue;
		ch->images.is_known = true;
		ch->images.has_vision = ch->images.has_vision || row_sees(row);
	}
	/* An image may have been attached before this answer came. */
	if (names_image(ch, buf_str(&ch->edit.text)))
		warn(ch);
}
