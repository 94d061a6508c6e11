/* Writes, reads and checks the proofs of a pack. */
#include "proof/proof_pack.h"

#include "base/jw.h"

static struct str hex_of(struct arena *mem, const struct sha256 *h)
{
	return sha256_hex(mem, h);
}

static void write_proof(struct json_writer *w, struct arena *mem, struct str key,
                        const struct merkle_proof *p)
{
	jw_key(w, key);
	jw_arr(w);
	for (size_t i = 0; i < p->count; i++)
		jw_str(w, hex_of(mem, &p->hashes[i]));
	jw_arr_end(w);
}

void proof_pack_write(struct buf *out, const struct proof_pack *p)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "checkpoint", p->note);
	JW_KSTR(&w, "leaf", p->leaf);
	JW_KINT(&w, "leafIndex", (int64_t)p->index);
	write_proof(&w, mem, STR("inclusion"), &p->inclusion);
	JW_KINT(&w, "previousSize", (int64_t)p->previous_size);
	JW_KSTR(&w, "previousRoot", hex_of(mem, &p->previous_root));
	write_proof(&w, mem, STR("consistency"), &p->consistency);
	jw_obj_end(&w);
	buf_add_char(out, '\n');
}

static bool read_proof(struct json list, struct merkle_proof *ret)
{
	struct json_iter it = json_iter(list);
	struct json one;
	struct str key;

	ret->count = 0;
	if (json_type(list) != JSON_ARR || json_count(list) > MERKLE_PROOF_MAX)
		return false;
	while (json_next(&it, &key, &one))
		if (!str_is(json_str(one)) ||
		    !sha256_read_hex(json_str(one), &ret->hashes[ret->count++]))
			return false;
	return true;
}

static bool read_count(struct json v, uint64_t *ret)
{
	int64_t n = json_type(v) == JSON_INT ? json_int(v, -1) : -1;

	*ret = (uint64_t)n;
	return n >= 0;
}

enum err proof_pack_read(struct arena *mem, struct str text, struct proof_pack *ret,
                         struct error *e)
{
	CLEANUP(buf_done) struct buf again = { 0 };
	struct json doc, root;

	if (json_read(mem, text, &doc, NULL) != OK)
		return fail(e, ERR_INVALID, "not JSON");
	root = JSON_GET(doc, "previousRoot");
	ret->note = json_str(JSON_GET(doc, "checkpoint"));
	ret->leaf = json_str(JSON_GET(doc, "leaf"));
	if (!str_is(ret->note) || !str_is(ret->leaf) ||
	    !read_count(JSON_GET(doc, "leafIndex"), &ret->index) ||
	    !read_count(JSON_GET(doc, "previousSize"), &ret->previous_size) ||
	    !str_is(json_str(root)) || !sha256_read_hex(json_str(root), &ret->previous_root) ||
	    !read_proof(JSON_GET(doc, "inclusion"), &ret->inclusion) ||
	    !read_proof(JSON_GET(doc, "consistency"), &ret->consistency))
		return fail(e, ERR_INVALID, "it is not a checkpoint with its proofs");
	proof_pack_write(&again, ret);
	return str_eq(buf_str(&again), text)
	               ? OK
	               : fail(e, ERR_INVALID, "it is not written as a pack's checkpoint is");
}

const char *proof_pack_fault(const struct proof_pack *p, const struct proof_checkpoint *c)
{
	struct sha256 leaf = merkle_leaf(p->leaf);

	if (!merkle_check_leaf(&leaf, p->index, c->size, &c->root, &p->inclusion))
		return "the leaf is not in the tree of the checkpoint";
	if (!merkle_check_growth(p->previous_size, &p->previous_root, c->size, &c->root,
	                         &p->consistency))
		return "the tree of the checkpoint does not continue the one before";
	return NULL;
}
