#version 450 core
// Covers the target.
void main()
{
    gl_Position = vec4(2.0 * vec2(gl_VertexID & 1, gl_VertexID >> 1) - 1.0, 0.0, 1.0);
}
