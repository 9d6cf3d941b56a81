/** What several operations of the queue take and ask. */
import type { RepoGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { distrust, type Reading } from '#features/issues/index.ts'
import { branchRef, readRef, requireRepo } from '#features/repos/index.ts'
import { notFound } from '#lib/errors.ts'
import type { MergeQueue, QueueEntry } from './schema.ts'
import type { Place } from './store.ts'

export const BaseInput = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'The branch that it lands on; the default branch unless given.',
  }),
)

/**
 * Gives 404 for a branch that is not there. An empty repository has the queue of its default
 * branch, with nothing in it.
 */
export function placeIn(db: Db, repo: RepoGrant, base: string | undefined): Place {
  requireOwnRepository(repo)
  if (base !== undefined && readRef(db, repo.id, branchRef(base)) === null)
    throw notFound(`the branch ${base}`)
  return { repo_id: repo.id, base_ref: base ?? repo.default_branch }
}

/** Pull requests have no queue of their own. */
export function requireOwnRepository(repo: RepoGrant): void {
  if (repo.parent_id !== null) throw notFound(`the repository ${repo.full_name}`)
}

/** Moves, pauses and the like are written down for those who answer for the repository. */
export function auditQueue(
  tx: Tx,
  place: Place,
  action: 'moved' | 'paused' | 'resumed',
  data: { before?: unknown; after?: unknown; reason?: string | null },
): void {
  const repo = requireRepo(tx.db, place.repo_id)
  tx.audit({
    action: `queue.${action}`,
    target: { kind: 'queue', id: place.repo_id, name: `${repo.name} ${place.base_ref}` },
    workspace_id: repo.workspace_id,
    repo_id: repo.id,
    data,
  })
}

/**
 * Titles are words of the author; commands are words of whoever wrote the issue, and what they
 * print is the change's.
 */
const entryPlaces = (
  at: string,
  { pull, checks }: QueueEntry,
  distrusted: ReturnType<typeof distrust>,
): string[] => [
  ...(distrusted(pull.author) && pull.title !== '' ? [`${at}/pull/title`] : []),
  ...checks.results.flatMap(({ output_tail }, index) => [
    `${at}/checks/results/${index}/command`,
    ...(output_tail === '' ? [] : [`${at}/checks/results/${index}/output_tail`]),
  ]),
]

export const inEntry = (entry: QueueEntry, reading: Reading): string[] =>
  entryPlaces('', entry, distrust(reading))

export function inQueue({ waiting, recent }: MergeQueue, reading: Reading): string[] {
  const distrusted = distrust(reading)
  return [
    ...waiting.flatMap((entry, index) => entryPlaces(`/waiting/${index}`, entry, distrusted)),
    ...recent.flatMap((entry, index) => entryPlaces(`/recent/${index}`, entry, distrusted)),
  ]
}
