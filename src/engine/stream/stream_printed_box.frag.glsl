#version 450 core
// The thesis's figure 3-9 as it stands, in the frame of the oriented box, as it has to be.
layout(binding = 0) uniform sampler2D origins;
layout(binding = 1) uniform sampler2D directions;
uniform float depth_scale;
precise flat in vec4 axis1, axis2, axis3;
precise flat in vec3 centre;

float dot3(vec3 a, vec3 b)
{
    precise float sum = a.x * b.x + a.y * b.y + a.z * b.z;
    return sum;
}

void main()
{
    vec3 orig = texelFetch(origins, ivec2(gl_FragCoord.xy), 0).xyz;
    vec4 edge = texelFetch(directions, ivec2(gl_FragCoord.xy), 0);
    precise vec3 way = orig - centre;
    precise vec3 m = vec3(dot3(axis1.xyz, way), dot3(axis2.xyz, way), dot3(axis3.xyz, way));
    precise vec3 dir = vec3(dot3(axis1.xyz, edge.xyz), dot3(axis2.xyz, edge.xyz), dot3(axis3.xyz, edge.xyz));
    vec3 boxmax = vec3(axis1.w, axis2.w, axis3.w), boxmin = -boxmax;
    bool hit = true;
    precise float tmin = dir.x >= 0.0 ? (boxmin.x - m.x) / dir.x : (boxmax.x - m.x) / dir.x;
    precise float tmax = dir.x >= 0.0 ? (boxmax.x - m.x) / dir.x : (boxmin.x - m.x) / dir.x;
    precise float tymin = dir.y >= 0.0 ? (boxmin.y - m.y) / dir.y : (boxmax.y - m.y) / dir.y;
    precise float tymax = dir.y >= 0.0 ? (boxmax.y - m.y) / dir.y : (boxmin.y - m.y) / dir.y;
    hit = tmin > tymax ? false : hit;
    hit = tmax < tymin ? false : hit;
    tmin = tymin > tmin ? tymin : tmin;
    tmax = tymax < tmax ? tymax : tmax;
    precise float tzmin = dir.z >= 0.0 ? (boxmin.z - m.z) / dir.z : (boxmax.z - m.z) / dir.z;
    precise float tzmax = dir.z >= 0.0 ? (boxmax.z - m.z) / dir.z : (boxmin.z - m.z) / dir.z;
    hit = tmin > tzmax ? false : hit;
    hit = tmax < tzmin ? false : hit;
    tmin = tzmin > tmin ? tzmin : tmin;
    tmax = tzmax < tmax ? tzmax : tmax;
    hit = tmax >= 0.0 ? hit : false;
    gl_FragDepth = hit ? clamp(tmin * depth_scale, 0.0, 1.0) : 1.0; // MaxT
}
