import { describe, expect, test } from 'bun:test'
import { pickReviewers, type Candidate, type PickRules } from '#features/teams/index.ts'

const rules = (change: Partial<PickRules> = {}): PickRules => ({
  algorithm: 'round_robin',
  count: 1,
  skip_busy: false,
  busy_at: 5,
  excluded: [],
  ...change,
})
const people = (count: number): string[] => Array.from({ length: count }, (_, at) => `usr_${at}`)

/** A seeded pseudo-random generator (mulberry32). */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below)
  }
}

/**
 * Simulates a team: pull requests arrive, some reviews are done, and the state is stored as the
 * forge stores it.
 */
function simulate(options: {
  team: number
  pulls: number
  rules: PickRules
  author?: (pull: number) => string
  finish?: (waiting: Map<string, number>) => void
}) {
  const ids = people(options.team)
  const waiting = new Map(ids.map((id) => [id, 0]))
  const turns = new Map<string, number>()
  const picked = new Map(ids.map((id) => [id, 0]))
  const sizes = new Set<number>()
  let turn = 0
  let widest = 0
  for (let pull = 0; pull < options.pulls; pull++) {
    const author = options.author?.(pull)
    const candidates = ids.map(
      (id): Candidate => ({ id, waiting: waiting.get(id) ?? 0, asked_at: turns.get(id) ?? 0 }),
    )
    const picks = pickReviewers({
      rules: options.rules,
      people: candidates,
      authors: author === undefined ? [] : [author],
      asked: [],
    })
    expect(new Set(picks).size).toBe(picks.length)
    expect(picks).not.toContain(author ?? '')
    for (const id of options.rules.excluded) expect(picks).not.toContain(id)
    for (const id of picks) {
      if (options.rules.skip_busy) expect(waiting.get(id) ?? 0).toBeLessThan(options.rules.busy_at)
      turns.set(id, ++turn)
      waiting.set(id, (waiting.get(id) ?? 0) + 1)
      picked.set(id, (picked.get(id) ?? 0) + 1)
    }
    sizes.add(picks.length)
    const loads = ids
      .filter((id) => !options.rules.excluded.includes(id))
      .map((id) => waiting.get(id) ?? 0)
    widest = Math.max(widest, Math.max(...loads) - Math.min(...loads))
    options.finish?.(waiting)
  }
  const counts = ids
    .filter((id) => !options.rules.excluded.includes(id))
    .map((id) => picked.get(id) ?? 0)
  return { picked, counts, spread: Math.max(...counts) - Math.min(...counts), sizes, widest }
}

describe('thousands of picks', () => {
  test('in turn: nobody is asked more than once more than anybody else', () => {
    for (const [team, count] of [
      [2, 1],
      [7, 1],
      [7, 3],
      [5, 5],
      [40, 2],
      [13, 10],
    ] as const) {
      const { spread, sizes } = simulate({ team, pulls: 5000, rules: rules({ count }) })
      expect([team, count, spread <= 1, [...sizes]]).toEqual([team, count, true, [count]])
    }
  })

  test('in turn, while authors rotate at random and never review themselves: within one in a hundred of each other', () => {
    const next = random(7)
    const { spread, counts } = simulate({
      team: 9,
      pulls: 6000,
      rules: rules({ count: 2 }),
      author: () => `usr_${next(9)}`,
    })
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(12_000)
    expect(spread).toBeLessThan(12_000 / 9 / 100)
  })

  test('in turn, with one author of everything: the others share it evenly', () => {
    const { picked, counts } = simulate({
      team: 6,
      pulls: 5000,
      rules: rules(),
      author: () => 'usr_0',
    })
    expect(picked.get('usr_0')).toBe(0)
    expect(new Set(counts.slice(1))).toEqual(new Set([1000]))
  })

  test('by load: the fullest and the emptiest are never more than one apart while nothing is reviewed', () => {
    for (const count of [1, 2, 5])
      expect(
        simulate({ team: 8, pulls: 4000, rules: rules({ algorithm: 'load_balance', count }) })
          .widest,
      ).toBeLessThanOrEqual(1)
  })

  test('by load, with reviews given at random: whoever works faster gets more, and nobody drowns', () => {
    const next = random(11)
    // The team reviews as many as arrive; usr_0 does half of them.
    const finish = (waiting: Map<string, number>) => {
      for (const id of ['usr_0', `usr_${1 + next(4)}`])
        waiting.set(id, Math.max(0, (waiting.get(id) ?? 0) - next(2)))
    }
    const { picked, widest } = simulate({
      team: 5,
      pulls: 6000,
      rules: rules({ algorithm: 'load_balance' }),
      finish,
    })
    const others = [1, 2, 3, 4].map((at) => picked.get(`usr_${at}`) ?? 0)
    expect(picked.get('usr_0') ?? 0).toBeGreaterThan(Math.max(...others) * 2)
    expect(Math.max(...others) / Math.min(...others)).toBeLessThan(1.15)
    expect(widest).toBeLessThanOrEqual(5)
  })

  test('busy members are skipped, and excluded ones always', () => {
    const busy = simulate({
      team: 4,
      pulls: 3000,
      rules: rules({ count: 2, skip_busy: true, busy_at: 3, excluded: ['usr_3'] }),
    })
    // With three reviews each, all three members are busy.
    expect(busy.counts).toEqual([3, 3, 3])
    expect([...busy.sizes].sort()).toEqual([0, 1, 2])
    expect(busy.picked.get('usr_3')).toBe(0)
  })
})

