#version 450 core
// What a stream has, edges or triangles, against a triangle or an oriented box, closed and padded. See stream_twin.c,
// which computes the same to the bit and derives the bounds.
layout(binding = 0) uniform sampler2D origins;    // of edges; or first corners
layout(binding = 1) uniform sampler2D directions; // and lengths; or second corners, and 1; -1: there is none
layout(binding = 2) uniform sampler2D thirds;     // third corners
#if defined EDGE_BOX || defined TRIANGLE_BOX
precise flat in vec4 axis1, axis2, axis3;
precise flat in vec3 centre;
#else
precise flat in vec3 v1, v2, e12, e13, e23, n, low, high;
precise flat in float size;
#endif

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

#ifdef EDGE_TRIANGLE // Where they meet is the depth; the depth test compares it with the edge's length
uniform float depth_scale;

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
#endif

#ifdef EDGE_BOX
// The edge is brought into the box's frame and tested on the six axes that can separate a segment from a box there.
// Where it enters the box is of no use to anyone: the depth says only whether it does.
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
#endif

#ifdef TRIANGLE_TRIANGLE // Separated by no axis
precise vec3 own[3], other[3];
precise float reach;

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
#endif

#ifdef TRIANGLE_BOX // The triangle's corners in the box's frame
precise vec3 way[3];
precise float far;

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
#endif
