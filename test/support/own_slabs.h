/* Before a test includes volume/slabs.c for its static functions and tables: other names for what the library has, too.
 */
#ifndef TEST_OWN_SLABS_H
#define TEST_OWN_SLABS_H

#define slab_count       here_slab_count
#define slab_length      here_slab_length
#define slab_project     here_slab_project
#define slab_fit         here_slab_fit
#define slab_merge       here_slab_merge
#define slab_frame_begin here_slab_frame_begin
#define slab_move        here_slab_move
#define slab_apart       here_slab_apart
#define slab_distance    here_slab_distance
#define slab_ray         here_slab_ray
#define slab_measure     here_slab_measure

#endif
