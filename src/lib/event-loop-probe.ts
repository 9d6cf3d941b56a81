/**
 * Measures the longest turn of the event loop: how long one piece of work kept the thread from
 * everything else. A timer that fires late tells it.
 *
 * The timer is frequent only while there is work: from `wake` until a second in which the thread
 * used little CPU. Otherwise it fires once a second, which costs about 0.02 percent of a core.
 */
import { ownThreadCpuMs } from './threads/thread.ts'
import { SECOND } from './time.ts'

const AWAKE_INTERVAL_MS = 10
const ASLEEP_INTERVAL_MS = SECOND
/** CPU of the thread in a second below which the probe sleeps. Its own timer uses about 10 ms. */
const MIN_BUSY_CPU_MS = 50

/**
 * After so many quiet seconds, `onQuiet` is called if the thread has used so much CPU in busy seconds
 * since the last call. Less work leaves too little behind.
 */
const QUIET_SECONDS = 15
const MIN_CPU_UNTIL_QUIET_MS = SECOND / 2

/** After so many quiet seconds since that call, `onLongQuiet` is called. */
const LONG_QUIET_SECONDS = 300

const SLICE_MS = 5 * SECOND
const SLICES = 12

/**
 * The longest turn of a period. `cpuMs` is the part of it in which the thread computed: less than
 * `ms` when the thread waited for a disk, or for a processor that other programs used.
 */
export type LongestTurn = { readonly ms: number; readonly cpuMs: number }

const NONE: LongestTurn = { ms: 0, cpuMs: 0 }

const longer = (a: LongestTurn, b: LongestTurn): LongestTurn => ({
  ms: Math.max(a.ms, b.ms),
  cpuMs: Math.max(a.cpuMs, b.cpuMs),
})

export type ProbeClocks = { readonly now: () => number; readonly cpu: () => number }

/** Calls a function again and again until the returned function is called. */
export type Repeat = (tick: () => void, intervalMs: number) => () => void

const repeatByTimer: Repeat = (tick, intervalMs) => {
  const timer = setInterval(tick, intervalMs)
  timer.unref()
  return () => clearInterval(timer)
}

export class EventLoopProbe {
  readonly #now: () => number
  readonly #cpu: () => number
  #stop: (() => void) | null = null
  #intervalMs = 0
  #measuredAt: number
  #measuredCpu: number
  /** The start of the second in which the CPU of the thread is looked at, and the CPU by then. */
  #secondAt: number
  #secondCpu: number
  #quietSeconds = 0
  #busyCpuMs = 0
  #isLongQuietAwaited = false
  #sinceTaken = NONE
  /** The longest turns of the last slices of time, by the number of the slice. */
  readonly #slices = new Map<number, LongestTurn>()

  constructor(
    { now = () => performance.now(), cpu = ownThreadCpuMs }: Partial<ProbeClocks> = {},
    private readonly repeat: Repeat = repeatByTimer,
    /** Called when much work was done and none has come for a while. */
    private readonly onQuiet: () => void = () => {},
    /** Called once when none has come for minutes after that. */
    private readonly onLongQuiet: () => void = () => {},
  ) {
    this.#now = now
    this.#cpu = cpu
    this.#measuredAt = this.#secondAt = now()
    this.#measuredCpu = this.#secondCpu = cpu()
    this.#schedule(ASLEEP_INTERVAL_MS)
  }

  get isAwake(): boolean {
    return this.#intervalMs === AWAKE_INTERVAL_MS
  }

  /** Measures finely from now on, because work begins. */
  wake(): void {
    if (this.isAwake || this.#stop === null) return
    this.measure()
    this.#secondAt = this.#measuredAt
    this.#secondCpu = this.#measuredCpu
    this.#schedule(AWAKE_INTERVAL_MS)
  }

  /** The longest turn since this was called last. */
  takeLongest(): LongestTurn {
    this.measure()
    const taken = this.#sinceTaken
    this.#sinceTaken = NONE
    return taken
  }

  /** The longest turn of the last minute. */
  longestOfMinute(): LongestTurn {
    this.measure()
    return [...this.#slices.values()].reduce(longer, NONE)
  }

  close(): void {
    this.#stop?.()
    this.#stop = null
  }

  /** Records how late the timer is. The timer calls this, and so does every reader. */
  measure(): void {
    const now = this.#now()
    const cpu = this.#cpu()
    const lateMs = now - this.#measuredAt - this.#intervalMs
    const cpuMs = Math.max(0, Math.min(lateMs, cpu - this.#measuredCpu))
    const slice = Math.floor(now / SLICE_MS)
    for (const old of this.#slices.keys()) if (old <= slice - SLICES) this.#slices.delete(old)
    if (lateMs > 0) {
      const turn = { ms: lateMs, cpuMs }
      this.#sinceTaken = longer(this.#sinceTaken, turn)
      this.#slices.set(slice, longer(this.#slices.get(slice) ?? NONE, turn))
    }
    this.#measuredAt = now
    this.#measuredCpu = cpu
  }

  #tick(): void {
    this.measure()
    if (this.#measuredAt - this.#secondAt < SECOND) return
    const cpuMs = this.#measuredCpu - this.#secondCpu
    const isBusy = cpuMs >= MIN_BUSY_CPU_MS
    if (isBusy) this.#busyCpuMs += cpuMs
    this.#secondAt = this.#measuredAt
    this.#secondCpu = this.#measuredCpu
    if (isBusy !== this.isAwake) this.#schedule(isBusy ? AWAKE_INTERVAL_MS : ASLEEP_INTERVAL_MS)
    this.#quietSeconds = isBusy ? 0 : this.#quietSeconds + 1
    if (this.#quietSeconds >= QUIET_SECONDS && this.#busyCpuMs >= MIN_CPU_UNTIL_QUIET_MS) {
      this.#callUncounted(this.onQuiet)
      this.#isLongQuietAwaited = true
    } else if (this.#quietSeconds >= LONG_QUIET_SECONDS && this.#isLongQuietAwaited) {
      this.#callUncounted(this.onLongQuiet)
      this.#isLongQuietAwaited = false
    }
  }

  /** The time of the call counts neither as work nor as a long turn. */
  #callUncounted(call: () => void): void {
    call()
    this.#quietSeconds = 0
    this.#busyCpuMs = 0
    this.#measuredAt = this.#secondAt = this.#now()
    this.#measuredCpu = this.#secondCpu = this.#cpu()
  }

  #schedule(intervalMs: number): void {
    this.#stop?.()
    this.#intervalMs = intervalMs
    this.#stop = this.repeat(() => this.#tick(), intervalMs)
  }
}
