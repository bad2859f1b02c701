/* A bump allocator for short-lived objects. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_ALIGN 16
#define ARENA_BLOCK (64 * 1024)

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    unsigned char data[];
};

struct arena {
    struct arena_block *head;
    size_t total;
    int poisoned;
};

static struct arena_block *block_new(size_t size) {
    struct arena_block *block = malloc(sizeof *block + size);
    if (!block) return NULL;
    block->next = NULL;
    block->used = 0;
    block->size = size;
    return block;
}

void *arena_alloc(struct arena *arena, size_t size) {
    size = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    if (arena->poisoned) return NULL;
    if (!arena->head || arena->head->size - arena->head->used < size) {
        struct arena_block *block = block_new(size > ARENA_BLOCK ? size : ARENA_BLOCK);
        if (!block) {
            arena->poisoned = 1;
            return NULL;
        }
        block->next = arena->head;
        arena->head = block;
    }
    void *result = arena->head->data + arena->head->used;
    arena->head->used += size;
    arena->total += size;
    return result;
}

void arena_reset(struct arena *arena) {
    while (arena->head && arena->head->next) {
        struct arena_block *next = arena->head->next;
        free(arena->head);
        arena->head = next;
    }
    if (arena->head) arena->head->used = 0;
    arena->total = 0;
    arena->poisoned = 0;
}

char *arena_strdup(struct arena *arena, const char *text) {
    size_t length = strlen(text) + 1;
    char *copy = arena_alloc(arena, length);
    return copy ? memcpy(copy, text, length) : NULL;
}
