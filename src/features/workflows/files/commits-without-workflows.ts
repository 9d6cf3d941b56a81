/**
 * Remembers new commits that have no workflow files, so that a push to a repository without
 * workflows neither adds a job nor looks for files again.
 */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { branchOf, pushReads } from '#features/repos/index.ts'
import type { Oid } from '#git'
import { createCache } from '#lib/cache.ts'
import { workflowRunners } from '../extension-points.ts'
import { ALL_WORKFLOW_FOLDERS } from './workflow-files.ts'

/** Between a push and its reactions lie milliseconds; each push adds at most this many. */
const MAX_COMMITS = 1000
const MAX_COMMITS_PER_PUSH = 3

const known = service('commits without workflows', () =>
  createCache<true>({ maxSize: MAX_COMMITS, sizeOf: () => 1 }),
)

/** False also means that nobody has looked. */
export const isWithoutWorkflows = (hearth: Hearth, commit: Oid): boolean =>
  known(hearth).get(commit) === true

export const lookForWorkflows = pushReads.with(async (hearth, { store }, updates) => {
  if (workflowRunners.all(hearth).length === 0) return
  const tips = updates.flatMap(({ name, new: tip }) =>
    tip !== null && branchOf(name) !== null ? [tip] : [],
  )
  for (const tip of new Set(tips.slice(0, MAX_COMMITS_PER_PUSH)))
    if (!(await hasFolder(hearth, store, tip))) known(hearth).set(tip, true)
})

async function hasFolder({ git }: Hearth, store: string, commit: Oid): Promise<boolean> {
  const entries = await git.findEntries(store, commit, ALL_WORKFLOW_FOLDERS)
  return entries.some((entry) => entry !== null)
}
