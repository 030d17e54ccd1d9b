/**
 * The simulated program: a decoder trained step by step. It drives one clock, one allocator and one trace writer, so that times and bytes of
 * the trace and of the snapshot agree: an allocation stands inside the operator that made it, and every `[memory]` event tells the allocator's total.
 */
import recipe from '../../../resources/sample-recipe.json'
import { SampleAllocator, type Handle, type SampleStack } from './allocator'
import { RuntimeRecorder, type ModelIds } from './runtime'
import { between, random, type Random } from './random'
import { stacks } from './stacks'
import { TraceWriter } from './trace-writer'

export interface LoopOptions {
  readonly rank: number
  readonly ranks: number
  readonly steps: number
  readonly seed: number
}

export interface LoopResult {
  readonly trace: TraceWriter
  readonly allocator: SampleAllocator
  readonly pid: number
  /** Unix ns of time 0. */
  readonly startNs: bigint
  readonly annotations: readonly { readonly name: string; readonly stage: 'START' | 'END'; readonly timeUs: number }[]
  readonly runtime: RuntimeRecorder
  readonly mapping: readonly OperatorLink[]
  /** ns since time 0 at which it ended. */
  readonly endNs: number
}

export interface OperatorLink {
  readonly sequence: bigint
  /** `External id` of the call in the trace. */
  readonly operator: number
  readonly thread: number
  readonly stream: number
}

const US = 1000
/** Time 0 of the trace lies this far after Kineto's base time. */
export const BASE_OFFSET_NS = 3_628_127_000_000_000

type Op = keyof typeof recipe.opMicros

class Loop {
  readonly pid: number
  readonly startNs: bigint
  readonly allocator: SampleAllocator
  readonly runtime: RuntimeRecorder
  /** Which runtime execution came of which operator. */
  readonly mapping: OperatorLink[] = []
  #model = 0
  readonly trace = new TraceWriter(BASE_OFFSET_NS)
  readonly annotations: { name: string; stage: 'START' | 'END'; timeUs: number }[] = []
  readonly #r: Random
  readonly #main: number
  readonly #autograd: number
  /** Host clock, ns since time 0. */
  #now = 2_000_000
  /** When each device stream is free again. */
  readonly #stream = [0, 0]
  #external = 0
  #inFlight: number[] = []
  /** Blocks whose collective is still running: when it ends, and what to complete. */
  #pending: { readonly at: number; readonly handle: Handle }[] = []
  readonly #speed: number

  constructor(o: LoopOptions) {
    this.pid = recipe.firstPid + o.rank
    this.#main = this.pid
    this.#autograd = this.pid + 64
    this.startNs = BigInt(recipe.startUnixNs) + BigInt(o.rank) * 1_417_000n
    const models = recipe.models.map((m, i) => ({ id: BigInt(m.id) + BigInt(o.rank * 16 + i), name: m.name }))
    this.runtime = new RuntimeRecorder(this.startNs, this.pid + 9, models)
    this.allocator = new SampleAllocator((bytes, recording) => this.#take(bytes, recording))
    this.#r = random(o.seed * 1009 + o.rank * 7919 + 17)
    // The last rank of several is a little slower, as a loaded host is.
    this.#speed = o.rank > 0 && o.rank === o.ranks - 1 ? 1.06 : 1
  }

  /** Memory of a new segment, from the runtime: within the last microseconds of the allocation that needs it. */
  #take(bytes: number, recording: boolean): bigint {
    const id = this.runtime.id()
    if (recording) this.runtime.allocate('tensors', bytes, this.#now - 1500, this.#now - 200, id)
    else this.runtime.before('tensors', bytes)
    return id
  }

  /** A duration of `us` microseconds with the jitter of a real host, ns. */
  #dur(us: number): number {
    return Math.round(us * US * this.#speed * (0.9 + 0.2 * this.#r()))
  }

  /** Snapshot microseconds of a host time. */
  #us(t: number): number {
    return Number((this.startNs + BigInt(t)) / 1000n)
  }

  #finish(): void {
    const due = this.#pending.filter(p => p.at <= this.#now)
    this.#pending = this.#pending.filter(p => p.at > this.#now)
    for (const p of due) this.allocator.complete(p.handle, this.#us(this.#now), stacks.bucket())
  }

  #alloc(size: number, stack: SampleStack, tid: number, stream = 0): Handle {
    this.#now += between(this.#r, 2, 6) * US + between(this.#r, 0, 999)
    this.#finish()
    const h = this.allocator.alloc(size, stream, this.#us(this.#now), stack)
    this.#memory(tid, h.block.address, h.block.size)
    return h
  }

