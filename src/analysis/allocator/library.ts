/** Whose code a stack frame is: the user's, or that of a library. */

const NATIVE = /\.(c|cc|cpp|cxx|cu|cuh|h|hh|hpp|inc|S|so(\.\d+)*|dylib|dll|pyd)$/i
const INSTALLED = /(^|[\\/])(site|dist)-packages[\\/]|\.(egg|whl|zip)[\\/]/
/** Python's standard library: .../lib/python3.11/..., .../lib64/python3.11/... , ...\Lib\... on Windows. */
const STDLIB = /(^|[\\/])lib(64)?[\\/]python\d+(\.\d+)?[\\/]|[\\/]Python\d*[\\/]Lib[\\/]/
/** A source build of torch (or a Neuron plug-in of it) that is run from its own tree. */
const TORCH_TREE =
  /(^|[\\/])torch(_xla|_neuronx)?[\\/](nn|autograd|optim|_dynamo|_inductor|_functorch|_higher_order_ops|_decomp|_refs|_prims|_subclasses|_library|utils|distributed|cuda|fx|func|jit|export|amp|ao|sparse|backends|accelerator|distributions|fft|linalg|masked|nested|onnx|package|profiler|quantization|special|testing|xpu|cpu|mps|mtia)[\\/]/
const TORCH_FILES =
  /(^|[\\/])torch[\\/](_tensor|_ops|_jit_internal|_compile|_utils|_linalg_utils|_lobpcg|_lowrank|_meta_registrations|_tensor_str|functional|overrides|random|serialization|storage|hub|__init__)\.py$/
/** `<frozen importlib._bootstrap>`, `<eval_with_key>.12`, `<string>`; code typed in (`<stdin>`, `<ipython-input-3>`) is the user's. */
const GENERATED = /^<(?!stdin>|ipython|cell|console|input)/
/**
 * True for a frame inside torch, the standard library, an installed package or native code.
 * Stacks are shown with such frames folded, and an allocation belongs to its first frame that is none.
 */
export function isLibraryFrame(file: string): boolean {
  // A Python frame always has a file. What has none is a symbol of native code, whatever its name begins with (`void at::meta::…`, `dynamo__custom_eval_frame`).
  return (
    file === '' ||
    file === '??' ||
    INSTALLED.test(file) ||
    STDLIB.test(file) ||
    NATIVE.test(file) ||
    GENERATED.test(file) ||
    TORCH_TREE.test(file) ||
    TORCH_FILES.test(file)
  )
}

/** Last two parts of a path: `model/block.py`. */
export const shortPath = (file: string): string => file.split(/[\\/]/).filter(Boolean).slice(-2).join('/')
