#version 450 core
// Corners of triangles as a box sees them; see image_lombardo.c.
layout(binding = 0) uniform samplerBuffer corners;

out vec3 v_corner;

void main()
{
    v_corner = texelFetch(corners, gl_VertexID).xyz;
}
