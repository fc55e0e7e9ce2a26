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

// Directions of one feature or a few are sums of columns, others are scores under the direction as weights.
// Columns that are kept are computed once for each graph, and so are the rows of its rules. The sums are taken as
// for lists, so that a graph made of a list has the same slopes to the last bit, and in the same way whatever is
// kept. Scores at one point are kept as well, as many lines begin there. Several threads may ask for different
// sentences.
class EdgeSlopes {
 public:
  // most: columns that are kept; with 0 nothing is. A column takes four bytes an edge.
  EdgeSlopes(std::size_t sentences, std::size_t most);

  // Before questions about a point and directions, which are one after the other, each as long as the point.
  void begin(std::span<const double> point, std::span<const double> directions);
  std::size_t directions() const { return plans_.size(); }

  struct Point {
    std::vector<double> scores;     // of each edge
    std::vector<EdgeId> best;       // the derivation of `viterbi`, edges in pre-order
    double bound = 0;               // of sums over derivations (edge_scores.hpp)
    std::int64_t translation = -1;  // of the best derivation, for whoever has asked for it
  };
  // A graph with nodes at the point; `space` is used where it is not kept.
  Point& at_point(const Hypergraph& graph, std::size_t sentence, const GraphFeatures& features, Point& space);
  // Writes slopes of all edges along a direction; gives their bound. Throws Error if they add up to more than a
  // number can hold. `space` is used where columns are not kept.
  double write(const Hypergraph& graph, std::size_t sentence, const GraphFeatures& features, std::size_t direction,
               std::span<double> out, std::vector<double>& space);

 private:
  static constexpr std::size_t few = 3;  // features of a direction that is a sum of columns, as for lists

  struct Plan {
    std::vector<std::uint32_t> ids;  // of the features of a sum of columns
    std::vector<double> factors;
    std::vector<double> direction;
  };
  // A feature: what edges have of it themselves, and what they have by their rules. Empty where all is 0.
  struct Column {
    std::vector<float> values;  // of edges
    std::vector<float> local;   // of applications
    double bound = 0;
    bool made = false, exact = true;  // floats hold them
  };
  // Features of the rules of a graph, application by application.
  struct LocalRows {
    std::vector<std::uint32_t> offsets{0}, ids;
    std::vector<float> values;
  };
  struct Sentence {
    std::vector<Column> columns;
    LocalRows rows;
    Point point;
    std::uint64_t number = 0;  // of that point, counted from 1
    double longest = 0;        // a derivation has no more edges; 0 where that is not known
  };
  void score_point(const Hypergraph& graph, Sentence& of, const GraphFeatures& features, Point& point) const;
  const LocalRows& rows(const Hypergraph& graph, Sentence& of, const GraphFeatures& features) const;
  const Column& column(const Hypergraph& graph, Sentence& of, const GraphFeatures& features, std::uint32_t id,
                       Column& space) const;
  void fill(const Hypergraph& graph, Sentence& of, const GraphFeatures& features, std::uint32_t id,
            Column& out) const;

  std::size_t most_;
  std::vector<Sentence> sentences_;
  std::unordered_map<std::uint32_t, std::uint32_t> places_;  // of kept columns
  std::vector<double> point_;
  std::uint64_t points_ = 0;
  std::vector<Plan> plans_;
};

}  // namespace tunesmith
