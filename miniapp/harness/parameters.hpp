// SPDX-License-Identifier: BSD-3-Clause
// A study's parameters, listed once: plans, the command line, records, tables, dry runs and errors all use
// this list.
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

/// A parameter's value: a whole number, a number or a word.
using Value = std::variant<std::int64_t, double, std::string>;
std::string to_string(const Value& value);

/// A problem as records hold it: every parameter by its name.
using Values = std::map<std::string, Value>;

/// Description of one parameter.
struct Parameter {
  std::string name;  ///< in plans and records; its option is --name, with '-' for '_'
  std::string help;
  std::string unit = {};
  double least = 0, most = 9.0e18;         ///< of numbers
  std::vector<std::string> words = {};     ///< if given, a word must be one of these
  std::vector<std::string> meanings = {};  ///< of the words, if the help does not explain them
  std::vector<std::int64_t> allowed = {};  ///< if given, a whole number must be one of these
  std::string option = {};                 ///< another name of the option, if users know it by that
  /// Values that the study's command measures by default; empty: the standard value.
  std::vector<std::string> command_standard = {};
  bool omit_if_default = false;  ///< records omit it at its standard value (backward compatible)
  bool above_least = false;      ///< true if 'least' itself is out of range
  std::string range_words = {};  ///< the range in words, if messages should give its reason
  Value standard = {};           ///< filled in from the study's Problem

  /// "nx" -> "--nx".
  std::string option_name() const;
  /// Parses a word from the command line. Throws runtime::UsageError naming 'where' and the range.
  Value parse(const std::string& where, const std::string& word) const;
  /// Throws runtime::UsageError naming 'where' if the value is of another type or out of range.
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
inline Parameter omit_if_default(Parameter p) {
  p.omit_if_default = true;
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
  /// A whole number, a number, a word, or (with words) an enumeration whose values follow the words in order.
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
      if (!list_[k].omit_if_default || value != list_[k].standard) all[list_[k].name] = value;
    }
    return all;
  }
  /// Parameters missing from 'values' keep their standard value. Throws runtime::UsageError naming the option
  /// that is out of range.
  P problem(const Values& values) const {
    P p;
    for (std::size_t k = 0; k < list_.size(); ++k)
      if (const auto v = values.find(list_[k].name); v != values.end())
        bound_[k].set(p, list_[k].checked(list_[k].option_name(), v->second));
    return p;
  }
  /// Throws runtime::UsageError naming the option of a member that is out of range.
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
