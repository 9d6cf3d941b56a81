/** What one registry needed for one thing, and how two of them compare. */
import { cpuOf } from '../git/processes.ts'
import type { Registry } from './servers.ts'

/** Seconds. */
export type Cost = { readonly cpu: number; readonly wall: number }

export async function costOf(registry: Registry, work: () => Promise<unknown>): Promise<Cost> {
  const before = cpuOf(registry.pid)
  const began = performance.now()
  await work()
  const wall = (performance.now() - began) / 1000
  return { cpu: cpuOf(registry.pid) - before, wall }
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const medianCost = (all: readonly Cost[]): Cost => ({
  cpu: median(all.map(({ cpu }) => cpu)),
  wall: median(all.map(({ wall }) => wall)),
})

/** Both do the same in turns, so that other work on the machine weighs on both. Medians. */
export async function race(
  [ours, theirs]: readonly [Registry, Registry],
  rounds: number,
  work: (registry: Registry, round: number) => Promise<unknown>,
): Promise<readonly [Cost, Cost]> {
  const costs: [Cost[], Cost[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    costs[0].push(await costOf(ours, () => work(ours, round)))
    costs[1].push(await costOf(theirs, () => work(theirs, round)))
  }
  return [medianCost(costs[0]), medianCost(costs[1])]
}

const seconds = (value: number): string =>
  value < 0.1 ? `${(value * 1000).toFixed(1)} ms` : `${value.toFixed(2)} s`

/** Ratios of processor time and of waiting, and what they come from. */
export function describeRace([ours, theirs]: readonly [Cost, Cost], times = 1): string {
  const ratio = (a: number, b: number): string => (a / b).toPrecision(2)
  const cpu = `${ratio(ours.cpu, theirs.cpu)} (${seconds(ours.cpu / times)} / ${seconds(theirs.cpu / times)})`
  return `${cpu} | ${ratio(ours.wall, theirs.wall)} (${seconds(ours.wall / times)} / ${seconds(theirs.wall / times)})`
}