describe('a single pick', () => {
  const at = (id: string, change: Partial<Candidate> = {}): Candidate => ({
    id,
    waiting: 0,
    asked_at: 0,
    ...change,
  })
  const pick = (
    change: Partial<PickRules>,
    candidates: Candidate[],
    more: { authors?: string[]; asked?: string[] } = {},
  ) =>
    pickReviewers({
      rules: rules(change),
      people: candidates,
      authors: more.authors ?? [],
      asked: more.asked ?? [],
    })

  test('those of the team who are asked already count; others do not', () => {
    const team = [at('a'), at('b'), at('c')]
    expect(pick({ count: 2 }, team, { asked: ['a'] })).toEqual(['b'])
    expect(pick({ count: 2 }, team, { asked: ['x', 'y'] })).toEqual(['a', 'b'])
    expect(pick({ count: 2 }, team, { asked: ['a', 'c'] })).toEqual([])
    expect(pick({ count: 1 }, team, { asked: ['a', 'b'] })).toEqual([])
  })

  test('in turn goes by who was asked least recently, by load by what waits; what is even is settled by the other', () => {
    const team = [
      at('a', { asked_at: 3, waiting: 0 }),
      at('b', { asked_at: 1, waiting: 9 }),
      at('c', { asked_at: 2, waiting: 0 }),
    ]
    expect(pick({ count: 3 }, team)).toEqual(['b', 'c', 'a'])
    expect(pick({ count: 3, algorithm: 'load_balance' }, team)).toEqual(['c', 'a', 'b'])
    expect(pick({ count: 1 }, [at('a', { waiting: 2 }), at('b', { waiting: 1 })])).toEqual(['b'])
    expect(pick({ count: 2 }, [at('z'), at('a')])).toEqual(['z', 'a'])
  })

  test('a small team is picked whole, and an empty one picks nobody', () => {
    expect(pick({ count: 10 }, [at('a'), at('b')], { authors: ['b'] })).toEqual(['a'])
    expect(pick({ count: 3 }, [])).toEqual([])
    expect(pick({ count: 3, excluded: ['a'] }, [at('a')])).toEqual([])
  })

  test('busy_at is inclusive', () => {
    expect(
      pick({ count: 2, skip_busy: true, busy_at: 2 }, [
        at('a', { waiting: 2 }),
        at('b', { waiting: 1 }),
      ]),
    ).toEqual(['b'])
    expect(pick({ count: 2, skip_busy: false, busy_at: 1 }, [at('a', { waiting: 5 })])).toEqual([
      'a',
    ])
  })
})
