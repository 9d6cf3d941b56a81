/**
 * Detects a SHA-1 collision attack from one of its two messages (M. Stevens,
 * "Counter-cryptanalysis", CRYPTO 2013). An attack changes the expanded message by one of a few
 * known differences, the disturbance vectors, and the two inner states are equal at some step. For
 * each possible vector the other message is computed and the compression function is run from that
 * step to both ends. If the chaining values agree, the messages collide. Conditions on single bits
 * (sha1-conditions.ts) exclude most vectors, so most blocks need none of this work.
 */
import { CONDITIONS } from './sha1-conditions.ts'

type DisturbanceVector = {
  /** XOR difference of the attack in each of the 80 words of the expanded message. */
  readonly messageDifference: Int32Array
  /** The step before which the states of both messages are equal. */
  readonly equalBefore: 58 | 65
}

const rotate = (word: number, by: number): number => (word << by) | (word >>> (32 - by))

/** Types, first steps and bits of the disturbance vectors, in the bit order of the masks. */
const DISTURBANCE_VECTORS: readonly DisturbanceVector[] = [
  ...[
    '43 0',
    '44 0',
    '45 0',
    '46 0',
    '46 2',
    '47 0',
    '47 2',
    '48 0',
    '48 2',
    '49 0',
    '49 2',
    '50 0',
    '50 2',
    '51 0',
    '51 2',
    '52 0',
  ].map((one) => disturbanceVector(1, one)),
  ...[
    '45 0',
    '46 0',
    '46 2',
    '47 0',
    '48 0',
    '49 0',
    '49 2',
    '50 0',
    '50 2',
    '51 0',
    '51 2',
    '52 0',
    '53 0',
    '54 0',
    '55 0',
    '56 0',
  ].map((one) => disturbanceVector(2, one)),
]

/**
 * Computes a disturbance vector. It obeys the message expansion and is defined by 16 of its words;
 * the others follow, back to five steps before the first.
 */
function disturbanceVector(type: 1 | 2, name: string): DisturbanceVector {
  const [first = 0, bit = 0] = name.split(' ').map(Number)
  const BEFORE = 5
  const words = new Int32Array(80 + BEFORE)
  const start = first + BEFORE
  words[start + 15] = rotate(1, bit)
  if (type === 2) words[start + 1] = words[start + 3] = rotate(1, 31 + bit)
  const at = (step: number): number => words[step] ?? 0
  for (let step = start + 16; step < words.length; step++)
    words[step] = rotate(at(step - 3) ^ at(step - 8) ^ at(step - 14) ^ at(step - 16), 1)
  for (let step = start - 1; step >= 0; step--)
    words[step] = rotate(at(step + 16), 31) ^ at(step + 13) ^ at(step + 8) ^ at(step + 2)
  const changes = new Int32Array(80)
  for (let step = 0; step < 80; step++) {
    const here = step + BEFORE
    // A disturbance and its five corrections.
    changes[step] =
      at(here) ^
      rotate(at(here - 1), 5) ^
      at(here - 2) ^
      rotate(at(here - 3), 30) ^
      rotate(at(here - 4), 30) ^
      rotate(at(here - 5), 30)
  }
  return { messageDifference: changes, equalBefore: first >= 50 ? 65 : 58 }
}

const LEFT_STEPS = Int32Array.from(CONDITIONS, ([i]) => i)
const LEFT_BITS = Int32Array.from(CONDITIONS, ([, a]) => a)
const RIGHT_STEPS = Int32Array.from(CONDITIONS, ([, , j]) => j)
const RIGHT_BITS = Int32Array.from(CONDITIONS, ([, , , b]) => b)
const DIFFER = Int32Array.from(CONDITIONS, ([, , , , differ]) => differ)
const RULED_OUT = Int32Array.from(CONDITIONS, ([, , , , , mask]) => ~mask)

/** Returns the disturbance vectors that an expanded block does not exclude, as a bit mask. */
export function possibleVectors(words: Int32Array): number {
  let mask = -1
  for (let at = 0; at < LEFT_STEPS.length; at++) {
    // Most are about vectors that are excluded by now.
    if ((mask & ~RULED_OUT[at]!) === 0) continue
    const bits =
      (words[LEFT_STEPS[at]!]! >>> LEFT_BITS[at]!) ^ (words[RIGHT_STEPS[at]!]! >>> RIGHT_BITS[at]!)
    if ((bits & 1) !== DIFFER[at]) {
      mask &= RULED_OUT[at]!
      if (mask === 0) return 0
    }
  }
  return mask
}

/** Working memory of a detector. Detectors that are used one after the other share it. */
export class DetectorScratch {
  /** The expanded message of the block. */
  readonly words = new Int32Array(80)
  /** The expanded message of the other block of an attack. */
  readonly otherWords = new Int32Array(80)
  /** The five state words a to e. */
  readonly state = new Int32Array(5)
  readonly stateAt58 = new Int32Array(5)
  readonly stateAt65 = new Int32Array(5)
}

