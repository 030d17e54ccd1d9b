/** Python stacks of the simulated program, innermost frame first. Frame objects are shared, as the snapshot's memo has them. */
import type { SampleFrame, SampleStack } from './allocator'

const SITE = '/opt/venv/lib/python3.12/site-packages/'
const HOME = '/home/user/llm-train/'

const known = new Map<string, SampleFrame>()
function frame(filename: string, line: number, name: string): SampleFrame {
  const key = `${filename}:${line}:${name}`
  let f = known.get(key)
  if (!f) {
    f = { name, filename, line }
    known.set(key, f)
  }
  return f
}

const lib = (file: string, line: number, name: string): SampleFrame => frame(SITE + file, line, name)
const own = (file: string, line: number, name: string): SampleFrame => frame(HOME + file, line, name)

const CALL = [lib('torch/nn/modules/module.py', 1784, '_call_impl'), lib('torch/nn/modules/module.py', 1773, '_wrapped_call_impl')]
const MAIN = [own('train.py', 131, 'main'), own('train.py', 148, '<module>')]
const STEP = [own('train.py', 86, 'train_step'), ...MAIN]
const BACKWARD = [
  lib('torch/autograd/graph.py', 829, '_engine_run_backward'),
  lib('torch/autograd/__init__.py', 364, 'backward'),
  lib('torch/_tensor.py', 647, 'backward'),
  own('train.py', 89, 'train_step'),
  ...MAIN,
]
const DECODER = [own('model/decoder.py', 112, 'forward'), ...CALL, ...STEP]

/** Lines of `model/block.py` that own the activations, by operation. */
const BLOCK_LINES: Readonly<Record<string, number>> = { norm: 71, qkv: 58, sdpa: 61, proj: 63, norm2: 73, fc1: 74, act: 75, fc2: 76 }

const linear = [lib('torch/nn/modules/linear.py', 134, 'forward'), ...CALL]
const norm = [lib('torch/nn/functional.py', 2948, 'layer_norm'), lib('torch/nn/modules/normalization.py', 229, 'forward'), ...CALL]

const cache = new Map<string, SampleStack>()
const cached = (key: string, make: () => SampleStack): SampleStack => {
  let s = cache.get(key)
  if (!s) {
    s = make()
    cache.set(key, s)
  }
  return s
}

export const stacks = {
  forward: (op: string): SampleStack =>
    cached('f' + op, () => {
      const inner =
        op === 'act' ? [lib('torch/nn/functional.py', 2450, 'gelu')] : op === 'sdpa' ? [] : op.startsWith('norm') ? norm : linear
      const owner = ['qkv', 'sdpa', 'proj'].includes(op)
        ? [own('model/attention.py', BLOCK_LINES[op], 'forward'), ...CALL, own('model/block.py', 72, 'forward')]
        : [own('model/block.py', BLOCK_LINES[op], 'forward')]
      return [...inner, ...owner, ...CALL, ...DECODER]
    }),
  embedding: (): SampleStack =>
    cached('emb', () => [
      lib('torch/nn/functional.py', 2551, 'embedding'),
      lib('torch/nn/modules/sparse.py', 190, 'forward'),
      ...CALL,
      own('model/decoder.py', 108, 'forward'),
      ...CALL,
      ...STEP,
    ]),
  head: (): SampleStack => cached('head', () => [...linear, own('model/decoder.py', 115, 'forward'), ...CALL, ...STEP]),
  loss: (): SampleStack =>
    cached('loss', () => [
      lib('torch/nn/functional.py', 3494, 'cross_entropy'),
      own('model/loss.py', 22, 'token_loss'),
      own('train.py', 88, 'train_step'),
      ...MAIN,
    ]),
  gradient: (): SampleStack => cached('grad', () => BACKWARD),
  bucket: (): SampleStack => cached('bucket', () => [own('parallel/reduce.py', 47, 'reduce_bucket'), ...BACKWARD]),
  optimizer: (): SampleStack =>
    cached('opt', () => [
      lib('torch/optim/adamw.py', 432, '_multi_tensor_adamw'),
      lib('torch/optim/optimizer.py', 498, 'wrapper'),
      own('train.py', 92, 'train_step'),
      ...MAIN,
    ]),
  metrics: (): SampleStack => cached('metrics', () => [own('metrics.py', 31, 'update'), own('train.py', 96, 'train_step'), ...MAIN]),
  data: (): SampleStack =>
    cached('data', () => [own('data/loader.py', 54, '__next__'), own('train.py', 128, 'main'), own('train.py', 148, '<module>')]),
  zeroGrad: (): SampleStack =>
    cached('zero', () => [lib('torch/optim/optimizer.py', 1034, 'zero_grad'), own('train.py', 94, 'train_step'), ...MAIN]),
  build: (): SampleStack =>
    cached('build', () => [own('model/decoder.py', 40, '__init__'), own('train.py', 101, 'main'), own('train.py', 148, '<module>')]),
  state: (): SampleStack =>
    cached('state', () => [
      lib('torch/optim/adamw.py', 151, '_init_group'),
      lib('torch/optim/adamw.py', 220, 'step'),
      own('train.py', 92, 'train_step'),
      ...MAIN,
    ]),
}
