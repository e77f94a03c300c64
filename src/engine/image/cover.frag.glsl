#version 450 core
// Draws nothing but what tests and queries count.
void main()
{
}
