// SPDX-License-Identifier: BSD-3-Clause
// A study's parameters, listed once: plans, the command line, records, tables, dry runs and errors all come
// from the list.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace parity::harness {

/// A parameter's value: whole numbers, numbers, words.
using Value = std::variant<std::int64_t, double, std::string>;
std::string to_string(const Value& value);

/// A problem as records hold it: every parameter by its name.
using Values = std::map<std::string, Value>;

/// What the list says of one parameter.
struct Parameter {
  std::string name;  ///< in plans and records; its option is --name, with '-' for '_'
  std::string help;
  std::string unit = {};
  double least = 0, most = 9.0e18;         ///< of numbers
  std::vector<std::string> words = {};     ///< a word must be one of these, if there are any
  std::vector<std::string> meanings = {};  ///< of the words, where they need more than the help
  std::vector<std::int64_t> allowed = {};  ///< a whole number must be one of these, if there are any
  std::string option = {};                 ///< another name of the option, where users think of it so
  /// What the study's command measures where nothing is given; empty: the standard value.
  std::vector<std::string> command_standard = {};
  bool unsaid = false;       ///< at its standard value no record names it, as none did before it was there
  bool above_least = false;  ///< whether 'least' itself is out of range
  std::string range_words = {};  ///< the range in words, where its reason belongs into messages
  Value standard = {};           ///< filled in from the study's Problem

  /// "nx" -> "--nx".
  std::string option_name() const;
  /// Reads a word from the command line. Throws runtime::UsageError naming 'where' and what it takes.
  Value parse(const std::string& where, const std::string& word) const;
  /// Throws runtime::UsageError naming 'where' when the value is of another type or out of range.
  Value checked(const std::string& where, const Value& value) const;
  /// "1 to 1073741824", for messages.
  std::string range() const;
};

/// A parameter whose value is one of these words.
inline Parameter word_parameter(const char* name, const std::string& help, std::vector<std::string> words) {
  Parameter p{name, help};
  p.words = std::move(words);
  return p;
}
/// Records omit this parameter at its standard value.
inline Parameter unsaid(Parameter p) {
  p.unsaid = true;
  return p;
}

/// Several parameters that a plan gives as one axis of lists, as in size = [[nx, ny, nz], ...].
struct JointAxis {
  std::string name;
  std::vector<std::string> parts;
};

/// Parameters bound to the members of a study's Problem.
template <class P>
class ParametersOf {
 public:
  /// A whole number, a number, or (with words) an enumeration whose values follow the words in order, or a
  /// word itself.
  template <class M>
  ParametersOf& add(M P::*member, Parameter parameter) {
    const std::vector<std::string> words = parameter.words;
    Bound bound;
    if constexpr (std::is_enum_v<M>) {
      bound.get = [member, words](const P& p) { return Value(words.at(std::size_t(p.*member))); };
      bound.set = [member, words](P& p, const Value& v) {
        for (std::size_t w = 0; w < words.size(); ++w)
          if (words[w] == std::get<std::string>(v)) p.*member = M(w);
      };
    } else {
      using Stored = std::conditional_t<std::is_integral_v<M>, std::int64_t,
                                        std::conditional_t<std::is_floating_point_v<M>, double, std::string>>;
      bound.get = [member](const P& p) { return Value(Stored(p.*member)); };
      bound.set = [member](P& p, const Value& v) { p.*member = M(std::get<Stored>(v)); };
    }
    parameter.standard = bound.get(P());
    list_.push_back(std::move(parameter));
    bound_.push_back(std::move(bound));
    return *this;
  }
  ParametersOf& join(std::string name, std::vector<std::string> parts) {
    joint_.push_back({std::move(name), std::move(parts)});
    return *this;
  }

  const std::vector<Parameter>& list() const { return list_; }
  const std::vector<JointAxis>& joint() const { return joint_; }
  Values values(const P& problem) const {
    Values all;
    for (std::size_t k = 0; k < list_.size(); ++k) {
      const Value value = bound_[k].get(problem);
      if (!list_[k].unsaid || value != list_[k].standard) all[list_[k].name] = value;
    }
    return all;
  }
  /// Parameters that 'values' leaves out keep their standard value. Throws runtime::UsageError naming the
  /// option of one that is out of its range.
  P problem(const Values& values) const {
    P p;
    for (std::size_t k = 0; k < list_.size(); ++k)
      if (const auto v = values.find(list_[k].name); v != values.end())
        bound_[k].set(p, list_[k].checked(list_[k].option_name(), v->second));
    return p;
  }
  /// Throws runtime::UsageError naming the option of a member that is out of its range.
  void check(const P& problem) const {
    for (std::size_t k = 0; k < list_.size(); ++k)
      list_[k].checked(list_[k].option_name(), bound_[k].get(problem));
  }

 private:
  struct Bound {
    std::function<Value(const P&)> get;
    std::function<void(P&, const Value&)> set;
  };
  std::vector<Parameter> list_;
  std::vector<Bound> bound_;
  std::vector<JointAxis> joint_;
};

}  // namespace parity::harness
