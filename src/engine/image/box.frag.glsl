#version 450 core
// Marks the texel of a triangle that clipping leaves.
layout(location = 0) out uint is_left;

void main()
{
    is_left = 1u;
}
