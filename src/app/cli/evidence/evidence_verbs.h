#ifndef APP_EVIDENCE_VERBS_H
#define APP_EVIDENCE_VERBS_H
/* Shared by the verbs about evidence packs. */
#include "app/cli/ref.h"

/* What export makes a pack for: the pack, or what is in it. */
bool export_evidence_is_kind(const char *word);
/* export evidence|replay|review: of what `ref` names, narrowed by the options. */
int export_evidence(struct cli *c, const struct ref *ref);
/* The archive of a pack in a new file, for a verb that unpacks it; the caller removes it. */
int export_evidence_to(struct cli *c, const struct ref *ref, const char *file, struct json *ret);

/* replay --decisions */
int decide_again(struct cli *c);
int decide_again_pack(struct cli *c, const char *path);
/* Is the log of the session whole?  What was folded or decided from another one proves nothing. */
int decide_again_check_log(struct cli *c, struct str session);

/* verify --checkpoint */
int verify_checkpoint(struct cli *c);
struct str verify_checkpoint_text(struct cli *c, const char *path);

/* Does the call need nothing but a pack: neither data directory nor daemon? */
bool verify_pack_is_all(const struct cli *c);
/* Is it the path of a pack rather than an id?  A word that names a file here is the file. */
bool verify_pack_is_path(const char *word);
/* Refuses a word that may be both. */
int verify_pack_check_word(struct cli *c, const char *word);
/* Without a daemon.  Returns 0, 1 or 2. */
int verify_pack(struct cli *c, const char *path);
/* Reads a pack with a function of thole.h and prints its report, as text or as JSON. */
typedef int verify_pack_reader(const char *path, char **ret_report, struct thole_error *err);
int verify_pack_report(struct cli *c, const char *path, verify_pack_reader *read,
                       void (*print)(struct cli *c, struct json report));
/* Prints the findings of a report. */
void verify_pack_findings(struct cli *c, struct json report);

#endif
