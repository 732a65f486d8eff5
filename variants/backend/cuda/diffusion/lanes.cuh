// SPDX-License-Identifier: BSD-3-Clause
// Loads and stores of a lane's columns, and exchange of columns between the lanes of a row.
#pragma once

namespace parity::cuda {

constexpr unsigned all_lanes = 0xffffffffu;

/// The widest access that n neighbouring columns allow, 16 bytes at most.
template <class T, int n>
struct Access {
  static constexpr int bytes = n * int(sizeof(T)) % 16 == 0 ? 16 : n * int(sizeof(T)) % 8 == 0 ? 8 : 4;
  static constexpr int width =
      bytes >= int(sizeof(T)) ? bytes / int(sizeof(T)) : 1;  ///< columns of an access
  static constexpr int count = n / width;
};

/// n neighbouring columns, moved by one access.
template <class T, int n>
struct alignas(n * sizeof(T)) Pack {
  T v[n];
};

/// Reads or writes the a-th access of a lane's columns.
template <int n, class T>
__device__ __forceinline__ void read_access(T (&v)[n], int a, const T* from) {
  using A = Access<T, n>;
  const auto pack = *reinterpret_cast<const Pack<T, A::width>*>(from);
#pragma unroll
  for (int e = 0; e < A::width; ++e) v[a * A::width + e] = pack.v[e];
}
template <int n, class T>
__device__ __forceinline__ void write_access(const T (&v)[n], int a, T* to) {
  using A = Access<T, n>;
  Pack<T, A::width> pack;
#pragma unroll
  for (int e = 0; e < A::width; ++e) pack.v[e] = v[a * A::width + e];
  *reinterpret_cast<Pack<T, A::width>*>(to) = pack;
}

/// Reads or writes a lane's n columns, 'stride' elements from access to access; by default contiguous.
template <int n, class T>
__device__ __forceinline__ void read_columns(T (&v)[n], const T* from, int stride = Access<T, n>::width) {
#pragma unroll
  for (int a = 0; a < Access<T, n>::count; ++a) read_access(v, a, from + a * stride);
}
template <int n, class T>
__device__ __forceinline__ void write_columns(const T (&v)[n], T* to, int stride = Access<T, n>::width) {
#pragma unroll
  for (int a = 0; a < Access<T, n>::count; ++a) write_access(v, a, to + a * stride);
}

/// A row of 'lanes' lanes in shared memory. The a-th accesses of all lanes are contiguous: no bank conflicts.
template <class T, int n, int lanes>
struct SharedRow {
  using A = Access<T, n>;
  static constexpr int size = n * lanes;
  __host__ __device__ static constexpr int first(int lane) { return lane * A::width; }
  __host__ __device__ static constexpr int access(int a) { return a * lanes * A::width; }
  __device__ static __forceinline__ void read(T (&v)[n], const T* row_of_lane) {
    read_columns(v, row_of_lane, access(1));
  }
  __device__ static __forceinline__ void write(const T (&v)[n], T* row_of_lane) {
    write_columns(v, row_of_lane, access(1));
  }
};

/// A row in device memory of 'lanes' lanes with n neighbouring columns each. The lanes' accesses are
/// contiguous, so that a warp touches each sector once. A lane therefore reads and writes other columns than
/// its own; to_owners and from_owners exchange them through n * lanes elements of shared memory that only
/// these lanes use.
template <class T, int n, int lanes>
struct RowSideBySide {
  using A = Access<T, n>;
  static constexpr bool pays = A::count > 2;  ///< true if a lane's columns exceed a sector
  static __device__ __forceinline__ void read(T (&v)[n], const T* row, int lane) {
    read_columns(v, row + lane * A::width, lanes * A::width);
  }
  static __device__ __forceinline__ void write(const T (&v)[n], T* row, int lane) {
    write_columns(v, row + lane * A::width, lanes * A::width);
  }
  static __device__ __forceinline__ void to_owners(T (&v)[n], T* through, int lane) {
    __syncwarp();
    write(v, through, lane);
    __syncwarp();
    read_columns(v, through + lane * n);
  }
  static __device__ __forceinline__ void from_owners(T (&v)[n], T* through, int lane) {
    __syncwarp();
    write_columns(v, through + lane * n);
    __syncwarp();
    read(v, through, lane);
  }
};

}  // namespace parity::cuda
