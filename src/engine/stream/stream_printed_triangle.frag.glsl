#version 450 core
// The thesis's figure 3-8 as it stands: determinants below 1e-6 do not count, intervals are half open, and t may be
// negative.
layout(binding = 0) uniform sampler2D origins;
layout(binding = 1) uniform sampler2D directions;
uniform float depth_scale;
precise flat in vec3 v1, v2, e12, e13, e23, n, low, high;
precise flat in float size;

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

void main()
{
    vec3 orig = texelFetch(origins, ivec2(gl_FragCoord.xy), 0).xyz;
    vec3 dir = texelFetch(directions, ivec2(gl_FragCoord.xy), 0).xyz;
    precise vec3 v1o = orig - v1;
    precise vec3 v1od = cross3(v1o, dir), e12d = cross3(e12, dir);
    precise float det = dot3(e13, e12d);
    bool hit = det < -0.000001 || det >= 0.000001;
    precise float u = dot3(e13, v1od) / det, v = -dot3(e12, v1od) / det;
    precise float w = u + v;
    hit = hit && u >= 0.0 && u < 1.0 && v >= 0.0 && w < 1.0;
    precise float t = -dot3(n, v1o) / dot3(n, dir);
    gl_FragDepth = hit ? clamp(t * depth_scale, 0.0, 1.0) : 1.0; // MaxT
}
