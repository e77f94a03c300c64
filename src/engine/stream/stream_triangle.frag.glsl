#version 450 core
// An edge against a triangle, closed and padded: see stream_twin.c, which computes the same to the bit and derives the
// bounds. Where they meet is the depth; the depth test compares it with the edge's length.
layout(binding = 0) uniform sampler2D origins;
layout(binding = 1) uniform sampler2D directions;
uniform float depth_scale;
precise flat in vec3 v1, v2, e12, e13, e23, n, low, high;
precise flat in float size;

const float unit = 5.9604644775390625e-08; // 2^-24
const float tiny = 7.888609052210118e-31;  // 2^-100

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

void main()
{
    vec3 orig = texelFetch(origins, ivec2(gl_FragCoord.xy), 0).xyz;
    vec4 edge = texelFetch(directions, ivec2(gl_FragCoord.xy), 0);
    vec3 dir = edge.xyz;
    float len = edge.w;
    bool hit = len >= 0.0;

    // boxes
    precise vec3 end = orig + len * dir;
    precise float pad = unit * (4.0 + 4.0 * len);
    hit = hit && all(lessThanEqual(min(orig, end), high + pad)) && all(greaterThanEqual(max(orig, end), low - pad));

    // the two ends and the triangle's plane
    precise vec3 v1o = orig - v1, v2o = orig - v2;
    precise float reach = max(largest(v1o), largest(v2o));
    precise float before = dot3(n, v1o);
    precise float after = before + len * dot3(n, dir);
    precise float off = unit * (4.0 + 16.0 * reach + 16.0 * len);
    hit = hit && !(min(before, after) > off) && !(max(before, after) < -off);

    // the line and the three sides
    precise vec3 v1od = cross3(v1o, dir), v2od = cross3(v2o, dir);
    precise float h12 = dot3(e12, v1od), h23 = dot3(e23, v2od), h31 = -dot3(e13, v1od);
    precise float slack = unit * (8.0 * (reach + size) + 64.0 * (reach * size)) + tiny;
    hit = hit && !(max(h12, max(h23, h31)) > slack && min(h12, min(h23, h31)) < -slack);

    float t = before == after ? 0.0 : clamp(before / (before - after), 0.0, 1.0) * len;
    gl_FragDepth = hit ? t * depth_scale : 1.0;
}
