#version 450 core
// A rectangle that covers the target, with an oriented box.
layout(location = 0) in vec4 row1;
layout(location = 1) in vec4 row2;
layout(location = 2) in vec4 row3;
layout(location = 3) in vec4 row4;
precise flat out vec4 axis1, axis2, axis3; // and how far the box reaches along it
precise flat out vec3 centre;

void main()
{
    gl_Position = vec4(2.0 * vec2(gl_VertexID & 1, gl_VertexID >> 1) - 1.0, 0.0, 1.0);
    axis1 = row1;
    axis2 = row2;
    axis3 = row3;
    centre = row4.xyz;
}
