// tables.hpp: what the bench prints and saves.
#pragma once

#include "measure.hpp"
#include "triangles.hpp"

namespace bench
{

struct Results
{
    std::string machine;
    std::vector<Cell> cells;
    std::vector<BuildTable> builds;
    std::vector<TriangleTable> triangles;
    std::vector<std::string> contestants; // ours first
    std::vector<std::string> ours;
    size_t oracle_pairs = 0, oracle_differs = 0;
    double seconds = 0;
};

void print_question(const Results &results, const std::string &question);
void print_builds(const Results &results);
void print_goals(const Results &results); // what the project set out to reach
void print_triangles(const Results &results);
void print_disagreements(const Results &results);
bool save_json(const Results &results, const std::string &path);

} // namespace bench
