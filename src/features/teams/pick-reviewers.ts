/**
 * Picks the reviewers of a team. A pure function: its input holds the members, the number of
 * waiting reviews and the last turn of each. `round_robin` picks the member who was asked least
 * recently, `load_balance` the one with the fewest waiting reviews. The other criterion breaks
 * ties, then the order of the input, so the result is deterministic.
 */
export type PickRules = {
  readonly algorithm: 'round_robin' | 'load_balance'
  readonly count: number
  readonly skip_busy: boolean
  readonly busy_at: number
  /** Ids of users who are never picked. */
  readonly excluded: readonly string[]
}

export type Candidate = {
  readonly id: string
  /** The number of pull requests that wait for this user's review. */
  readonly waiting: number
  /** The last turn in which the team asked this user; 0 for never. */
  readonly asked_at: number
}

export type PickInput = {
  readonly rules: PickRules
  /** The members of the team who can see the pull request. */
  readonly people: readonly Candidate[]
  /** Never picked: the author, and the owner when the author is an agent. */
  readonly authors: readonly string[]
  /**
   * Reviewers that this pull request already has. Those who are in the team count towards `count`.
   */
  readonly asked: readonly string[]
}

export function pickReviewers({ rules, people, authors, asked }: PickInput): string[] {
  const isAsked = new Set(asked)
  const never = new Set([...authors, ...rules.excluded])
  const count = rules.count - people.filter(({ id }) => isAsked.has(id)).length
  if (count <= 0) return []
  const byTurn = (a: Candidate, b: Candidate): number => a.asked_at - b.asked_at
  const byLoad = (a: Candidate, b: Candidate): number => a.waiting - b.waiting
  const [first, second] = rules.algorithm === 'round_robin' ? [byTurn, byLoad] : [byLoad, byTurn]
  return people
    .filter(
      ({ id, waiting }) =>
        !isAsked.has(id) && !never.has(id) && !(rules.skip_busy && waiting >= rules.busy_at),
    )
    .sort((a, b) => first(a, b) || second(a, b))
    .slice(0, count)
    .map(({ id }) => id)
}
