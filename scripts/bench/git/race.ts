/** Runs scenarios in turn against both servers and keeps what each took. */
import { median } from '../forge/wrk.ts'
import { cpuOf, watchMemory } from './processes.ts'
import type { Scenario } from './scenarios.ts'
import type { Server } from './servers.ts'

/** Seconds of one run, as the client waits and as the server works. */
export type Taken = { readonly wall: number; readonly cpu: number }
/**
 * `memory` is the most that each server's processes held together, in MiB; null where that was not
 * watched.
 */
export type Result = {
  readonly scenario: string
  readonly repository: string
  readonly hearth: Taken
  readonly git: Taken
  readonly memory: { readonly hearth: number; readonly git: number } | null
}

/** What a server does after its answer counts as well. */
const SETTLE = 60
const AFTER_PUSH = 300

async function measure(
  server: Server,
  scenario: Scenario,
  round: number,
  settles = true,
): Promise<Taken> {
  await scenario.before?.(server, round)
  const { repeat, each } = scenario
  let [wall, cpu] = [0, 0]
  for (let at = 0; at < repeat; at += each ? 1 : repeat) {
    await each?.(server)
    // What a push sets off in the background is no part of what comes next.
    if (settles) await Bun.sleep(each ? AFTER_PUSH : SETTLE)
    const used = cpuOf(server.pid)
    const began = performance.now()
    for (let more = at; more < (each ? at + 1 : repeat); more++)
      await scenario.run(server, more, round)
    wall += (performance.now() - began) / 1000
    if (settles) await Bun.sleep(SETTLE)
    cpu += cpuOf(server.pid) - used
  }
  return { wall: wall / repeat, cpu: cpu / repeat }
}

/**
 * Milliseconds between two looks: a process of git's lives for a few of them. On a busy machine
 * looks are missed, and the shortest processes with them.
 */
const LOOK = 3

/** The most memory during one run that does not count for time: looking takes some itself. */
async function peakOf(server: Server, scenario: Scenario, round: number): Promise<number> {
  await scenario.before?.(server, round)
  const most = watchMemory(server.pid, LOOK)
  for (let at = 0; at < scenario.repeat; at++) {
    await scenario.each?.(server)
    await scenario.run(server, at, round)
  }
  return most()
}

const middle = (taken: readonly Taken[]): Taken => ({
  wall: median(taken.map(({ wall }) => wall)),
  cpu: middleCpu(taken.map(({ cpu }) => cpu)),
})

/**
 * Ticks are coarse where little is used: there a mean says more than the median. The least and the
 * most are left out of it, since work in the background falls into a round now and then.
 */
function middleCpu(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const inner = sorted.length < 3 ? sorted : sorted.slice(1, -1)
  return median(values) < 0.05
    ? inner.reduce((sum, value) => sum + value, 0) / inner.length
    : median(values)
}

/**
 * Runs before those that count: whoever serves does it all day. What takes seconds says the same
 * from the first time on.
 */
const WARM_SECONDS = 15
const WARM_RUNS = 200

/** One scenario, the two sides in turn, after as many runs on both as it takes to be warm. */
export async function race(
  scenario: Scenario,
  repository: string,
  sides: readonly [hearth: Server, git: Server],
  rounds: number,
): Promise<Result> {
  const taken: [Taken[], Taken[]] = [[], []]
  for (const server of sides) await scenario.warm?.(server)
  const warming: [number, number] = [0, 0]
  let round = 0
  for (
    let left = Math.ceil(WARM_RUNS / scenario.repeat);
    !scenario.cold && left > 0 && Math.max(...warming) < WARM_SECONDS;
    left--, round++
  ) {
    for (const side of [0, 1] as const)
      warming[side] += (await measure(sides[side], scenario, round, false)).wall * scenario.repeat
  }
  for (const last = round + rounds; round < last; round++) {
    for (const side of [0, 1] as const)
      taken[side].push(await measure(sides[side], scenario, round))
  }
  const memory = {
    hearth: await peakOf(sides[0], scenario, round),
    git: await peakOf(sides[1], scenario, round),
  }
  return {
    scenario: scenario.name,
    repository,
    hearth: middle(taken[0]),
    git: middle(taken[1]),
    memory,
  }
}
