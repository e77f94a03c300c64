/* Bottom-up passes over trees of every form: each node once, after all of its children, for any number of workers. The
 * truth is a mark per node. */
#include "support/check.h"
#include "tree/subtrees.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MAX_NODES = 60000
};

typedef struct node
{
    uint32_t first, count; /* children */
} node;

typedef struct pass
{
    node nodes[MAX_NODES];
    uint32_t node_count;
    _Atomic uint32_t visits[MAX_NODES];
    _Atomic uint32_t too_early; /* nodes that came before one of their children */
    _Atomic uint32_t outside;
} pass;

static uint32_t children_of(const void *nodes, uint32_t index, uint32_t *count)
{
    const node *at = (const node *)nodes + index;
    *count = at->count;
    return at->first;
}

static void visit(uint32_t first, uint32_t last, void *data)
{
    pass *p = data;
    if (last > p->node_count)
        p->outside++;
    for (uint32_t i = last; i-- > first;)
    {
        const node *at = &p->nodes[i];
        for (uint32_t k = 0; k < at->count; k++)
            if (p->visits[at->first + k] == 0)
                p->too_early++;
        p->visits[i]++;
    }
}

typedef enum tree_form
{
    BALANCED,
    CHAIN,  /* one child of a node has children */
    RANDOM, /* few or many children, in any order */
    TREE_FORMS
} tree_form;

static uint32_t child_count(check_random *random, tree_form form, uint32_t width, uint32_t room)
{
    uint32_t count = form == RANDOM ? (uint32_t)(check_next(random) % (width + 1)) : width;
    return count <= room ? count : 0;
}

/* Numbers depth first: a node's children when it is taken from the stack, then all that is below each of them. */
static void make_tree(pass *out, check_random *random, tree_form form, uint32_t width, uint32_t node_count)
{
    uint32_t stack[MAX_NODES], size = 0, next = 1;
    memset(out, 0, sizeof *out);
    uint32_t levels = 0;
    for (uint32_t all = 1, level = 1; all + level * width <= node_count; all += level)
        level *= width, levels++;
    uint32_t depth[MAX_NODES] = {0};
    for (stack[size++] = 0; size > 0;)
    {
        uint32_t index = stack[--size];
        uint32_t count = child_count(random, form, width, node_count - next);
        if (count == 0 && size == 0) /* random ones don't end soon */
            count = width <= node_count - next ? width : 0;
        if (count == 0 || (form == BALANCED && depth[index] == levels))
            continue;
        out->nodes[index] = (node){next, count};
        uint32_t turn = (uint32_t)(check_next(random) % count), grown = form == CHAIN ? 1 : count;
        for (uint32_t k = 0; k < count; k++)
            depth[next + k] = depth[index] + 1;
        for (uint32_t k = 0; k < grown; k++) /* the children's descendants follow each other in another order */
            stack[size++] = next + (k + turn) % count;
        next += count;
    }
    out->node_count = next;
}

static void check_pass(pass *p, carom_context *context, const char *what, uint32_t width)
{
    tree_subtrees parts;
    tree_subtrees_cut(p->nodes, p->node_count, children_of, &parts);
    tree_subtrees_climb(context, &parts, visit, p);
    assert_int_equal(p->outside, 0);
    if (p->too_early > 0)
        fail_msg("%s of %u nodes, %u children: %u nodes before their children", what, p->node_count, width,
                 p->too_early);
    for (uint32_t i = 0; i < p->node_count; i++)
        if (p->visits[i] != 1)
            fail_msg("%s of %u nodes, %u children: node %u %u times", what, p->node_count, width, i, p->visits[i]);
}

static void each_node_once_after_its_children(void **state)
{
    (void)state;
    static const char *const names[TREE_FORMS] = {"balanced", "chain", "random"};
    static const uint32_t sizes[] = {1, 2, 9, 255, 256, 257, 300, 1000, 5000, 20000, MAX_NODES};
    pass *p = malloc(sizeof *p);
    assert_non_null(p);
    check_random random = {.state = 3};
    for (uint32_t workers = 0; workers < 4; workers += 3)
    {
        carom_context_def def = carom_context_def_default();
        def.workers = workers;
        carom_context *context = NULL;
        assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
        for (int form = 0; form < TREE_FORMS; form++)
            for (uint32_t width = 2; width <= TREE_MAX_CHILDREN; width += 3)
                for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
                {
                    make_tree(p, &random, (tree_form)form, width, sizes[i]);
                    check_pass(p, context, names[form], width);
                }
        carom_context_destroy(context);
    }
    free(p);
}

/* Enough parts that all workers have some, whatever the form. */
static void large_trees_are_cut(void **state)
{
    (void)state;
    pass *p = malloc(sizeof *p);
    assert_non_null(p);
    check_random random = {.state = 4};
    for (uint32_t width = 2; width <= TREE_MAX_CHILDREN; width += 3)
    {
        make_tree(p, &random, BALANCED, width, MAX_NODES);
        tree_subtrees parts;
        tree_subtrees_cut(p->nodes, p->node_count, children_of, &parts);
        uint32_t largest = 0;
        for (uint32_t i = 0; i < parts.count; i++)
            largest = parts.items[i].last - parts.items[i].first > largest ? parts.items[i].last - parts.items[i].first
                                                                           : largest;
        assert_true(largest <= p->node_count / 8);
    }
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_node_once_after_its_children),
                                       cmocka_unit_test(large_trees_are_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
