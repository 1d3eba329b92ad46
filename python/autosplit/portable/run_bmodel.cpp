// Runs a bmodel once, through the interface of the vendor's runtime:
//
//     SDK=/opt/sophon/libsophon-current
//     g++ -std=c++14 run_bmodel.cpp -o run_bmodel -I $SDK/include -L $SDK/lib -lbmrt -lbmlib
//     ./run_bmodel models/graph_0.bmodel graph_0 IN.bin... OUT_PREFIX
//
// There is one file for each input, in the network's order, with its bytes: float32 unless the network says
// otherwise. Where it takes 8-bit integers, a file of float32 is turned into these. `python -m APP --input ...
// --dump DIR` writes such files. OUT_PREFIX.NAME.bin gets each output as the network has it.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "bmruntime_interface.h"

namespace {

[[noreturn]] void fail(const std::string &text) {
  std::fprintf(stderr, "error: %s\n", text.c_str());
  std::_Exit(1);
}

std::vector<char> read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

size_t bytes_of(bm_data_type_t dtype) {
  switch (dtype) {
    case BM_FLOAT32:
    case BM_INT32:
    case BM_UINT32: return 4;
    case BM_FLOAT16:
    case BM_BFLOAT16:
    case BM_INT16:
    case BM_UINT16: return 2;
    default: return 1;
  }
}

size_t bytes_of(const bm_shape_t &shape, bm_data_type_t dtype) {
  size_t count = 1;
  for (int i = 0; i < shape.num_dims; ++i) count *= static_cast<size_t>(shape.dims[i]);
  return count * bytes_of(dtype);
}

// Real numbers as the 8-bit integers that stand for them; the scale of an input is how many of these 1.0 is.
std::vector<char> quantized(const std::vector<char> &floats, bm_data_type_t dtype, float scale, int zero_point) {
  const float low = dtype == BM_INT8 ? -128.f : 0.f, high = dtype == BM_INT8 ? 127.f : 255.f;
  std::vector<char> made(floats.size() / sizeof(float));
  for (size_t i = 0; i < made.size(); ++i) {
    float value;
    std::memcpy(&value, floats.data() + i * sizeof value, sizeof value);
    if (std::isnan(value)) fail("an input has NaN, which no integer stands for");
    const float level = std::nearbyint(value * scale) + static_cast<float>(zero_point);
    made[i] = static_cast<char>(static_cast<int>(std::min(std::max(level, low), high)));
  }
  return made;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 4) fail("usage: run_bmodel BMODEL NETWORK IN.bin... OUT_PREFIX");
  const std::string bmodel = argv[1], network = argv[2], prefix = argv[argc - 1];

  bm_handle_t device = nullptr;
  if (bm_dev_request(&device, 0) != BM_SUCCESS) fail("there is no TPU 0");
  void *runtime = bmrt_create(device);
  if (runtime == nullptr) fail("the runtime does not start");
  if (!bmrt_load_bmodel(runtime, bmodel.c_str())) fail("cannot load " + bmodel);
  const bm_net_info_t *info = bmrt_get_network_info(runtime, network.c_str());
  if (info == nullptr) fail(bmodel + " has no network " + network);

  // Stage 0 has the sizes that the bmodel was compiled for.
  const bm_stage_info_t &sizes = info->stages[0];
  if (argc - 4 != info->input_num) fail("expected one file for each input, in all " + std::to_string(info->input_num));
  std::vector<std::vector<char>> inputs, outputs;
  std::vector<void *> given, made;
  for (int i = 0; i < info->input_num; ++i) {
    inputs.push_back(read_file(argv[3 + i]));
    const size_t wanted = bytes_of(sizes.input_shapes[i], info->input_dtypes[i]);
    const bool eight_bits = info->input_dtypes[i] == BM_INT8 || info->input_dtypes[i] == BM_UINT8;
    if (eight_bits && inputs[i].size() == wanted * sizeof(float))
      inputs[i] = quantized(inputs[i], info->input_dtypes[i], info->input_scales[i], info->input_zero_point[i]);
    if (inputs[i].size() != wanted)
      fail(std::string(info->input_names[i]) + " takes " + std::to_string(wanted) + " bytes");
    given.push_back(inputs[i].data());
  }
  for (int i = 0; i < info->output_num; ++i) {
    outputs.emplace_back(info->max_output_bytes[i]);
    made.push_back(outputs[i].data());
  }

  std::vector<bm_shape_t> shapes(static_cast<size_t>(info->output_num));
  if (!bmrt_launch_data(runtime, network.c_str(), given.data(), sizes.input_shapes, info->input_num, made.data(),
                        shapes.data(), info->output_num, true))
    fail("the run failed");

  for (int i = 0; i < info->output_num; ++i) {
    const std::string path = prefix + "." + info->output_names[i] + ".bin";
    std::ofstream(path, std::ios::binary)
        .write(outputs[i].data(), static_cast<std::streamsize>(bytes_of(shapes[i], info->output_dtypes[i])));
    std::printf("wrote %s\n", path.c_str());
    if (info->output_dtypes[i] == BM_INT8 || info->output_dtypes[i] == BM_UINT8)
      std::printf("  8-bit integers: (integer - %d) * %g\n", info->output_zero_point[i], info->output_scales[i]);
  }
  bmrt_destroy(runtime);
  bm_dev_free(device);
  return 0;
}
