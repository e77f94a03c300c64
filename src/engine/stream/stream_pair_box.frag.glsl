#version 450 core
// A triangle of a stream against an oriented box, closed and padded: its corners in the box's frame. See stream_twin.c,
// which computes the same to the bit.
layout(binding = 0) uniform sampler2D origins;
layout(binding = 1) uniform sampler2D directions; // second corners; 1, or -1 where there is no triangle
layout(binding = 2) uniform sampler2D thirds;
precise flat in vec4 axis1, axis2, axis3;
precise flat in vec3 centre;

const float unit = 5.9604644775390625e-08; // 2^-24

precise vec3 way[3];
precise float far;

float dot3(vec3 a, vec3 b)
{
    precise float sum = a.x * b.x + a.y * b.y + a.z * b.z;
    return sum;
}

float largest(vec3 a) { return max(abs(a.x), max(abs(a.y), abs(a.z))); }

bool beyond(vec4 axis)
{
    precise vec3 m = vec3(dot3(axis.xyz, way[0]), dot3(axis.xyz, way[1]), dot3(axis.xyz, way[2]));
    precise float limit = axis.w + unit * (8.0 + 12.0 * far + 2.0 * axis.w);
    return min(m.x, min(m.y, m.z)) > limit || max(m.x, max(m.y, m.z)) < -limit;
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec4 second = texelFetch(directions, at, 0);
    way[0] = texelFetch(origins, at, 0).xyz - centre;
    way[1] = second.xyz - centre;
    way[2] = texelFetch(thirds, at, 0).xyz - centre;
    far = max(largest(way[0]), max(largest(way[1]), largest(way[2])));
    bool apart = beyond(axis1) || beyond(axis2) || beyond(axis3);
    gl_FragDepth = second.w >= 0.0 && !apart ? 0.0 : 1.0;
}
