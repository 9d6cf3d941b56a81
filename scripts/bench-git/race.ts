/** Runs scenarios in turn against both servers and keeps what each took. */
import { median } from '../bench/wrk.ts'
import { cpuOf } from './processes.ts'
import type { Scenario } from './scenarios.ts'
import type { Server } from './servers.ts'

/** Seconds of one run, as the client waits and as the server works. */
export type Taken = { readonly wall: number; readonly cpu: number }
export type Result = { readonly scenario: string; readonly repository: string; readonly hearth: Taken; readonly git: Taken }

/** What a server does after its answer counts as well. */
const SETTLE = 60
const AFTER_PUSH = 300

async function measure(server: Server, scenario: Scenario, round: number): Promise<Taken> {
  await scenario.before?.(server, round)
  const { repeat, each } = scenario
  let [wall, cpu] = [0, 0]
  for (let at = 0; at < repeat; at += each ? 1 : repeat) {
    await each?.(server)
    // What a push sets off in the background is no part of what comes next.
    await Bun.sleep(each ? AFTER_PUSH : SETTLE)
    const used = cpuOf(server.pid)
    const began = performance.now()
    for (let more = at; more < (each ? at + 1 : repeat); more++) await scenario.run(server, more, round)
    wall += (performance.now() - began) / 1000
    await Bun.sleep(SETTLE)
    cpu += cpuOf(server.pid) - used
  }
  return { wall: wall / repeat, cpu: cpu / repeat }
}

const middle = (taken: readonly Taken[]): Taken => ({ wall: median(taken.map(({ wall }) => wall)), cpu: middleCpu(taken.map(({ cpu }) => cpu)) })

/** Ticks are coarse where little is used: there the mean says more than the median. */
function middleCpu(values: readonly number[]): number {
  const middle = median(values)
  return middle < 0.05 ? values.reduce((sum, value) => sum + value, 0) / values.length : middle
}

/** One scenario, the two sides in turn; the first round is to warm up. */
export async function race(scenario: Scenario, repository: string, sides: readonly [hearth: Server, git: Server], rounds: number): Promise<Result> {
  const taken: [Taken[], Taken[]] = [[], []]
  for (const server of sides) await scenario.warm?.(server)
  for (let round = 0; round <= rounds; round++) {
    for (const side of [0, 1] as const) {
      const one = await measure(sides[side], scenario, round)
      if (round > 0) taken[side].push(one)
    }
  }
  return { scenario: scenario.name, repository, hearth: middle(taken[0]), git: middle(taken[1]) }
}
