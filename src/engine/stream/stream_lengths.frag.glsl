#version 450 core
// The edges' lengths as depth (thesis, 3.3.3).
layout(binding = 1) uniform sampler2D directions;
uniform float depth_scale;

void main() { gl_FragDepth = max(texelFetch(directions, ivec2(gl_FragCoord.xy), 0).w, 0.0) * depth_scale; }
