#version 450 core
/* The triangle's number, unchanged. */
layout(location = 1) flat in uint flat_number;
layout(location = 0) out uvec4 color;

void main() { color = uvec4(flat_number); }
