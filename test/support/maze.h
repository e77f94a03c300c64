/* Outlines of mazes: simple polygons with as many corners as wanted, most of them next to far parts of the outline. */
#ifndef TEST_MAZE_H
#define TEST_MAZE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct maze
{
    int width, height; /* cells; at least two in all */
    double
        thickness;  /* half of that of a passage: below 0.5 walls are between them, at 0.5 the outline touches itself */
    bool collinear; /* corners where a passage goes straight on, too */
    uint64_t (*choose)(void *user); /* any number */
    void *user;
} maze;

/* East, north, west, south. */
static const int maze_step[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};

/* The cell next to one; -1 outside. */
static inline int maze_neighbour(const maze *m, int cell, int way)
{
    int x = cell % m->width + maze_step[way][0], y = cell / m->width + maze_step[way][1];
    return x < 0 || x >= m->width || y < 0 || y >= m->height ? -1 : y * m->width + x;
}

/* A tree that reaches all cells: the ways that are open from each, as bits. */
static inline void maze_carve(const maze *m, uint8_t *open)
{
    int count = m->width * m->height, depth = 0, *path = malloc(sizeof *path * (size_t)count);
    for (path[depth++] = 0; depth > 0;)
    {
        int cell = path[depth - 1], way = -1, turn = (int)(m->choose(m->user) % 4);
        for (int i = 0; i < 4 && way < 0; i++)
        {
            int next = maze_neighbour(m, cell, (turn + i) % 4);
            if (next >= 0 && open[next] == 0 && next != 0)
                way = (turn + i) % 4;
        }
        if (way < 0)
        {
            depth--;
            continue;
        }
        int next = maze_neighbour(m, cell, way);
        open[cell] |= (uint8_t)(1 << way);
        open[next] |= (uint8_t)(1 << (way + 2) % 4);
        path[depth++] = next;
    }
    free(path);
}

typedef struct maze_corners
{
    double (*items)[2];
    size_t count, capacity;
} maze_corners;

/* The corner of a cell to one way and to the other; -1: only to the first. */
static inline void maze_put(const maze *m, maze_corners *corners, int cell, const int ways[2])
{
    double place[2] = {cell % m->width, cell / m->width};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2 && ways[k] >= 0; i++)
            place[i] += m->thickness * maze_step[ways[k]][i];
    if (corners->count < corners->capacity)
        corners->items[corners->count][0] = place[0], corners->items[corners->count][1] = place[1];
    corners->count++;
}

/* Round all passages counterclockwise, always along the wall to the right. At most four corners per cell; counts those
 * that there was no room for, too. */
static inline void maze_outline(const maze *m, maze_corners *corners)
{
    uint8_t *open = calloc((size_t)m->width * (size_t)m->height, 1);
    maze_carve(m, open);
    int first = open[0] & 1 ? 0 : 1, heading = first, cell = 0;
    do
    {
        cell = maze_neighbour(m, cell, heading);
        int right = (heading + 3) % 4;
        if (open[cell] & 1 << right)
        {
            maze_put(m, corners, cell, (const int[2]){right, (heading + 2) % 4});
            heading = right;
            continue;
        }
        if (m->collinear && open[cell] & 1 << heading)
            maze_put(m, corners, cell, (const int[2]){right, -1});
        for (; !(open[cell] & 1 << heading); heading = (heading + 1) % 4)
            maze_put(m, corners, cell, (const int[2]){(heading + 3) % 4, heading});
    } while (cell != 0 || heading != first);
    free(open);
}

#endif
