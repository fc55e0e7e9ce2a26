// How the scores of the edges of graphs change along directions of weights; columns of features are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "search/graphs/hypergraph.hpp"
#include "tuning/graphs/graph_features.hpp"

namespace tunesmith {

// Directions of one feature or a few are sums of columns, which are computed once for each graph; others, and
// those of features that are not kept, are computed when they are needed. The sums are taken as for lists, so that
// a graph made of a list has the same slopes to the last bit. Scores at one point are kept as well, as many lines
// begin there. Several threads may ask for different sentences.
class EdgeSlopes {
 public:
  // most: columns that are kept; with 0 nothing is. A column takes four bytes an edge.
  EdgeSlopes(std::size_t sentences, std::size_t most);

  // Before questions about a point and directions, which are one after the other, each as long as the point.
  void begin(std::span<const double> point, std::span<const double> directions);
  std::size_t directions() const { return plans_.size(); }

  struct Point {
    std::vector<double> scores;  // of each edge
    std::vector<EdgeId> best;    // the derivation of `viterbi`, edges in pre-order
    double bound = 0;            // of sums over derivations (edge_scores.hpp)
  };
  // A graph with nodes at the point; `space` is used where it is not kept.
  const Point& at_point(const Hypergraph& graph, std::size_t sentence, const GraphFeatures& features,
                        Point& space);
  // Writes slopes along a direction to out[0], out[stride], …; gives their bound. Throws Error if they add up to
  // more than a number can hold. `space` is used where columns are not kept.
  double write(const Hypergraph& graph, std::size_t sentence, const GraphFeatures& features, std::size_t direction,
               double* out, std::size_t stride, std::vector<double>& space);

 private:
  struct Plan {
    std::vector<std::uint32_t> columns;  // places of kept ones, none where the direction is not made of these
    std::vector<double> factors;
    std::vector<double> direction;
  };
  struct Column {
    std::vector<float> values;
    double bound = 0;
    bool exact = true;  // floats hold them
  };
  struct Sentence {
    std::vector<Column> columns;
    Point point;
    std::uint64_t number = 0;  // of that point, counted from 1
  };
  const Column& column(const Hypergraph& graph, Sentence& of, const GraphFeatures& features, std::uint32_t place,
                       std::vector<double>& space) const;

  std::size_t most_;
  std::vector<Sentence> sentences_;
  std::unordered_map<std::uint32_t, std::uint32_t> places_;  // of kept columns
  std::vector<std::uint32_t> ids_;
  std::vector<double> point_;
  std::uint64_t points_ = 0;
  std::vector<Plan> plans_;
};

}  // namespace tunesmith
