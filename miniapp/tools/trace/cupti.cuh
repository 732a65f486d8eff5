// SPDX-License-Identifier: BSD-3-Clause
// CUPTI's functions, from a library that is loaded on first use, so a build with CUPTI runs without it. Newer
// libraries than the build's toolkit work, since their records begin with the same fields.
#pragma once
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_version.h>

#include <cstdint>
#include <initializer_list>

#include "runtime/library.hpp"

namespace parity::runtime {

struct Cupti {
  decltype(&cuptiGetCallbackName) callback_name = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_buffers = nullptr;
  decltype(&cuptiActivityRegisterTimestampCallback) register_clock = nullptr;
  decltype(&cuptiSetThreadIdType) thread_numbers = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped = nullptr;
  decltype(&cuptiGetResultString) text_of = nullptr;
  decltype(&cuptiGetVersion) version = nullptr;
  // Select individual calls to record. Null in older libraries.
  CUptiResult (*enable_runtime_call)(CUpti_CallbackId, std::uint8_t) = nullptr;
  CUptiResult (*enable_driver_call)(CUpti_CallbackId, std::uint8_t) = nullptr;
  std::uint32_t loaded = 0;  ///< the library's version

  /// Takes the functions of an open library (or null). Returns the reason if it cannot be used, else null.
  const char* take(void* handle) {
    if (!handle) return "CUPTI's library is not found; put it into LD_LIBRARY_PATH";
    const bool complete = find_function(handle, "cuptiGetCallbackName", callback_name) &&
                          find_function(handle, "cuptiActivityRegisterCallbacks", register_buffers) &&
                          find_function(handle, "cuptiActivityRegisterTimestampCallback", register_clock) &&
                          find_function(handle, "cuptiSetThreadIdType", thread_numbers) &&
                          find_function(handle, "cuptiActivityEnable", enable) &&
                          find_function(handle, "cuptiActivityDisable", disable) &&
                          find_function(handle, "cuptiActivityFlushAll", flush) &&
                          find_function(handle, "cuptiActivityGetNextRecord", next_record) &&
                          find_function(handle, "cuptiActivityGetNumDroppedRecords", dropped) &&
                          find_function(handle, "cuptiGetResultString", text_of) &&
                          find_function(handle, "cuptiGetVersion", version);
    find_function(handle, "cuptiActivityEnableRuntimeApi", enable_runtime_call);
    find_function(handle, "cuptiActivityEnableDriverApi", enable_driver_call);
    if (!complete || version(&loaded) != CUPTI_SUCCESS || loaded < CUPTI_API_VERSION)
      return "CUPTI's library is older than this build's toolkit";
    return nullptr;
  }
};

}  // namespace parity::runtime
