#version 450 core
// The depth of a facet's plane at the centre of the pixel, within the range of its corners; see image_stencil.h.
layout(binding = 0) uniform samplerBuffer planes;

void main()
{
    vec4 plane = texelFetch(planes, 2 * gl_PrimitiveID);
    vec4 range = texelFetch(planes, 2 * gl_PrimitiveID + 1);
    precise float depth = plane.x * gl_FragCoord.x + plane.y * gl_FragCoord.y + plane.z;
    gl_FragDepth = clamp(depth, range.x, range.y);
}
