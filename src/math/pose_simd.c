/* The check of two poses with which every query begins, even one of a tenth of a microsecond: one lane per column of
 * the rotation. Nothing is fused, so that every instruction set finds the same defect, equal to math_rotation_defect.
 */
#include "base/simd.h"
#include "math/math.h"

static const double COLUMN[3][4] = {{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}};

/* Twelve numbers: three rows, then the translation. The fourth lane of a row is the next one's first. */
static const double *numbers(const carom_pose *pose) { return (const double *)(const void *)pose; }

/* The largest |entry| of RtR - I in each of the first three lanes; `worst` stays where it is NaN. */
static BASE_ALWAYS_INLINE d4 worst_entries(const d4 row[3], const double *r, d4 worst)
{
    for (int i = 0; i < 3; i++)
    {
        d4 dots = d4_add(d4_add(d4_mul(d4_set1(r[i]), row[0]), d4_mul(d4_set1(r[3 + i]), row[1])),
                         d4_mul(d4_set1(r[6 + i]), row[2]));
        worst = d4_max(d4_abs(d4_sub(dots, d4_loadu(COLUMN[i]))), worst);
    }
    return worst;
}

/* The determinant, as a sum of the first three lanes. */
static BASE_ALWAYS_INLINE d4 volume_terms(const d4 row[3])
{
    d4 cross = d4_sub(d4_mul(d4_yzx(row[1]), d4_zxy(row[2])), d4_mul(d4_zxy(row[1]), d4_yzx(row[2])));
    return d4_mul(row[0], cross);
}

bool BASE_ISA(math_check_pair)(const carom_pose *pose_a, const carom_pose *pose_b, double *defect)
{
    const carom_pose *poses[2] = {pose_a, pose_b};
    const d4 limit = d4_set1(MATH_COORDINATE_LIMIT);
    d4 worst = d4_set1(0.0);
    uint32_t in_range = 15;
    bool turn = true;
    for (int i = 0; i < 2; i++)
    {
        const double *r = numbers(poses[i]);
        const d4 row[3] = {d4_loadu(r), d4_loadu(r + 3), d4_loadu(r + 6)};
        worst = worst_entries(row, r, worst);
        in_range &= d4_le_bits(d4_abs(d4_loadu(r + 8)), limit); /* the last of the rotation, and the translation */
        double term[4];
        d4_storeu(term, volume_terms(row));
        turn &= term[0] + term[1] + term[2] > 0.0; /* false if one is NaN */
    }
    double lane[4];
    d4_storeu(lane, worst);
    double larger = lane[0] > lane[1] ? lane[0] : lane[1];
    *defect = larger > lane[2] ? larger : lane[2];
    return turn & (in_range == 15) & (*defect <= 1e-9);
}
