#version 450 core
/* Corners in clip space as they come, with a value for the whole triangle. */
layout(location = 0) in vec4 corner;
layout(location = 1) in vec4 value;
layout(location = 2) in uint number;
layout(location = 0) flat out vec4 flat_value;
layout(location = 1) flat out uint flat_number;

void main()
{
    gl_Position = corner;
    flat_value = value;
    flat_number = number;
}
