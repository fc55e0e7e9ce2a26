#include "search/graphs/graph_file.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "base/error.hpp"
#include "base/files/checksum.hpp"
#include "base/narrow.hpp"

namespace tunesmith {
namespace {

static_assert(std::endian::native == std::endian::little, "graph files are little-endian");
static_assert(sizeof(Application) == 8 && std::is_trivially_copyable_v<Application>);

constexpr std::size_t arrays = 12;

struct Header {
  std::uint64_t checksum;  // of everything after it
  std::uint64_t vocabulary;
  std::array<std::uint64_t, arrays> sizes;
};

// Calls `visit(array, i)` for every array of the graph, in the order of the file.
template <class Graph, class Visit>
void for_each_array(Graph& graph, Visit visit) {
  std::size_t i = 0;
  visit(graph.node_edges, i++);
  visit(graph.tail_offsets, i++);
  visit(graph.tails, i++);
  visit(graph.symbol_offsets, i++);
  visit(graph.symbols, i++);
  visit(graph.edge_application, i++);
  visit(graph.dense_ids, i++);
  visit(graph.dense, i++);
  visit(graph.sparse_offsets, i++);
  visit(graph.sparse_ids, i++);
  visit(graph.sparse_values, i++);
  visit(graph.applications, i++);
}

std::size_t padded(std::size_t bytes) {
  return (bytes + 7) / 8 * 8;
}

}  // namespace

std::string pack(const Hypergraph& graph) {
  Header header{};
  header.vocabulary = graph.vocabulary;
  std::size_t size = sizeof(Header);
  for_each_array(graph, [&](const auto& array, std::size_t i) {
    header.sizes[i] = array.size();
    size += padded(array.size() * sizeof(array[0]));
  });
  std::string bytes(size, '\0');
  std::size_t at = sizeof(Header);
  for_each_array(graph, [&](const auto& array, std::size_t) {
    if (!array.empty()) std::memcpy(bytes.data() + at, array.data(), array.size() * sizeof(array[0]));
    at += padded(array.size() * sizeof(array[0]));
  });
  std::memcpy(bytes.data(), &header, sizeof(Header));
  header.checksum = checksum(bytes.data() + sizeof(header.checksum), size - sizeof(header.checksum));
  std::memcpy(bytes.data(), &header.checksum, sizeof(header.checksum));
  return bytes;
}

Hypergraph unpack(std::span<const char> bytes) {
  Header header;
  if (bytes.size() < sizeof(Header)) throw Error("the graph is cut off");
  std::memcpy(&header, bytes.data(), sizeof(Header));
  if (checksum(bytes.data() + sizeof(header.checksum), bytes.size() - sizeof(header.checksum)) != header.checksum)
    throw Error("the checksum of the graph is wrong; the file is damaged");
  // A right checksum says that nothing happened to the bytes, not that a graph is in them.
  Hypergraph graph;
  graph.vocabulary = narrow<std::uint32_t>(header.vocabulary, "words of a vocabulary");
  std::size_t at = sizeof(Header);
  for_each_array(graph, [&](auto& array, std::size_t i) {
    const std::size_t item = sizeof(array[0]);
    if (header.sizes[i] > (bytes.size() - at) / item) throw Error("the arrays of the graph are longer than it is");
    array.resize(header.sizes[i]);
    if (!array.empty()) std::memcpy(array.data(), bytes.data() + at, array.size() * item);
    at += padded(array.size() * item);
    if (at > bytes.size()) throw Error("the arrays of the graph are longer than it is");
  });
  if (at != bytes.size()) throw Error("the graph is followed by something else");
  validate(graph);
  return graph;
}

}  // namespace tunesmith
