/* Numbers in and out, against the C library's strtod, which rounds correctly. */
#include "support/check.h"

#include "carom/io.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void check_parse(const char *text)
{
    double ours = -1;
    char *expected_end;
    double expected = strtod(text, &expected_end);
    const char *end = io_parse_number(text, &ours);
    if (!end || end != expected_end || bits_of(ours) != bits_of(expected))
        fail_msg("'%s': %a instead of %a", text, ours, expected);
}

static void parses_special_cases(void **state)
{
    (void)state;
    static const char *const cases[] = {"0",
                                        "-0",
                                        "1.",
                                        ".5",
                                        "+3",
                                        "1e22",
                                        "1e23",
                                        "9007199254740993",
                                        "9007199254740992999999999999999999999",
                                        "9007199254740993.00000000000000000000000000000000000000001",
                                        "4.9e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "2.2250738585072011e-308",
                                        "2.2250738585072014e-308",
                                        "1.7976931348623157e308",
                                        "1.7976931348623159e308",
                                        "1e400",
                                        "1e-400",
                                        "0e99999999999",
                                        "123456789012345678901234567890e-20",
                                        "0.000000000000000000000000000000000000000000000000001",
                                        "1.00000000000000011102230246251565404236316680908203125",
                                        "1.00000000000000011102230246251565404236316680908203124",
                                        "1.00000000000000011102230246251565404236316680908203126",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "9999999999999999999e19",
                                        "9999999999999999999e-19",
                                        "1e",
                                        "1e+",
                                        "1.5.5"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_parse(cases[i]);

    double value;
    static const char *const refused[] = {"", "-", ".", "e5", "nan", "inf", "x", "-.e1", "infinity"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_null(io_parse_number(refused[i], &value));

    /* an exporter's habit: the sign before the e */
    assert_non_null(io_parse_number("3.1+e2", &value));
    assert_true(value == 310.0);
    assert_non_null(io_parse_number("3.1-e2", &value));
    assert_true(value == 0.031);
}

static void parses_random_decimals(void **state)
{
    (void)state;
    check_random random = {7};
    for (int i = 0; i < 300000; i++)
    {
        char text[256];
        size_t at = 0;
        int digits = 1 + (int)(check_next(&random) % (i % 10 == 0 ? 200 : 25));
        int point = (int)(check_next(&random) % (uint64_t)(digits + 1));
        for (int d = 0; d < digits; d++)
        {
            if (d == point)
                text[at++] = '.';
            text[at++] = (char)('0' + check_next(&random) % 10);
        }
        int range = i % 3 == 0 ? 340 : 25;
        sprintf(text + at, "e%d", (int)(check_next(&random) % (uint64_t)(2 * range)) - range);
        check_parse(text);
    }
}

/* Halfway between two neighbouring doubles, a little above and a little below. */
static void parses_halfway_points(void **state)
{
    (void)state;
    check_random random = {11};
    for (int i = 0; i < 20000; i++)
    {
        double value = ldexp((double)(check_next(&random) >> 11), (int)(check_next(&random) % 220) - 160);
        char text[1200];
        long double half = (long double)value + (long double)(nextafter(value, INFINITY) - value) / 2;
        int length = sprintf(text, "%.400Lf", half);
        check_parse(text);
        text[length - 1] = '1';
        check_parse(text);
    }
}

static void formats_and_reads_back(void **state)
{
    (void)state;
    check_random random = {13};
    for (int i = 0; i < 100000; i++)
    {
        uint64_t bits = check_next(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (i % 2)
            value = (double)(float)check_uniform(&random, -1000, 1000);
        if (!isfinite(value))
            continue;
        char text[IO_NUMBER_SIZE];
        size_t length = io_format_number(value, text);
        assert_true(length < IO_NUMBER_SIZE && strlen(text) == length);
        double back;
        const char *end = io_parse_number(text, &back);
        if (!end || *end || bits_of(back) != bits_of(value) || bits_of(strtod(text, NULL)) != bits_of(value))
            fail_msg("%a became '%s'", value, text);
    }
    char text[IO_NUMBER_SIZE];
    io_format_number(0.1, text);
    assert_string_equal(text, "0.1");
    io_format_number(-1234.5, text);
    assert_string_equal(text, "-1234.5");
    io_format_number(1e-7, text);
    assert_string_equal(text, "1e-7");
    io_format_number(100, text);
    assert_string_equal(text, "100");
    io_format_number(-0.0, text);
    assert_string_equal(text, "-0");
}

static void ignores_the_locale(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
    {
        print_message("SKIPPED: no locale with a decimal comma is installed; tried de_DE.UTF-8 and fr_FR.UTF-8\n");
        skip();
    }
    char text[IO_NUMBER_SIZE];
    double value;
    io_format_number(1.5, text);
    assert_string_equal(text, "1.5");
    assert_true(*io_parse_number("1.5", &value) == '\0' && value == 1.5);
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_special_cases),  cmocka_unit_test(parses_random_decimals),
        cmocka_unit_test(parses_halfway_points), cmocka_unit_test(formats_and_reads_back),
        cmocka_unit_test(ignores_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
