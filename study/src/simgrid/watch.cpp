// A platform of SimGrid that lists the messages of a simulation and delays those that are named.
//
// SimGrid loads it in place of a platform file, which RAILYARD_PLATFORM names. RAILYARD_MESSAGES gets a line for each
// message when it starts: time, source, destination. The last line is the time of the end. RAILYARD_DELAYS has lines of
// source, destination, number of the message between the two, and seconds by which it is late.

#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/s4u.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

using Host = simgrid::s4u::Host;
using Link = simgrid::s4u::Link;
using NetZone = simgrid::s4u::NetZone;

namespace {

std::FILE* messages;
std::map<std::pair<int, int>, long> sent;
std::map<std::tuple<int, int, long>, double> delays;

std::string setting(const char* name)
{
  const char* value = std::getenv(name);
  if (value == nullptr)
    throw std::runtime_error(std::string(name) + " is not set");
  return value;
}

// Hosts are named after their nodes: node17.
int node(const Host* host)
{
  return std::stoi(host->get_name().substr(4));
}

void read_delays()
{
  std::ifstream file(setting("RAILYARD_DELAYS"));
  int from, to;
  long number;
  double seconds;
  while (file >> from >> to >> number >> seconds)
    delays[{from, to, number}] = seconds;
}

// SimGrid multiplies the latency of a message by this.
double latency_factor(double, const Host* source, const Host* destination, const std::vector<Link*>& links,
                      const std::unordered_set<NetZone*>&)
{
  if (source == destination)
    return 1.0;
  const int from = node(source), to = node(destination);
  std::fprintf(messages, "%.17g %d %d\n", simgrid::s4u::Engine::get_clock(), from, to);
  const auto late = delays.find({from, to, sent[{from, to}]++});
  if (late == delays.end())
    return 1.0;
  double latency = 0.0;
  for (const Link* link : links)
    latency += link->get_latency();
  return 1.0 + late->second / latency;
}

void end()
{
  std::fprintf(messages, "%.17g\n", simgrid::s4u::Engine::get_clock());
  std::fclose(messages);
}

} // namespace

extern "C" void load_platform(const simgrid::s4u::Engine& engine)
{
  read_delays();
  messages = std::fopen(setting("RAILYARD_MESSAGES").c_str(), "w");
  if (messages == nullptr)
    throw std::runtime_error("the list of messages can't be written");
  engine.load_platform(setting("RAILYARD_PLATFORM"));
  engine.get_netzone_root()->get_network_model()->set_lat_factor_cb(latency_factor);
  engine.on_simulation_end_cb(end);
}
