/**
 * Merges a branch of a private fork into the default branch of the repository. The merge commit is
 * made and verified in the store of the fork. Then its objects are copied into the store of the
 * repository, where nothing reaches them, and one transaction moves the branch, publishes the
 * advisory if asked, and appends the events. A refusal removes the copied objects again. A crash
 * leaves either everything, or a pack that the next start removes.
 */
import { writesRepoAsPerson, type RepoGrant } from '#core/access.ts'
import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Sha, Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { commitIdentity } from '#features/accounts/index.ts'
import { manyLines, notBlank, refuseSecrets } from '#features/issues/index.ts'
import { landingProblem } from '#features/pulls/index.ts'
import {
  branchRef,
  moveRefs,
  prepareUpdates,
  pullOnlyRules,
  readRef,
  refsOf,
  requireLive,
  requireMovesAllowed,
  requireRepo,
  scanPush,
  settingsOf,
  type RepoRow,
} from '#features/repos/index.ts'
import type { Oid } from '#git'
import { conflict, forbidden } from '#lib/errors.ts'
import { publishAdvisory } from '../reports/publish-advisory.ts'
import { managesAdvisories } from '../reports/report-record.ts'
import { AdvisoryId } from '../reports/schema.ts'
import { forkRecord } from './fork-record.ts'
import { requireAdvisory, requireBase, requireFork, requireForkBranch } from './fork.ts'
import { AdvisoryFork, BranchName } from './schema.ts'
import { STORE_URL, storeTransport } from './store-transport.ts'
import { setForkMerged, type ForkRow } from './store-forks.ts'
import { syncFork } from './sync-fork.ts'

type Merger = {
  readonly hearth: Hearth
  readonly caller: UserCaller
  readonly repo: RepoGrant
}

/** What is merged: the branch and its commit, into a commit of the default branch. */
type Merge = {
  readonly fork: ForkRow
  readonly into: string
  readonly branch: string
  readonly base: Oid
  readonly head: Oid
}

/**
 * Throws 409 `rule` where settings or rulesets want what only a pull request can have. Other rules
 * are asked about the move itself.
 */
function requireMergeable({ hearth, caller }: Merger, row: RepoRow): void {
  const { required_approvals, require_code_owner_review, merge_queue } = settingsOf(row)
  const wanted =
    required_approvals > 0
      ? `${required_approvals} ${required_approvals === 1 ? 'approval' : 'approvals'}`
      : require_code_owner_review
        ? 'the review of code owners'
        : merge_queue
          ? 'the merge queue'
          : findPullOnlyRule(hearth, row, caller)
  if (wanted === null) return
  throw conflict(
    'rule',
    `${row.default_branch} needs ${wanted}, which a private fork cannot have: open a pull request once the advisory is published, or ask an administrator to change the settings`,
  )
}

/** A rule of the default branch that only a pull request can obey; null when there is none. */
function findPullOnlyRule(hearth: Hearth, row: RepoRow, by: UserCaller): string | null {
  const [first] = pullOnlyRules
    .all(hearth)
    .flatMap((list) => list(hearth, row, row.default_branch, by))
  return first === undefined ? null : `what its rule ${first} asks for`
}

const conflictRefusal = ({ fork, into, branch }: Merge, paths: readonly string[]) =>
  conflict(
    'conflicts',
    `${branch} conflicts with ${into} in ${paths.slice(0, 5).join(', ')}: merge ${fork.base_branch} into it, and push`,
    {
      paths: paths.slice(0, 100),
      commands: [
        'git fetch origin',
        `git switch ${branch}`,
        `git merge origin/${fork.base_branch}`,
        `git push origin ${branch}`,
      ],
    },
  )

/** Makes the merge commit in the store of the fork. Throws 409 for conflicts, or without a change. */
async function buildMerge({ hearth, caller }: Merger, merge: Merge, message: string): Promise<Oid> {
  const { git } = hearth
  const { store } = merge.fork
  const { base, head } = merge
  const { ahead, mergeBase } = await git.countAheadBehind(store, head, base)
  if (ahead === 0)
    throw conflict('not_ready', `${merge.into} has all commits of ${merge.branch} already`)
  const identity = commitIdentity(hearth, caller)
  const built = await git.merge(store, {
    method: 'merge',
    base,
    head,
    message,
    author: identity,
    committer: identity,
  })
  if ('conflicts' in built) throw conflictRefusal(merge, built.conflicts)
  const problem = await landingProblem(git, { store, base, head, merge_base: mergeBase, ...built })
  if (problem !== null) throw new Error(`the merge of ${merge.branch} was stopped: ${problem}`)
  return built.commit
}

/**
 * Copies the merge commit with its objects into the store of the repository, and runs `land` while
 * they are there. They are removed when it fails.
 */
