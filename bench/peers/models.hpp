// models.hpp: the model pairs of the bench, generated or read from the data folder.
#pragma once

#include "workload.hpp"

namespace bench
{

std::vector<std::string> model_pair_names(const std::string &data_folder, bool quick);
// Throws std::runtime_error where a file can't be read.
void load_model_pair(const std::string &name, const std::string &data_folder, Workload &workload);

} // namespace bench
