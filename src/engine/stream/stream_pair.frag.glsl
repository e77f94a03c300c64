#version 450 core
// A triangle of a stream against a triangle, closed and padded: separated by no axis. See stream_twin.c, which computes
// the same to the bit.
layout(binding = 0) uniform sampler2D origins;
layout(binding = 1) uniform sampler2D directions; // second corners; 1, or -1 where there is no triangle
layout(binding = 2) uniform sampler2D thirds;
precise flat in vec3 v1, v2, e12, e13, e23, n, low, high;
precise flat in float size;

const float unit = 5.9604644775390625e-08; // 2^-24
const float tiny = 7.888609052210118e-31;  // 2^-100

precise vec3 own[3], other[3];
precise float reach;

float dot3(vec3 a, vec3 b)
{
    precise float sum = a.x * b.x + a.y * b.y + a.z * b.z;
    return sum;
}

vec3 cross3(vec3 a, vec3 b)
{
    precise vec3 product = vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
    return product;
}

float largest(vec3 a) { return max(abs(a.x), max(abs(a.y), abs(a.z))); }

bool separates(vec3 axis)
{
    precise vec3 a = vec3(dot3(axis, own[0]), dot3(axis, own[1]), dot3(axis, own[2]));
    precise vec3 b = vec3(dot3(axis, other[0]), dot3(axis, other[1]), dot3(axis, other[2]));
    precise float slack = unit * (abs(axis.x) + abs(axis.y) + abs(axis.z)) * (4.0 + 12.0 * reach) + tiny;
    precise float above = min(a.x, min(a.y, a.z)) - max(b.x, max(b.y, b.z));
    precise float below = min(b.x, min(b.y, b.z)) - max(a.x, max(a.y, a.z));
    return above > slack || below > slack;
}

bool meets()
{
    if (separates(vec3(1.0, 0.0, 0.0)) || separates(vec3(0.0, 1.0, 0.0)) || separates(vec3(0.0, 0.0, 1.0)))
        return false;
    precise vec3 a[3] = vec3[3](own[1] - own[0], own[2] - own[1], own[0] - own[2]);
    precise vec3 b[3] = vec3[3](other[1] - other[0], other[2] - other[1], other[0] - other[2]);
    if (separates(cross3(a[0], a[1])) || separates(cross3(b[0], b[1])))
        return false;
    for (int i = 0; i < 9; i++)
        if (separates(cross3(a[i / 3], b[i % 3])))
            return false;
    return true;
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec4 second = texelFetch(directions, at, 0);
    own[0] = texelFetch(origins, at, 0).xyz - v1;
    own[1] = second.xyz - v1;
    own[2] = texelFetch(thirds, at, 0).xyz - v1;
    other[0] = vec3(0.0);
    other[1] = e12;
    other[2] = e13;
    reach = max(largest(own[0]), max(largest(own[1]), largest(own[2])));
    reach = max(reach, max(largest(e12), largest(e13)));
    gl_FragDepth = second.w >= 0.0 && meets() ? 0.0 : 1.0;
}
