/**
 * Whom a team asks for a review. A pure function: who is there, what waits for them and when the
 * team asked them last come in, ids come out. `round_robin` picks whoever the team asked least
 * recently, `load_balance` whoever has the fewest reviews waiting; what is even is settled by the
 * other, then by the order in which people are given, so the same question has one answer.
 */
export type PickRules = {
  readonly algorithm: 'round_robin' | 'load_balance'
  readonly count: number
  readonly skip_busy: boolean
  readonly busy_at: number
  /** Ids that are never picked. */
  readonly excluded: readonly string[]
}

export type Candidate = {
  readonly id: string
  /** Pull requests that wait for this person's review. */
  readonly waiting: number
  /** The turn in which the team asked this person last; 0 for never. */
  readonly asked_at: number
}

export type PickInput = {
  readonly rules: PickRules
  /** The people of the team who may see the pull request. */
  readonly people: readonly Candidate[]
  /** Never picked: the author, and whoever stands behind an agent that is. */
  readonly authors: readonly string[]
  /** Asked for this pull request already, by whatever way; those of the team count. */
  readonly asked: readonly string[]
}

export function pickReviewers({ rules, people, authors, asked }: PickInput): string[] {
  const isAsked = new Set(asked)
  const never = new Set([...authors, ...rules.excluded])
  const wanted = rules.count - people.filter(({ id }) => isAsked.has(id)).length
  if (wanted <= 0) return []
  const byTurn = (a: Candidate, b: Candidate): number => a.asked_at - b.asked_at
  const byLoad = (a: Candidate, b: Candidate): number => a.waiting - b.waiting
  const [first, second] = rules.algorithm === 'round_robin' ? [byTurn, byLoad] : [byLoad, byTurn]
  return people
    .filter(
      ({ id, waiting }) =>
        !isAsked.has(id) && !never.has(id) && !(rules.skip_busy && waiting >= rules.busy_at),
    )
    .sort((a, b) => first(a, b) || second(a, b))
    .slice(0, wanted)
    .map(({ id }) => id)
}
