/* Hashing of whole blocks; single words are folded in base.h. */
#include "base/base.h"

void base_hash_bytes(base_hash *hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    base_hash_u64(hash, size);
    for (; size >= 8; at += 8, size -= 8)
    {
        uint64_t word;
        memcpy(&word, at, 8);
        base_hash_u64(hash, word);
    }
    if (size == 0) /* nothing at all may come as a null pointer */
        return;
    uint64_t tail = 0;
    memcpy(&tail, at, size);
    base_hash_u64(hash, tail);
}
