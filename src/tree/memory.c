/* What a pair of trees remembers from one question to the next: where it met, what kept it apart. It only determines
 * where a search starts, never an answer. */
#include "tree/memory.h"

void tree_memory_begin(tree_memory *memory, const carom_tree *tree_a, const carom_tree *tree_b)
{
    uint64_t a = tree_a->structure, b = tree_b->structure;
    if (memory->structure_a != a || memory->structure_b != b)
        *memory = (tree_memory){.structure_a = a, .structure_b = b};
}

bool tree_memory_last(const tree_task *task, tree_pair *last)
{
    const tree_memory *memory = task->memory;
    if (!memory || !memory->has_last || memory->structure_a != task->a->tree->structure ||
        memory->structure_b != task->b->tree->structure || memory->last_a >= task->a->mesh->triangle_count ||
        memory->last_b >= task->b->mesh->triangle_count)
        return false;
    *last = (tree_pair){memory->last_a, memory->last_b};
    return true;
}

void tree_memory_remember(const tree_task *task, tree_pair last)
{
    tree_memory *memory = task->memory;
    if (!memory)
        return;
    tree_memory_begin(memory, task->a->tree, task->b->tree);
    memory->last_a = last.a, memory->last_b = last.b;
    memory->has_last = true;
}
