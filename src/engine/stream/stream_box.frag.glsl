#version 450 core
// An edge against an oriented box, closed and padded: the edge is brought into the box's frame and tested on the six
// axes that can separate a segment from a box there. See stream_twin.c, which computes the same to the bit. Where the
// edge enters the box is of no use to anyone: the depth says only whether it does.
layout(binding = 0) uniform sampler2D origins;
layout(binding = 1) uniform sampler2D directions;
precise flat in vec4 axis1, axis2, axis3;
precise flat in vec3 centre;

const float unit = 5.9604644775390625e-08; // 2^-24
const float tiny = 7.888609052210118e-31;  // 2^-100

float dot3(vec3 a, vec3 b)
{
    precise float sum = a.x * b.x + a.y * b.y + a.z * b.z;
    return sum;
}

float largest(vec3 a) { return max(abs(a.x), max(abs(a.y), abs(a.z))); }

void main()
{
    vec3 orig = texelFetch(origins, ivec2(gl_FragCoord.xy), 0).xyz;
    vec4 edge = texelFetch(directions, ivec2(gl_FragCoord.xy), 0);
    float len = edge.w;
    bool hit = len >= 0.0;

    precise vec3 way = orig - centre;
    precise vec3 m = vec3(dot3(axis1.xyz, way), dot3(axis2.xyz, way), dot3(axis3.xyz, way));
    precise vec3 d = vec3(dot3(axis1.xyz, edge.xyz), dot3(axis2.xyz, edge.xyz), dot3(axis3.xyz, edge.xyz));
    vec3 reach = vec3(axis1.w, axis2.w, axis3.w);
    precise float far = largest(way);

    precise vec3 end = m + len * d;
    precise float extent = largest(reach);
    precise vec3 limit = reach + unit * (8.0 + 12.0 * far + 12.0 * len + 2.0 * extent);
    hit = hit && all(lessThanEqual(min(m, end), limit)) && all(greaterThanEqual(max(m, end), -limit));

    precise vec3 across = vec3(m.y * d.z - m.z * d.y, m.z * d.x - m.x * d.z, m.x * d.y - m.y * d.x);
    precise float slack = unit * (8.0 + 48.0 * far + 24.0 * extent) + tiny;
    vec3 size = abs(d);
    precise vec3 shadow = vec3(reach.y * size.z + reach.z * size.y, reach.z * size.x + reach.x * size.z,
                               reach.x * size.y + reach.y * size.x);
    hit = hit && all(lessThanEqual(abs(across), shadow + slack));

    gl_FragDepth = hit ? 0.0 : 1.0;
}
