#version 450 core
// The depth interval of a triangle over a whole pixel, for MAX blending: -low and high of body 0, then of body 1.
// `precise` keeps products and sums apart, as in the twin, image_draw_twin.
flat in vec4 f_tile_body_low;
flat in vec4 f_edges_0;
flat in vec4 f_edges_1;
flat in vec4 f_edges_2;
flat in vec4 f_plane_end;

layout(location = 0) out vec4 depths;

const float NOTHING = -3e38;

void main()
{
    vec2 at = floor(gl_FragCoord.xy) - f_tile_body_low.xy + 0.5;
    precise float side_0 = f_edges_0.x * at.x + f_edges_0.y * at.y + f_edges_0.z;
    precise float side_1 = f_edges_0.w * at.x + f_edges_1.x * at.y + f_edges_1.y;
    precise float side_2 = f_edges_1.z * at.x + f_edges_1.w * at.y + f_edges_2.x;
    if (!(side_0 >= 0.0 && side_1 >= 0.0 && side_2 >= 0.0))
        discard;
    precise float depth = f_edges_2.z * at.x + f_edges_2.w * at.y + f_plane_end.x;
    precise float below = f_plane_end.y - depth;
    precise float above = depth + f_plane_end.y;
    vec2 interval = vec2(min(below, -f_tile_body_low.w), min(above, f_edges_2.y));
    depths = f_tile_body_low.z > 0.5 ? vec4(NOTHING, NOTHING, interval) : vec4(interval, NOTHING, NOTHING);
}
