#version 450 core
// A rectangle that covers the target. The part of the edge-triangle test that does not depend on the edge, as in the
// thesis's 3.4.2: sides of the triangle; and its box, and the longest of the sides' coordinates.
layout(location = 0) in vec4 corner1;
layout(location = 1) in vec4 corner2;
layout(location = 2) in vec4 corner3;
layout(location = 3) in vec4 normal;
precise flat out vec3 v1, v2, e12, e13, e23, n, low, high;
precise flat out float size;

void main()
{
    gl_Position = vec4(2.0 * vec2(gl_VertexID & 1, gl_VertexID >> 1) - 1.0, 0.0, 1.0);
    v1 = corner1.xyz;
    v2 = corner2.xyz;
    n = normal.xyz;
    e12 = corner2.xyz - corner1.xyz;
    e13 = corner3.xyz - corner1.xyz;
    e23 = corner3.xyz - corner2.xyz;
    low = min(corner1.xyz, min(corner2.xyz, corner3.xyz));
    high = max(corner1.xyz, max(corner2.xyz, corner3.xyz));
    vec3 longest = max(abs(e12), max(abs(e13), abs(e23)));
    size = max(longest.x, max(longest.y, longest.z));
}
