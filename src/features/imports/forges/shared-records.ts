/** What the dialects of forges have in common. */
import { listOf, type Fields } from './fields.ts'
import { REACTIONS, type ReactionContent } from '#features/issues/index.ts'
import type {
  ForeignChange,
  ForeignEvent,
  ForeignLabel,
  ForeignMilestone,
  ForeignPerson,
  ForeignReaction,
  Page,
} from './forge.ts'
import { ForgeError, type ForgeAnswer, type ForgeClient } from './forge-client.ts'

export const labelOf = (label: Fields): ForeignLabel => ({
  name: label.text('name'),
  color: label.text('color'),
  description: label.optional('description'),
})

export const milestoneOf = (milestone: Fields): ForeignMilestone => ({
  id: milestone.id('id'),
  title: milestone.text('title'),
  description: milestone.optional('description'),
  due_on: milestone.optional('due_on'),
  created_ms: milestone.time('created_at') ?? 0,
  closed_ms:
    milestone.text('state') === 'closed'
      ? (milestone.time('closed_at') ?? milestone.time('updated_at') ?? 0)
      : null,
})

/** When a record was made, and changed last. */
export function timesOf(record: Fields): { created_ms: number; updated_ms: number } {
  const created_ms = record.time('created_at') ?? 0
  return { created_ms, updated_ms: record.time('updated_at') ?? created_ms }
}

const CONTENTS: ReadonlySet<string> = new Set(REACTIONS)

/** A reaction as GitHub names them, and Gitea after it. None for one that is not known here. */
export function reactionOf(
  reaction: Fields,
  personOf: (user: Fields | null) => ForeignPerson | null,
): ForeignReaction[] {
  const content = reaction.text('content')
  return CONTENTS.has(content)
    ? [{ content: content as ReactionContent, person: personOf(reaction.object('user')) }]
    : []
}

/** A part that a repository has switched off is missing: it has nothing to take. */
export function orMissing(error: unknown): Fields[] {
  if (error instanceof ForgeError && error.isMissing) return []
  throw error
}

/**
 * Reads a page of a list. An item may be none or several records. `restOf` says what follows, from
 * the answer and the number of its items. `whenRefused` returns for a list that has nothing to take.
 */
export async function readPage<T>(
  client: ForgeClient,
  path: string,
  parse: (item: Fields) => T | readonly T[],
  restOf: (answer: ForgeAnswer, count: number) => Omit<Page<T>, 'items'>,
  whenRefused: (error: unknown) => readonly Fields[] = orMissing,
): Promise<Page<T>> {
  try {
    const answer = await client.get(path)
    const items = listOf(answer.body)
    return { items: items.flatMap((item) => parse(item) as T), ...restOf(answer, items.length) }
  } catch (error) {
    whenRefused(error)
    return { items: [], next: null, total: 0 }
  }
}

/** An event of a timeline; none for one that says nothing here. */
export const eventOf = (
  id: string,
  person: ForeignPerson | null,
  at_ms: number | null,
  change: ForeignChange | null,
): ForeignEvent[] => (change === null || at_ms === null ? [] : [{ id, person, at_ms, change }])
