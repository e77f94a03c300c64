/* A running 64-bit hash: each word is folded in by multiply and xor-shift, finished by an avalanche. */
#include "base/base.h"

static const uint64_t MULTIPLIER = 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio, odd */

base_hash base_hash_begin(void) { return (base_hash){0x243f6a8885a308d3u}; /* digits of pi */ }

void base_hash_u64(base_hash *hash, uint64_t value)
{
    uint64_t mixed = (hash->state ^ value) * MULTIPLIER;
    hash->state = (mixed ^ (mixed >> 29)) * MULTIPLIER + 1;
}

void base_hash_double(base_hash *hash, double value)
{
    double positive_zero = value + 0.0;
    uint64_t bits;
    memcpy(&bits, &positive_zero, sizeof bits);
    base_hash_u64(hash, bits);
}

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
    uint64_t tail = 0;
    memcpy(&tail, at, size);
    if (size > 0)
        base_hash_u64(hash, tail);
}

uint64_t base_hash_end(const base_hash *hash)
{
    uint64_t h = hash->state;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
}
