#version 450 core
/* The texel of the same place, unchanged. */
layout(binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 color;

void main() { color = texelFetch(image, ivec2(gl_FragCoord.xy), 0); }
