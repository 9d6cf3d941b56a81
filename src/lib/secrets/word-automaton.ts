/**
 * Finds many words in bytes at once, letters folded (Aho and Corasick, 1975). The table is dense over
 * classes of bytes, and the states that end a word have the highest numbers, so the inner loop is one
 * load and one comparison for each byte.
 */
/** The part of the bytes whose words are collected at a time. */
const BLOCK_BYTES = 8192

type Block = { readonly start: number; readonly middle: number; readonly end: number }

/** The words that end in one half of a block. */
class Lane {
  count = 0
  readonly states = new Uint16Array(BLOCK_BYTES / 2 + 1)
  readonly positions = new Int32Array(BLOCK_BYTES / 2 + 1)
}

export class WordAutomaton {
  private readonly maxBytes: number
  private readonly lanes = [new Lane(), new Lane()] as const
  private readonly classes = new Uint8Array(256)
  private readonly width: number
  private readonly shift: number
  private readonly table: Uint16Array
  private readonly firstEnd: number
  private readonly ends: readonly (readonly number[])[]

  constructor(words: readonly string[]) {
    this.maxBytes = Math.max(0, ...words.map((word) => word.length))
    this.width = this.classify(words)
    const { next, outputs, order } = this.build(words)
    const count = order.length
    if (count > 0xffff) throw new RangeError('too many words')
    const isEnd = (state: number) => (outputs[state] ?? []).length > 0
    const sorted = [...order.filter((state) => !isEnd(state)), ...order.filter(isEnd)]
    const numbers = new Map(sorted.map((state, at) => [state, at]))
    this.firstEnd = sorted.findIndex(isEnd)
    if (this.firstEnd < 0) this.firstEnd = count
    this.ends = sorted.slice(this.firstEnd).map((state) => outputs[state] ?? [])
    // A row of a power of two is found with a shift, which is quicker than a product.
    this.shift = Math.ceil(Math.log2(this.width))
    this.table = new Uint16Array(count << this.shift)
    for (const [at, state] of sorted.entries())
      for (let symbol = 0; symbol < this.width; symbol++)
        this.table[(at << this.shift) + symbol] =
          numbers.get(next[state * this.width + symbol] ?? 0) ?? 0
  }

  /** Numbers the bytes of the words from 1; all others are 0. */
  private classify(words: readonly string[]): number {
    let symbols = 0
    for (const word of words)
      for (const byte of Buffer.from(word.toLowerCase(), 'latin1'))
        if (this.classes[byte] === 0) this.classes[byte] = ++symbols
    for (let byte = 65; byte <= 90; byte++) this.classes[byte] = this.classes[byte + 32] ?? 0
    return symbols + 1
  }

  private build(words: readonly string[]): {
    next: number[]
    outputs: number[][]
    order: number[]
  } {
    const { width } = this
    const next: number[] = new Array<number>(width).fill(0)
    const outputs: number[][] = [[]]
    for (const [index, word] of words.entries()) {
      let state = 0
      for (const byte of Buffer.from(word.toLowerCase(), 'latin1')) {
        const at = state * width + (this.classes[byte] ?? 0)
        if (!next[at]) {
          next[at] = outputs.push([]) - 1
          for (let symbol = 0; symbol < width; symbol++) next.push(0)
        }
        state = next[at] ?? 0
      }
      outputs[state]?.push(index)
    }
    return { next, outputs, order: this.link(next, outputs) }
  }

  /** Fills in the steps after a mismatch, breadth first. */
  private link(next: number[], outputs: number[][]): number[] {
    const { width } = this
    const failure: number[] = [0]
    const order = [0]
    for (const state of order) {
      for (let symbol = 0; symbol < width; symbol++) {
        const child = next[state * width + symbol] ?? 0
        const fallback = state === 0 ? 0 : (next[(failure[state] ?? 0) * width + symbol] ?? 0)
        if (child === 0) next[state * width + symbol] = fallback
        else {
          failure[child] = fallback
          outputs[child]?.push(...(outputs[fallback] ?? []))
          order.push(child)
        }
      }
    }
    return order
  }

  /**
   * Calls `found` with the number of each word in a part of the bytes and the position after it, in
   * order, until it returns true.
   */
  scan(
    data: Uint8Array,
    found: (word: number, end: number) => boolean,
    from = 0,
    to = data.length,
  ): void {
    const { firstEnd, ends } = this
    for (let start = from; start < to; start += BLOCK_BYTES) {
      const end = Math.min(to, start + BLOCK_BYTES)
      const middle = (start + end) >> 1
      this.step(data, from, { start, middle, end })
      for (const lane of this.lanes)
        for (let at = 0; at < lane.count; at++) {
          const words = ends[(lane.states[at] as number) - firstEnd] as readonly number[]
          const position = lane.positions[at] as number
          for (let index = 0; index < words.length; index++)
            if (found(words[index] as number, position)) return
        }
    }
  }

  /**
   * Steps through both halves of a block at once: a step waits for the one before it, so two that do
   * not depend on each other take little longer than one. Iterators are kept out of it, because they
   * keep the engine from compiling its loop well (a quarter of the speed).
   */
  private step(data: Uint8Array, from: number, { start, middle, end }: Block): void {
    const { table, classes, shift, firstEnd } = this
    const [left, right] = this.lanes
    let leftCount = 0
    let rightCount = 0
    let leftState = this.stateAt(data, from, start)
    let rightState = this.stateAt(data, from, middle)
    for (let at = start, other = middle; other < end; at++, other++) {
      if (at < middle) {
        leftState = table[(leftState << shift) + (classes[data[at] as number] as number)] as number
        if (leftState >= firstEnd) {
          left.states[leftCount] = leftState
          left.positions[leftCount++] = at + 1
        }
      }
      rightState = table[
        (rightState << shift) + (classes[data[other] as number] as number)
      ] as number
      if (rightState >= firstEnd) {
        right.states[rightCount] = rightState
        right.positions[rightCount++] = other + 1
      }
    }
    left.count = leftCount
    right.count = rightCount
  }

  /** The state at a position, which the bytes of the longest word before it decide. */
  private stateAt(data: Uint8Array, from: number, to: number): number {
    let state = 0
    for (let at = Math.max(from, to - this.maxBytes); at < to; at++)
      state = this.table[
        (state << this.shift) + (this.classes[data[at] as number] as number)
      ] as number
    return state
  }
}
