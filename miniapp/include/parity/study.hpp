// SPDX-License-Identifier: BSD-3-Clause
// clang-format off
// Compares your own kernels: declare a problem, its data with a check, and versions of an algorithm. No Kokkos, no CUDA.
//
//   struct Axpy {                                  a problem: its members are the parameters, with their standard values
//     static auto parameters();                    parity::Parameters<Axpy>().add(&Axpy::n, {"n", "help", "unit", least, most})
//     template <class T>
//     struct Data {                                made once for all versions of a problem
//       explicit Data(const Axpy&);
//       parity::Verdict check(const Axpy&, const std::vector<T>& result) const;   of int if result() holds int
//     };
//     // Optional; size: bytes of a float or double.
//     double bytes(std::size_t size) const;        main-memory traffic of a run
//     double flops() const;                        operations of a run
//     double memory(std::size_t size) const;       bytes that a version allocates: a problem too large for memory is refused before Data is made
//     using Types = parity::Types<double>;         the precisions; float and double if omitted
//     static constexpr const char* about = "...";  a line for 'list'
//   };
//
// A version is a class template over T that derives from parity::kokkos::Version<Axpy, T>, parity::cuda::Version<Axpy, T> or
// parity::openmp::Version<Axpy, T> (<parity/kokkos.hpp>, <parity/cuda.cuh>, <parity/openmp.hpp>), with
//   void run(const Axpy&);   starts the work on 'exec' or 'stream'; may return before it is done
//   auto result();           the values for check: memory of inout() or output(), any View, parity::Values, or one value
//   void load();             resets your own memory before each run, untimed; needed if result() is in your own memory
//   static std::optional<std::string> refuse(const Axpy&, const parity::Tuning&);   optional: why it cannot run
// Make its members with input(), inout() and output(): Parity reloads the first two before each run and sets the third to NaN.
// The base class also has 'problem', 'data' and 'tuning'. One line registers the version, for each T of Types:
//   PARITY_VERSION(KokkosAxpy, "axpy", first);
//   PARITY_VERSION(KokkosBlocks, "axpy", tuned).tunings("block", {"128", "256"});
// clang-format on
#pragma once
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "harness/parameters.hpp"
#include "harness/variant.hpp"
#include "host_device.hpp"  // PARITY_INLINE: a formula for both sides
#include "runtime/error.hpp"
#include "runtime/graph.hpp"

