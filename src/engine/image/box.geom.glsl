#version 450 core
// Sends a point for each triangle that is not certainly apart from the box |x| <= box. Separating axes in float, with u =
// 2^-23 for the error of an operation, corners up to `size`, edges up to `longest` and the grown box up to 2 size:
//   corners were rounded, by 2^-24 size: the box is grown by more than that, and all that follows is about the floats
//   edges             u longest
//   normal            8 u longest^2 per component
//   distance, reach   42 u + 96 u, times size longest^2: less than 2^-15 of that
//   edge axes         26 u size longest: less than 2^-18 of that
// The twin is is_left in image_lombardo.c; `precise` keeps products and sums apart, as there.
layout(triangles) in;
layout(points, max_vertices = 1) out;

uniform vec3 box;

in vec3 v_corner[];

const int TEXELS = 64;

float largest_of(vec3 v)
{
    return max(abs(v.x), max(abs(v.y), abs(v.z)));
}

bool apart_by_plane(vec3 corner, vec3 s, vec3 t, vec3 grown, float error)
{
    precise float distance = 0.0;
    precise float reach = 0.0;
    for (int i = 0; i < 3; i++)
    {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        precise float normal = s[k] * t[l] - s[l] * t[k];
        distance = distance + normal * corner[i];
        reach = reach + abs(normal) * grown[i];
    }
    precise float limit = reach + error;
    return abs(distance) > limit;
}

bool apart_by_edge(vec3 on, vec3 off, vec3 s, vec3 grown, float error)
{
    bool apart = false;
    for (int axis = 0; axis < 3; axis++)
    {
        int k = (axis + 1) % 3, l = (axis + 2) % 3;
        precise float at_edge = s[k] * on[l] - s[l] * on[k];
        precise float at_corner = s[k] * off[l] - s[l] * off[k];
        precise float reach = grown[k] * abs(s[l]) + grown[l] * abs(s[k]) + error;
        apart = apart || min(at_edge, at_corner) > reach || max(at_edge, at_corner) < -reach;
    }
    return apart;
}

bool is_left(vec3 a, vec3 b, vec3 c)
{
    float size = max(1.0, max(largest_of(a), max(largest_of(b), largest_of(c))));
    precise vec3 grown = box + 2.384185791015625e-7 * size; // 2^-22
    if (any(greaterThan(min(a, min(b, c)), grown)) || any(lessThan(max(a, max(b, c)), -grown)))
        return false;
    if (size > 1e9)
        return true;
    precise vec3 ab = b - a;
    precise vec3 bc = c - b;
    precise vec3 ca = a - c;
    float longest = max(largest_of(ab), max(largest_of(bc), largest_of(ca)));
    precise float plane_error = 3.0517578125e-5 * size * longest * longest; // 2^-15
    precise float edge_error = 3.814697265625e-6 * size * longest;          // 2^-18
    return !(apart_by_plane(a, ab, ca, grown, plane_error) || apart_by_edge(a, c, ab, grown, edge_error) ||
             apart_by_edge(b, a, bc, grown, edge_error) || apart_by_edge(c, b, ca, grown, edge_error));
}

void main()
{
    if (!is_left(v_corner[0], v_corner[1], v_corner[2]))
        return;
    vec2 texel = vec2(gl_PrimitiveIDIn % TEXELS, gl_PrimitiveIDIn / TEXELS % TEXELS) + 0.5;
    gl_Position = vec4(2.0 * texel / float(TEXELS) - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
    EmitVertex();
    EndPrimitive();
}
