#version 450 core
/* The element of a buffer for this place. */
layout(binding = 0) uniform samplerBuffer elements;
layout(location = 0) uniform int width;
layout(location = 0) out vec4 color;

void main() { color = texelFetch(elements, int(gl_FragCoord.y) * width + int(gl_FragCoord.x)); }
