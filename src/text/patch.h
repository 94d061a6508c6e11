#ifndef TEXT_PATCH_H
#define TEXT_PATCH_H
/*
 * Patches as text, in the two forms that models write:
 *
 *	*** Begin Patch               --- a/src/a.c
 *	*** Update File: src/a.c      +++ b/src/a.c
 *	@@ int main(void)             @@ -3,3 +3,3 @@ int main(void)
 *	 	one();                 	one();
 *	-	two();                -	two();
 *	+	2();                  +	2();
 *	*** Add File: new.txt         --- /dev/null
 *	+a line                       +++ b/new.txt
 *	*** Delete File: old.txt      ...
 *	*** End Patch
 *
 * A hunk is placed where its kept and removed lines match exactly: at its line
 * number, else behind the line that its @@ names, else at the only matching
 * place.  A hunk that matches in several places, or nowhere, is an error.  The
 * functions are pure; the caller reads and writes the files.
 */
#include "base/arena.h"
#include "base/err.h"

#define PATCH_FILES_MAX 128

enum patch_kind { PATCH_UPDATE, PATCH_ADD, PATCH_DELETE };

struct patch_file {
	enum patch_kind kind;
	struct str path;  /* as written, without a/ and b/ of the unified form */
	struct str hunks; /* the hunks, unparsed */
};

struct patch {
	struct patch_file files[PATCH_FILES_MAX];
	size_t count;
};

/* Each file appears once; ERR_INVALID names the wrong line. */
enum err patch_read(struct str text, struct patch *ret, struct error *e) MUST_USE;

/* The file's new content, in mem; old is empty for an added file. */
enum err patch_apply(struct arena *mem, const struct patch_file *f, struct str old, struct str *ret,
                     struct error *e) MUST_USE;

#endif
