#version 450 core
// The depth of a facet's plane at the centre of the pixel, within the range of its corners; see image_stencil.h. The
// plane is that of its tile.
layout(binding = 0) uniform samplerBuffer planes;

void main()
{
    vec4 plane = texelFetch(planes, 2 * gl_PrimitiveID);
    vec4 range = texelFetch(planes, 2 * gl_PrimitiveID + 1);
    vec2 at = gl_FragCoord.xy - range.zw;
    precise float depth = plane.x * at.x + plane.y * at.y + plane.z;
    gl_FragDepth = clamp(depth, range.x, range.y);
}
