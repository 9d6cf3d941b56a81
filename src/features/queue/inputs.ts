/** Inputs and checks that several operations share. */
import type { RepoGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { untrustedAuthors, type UntrustedScope } from '#features/issues/index.ts'
import { branchRef, readRef, requireRepo } from '#features/repos/index.ts'
import { notFound } from '#lib/errors.ts'
import type { MergeQueue, QueueEntry } from './schema.ts'
import type { QueueKey } from './store.ts'

export const BaseInput = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'The branch that it lands on; the default branch unless given.',
  }),
)

/**
 * The queue of a branch. Throws 404 for an unknown branch. An empty repository has the queue of its
 * default branch.
 */
export function requireQueueKey(db: Db, repo: RepoGrant, base: string | undefined): QueueKey {
  requireOwnRepository(repo)
  if (base !== undefined && readRef(db, repo.id, branchRef(base)) === null)
    throw notFound(`the branch ${base}`)
  return { repo_id: repo.id, base_ref: base ?? repo.default_branch }
}

/** Throws 404 for the fork of a pull request, which has no queue. */
export function requireOwnRepository(repo: RepoGrant): void {
  if (repo.parent_id !== null) throw notFound(`the repository ${repo.full_name}`)
}

/** Records a manual change of the queue in the audit log. */
export function auditQueue(
  tx: Tx,
  queue: QueueKey,
  action: 'moved' | 'paused' | 'resumed',
  data: { before?: unknown; after?: unknown; reason?: string | null },
): void {
  const repo = requireRepo(tx.db, queue.repo_id)
  tx.audit({
    action: `queue.${action}`,
    target: { kind: 'queue', id: queue.repo_id, name: `${repo.name} ${queue.base_ref}` },
    workspace_id: repo.workspace_id,
    repo_id: repo.id,
    data,
  })
}

/**
 * Pointers to untrusted texts of an entry: the title is by the author of the pull request, commands
 * are by the author of the issue, and their output is controlled by the change.
 */
const entryPointers = (
  at: string,
  { pull, checks }: QueueEntry,
  distrusted: ReturnType<typeof untrustedAuthors>,
): string[] => [
  ...(distrusted(pull.author) && pull.title !== '' ? [`${at}/pull/title`] : []),
  ...checks.results.flatMap(({ output_tail }, index) => [
    `${at}/checks/results/${index}/command`,
    ...(output_tail === '' ? [] : [`${at}/checks/results/${index}/output_tail`]),
  ]),
]

export const inEntry = (entry: QueueEntry, reading: UntrustedScope): string[] =>
  entryPointers('', entry, untrustedAuthors(reading))

export function inQueue({ waiting, recent }: MergeQueue, reading: UntrustedScope): string[] {
  const distrusted = untrustedAuthors(reading)
  return [
    ...waiting.flatMap((entry, index) => entryPointers(`/waiting/${index}`, entry, distrusted)),
    ...recent.flatMap((entry, index) => entryPointers(`/recent/${index}`, entry, distrusted)),
  ]
}
