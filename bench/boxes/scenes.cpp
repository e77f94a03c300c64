// The scenes: uniform, clustered, on a floor, sizes 1:1000, half static, 99 % static, a tenth moving, teleporting, a
// city, long and thin; and sticks on a floor, for which space is halved.
#include "contest.hpp"

#include <cmath>

namespace boxes
{

const std::vector<std::string> &Scene::names()
{
    static const std::vector<std::string> all = {"uniform", "clustered", "floor",    "sizes", "half-static",
                                                 "static",  "tenth",     "teleport", "city",  "thin"};
    return all;
}

const std::vector<std::string> &Scene::more_names()
{
    static const std::vector<std::string> all = {"sticks"};
    return all;
}

double Scene::uniform()
{
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
}

double Scene::normal()
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform();
    return sum;
}

Scene::Scene(const std::string &name, uint32_t count) : name_(name), side_(1.5 * std::cbrt(count))
{
    step_.boxes.resize(count);
    step_.exact.resize(count);
    step_.is_static.resize(count);
    velocity_.resize(count);
    for (uint32_t i = 0; i < count; i++)
    {
        place(i);
        copy(i);
        for (float &speed : velocity_[i])
            speed = static_cast<float>(0.1 * (uniform() - 0.5));
        step_.is_static[i] =
            (name_ == "half-static" && i % 2) || (name_ == "static" && i % 100) || (name_ == "city" && i % 4);
        step_.changed.push_back(i);
    }
}

void Scene::place(uint32_t i)
{
    std::array<double, 3> at = {side_ * uniform(), side_ * uniform(), side_ * uniform()};
    std::array<double, 3> size = {0.5 + uniform(), 0.5 + uniform(), 0.5 + uniform()};
    if (name_ == "clustered")
        for (size_t axis = 0; axis < 3; axis++)
        {
            // As many clusters as keep their density about the same for any number of boxes.
            const uint32_t clusters = static_cast<uint32_t>(step_.boxes.size() / 250 + 1);
            const uint32_t hash = (i % clusters * 2654435761u) >> (8 * axis) & 0xff;
            at[axis] = side_ * hash / 255.0 + 2.5 * normal();
        }
    if (name_ == "floor" || name_ == "city")
    {
        const double wide = 1.5 * std::sqrt(static_cast<double>(step_.boxes.size()));
        at = {wide * uniform(), wide * uniform(), 1.5 * uniform()};
        if (name_ == "city" && i % 4)
        {
            size[2] = 1 + 9 * uniform() * uniform();
            at[2] = 0;
        }
    }
    if (name_ == "sizes")
        for (double &length : size)
            length *= 4 * std::pow(1000, -uniform());
    if (name_ == "sticks")
    {
        const double wide = 1.5 * std::sqrt(static_cast<double>(step_.boxes.size()));
        at = {wide * uniform(), wide * uniform(), 1.5 * uniform()};
        size = {0.1, 0.1, 0.1};
        size[static_cast<size_t>(2 * uniform())] = 0.07 * wide;
    }
    if (name_ == "thin")
    {
        size = {0.1, 0.1, 0.1};
        size[static_cast<size_t>(3 * uniform())] = 0.3 * side_;
    }
    for (size_t axis = 0; axis < 3; axis++)
    {
        step_.boxes[i].low[axis] = static_cast<float>(at[axis]);
        step_.boxes[i].high[axis] = static_cast<float>(at[axis]) + static_cast<float>(size[axis]);
    }
}

void Scene::copy(uint32_t i)
{
    const Box &box = step_.boxes[i];
    step_.exact[i] = {box.low[0], box.low[1], box.low[2], box.high[0], box.high[1], box.high[2]};
}

bool Scene::moves(uint32_t i) const { return !step_.is_static[i] && (name_ != "tenth" || i % 10 == 0); }

void Scene::advance()
{
    step_.changed.clear();
    for (uint32_t i = 0; i < step_.boxes.size(); i++)
    {
        if (!moves(i))
            continue;
        step_.changed.push_back(i);
        if (name_ == "teleport" && uniform() < 0.05)
        {
            const Box before = step_.boxes[i];
            place(i);
            for (size_t axis = 0; axis < 3; axis++) // elsewhere, of the same size
                step_.boxes[i].high[axis] = step_.boxes[i].low[axis] + (before.high[axis] - before.low[axis]);
            copy(i);
            continue;
        }
        for (size_t axis = 0; axis < 3; axis++)
        {
            float &speed = velocity_[i][axis];
            step_.boxes[i].low[axis] += speed;
            step_.boxes[i].high[axis] += speed;
            if (step_.boxes[i].low[axis] < 0 || step_.boxes[i].low[axis] > side_)
                speed = (step_.boxes[i].low[axis] < 0) == (speed < 0) ? -speed : speed;
        }
        copy(i);
    }
}

} // namespace boxes
