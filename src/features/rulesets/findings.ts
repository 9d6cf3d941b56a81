/**
 * Findings: what rules of the base need git for, computed in advance and stored for the present
 * pair of commits of a pull request.
 */
import { handler, reaction } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { GitError } from '#git'
import {
  findPullById,
  isActive,
  listActive,
  mergeFacts,
  type PullRow,
} from '#features/pulls/index.ts'
import {
  branchRef,
  signingKeysChanged,
  repoById,
  signatureVerifier,
} from '#features/repos/index.ts'
import { rulesetChanged } from './events.ts'
import { rulesetsOf, rulesFor } from './applicable-rules.ts'
import { isPullInspected, inspectCommitRange, keyOf } from './inspect-commits.ts'
import { findingsOf, removeFindings, listReposWithPulls, setFindings } from './store-evaluations.ts'

/** The implementation of `mergeFacts`. */
export async function computeFindings(
  hearth: Hearth,
  pull: PullRow,
): Promise<((tx: Tx) => void) | null> {
  const repo = repoById(hearth.db, pull.repo_id)
  if (!repo || pull.head_sha === null) return null
  const known = findingsOf(hearth.db, pull)
  const rules = rulesFor(rulesetsOf(hearth, repo), repo, branchRef(pull.base_ref))
    .filter(
      ({ ruleset, rule }) =>
        ruleset.target === 'branch' && isPullInspected(rule) && !known.has(keyOf(rule)),
    )
    .map(({ rule }) => rule)
  if (rules.length === 0) return null
  const { mergeBase } = await hearth.git.countAheadBehind(repo.store, pull.head_sha, pull.base_sha)
  const findings = await inspectCommitRange(
    hearth,
    { store: repo.store, tip: pull.head_sha, hide: [pull.base_sha], net: { from: mergeBase } },
    rules,
    signatureVerifier(hearth),
  )
  return (tx) => setFindings(tx, pull, findings)
}

/** Computes the missing findings of one pull request. */
async function refreshPull(hearth: Hearth, pull: PullRow): Promise<void> {
  try {
    const keepers = (
      await Promise.all(mergeFacts.all(hearth).map((read) => read(hearth, pull)))
    ).filter((keep) => keep !== null)
    if (keepers.length === 0) return
    await writeAs(hearth, null, (tx) => {
      const now = findPullById(tx.db, pull.id)
      if (now && now.base_sha === pull.base_sha && now.head_sha === pull.head_sha)
        for (const keep of keepers) keep(tx)
    })
  } catch (error) {
    // The commits are gone; the pull request needs no findings any more.
    if (!(error instanceof GitError && error.code === 'missing')) throw error
  }
}

export const refreshFindings = job<{ pull_id: string }>({
  kind: 'refresh_findings',
  retry: ['10s', '2m'],
  run: async ({ hearth }, { pull_id }) => {
    const pull = findPullById(hearth.db, pull_id)
    if (pull && isActive(pull)) await refreshPull(hearth, pull)
  },
})

/**
 * Pull requests refreshed in each repository, the newest. Others are refreshed when they are read.
 */
const MAX_REFRESHED_PULLS = 200

export const followRulesets = job<{ repo_id: string | null; workspace_id: string }>({
  kind: 'follow_rulesets',
  retry: ['10s', '2m'],
  run: async ({ hearth, signal }, { repo_id, workspace_id }) => {
    for (const id of repo_id === null ? listReposWithPulls(hearth.db, workspace_id) : [repo_id]) {
      for (const pull of listActive(hearth.db, id, MAX_REFRESHED_PULLS)) {
        if (signal.aborted) throw new Error('the process is stopping')
        await refreshPull(hearth, pull)
      }
    }
  },
})

/** A changed key changes what signatures prove, so their findings are computed again. */
export const followKeys = job<Record<string, never>>({
  kind: 'follow_keys',
  retry: ['10s', '2m'],
  run: async ({ hearth, signal }) => {
    for (const id of await writeAs(hearth, null, (tx) => removeFindings(tx, 'signed_commits'))) {
      if (signal.aborted) throw new Error('the process is stopping')
      const pull = findPullById(hearth.db, id)
      if (pull && isActive(pull)) await refreshPull(hearth, pull)
    }
  },
})

export const followKeyChanges = handler(
  'pull requests follow keys',
  signingKeysChanged,
  (tx) => void tx.enqueue(followKeys, {}, { key: 'keys' }),
)

export const followChanges = reaction(
  'pull requests follow rulesets',
  rulesetChanged,
  (tx, { repo_id, workspace_id, data }) => {
    if (data.action !== 'deleted')
      tx.enqueue(followRulesets, { repo_id, workspace_id }, { key: repo_id ?? workspace_id })
  },
)
