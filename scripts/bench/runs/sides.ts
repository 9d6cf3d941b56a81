/** Measures that are taken in turn on several sides, and their table. */
import { ratio, table } from '../forge/table.ts'

export type Side = () => Promise<number>

export type Measure = {
  readonly name: string
  readonly here: Side
  readonly beside: Side
  /** The most that the ratio should be, in words. */
  readonly goal?: string
  /** How often at most, for what takes minutes. */
  readonly rounds?: number
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Takes each measure on both sides in turn, `rounds` times, and shows medians and their ratio. */
export async function compareSides(
  head: readonly [string, string, string],
  measures: readonly Measure[],
  rounds: number,
): Promise<string> {
  const taken = measures.map(() => ({ here: [] as number[], beside: [] as number[] }))
  for (let round = 0; round < rounds; round++)
    for (const [at, { here, beside, rounds: most = rounds }] of measures.entries()) {
      if (round >= most) continue
      taken[at]?.here.push(await here())
      taken[at]?.beside.push(await beside())
    }
  return table(
    [...head, 'ratio', 'goal'],
    measures.map(({ name, goal = '' }, at) => {
      const [a, b] = [median(taken[at]?.here ?? []), median(taken[at]?.beside ?? [])]
      return [name, a.toFixed(1), b.toFixed(1), ratio(a / b), goal]
    }),
  )
}