namespace parity {

using harness::Tuning;
using harness::Verdict;
template <class P>
using Parameters = harness::ParametersOf<P>;
template <class... T>
struct Types {};

/// A result in memory that the version allocated itself.
template <class T>
struct Values {
  const T* data;
  std::int64_t count;
};

/// A version's constructor throws this if the version cannot run.
using CannotRun = runtime::CannotRunError;

/// Thrown if the GPU computes nothing more for this process, e.g. after an illegal address.
struct DeviceLost : runtime::Error {
  explicit DeviceLost(const std::string& why) : Error(runtime::exit_check_failed, why) {}
};

/// A tolerance of 'count' units in the last place of the largest value.
template <class T>
constexpr double ulps(double count) {
  return count * double(std::numeric_limits<T>::epsilon());
}

/// n values in [-1, 1), identical on every machine.
template <class T>
std::vector<T> random_values(std::int64_t n, std::uint64_t seed) {
  std::vector<T> values(static_cast<std::size_t>(n));
  std::uint64_t state = seed << 40;
  for (T& value : values) {  // splitmix64
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    value = T(double((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1);
  }
  return values;
}

namespace detail {
Verdict verdict_of(double deviation, double largest, double tolerance, std::size_t at, double got,
                   double wanted);
}

/// Compares result[i] with expected(i): largest deviation over largest expected value, against the tolerance.
template <class T, class Expected>
Verdict compare(const std::vector<T>& result, std::size_t count, const Expected& expected, double tolerance) {
  if (result.size() != count || count == 0)
    return {INFINITY, tolerance,
            "the result has " + std::to_string(result.size()) + " values, not " + std::to_string(count)};
  double worst = -1, largest = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < result.size() && !std::isnan(worst); ++i) {
    const double wanted = double(expected(std::int64_t(i))), off = std::abs(double(result[i]) - wanted);
    largest = std::max(largest, std::abs(wanted));
    if (!(off <= worst)) worst = off, at = i;
  }
  return detail::verdict_of(worst, largest, tolerance, at, double(result[at]),
                            double(expected(std::int64_t(at))));
}

/// Role of a version: the first version, the tuned one that an expert writes, a further one, or the only one
/// of its backend.
struct Rung {
  harness::Tier tier;
  const char* name;
};
inline constexpr Rung first{harness::Tier::first, ""}, tuned{harness::Tier::tuned, "tuned"},
    only{harness::Tier::only, ""};
constexpr Rung further(const char* name) { return {harness::Tier::further, name}; }

/// The mechanism that submits the launches of a run.
enum class Mechanism { stream, graph, kokkos_graph };

namespace detail {

/// True if calling the lambda with X... compiles.
template <class... X, class F>
constexpr bool has(F) {
  return std::is_invocable_v<F, X...>;
}

/// A version's execution, type-erased.
class Work : public harness::Execution {
 public:
  virtual void load() = 0;
  virtual void prepare(Mechanism) = 0;
  virtual void store() = 0;
  virtual Verdict check() = 0;  ///< checks the result that store fetched
};

/// A problem's type, type-erased.
struct AnyProblem {
  std::string name, about;
  std::vector<harness::Parameter> parameters;
  std::vector<harness::JointAxis> joint;
  std::vector<std::string> precisions;
  std::function<std::shared_ptr<const void>(const harness::Values&)> make;
  std::function<harness::Values(const void*)> values;
  struct Costs {
    double bytes = 0, flops = 0, memory = 0;
  };
  std::function<Costs(const void*, std::size_t size)> costs;
  std::function<std::shared_ptr<const void>(const void*, bool as_double)> data;
};

/// A version's type, type-erased.
struct AnyVersion {
  std::string class_name, algorithm, backend, file;
  const std::type_info* type = nullptr;  ///< of the version's class
  Rung rung;
  int line;
  bool stream = false,
       queued = false;  ///< true if its stream can be captured; true if a Kokkos graph can hold its launches
  std::string axes;
  std::vector<std::string> values;
  std::function<std::optional<std::string>(const void*, const Tuning&)> refuse;
  std::function<std::unique_ptr<Work>(const void*, std::shared_ptr<const void>, const Tuning&)> make[2];

  AnyVersion(const char* its_class, const char* its_algorithm, const char* its_backend, const char* its_file,
             Rung its_rung, int its_line = 0)
      : class_name(its_class),
        algorithm(its_algorithm),
        backend(its_backend),
        file(its_file),
        rung(its_rung),
        line(its_line) {}
  AnyVersion& tunings(const char* what_they_are, std::vector<std::string> all) {
    axes = what_they_are, values = std::move(all);
    return *this;
  }
};
AnyVersion& add_version(const std::string& problem, const std::function<AnyProblem()>& type,
                        AnyVersion version);
/// Registers a version in a file that this build omits.
inline AnyVersion& add_absent(const char* problem, const char* name, const char* algorithm, Rung rung,
                              const char* file) {
  return add_version(problem, {}, AnyVersion(name, algorithm, "cuda", file, rung));
}

/// Throws CannotRun if 'bytes' exceeds 90 % of the free memory.
void require_memory(double bytes, bool on_device);
/// Fills host memory for all backends, in the chunks of a static OpenMP loop, so that the caches hold the
/// same data on both sides. Fills with NaN if 'from' is null.
void fill_on_host(void* to, const void* from, std::size_t bytes);

/// Common base of the versions of all backends. Derived classes need no constructor: this base takes its
/// members from 'now'.
template <class P, class T>
class VersionBase {
 public:
  using Problem = P;
  using Value = T;
  using Data = typename P::template Data<T>;
  struct MadeOf {
    const P* problem;
    std::shared_ptr<const Data> data;
    const Tuning* tuning;
  };
  static inline const MadeOf* now = nullptr;

  const P problem = *now->problem;
  const std::shared_ptr<const Data> data_owner = now->data;
  const Data& data = *data_owner;
  const Tuning tuning = *now->tuning;

  VersionBase() = default;
  VersionBase(const VersionBase&) = delete;

  /// For a result that is one value.
  template <class U, class = std::enable_if_t<std::is_arithmetic_v<U>>>
  const void* address(U) const {
    return nullptr;
  }
  template <class U, class = std::enable_if_t<std::is_arithmetic_v<U>>>
  std::vector<U> fetch(U value) const {
    return {value};
  }

  /// 'reloads' restores each allocation before a run; 'owned' holds its number of values.
  std::vector<std::function<void()>> reloads = {};
  std::map<const void*, std::int64_t> owned = {};
};

template <class V>
class WorkOf final : public Work {
  using P = typename V::Problem;
  using Base = VersionBase<P, typename V::Value>;

 public:
  WorkOf(const void* problem, std::shared_ptr<const void> data, const Tuning& tuning)
      : problem_(*static_cast<const P*>(problem)),
        data_(std::static_pointer_cast<const typename V::Data>(std::move(data))) {
    const typename Base::MadeOf made_of{&problem_, data_, &tuning};
    Base::now = &made_of;
    version_ = std::make_unique<V>();
  }
  void advance() override {
    graph_ ? graph_->launch() : version_->at_once([this](auto& queue) { run(queue); });
  }
  void synchronise() override { version_->wait(); }
  runtime::DeviceClock* device_clock() override { return version_->clock(); }
  void load() override {
    for (const auto& again : version_->reloads) again();
    version_->wait();
    if constexpr (loads()) version_->load();
  }
  void prepare(Mechanism m) override {
    graph_ = version_->graph_of(m, [this](auto& queue) { run(queue); });
    graph_->instantiate();
    graph_->upload();
  }
  void store() override {
    const auto result = version_->result();
    if (!loads() && version_->owned.count(version_->address(result)) == 0)
      throw std::logic_error(
          "result() is no memory of inout() or output(): add 'void load()' that resets it before each run");
    result_ = version_->fetch(result);
  }
  Verdict check() override {
    const Verdict verdict = data_->check(problem_, result_);
    result_.clear();
    return verdict;
  }

 private:
  static constexpr bool loads() {
    return has<V&>([](auto&& v) -> decltype(void(v.load())) {});
  }
  template <class Queue>
  void run(Queue& queue) {
    if constexpr (has<V&, const P&>([](auto&& v, auto&& p) -> decltype(void(v.run(p))) {}))
      version_->run(problem_);
    else
      version_->run(problem_, queue);
  }
  const P problem_;
  const std::shared_ptr<const typename V::Data> data_;
  std::unique_ptr<V> version_;
  std::unique_ptr<runtime::Graph> graph_;  ///< destroyed before version_
  decltype(std::declval<V&>().fetch(std::declval<V&>().result())) result_;
};

template <class P, class = void>
struct TypesOf {
  using type = Types<float, double>;
};
template <class P>
struct TypesOf<P, std::void_t<typename P::Types>> {
  using type = typename P::Types;
};

template <class P, class... T>
AnyProblem any_problem(Types<T...>) {
  static_assert(((std::is_same_v<T, float> || std::is_same_v<T, double>)&&...),
                "PARITY: the problem's Types are some of float and double");
  AnyProblem any;
  const auto list = P::parameters();
  const auto of = [](const void* p) -> const P& { return *static_cast<const P*>(p); };
  any.parameters = list.list(), any.joint = list.joint();
  any.precisions = {(sizeof(T) == 4 ? "float" : "double")...};
  if constexpr (has<P>([](auto&& p) -> decltype(void(p.about)) {})) any.about = P::about;
  any.make = [list](const harness::Values& v) { return std::make_shared<const P>(list.problem(v)); };
  any.values = [list, of](const void* p) { return list.values(of(p)); };
  any.costs = [of](const void* p, [[maybe_unused]] std::size_t size) {
    AnyProblem::Costs c;
    if constexpr (has<P>([](auto&& p) -> decltype(void(p.bytes(8))) {})) c.bytes = of(p).bytes(size);
    if constexpr (has<P>([](auto&& p) -> decltype(void(p.flops())) {})) c.flops = of(p).flops();
    if constexpr (has<P>([](auto&& p) -> decltype(void(p.memory(8))) {}))
      c.memory = of(p).memory(size);
    else
      c.memory = c.bytes;
    return c;
  };
  any.data = [of](const void* p, bool as_double) {
    std::shared_ptr<const void> made;
    ((as_double == (sizeof(T) == 8) ? void(made = std::make_shared<const typename P::template Data<T>>(of(p)))
                                    : void()),
     ...);
    return made;
  };
  return any;
}

/// Makes the compiler's first error name what a version or its problem lacks.
template <class V>
constexpr bool complete() {
  using P = typename V::Problem;
  using D = typename V::Data;
  constexpr bool runs = has<V&, const P&>([](auto&& v, auto&& p) -> decltype(void(v.run(p))) {}) ||
                        has<V&, const P&, typename V::Queue&>(
                            [](auto&& v, auto&& p, auto&& q) -> decltype(void(v.run(p, q))) {});
  constexpr bool results = has<V&>([](auto&& v) -> decltype(void(v.fetch(v.result()))) {});
  constexpr bool lists = has<P>([](auto&& p) -> decltype(void(p.parameters().list())) {});
  constexpr bool makes = std::is_constructible_v<D, const P&>;
  constexpr bool checks =
      !results ||
      has<const D&, const P&, V&>(
          [](auto&& d, auto&& p, auto&& v) -> decltype(void(Verdict(d.check(p, v.fetch(v.result()))))) {});
  static_assert(runs, "PARITY: this version has no 'void run(const Problem&)', which starts its work");
  static_assert(results,
                "PARITY: this version keeps no result: add 'auto result() { return ...; }' with memory of "
                "inout() or output()");
  static_assert(lists,
                "PARITY: the problem has no 'static auto parameters()' that returns "
                "parity::Parameters<Problem>().add(...)");
  static_assert(makes, "PARITY: the problem's Data<T> has no constructor 'explicit Data(const Problem&)'");
  static_assert(checks,
                "PARITY: the problem's Data<T> has no 'parity::Verdict check(const Problem&, const "
                "std::vector<...>& result) const' for values of the type that result() has");
  return runs && results && lists && makes && checks;
}

std::string type_name(const std::type_info& type);

template <template <class> class V, class... T>
AnyVersion& register_in(Types<T...> types, AnyVersion version) {
  using Any = V<std::tuple_element_t<0, std::tuple<T...>>>;
  using P = typename Any::Problem;
  if constexpr (complete<Any>()) {
    version.backend = Any::backend, version.type = &typeid(Any);
    version.stream = Any::has_stream;
    version.queued = has<Any&, const P&, typename Any::Queue&>(
        [](auto&& v, auto&& p, auto&& q) -> decltype(void(v.run(p, q))) {});
    if constexpr (has<Any&>([](auto&& v) -> decltype(void(&std::decay_t<decltype(v)>::refuse)) {}))
      version.refuse = [](const void* p, const Tuning& t) {
        return Any::refuse(*static_cast<const P*>(p), t);
      };
    ((version.make[sizeof(T) == 8] =
          [](const void* p, std::shared_ptr<const void> d, const Tuning& t) {
            return std::make_unique<WorkOf<V<T>>>(p, std::move(d), t);
          }),
     ...);
    return add_version(
        type_name(typeid(P)), [types] { return any_problem<P>(types); }, std::move(version));
  }
}
template <template <class> class V>
AnyVersion& register_version(const char* class_name, const char* algorithm, Rung rung, const char* file,
                             int line) {
  return register_in<V>(typename TypesOf<typename V<double>::Problem>::type(),
                        AnyVersion(class_name, algorithm, "", file, rung, line));
}
template <class V>
AnyVersion& register_version(const char*, const char*, Rung, const char*, int) {
  static_assert(std::is_void_v<V>, "PARITY: write this version as 'template <class T> struct ...'");
  throw std::logic_error("not compiled");
}

}  // namespace detail
}  // namespace parity

#define PARITY_JOINED(a, b) a##b
#define PARITY_JOIN(a, b) PARITY_JOINED(a, b)
#define PARITY_VERSION(Class, algorithm, rung)                                                   \
  [[maybe_unused]] static ::parity::detail::AnyVersion& PARITY_JOIN(parity_version_, __LINE__) = \
      ::parity::detail::register_version<Class>(#Class, algorithm, ::parity::rung, __FILE__, __LINE__)
