#version 450 core
/* The triangle's value, unchanged. */
layout(location = 0) flat in vec4 flat_value;
layout(location = 0) out vec4 color;

void main() { color = flat_value; }