/** Runs steps `from` to `to` on `state`. Each round has a loop of its own, without a choice inside. */
function runSteps(state: Int32Array, message: Int32Array, from: number, to: number): void {
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  let step = from
  for (const end = Math.min(to, 20); step < end; step++) {
    const next =
      (((a << 5) | (a >>> 27)) + (d ^ (b & (c ^ d))) + e + 0x5a827999 + message[step]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  for (const end = Math.min(to, 40); step < end; step++) {
    const next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0x6ed9eba1 + message[step]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  for (const end = Math.min(to, 60); step < end; step++) {
    const next =
      (((a << 5) | (a >>> 27)) + ((b & c) | (d & (b | c))) + e - 0x70e44324 + message[step]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  for (; step < to; step++) {
    const next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e - 0x359d3e2a + message[step]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  state[0] = a
  state[1] = b
  state[2] = c
  state[3] = d
  state[4] = e
}

/** Undoes steps `from` - 1 to 0 on `state`. */
function undoSteps(state: Int32Array, message: Int32Array, from: number): void {
  let [a, b, c, d, e] = [state[0]!, state[1]!, state[2]!, state[3]!, state[4]!]
  for (let step = from - 1; step >= 0; step--) {
    const next = a
    a = b
    b = (c << 2) | (c >>> 30)
    c = d
    d = e
    const f =
      step < 20
        ? ((d ^ (b & (c ^ d))) + 0x5a827999) | 0
        : step < 40
          ? ((b ^ c ^ d) + 0x6ed9eba1) | 0
          : step < 60
            ? (((b & c) | (d & (b | c))) + 0x8f1bbcdc) | 0
            : ((b ^ c ^ d) + 0xca62c1d6) | 0
    e = (next - ((a << 5) | (a >>> 27)) - f - message[step]!) | 0
  }
  state[0] = a
  state[1] = b
  state[2] = c
  state[3] = d
  state[4] = e
}

/** Hashes a message given in parts and detects blocks of a collision attack. */
export class UbcCollisionDetector {
  /** Whether a block of an attack was found. */
  found = false
  private readonly chain = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0)
  private readonly block = new Uint8Array(64)
  private length = 0

  constructor(private readonly scratch = new DetectorScratch()) {}

  update(bytes: Uint8Array): void {
    let at = 0
    const filled = this.length % 64
    this.length += bytes.length
    if (filled > 0) {
      const room = Math.min(64 - filled, bytes.length)
      this.block.set(bytes.subarray(0, room), filled)
      at = room
      if (filled + room < 64) return
      this.processBlock(this.block, 0)
    }
    for (; at + 64 <= bytes.length; at += 64) this.processBlock(bytes, at)
    this.block.set(bytes.subarray(at))
  }

  /** Returns the SHA-1 hash of the message. */
  digest(): Uint8Array {
    const bits = this.length * 8
    const padding = new Uint8Array(((this.length + 8) >>> 6) * 64 + 64 - this.length)
    padding[0] = 0x80
    const view = new DataView(padding.buffer)
    view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32))
    view.setUint32(padding.length - 4, bits >>> 0)
    this.update(padding)
    const out = new DataView(new ArrayBuffer(20))
    this.chain.forEach((word, at) => out.setInt32(at * 4, word))
    return new Uint8Array(out.buffer)
  }

  private processBlock(bytes: Uint8Array, from: number): void {
    const { chain } = this
    const { words, state, stateAt58, stateAt65 } = this.scratch
    for (let step = 0, at = from; step < 16; step++, at += 4) {
      words[step] =
        (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
    }
    for (let step = 16; step < 80; step++) {
      const word = words[step - 3]! ^ words[step - 8]! ^ words[step - 14]! ^ words[step - 16]!
      words[step] = (word << 1) | (word >>> 31)
    }
    state.set(chain)
    runSteps(state, words, 0, 58)
    stateAt58.set(state)
    runSteps(state, words, 58, 65)
    stateAt65.set(state)
    runSteps(state, words, 65, 80)
    for (let i = 0; i < 5; i++) chain[i]! += state[i]!
    const possible = possibleVectors(words)
    if (possible !== 0) this.checkVectors(possible)
  }

  /** Tests whether the block collides with the other block of one of the vectors. */
  private checkVectors(possible: number): void {
    const { words, otherWords, state, stateAt58, stateAt65 } = this.scratch
    for (let rest = possible; rest !== 0; rest &= rest - 1) {
      const vector = DISTURBANCE_VECTORS[31 - Math.clz32(rest & -rest)]!
      for (let step = 0; step < 80; step++)
        otherWords[step] = words[step]! ^ vector.messageDifference[step]!
      const equal = vector.equalBefore === 58 ? stateAt58 : stateAt65
      state.set(equal)
      undoSteps(state, otherWords, vector.equalBefore)
      const start = state.slice()
      state.set(equal)
      runSteps(state, otherWords, vector.equalBefore, 80)
      let same = true
      for (let i = 0; i < 5; i++) if (((start[i]! + state[i]!) | 0) !== this.chain[i]) same = false
      if (same) this.found = true
    }
  }
}
