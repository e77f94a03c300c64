// fcl_model.hpp: our models and poses as FCL's, for all files that use FCL.
#pragma once

#include "contest.hpp"

#include <fcl/fcl.h>

namespace bench
{

inline fcl::Transform3d to_fcl(const Pose &pose)
{
    fcl::Transform3d transform = fcl::Transform3d::Identity();
    for (int row = 0; row < 3; row++)
    {
        for (int column = 0; column < 3; column++)
            transform.linear()(row, column) = pose.rotation[static_cast<size_t>(3 * row + column)];
        transform.translation()[row] = pose.translation[static_cast<size_t>(row)];
    }
    return transform;
}

template <class Volume> std::shared_ptr<fcl::BVHModel<Volume>> make_fcl_model(const Model &model)
{
    std::vector<fcl::Vector3d> vertices;
    std::vector<fcl::Triangle> triangles;
    for (const Vec3 &vertex : model.vertices)
        vertices.emplace_back(vertex[0], vertex[1], vertex[2]);
    for (const Triangle &triangle : model.triangles)
        triangles.emplace_back(triangle[0], triangle[1], triangle[2]);
    auto result = std::make_shared<fcl::BVHModel<Volume>>();
    result->beginModel(static_cast<int>(triangles.size()), static_cast<int>(vertices.size()));
    result->addSubModel(vertices, triangles);
    result->endModel();
    return result;
}

} // namespace bench
