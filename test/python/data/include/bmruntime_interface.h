/* What run_bmodel.cpp uses of the vendor's header of this name, which is not part of TPU-MLIR's package: the
   declarations alone, by the layout that bmodel_child.py has. bmlib_runtime.h is the package's own. */

#pragma once

#include "bmlib_runtime.h"

typedef enum {
  BM_FLOAT32,
  BM_FLOAT16,
  BM_INT8,
  BM_UINT8,
  BM_INT16,
  BM_UINT16,
  BM_INT32,
  BM_UINT32,
  BM_BFLOAT16,
} bm_data_type_t;

typedef struct {
  int num_dims;
  int dims[8];
} bm_shape_t;

typedef struct {
  bm_shape_t *input_shapes;
  bm_shape_t *output_shapes;
  bm_device_mem_t *input_mems;
  bm_device_mem_t *output_mems;
} bm_stage_info_t;

typedef struct {
  const char *name;
  bool is_dynamic;
  int input_num;
  char const **input_names;
  bm_data_type_t *input_dtypes;
  float *input_scales;
  int output_num;
  char const **output_names;
  bm_data_type_t *output_dtypes;
  float *output_scales;
  int stage_num;
  bm_stage_info_t *stages;
  size_t *max_input_bytes;
  size_t *max_output_bytes;
  int *input_zero_point;
  int *output_zero_point;
} bm_net_info_t;

extern "C" {
void *bmrt_create(bm_handle_t device);
void bmrt_destroy(void *runtime);
bool bmrt_load_bmodel(void *runtime, const char *path);
const bm_net_info_t *bmrt_get_network_info(void *runtime, const char *network);
bool bmrt_launch_data(void *runtime, const char *network, void *const inputs[], const bm_shape_t input_shapes[],
                      int input_num, void *outputs[], bm_shape_t output_shapes[], int output_num, bool user_mem);
}
