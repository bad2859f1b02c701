/* ring.c - a ring buffer for bytes.
 *
 * Copyright (c) 2026, The Shop Authors
 * All rights reserved.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include "ring.h"

#define RING_MAX 16
#define RING_AT(r, i) ((r)->data[(i) % RING_MAX])
#ifdef __cplusplus
extern "C" {
#endif

/* A ring of bytes. */
typedef struct ring {
    char *data;  /* owned */
    int head, tail;
    int (*full)(struct ring *);
} ring_t;

typedef int (*visit_fn)(ring_t *, int);
enum mode { MODE_READ = 1, MODE_WRITE };
struct forward;

static int counter = 0;
extern const char *ring_names[];
static const int LIMIT = 3;

int ring_put(ring_t *ring, char byte);
static void grow(ring_t *ring);

/* Puts one byte. Returns 0 when full. */
RING_API int ring_put(ring_t *ring, char byte) {
    return 1;
}

#if RING_FAST
static inline int fast(int a) {
#else
static inline int fast(int a, int b) {
#endif
    return a;
}

int main(int argc, char **argv) { return 0; }
#ifdef __cplusplus
}
#endif
