// SPDX-License-Identifier: BSD-3-Clause
// A CUDA program without Parity, with many ways to launch kernels and to end.
// gpu_program MODE; prints the result, and on standard error us per step of each block.
#include <cuda_runtime.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

__global__ void halve(float* x) { x[threadIdx.x] *= 0.5f; }
__global__ void twice(float* x) { x[threadIdx.x] *= 2.0f; }
__global__ void add(float* x) { x[threadIdx.x] += 1.0f; }
static void step(float* x, cudaStream_t stream) {
  for (int k = 0; k < 5; ++k) {
    halve<<<1, 256, 0, stream>>>(x);
    twice<<<1, 256, 0, stream>>>(x);
  }
  add<<<1, 256, 0, stream>>>(x);
}

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "plain";
  const int blocks = mode.find("graph") == mode.npos ? 15 : 45, steps = 1000;
  float* x = nullptr;
  if (cudaMalloc(&x, 4096 * sizeof(float)) != cudaSuccess) return 9;
  cudaMemset(x, 0, 4096 * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraphExec_t graph = nullptr;
  const auto capture = [&] {
    cudaGraph_t captured;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    step(x, stream);
    cudaStreamEndCapture(stream, &captured);
    cudaGraphInstantiate(&graph, captured, 0);
  };
  if (mode == "graph") capture();
  std::vector<double> times;
  const auto work = [&](float* y, cudaStream_t on, bool timed) {
    for (int b = 0; b < blocks; ++b) {
      if (mode == "late_graph" && b == blocks / 2) capture();
      if (mode == "new_graphs") {
        if (graph) cudaGraphExecDestroy(graph);
        capture();
      }
      const auto began = std::chrono::steady_clock::now();
      for (int k = 0; k < steps; ++k) {
        if (graph)
          cudaGraphLaunch(graph, on);
        else
          step(y, on);
        if (mode == "waits") cudaStreamSynchronize(on);
      }
      if (mode != "no_wait") cudaStreamSynchronize(on);
      const std::chrono::duration<double, std::micro> us = std::chrono::steady_clock::now() - began;
      if (timed) times.push_back(us.count() / steps);
    }
  };
  if (mode == "threads") {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        cudaStream_t own;
        cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
        work(x + 256 * t, own, t == 0);
      });
    for (std::thread& t : threads) t.join();
  } else {
    work(x, stream, true);
  }
  float first = -1;
  if (mode != "no_wait") cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost);
  std::printf("%.1f\n", double(first));
  std::fflush(stdout);
  std::fprintf(stderr, "us/step");
  for (const double t : times) std::fprintf(stderr, " %.2f", t);
  std::fprintf(stderr, "\n");
  if (mode == "exit") _exit(3);
  if (mode == "kill") std::raise(SIGKILL);
  if (mode == "term") std::raise(SIGTERM);
  return 0;
}