  #free(h: Handle, stack: SampleStack, tid: number, completeAt: number | null = null): void {
    this.#now += between(this.#r, 1, 3) * US + between(this.#r, 0, 999)
    this.#finish()
    const { address, size } = h.block
    this.allocator.free(h, this.#us(this.#now), stack, completeAt !== null)
    this.#memory(tid, address, -size)
    if (completeAt !== null) this.#pending.push({ at: completeAt, handle: h })
  }

  #memory(tid: number, address: bigint, bytes: number): void {
    this.trace.instant('cpu_instant_event', '[memory]', this.pid, tid, this.#now, {
      'Total Reserved': this.allocator.reserved,
      'Total Allocated': this.allocator.allocatedRounded,
      Bytes: bytes,
      Addr: Number(address),
      'Device Id': 0,
      'Device Type': 20,
    })
  }

  /** A host slice around `body`; the clock moves on inside. */
  #slice<T>(cat: string, name: string, tid: number, body: () => T, args: Readonly<Record<string, unknown>> = {}): T {
    const start = this.#now
    this.#now += between(this.#r, 1, 4) * US + between(this.#r, 0, 999)
    const out = body()
    this.#now += between(this.#r, 1, 4) * US + between(this.#r, 0, 999)
    this.trace.slice(cat, name, this.pid, tid, start, this.#now - start, args)
    return out
  }

  /** Starts device work of `us` microseconds on a stream; returns when it ends. */
  #launch(name: string, us: number, tid: number, stream = 0): number {
    const id = ++this.#external
    const start = this.#now
    const host = this.#dur(9)
    this.#now += host
    this.trace.slice('privateuse1_runtime', 'neuronLaunch', this.pid, tid, start, host, { 'External id': id, stream })
    const begin = Math.max(this.#stream[stream], this.#now + 12 * US)
    const dur = this.#dur(us)
    this.#stream[stream] = begin + dur
    const model = this.runtime.models[this.#model] as ModelIds
    const sequence = this.runtime.execute(model, [start + US, start + host - US], [begin, begin + dur], tid, stream === 1)
    this.mapping.push({ sequence, operator: id, thread: tid, stream })
    this.trace.slice('privateuse1_driver', name, 0, stream, begin, dur, {
      'External id': id,
      device: 0,
      stream,
      queued: begin - this.#now,
      nrt_sequence_id: Number(sequence),
      neff_cache_key: model.name,
    })
    this.trace.flow(this.pid, tid, start, stream, begin)
    this.#inFlight = this.#inFlight.filter(e => e > this.#now)
    this.#inFlight.push(begin + dur)
    this.trace.counter('Device work in flight', this.pid, this.#now, { executions: this.#inFlight.length })
    return begin + dur
  }

  #op(op: string, kind: Op, tid: number, sizes: readonly number[], stack: SampleStack, device = 1): Handle[] {
    return this.#slice(
      'cpu_op',
      op,
      tid,
      () => {
        const made = sizes.map(s => this.#alloc(s, stack, tid))
        this.#launch(op.replace('aten::', ''), recipe.opMicros[kind] * device, tid)
        // Most operators keep the host about as busy as the device: the sample is neither launch bound nor far ahead of it.
        this.#now += this.#dur(recipe.opMicros[kind] * device * 0.82)
        return made
      },
      { 'External id': this.#external + 1, 'Sequence number': this.#external + 1, 'Ev Idx': this.trace.count },
    )
  }

  #annotated<T>(name: string, tid: number, body: () => T): T {
    this.annotations.push({ name, stage: 'START', timeUs: this.#us(this.#now) })
    const out = this.#slice('user_annotation', name, tid, body)
    this.annotations.push({ name, stage: 'END', timeUs: this.#us(this.#now) })
    return out
  }

  /** Weights, master weights and optimizer state: made before recording begins. */
  warmUp(): void {
    const { hidden: h, layers, vocabulary, masterBytes: m, activationBytes: a } = recipe
    const weights = [h, 3 * h * h, h * h, h, 4 * h * h, 4 * h * h]
    const all = [vocabulary * h, ...Array.from({ length: layers }, () => weights).flat(), h]
    for (const w of all) this.#quietAlloc(w * a, stacks.build())
    for (const w of all) for (let k = 0; k < 3; k++) this.#quietAlloc(w * m, stacks.state())
    this.#weights = all
    // Scratch of the warm-up that is still live when recording begins and goes away inside the first step.
    for (let i = 0; i < recipe.warmupAllocations; i++)
      this.#leftOver.push(this.#quietAlloc(between(this.#r, 3, 24) * 1_000_000, stacks.embedding()))
    this.allocator.record()
    this.runtime.load(40_000, this.#now - 200_000)
  }

  #weights: readonly number[] = []
  readonly #leftOver: Handle[] = []
  /** Losses that are kept with their graph: the program's own small leak. */
  readonly #kept: Handle[] = []

  #quietAlloc(size: number, stack: SampleStack): Handle {
    return this.allocator.alloc(size, 0, this.#us(0), stack)
  }

  step(n: number): void {
    const tid = this.#main
    const { hidden: h, sequence, batch, layers, vocabulary, heads, activationBytes: a } = recipe
    const tokens = sequence * batch
    const act = tokens * h * a
    this.#annotated(`ProfilerStep#${n}`, tid, () => {
      const inputs = this.#slice('python_function', 'data/loader.py(54): __next__', tid, () => {
        // Tokens and labels of the batch go to the device while the loader waits, the second before the first has ended.
        const wait = this.#dur(600)
        this.runtime.copy('in', tokens * 8, this.#now + wait * 0.2, this.#now + wait * 0.6)
        this.runtime.copy('in', tokens * 8, this.#now + wait * 0.45, this.#now + wait * 0.85)
        this.#now += wait
        const ids = this.#op('aten::copy_', 'optimizer', tid, [tokens * 8, tokens * 8], stacks.data())
        return ids
      })
      for (const l of this.#leftOver.splice(0, 3)) this.#free(l, stacks.embedding(), tid)
      const saved: Handle[][] = []
      let logits: Handle[] = []
      let loss: Handle[] = []
      this.#annotated('forward', tid, () =>
        this.#slice('python_function', 'model/decoder.py(104): forward', tid, () => {
          saved.push(this.#op('aten::embedding', 'norm', tid, [act], stacks.embedding()))
          for (let l = 0; l < layers; l++)
            this.#slice('python_function', `nn.Module: Block_${l}`, tid, () => {
              const s = (op: string): SampleStack => stacks.forward(op)
              const out = [
                ...this.#op('aten::native_layer_norm', 'norm', tid, [act, tokens * 8], s('norm')),
                ...this.#op('aten::linear', 'qkv', tid, [3 * act], s('qkv')),
              ]
              const scratch = this.#op(
                'aten::scaled_dot_product_attention',
                'sdpa',
                tid,
                [act, batch * heads * sequence * 4, 2 * act],
                s('sdpa'),
              )
              this.#free(scratch[2], s('sdpa'), tid)
              out.push(scratch[0], scratch[1])
              out.push(...this.#op('aten::linear', 'proj', tid, [act], s('proj')))
              out.push(...this.#op('aten::native_layer_norm', 'norm', tid, [act, tokens * 8], s('norm2')))
              out.push(...this.#op('aten::linear', 'fc1', tid, [4 * act], s('fc1')))
              out.push(...this.#op('aten::gelu', 'act', tid, [4 * act], s('act')))
              out.push(...this.#op('aten::linear', 'fc2', tid, [act], s('fc2')))
              saved.push(out)
            })
          logits = this.#op('aten::linear', 'head', tid, [tokens * vocabulary * a], stacks.head())
        }),
      )
      this.#slice('python_function', 'model/loss.py(18): token_loss', tid, () => {
        loss = this.#op('aten::cross_entropy_loss', 'loss', tid, [tokens * vocabulary * 4, 4], stacks.loss())
      })
      const gradients = this.#backward(saved, logits, loss)
      this.#annotated('optimizer', tid, () => {
        const scratch = this.#op('aten::_foreach_mul_', 'optimizer', tid, [4 * h * h * 4], stacks.optimizer(), 8)
        for (let i = 0; i < 6; i++) this.#op('aten::_fused_adamw_', 'optimizer', tid, [], stacks.optimizer(), 10)
        for (const x of scratch) this.#free(x, stacks.optimizer(), tid)
      })
      this.#slice('python_function', 'torch/optim/optimizer.py(1034): zero_grad', tid, () => {
        for (const g of gradients) this.#free(g, stacks.zeroGrad(), tid)
      })
      this.#slice('python_function', 'metrics.py(31): update', tid, () => {
        this.#kept.push(...this.#op('aten::detach', 'optimizer', tid, [tokens * 4 + 512 * (n % 3)], stacks.metrics()))
      })
      for (const i of inputs) this.#free(i, stacks.data(), tid)
      this.#slice('python_function', 'torch_neuronx/__init__.py(88): synchronize', tid, () => {
        this.#now = Math.max(this.#now, ...this.#stream) + 20 * US
        this.#finish()
      })
    })
    const pause = this.#dur(350)
    this.runtime.copy('out', tokens * 4, this.#now + pause * 0.2, this.#now + pause * 0.5)
    this.#now += pause
  }

  /** Runs on the autograd thread while the main thread waits in `backward`. Returns the gradients, live until zero_grad. */
  #backward(saved: readonly (readonly Handle[])[], logits: readonly Handle[], loss: readonly Handle[]): Handle[] {
    const tid = this.#autograd
    const { hidden: h, layers, activationBytes: a, sequence, batch } = recipe
    const act = sequence * batch * h * a
    const stack = stacks.gradient()
    const gradients: Handle[] = []
    this.#model = 1
    const scratch = this.runtime.allocate('scratchpad', recipe.scratchpadBytes, this.#now + 100, this.#now + 900)
    this.#annotated('backward', this.#main, () =>
      this.#slice('python_function', 'torch/_tensor.py(594): backward', this.#main, () => {
        const grad = this.#op('autograd::engine::evaluate_function: NllLossBackward0', 'loss', tid, [logits[0].size], stack)
        for (const x of [...loss, ...logits]) this.#free(x, stack, tid)
        gradients.push(...this.#op('autograd::engine::evaluate_function: AddmmBackward0', 'head', tid, [this.#weights[0] * a], stack))
        for (const x of grad) this.#free(x, stack, tid)
        let flow = this.#op('aten::mm', 'proj', tid, [act], stack)
        for (let l = layers; l >= 1; l--) {
          const weights = this.#weights.slice(1 + (l - 1) * 6, 1 + l * 6)
          for (const [op, kind, device] of [
            ['MulBackward0', 'fc2', 2],
            ['GeluBackward0', 'act', 1],
            ['AddmmBackward0', 'fc1', 2],
            ['ScaledDotProductBackward0', 'sdpa', 2],
            ['NativeLayerNormBackward0', 'norm', 2],
          ] as const) {
            const scratch = this.#op(
              `autograd::engine::evaluate_function: ${op}`,
              kind,
              tid,
              [kind === 'fc2' || kind === 'act' ? 4 * act : act],
              stack,
              device,
            )
            for (const x of scratch) this.#free(x, stack, tid)
          }
          gradients.push(
            ...this.#op(
              'torch::autograd::AccumulateGrad',
              'norm',
              tid,
              weights.map(w => w * a),
              stack,
            ),
          )
          const next = this.#op('aten::add_', 'norm', tid, [act], stack)
          for (const x of [...flow, ...saved[l]].reverse()) this.#free(x, stack, tid)
          flow = next
          if (l % 4 === 1) {
            const bytes = weights.reduce((s, w) => s + w, 0) * a * 4
            this.#slice('cpu_op', 'neuron::all_reduce', tid, () => {
              const bucket = this.#alloc(bytes, stacks.bucket(), tid, 1)
              const end = this.#launch('all_reduce', 2400, tid, 1)
              this.#free(bucket, stacks.bucket(), tid, end)
            })
          }
        }
        for (const x of [...flow, ...saved[0]]) this.#free(x, stack, tid)
      }),
    )
    this.runtime.free('scratchpad', recipe.scratchpadBytes, scratch, this.#now - 900, this.#now - 100)
    this.#model = 0
    return gradients
  }

  get endNs(): number {
    return this.#now
  }

  /** Names of processes, threads and streams, as Kineto writes them. */
  metadata(rank: number): void {
    const { trace, pid } = this
    trace.meta('process_name', pid, 0, 0, { name: 'python' })
    trace.meta('process_labels', pid, 0, 0, { labels: 'CPU' })
    trace.meta('process_sort_index', pid, 0, 0, { sort_index: pid })
    trace.meta('thread_name', pid, this.#main, 0, { name: `thread ${this.#main} (python)` })
    trace.meta('thread_sort_index', pid, this.#main, 0, { sort_index: this.#main })
    trace.meta('thread_name', pid, this.#autograd, 0, { name: `thread ${this.#autograd} (pt_autograd_0)` })
    trace.meta('thread_sort_index', pid, this.#autograd, 0, { sort_index: this.#autograd })
    trace.meta('process_name', 0, 0, 0, { name: 'python' })
    trace.meta('process_labels', 0, 0, 0, { labels: 'NEURON 0' })
    trace.meta('process_sort_index', 0, 0, 0, { sort_index: 5_000_000 })
    for (const s of [0, 1]) trace.meta('thread_name', 0, s, 0, { name: `stream ${s}` })
    trace.slice('Trace', `PyTorch Profiler (${rank})`, 'Spans', 'PyTorch Profiler', 0, this.#now, { 'Op count': trace.count })
  }
}

/** Runs one rank. Nothing is written to disk. */
export function simulate(o: LoopOptions): LoopResult {
  const loop = new Loop(o)
  loop.warmUp()
  for (let i = 0; i < o.steps; i++) loop.step(recipe.firstStep + i)
  loop.metadata(o.rank)
  const { trace, allocator, pid, startNs, annotations, runtime, mapping, endNs } = loop
  return { trace, allocator, pid, startNs, annotations, runtime, mapping, endNs }
}