async function bringCommit(
  { hearth, repo }: Merger,
  { fork, into }: Merge,
  oid: Oid,
  land: () => Promise<void>,
): Promise<void> {
  const name = branchRef(into)
  const refs = [{ name, oid, peeled: null }]
  const source = { generation: `merge ${oid}`, head: name, refs }
  let failure: unknown = null
  await hearth.git.fetchFrom(repo.store, storeTransport(hearth.git, fork.store, source), {
    url: STORE_URL,
    local: refsOf(hearth, repo.id),
    apply: async () => {
      try {
        await land()
        return true
      } catch (error) {
        failure = error
        return false
      }
    },
  })
  if (failure !== null) throw failure
}

/** The changes of the transaction. Throws 409 when the branch or the fork has moved meanwhile. */
function landMerge(
  tx: Tx,
  merger: Merger,
  merge: Merge,
  { sha, moves, publish }: { sha: Oid; moves: Parameters<typeof moveRefs>[2]; publish: boolean },
): void {
  const { repo, caller } = merger
  const live = requireLive(tx.db, repo.id)
  requireMergeable(merger, live)
  const { branch, fork, head, base } = merge
  const now = requireFork(tx.db, repo, fork.advisory_id)
  if (now.id !== fork.id || requireForkBranch(tx.db, now, branch) !== head)
    throw conflict('head_moved', `${branch} was pushed to just now: look at it again`)
  moveRefs(tx, repo, moves, { mergedHere: true })
  setForkMerged(tx, fork.id, { branch, sha, by: caller.id })
  // Secrets that push protection does not refuse become alerts now that others can read them.
  tx.enqueue(scanPush, { repo_id: repo.id, tips: [sha], hide: [base] })
  tx.audit({
    action: 'security.advisory_fork_merged',
    target: { kind: 'repo', id: repo.id, name: repo.full_name },
    workspace_id: repo.workspace_id,
    repo_id: repo.id,
    data: { advisory: fork.advisory_id, branch, commit: sha, published: publish },
  })
  const advisory = requireAdvisory(tx.db, repo, fork.advisory_id)
  if (publish && advisory.state === 'draft') publishAdvisory(tx, live, advisory)
}

/** The present state of both sides. Brings the base of the fork up to date first. */
async function readMerge(merger: Merger, id: string, branch: string): Promise<Merge> {
  const { hearth, repo } = merger
  const { db } = hearth
  const row = requireRepo(db, repo.id)
  requireMergeable(merger, row)
  requireForkBranch(db, requireFork(db, repo, id), branch)
  await syncFork(hearth, requireFork(db, repo, id).id)
  const fork = requireFork(db, repo, id)
  const base = requireBase(db, fork)
  if (readRef(db, repo.id, branchRef(row.default_branch)) !== base)
    throw conflict('base_moved', `${row.default_branch} has moved just now: try again`)
  const head = requireForkBranch(db, fork, branch)
  return { fork, into: row.default_branch, branch, base, head }
}

export const mergeAdvisoryFork = operation({
  name: 'merge_advisory_fork',
  summary:
    'Merge a branch of the private fork of an advisory into the default branch, with a merge commit, and publish the advisory with it if publish is true (people of the workspace with Write who work on the advisory; publishing needs Admin or a security manager). Answers the fork.',
  keywords: ['merge a private fix', 'publish the fix with its advisory'],
  route: 'POST /repos/{owner}/{name}/security/advisories/{id}/fork/merge',
  toolset: 'security',
  annotations: { destructive: true },
  access: writesRepoAsPerson('write', {
    scope: 'pulls:merge security:write',
    member: 'member',
    advisoryWork: true,
  }),
  input: Type.Object({
    repo: RepoPath,
    id: AdvisoryId,
    branch: BranchName,
    expected_sha: Type.Optional(Sha),
    message: Type.Optional(Type.String({ minLength: 1, maxLength: 65_536 })),
    publish: Type.Optional(Type.Boolean()),
  }),
  output: AdvisoryFork,

  handler: async (
    { hearth, db, caller, repo, write },
    { id, branch, expected_sha, message, publish = false },
  ) => {
    if (publish && !managesAdvisories(repo))
      throw forbidden('role', 'publishing an advisory needs Admin or a security manager')
    if (message !== undefined) refuseSecrets(db, repo.id, 'message', notBlank('message', message))
    const merger: Merger = { hearth, caller, repo }
    const merge = await readMerge(merger, id, branch)
    if (expected_sha !== undefined && merge.head !== expected_sha)
      throw conflict('head_moved', `${branch} is at ${merge.head}, not ${expected_sha}`)
    const text = message === undefined ? `Merge branch '${branch}'` : manyLines('message', message)
    const sha = await buildMerge(merger, merge, text)
    await bringCommit(merger, merge, sha, async () => {
      const moves = await prepareUpdates(hearth, repo, [
        { name: branchRef(merge.into), old: merge.base, new: sha },
      ])
      const recheck = await requireMovesAllowed(hearth, repo.id, caller, moves)
      await write((tx) => {
        recheck(tx)
        landMerge(tx, merger, merge, { sha, moves, publish })
      })
    })
    return forkRecord(hearth, repo, requireFork(db, repo, id))
  },
})
