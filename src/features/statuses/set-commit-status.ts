import { writesRepo } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import { includesScope, STATUS_SCOPE } from '#core/scopes.ts'
import { operation } from '#core/operation.ts'
import { Nullable, OneOf, RepoPath, Type } from '#core/schema.ts'
import {
  refuseBadInput,
  listTipsOfStore,
  requireLive,
  requireRepo,
  resolveCommit,
  tokenRuns,
} from '#features/repos/index.ts'
import { conflict, forbidden, invalid, notFound, Refusal } from '#lib/errors.ts'
import { oneLine } from '#lib/one-line.ts'
import { typeId } from '#core/ids.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Oid } from '#git'
import { commitStatusSet } from './events.ts'
import { CommitStatus, STATES } from './schema.ts'
import { statusRecord } from './status-record.ts'
import { countContexts, hasContext, insertStatus } from './store.ts'

const MAX_CONTEXTS = 200

/**
 * Resolves a commit id. Commits of forks are found as well: everyone with write sees them, and
 * tests of a pull request report on its head.
 */
async function resolveStatusCommit(
  hearth: Hearth,
  repo: { id: string; store: string },
  sha: string,
): Promise<Oid> {
  try {
    return await resolveCommit(hearth, repo, sha, 'sha')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const oid = await refuseBadInput('sha', () => hearth.git.expandPrefix(repo.store, sha))
    const tips = oid === null ? [] : listTipsOfStore(hearth.db, repo.store)
    if (
      oid === null ||
      !(tips.includes(oid) || (await hearth.git.isReachable(repo.store, oid, tips)))
    )
      throw error
    return oid
  }
}

/** Throws 403 for a job with `statuses: write` alone, unless the commit is one of its run. */
function requireOwnCommit(hearth: Hearth, { token }: SignedIn, oid: Oid): void {
  const scopes = token?.scopes ?? null
  if (token === null || scopes === null || includesScope(scopes, 'code:write')) return
  const isOfRun = tokenRuns.all(hearth).some((find) => {
    const run = find(hearth.db, token.id)
    return run?.sha === oid || run?.head_sha === oid
  })
  if (isOfRun) return
  throw forbidden(
    'scope',
    'statuses: write sets statuses of the commit of the run; others need contents: write',
  )
}

export const setCommitStatus = operation({
  name: 'set_commit_status',
  summary:
    'Say of a commit how something outside found it, under a context such as ci/build (Write). The latest of each context counts; what agents say never counts for rules. Answers the status.',
  keywords: [
    'report CI result',
    'mark a build as passed',
    'post a status',
    'external CI',
    'commit status',
    'successful build',
  ],
  route: 'POST /repos/{owner}/{name}/statuses/{sha}',
  toolset: 'code',
  listed: 'default',
  access: writesRepo('write', { scope: 'code:write', jobScope: STATUS_SCOPE }),
  input: Type.Object({
    repo: RepoPath,
    sha: Type.String({
      pattern: '^[0-9a-fA-F]{7,40}$',
      description: 'A commit id, or a unique beginning of one.',
    }),
    state: OneOf(STATES),
    context: Type.String({ minLength: 1, maxLength: 255 }),
    description: Type.Optional(
      Nullable(Type.String({ maxLength: 1000, description: 'One line, cut at 140 characters.' })),
    ),
    target_url: Type.Optional(
      Nullable(Type.String({ maxLength: 2048, description: 'Where more is told; http or https.' })),
    ),
  }),
  output: CommitStatus,
  status: 201,

  handler: async (
    { hearth, repo, caller, write },
    { sha, state, context, description = null, target_url = null },
  ) => {
    if (repo.parent_id !== null) throw notFound(`the repository ${repo.full_name}`)
    const name = oneLine(context, 255)
    if (name === '') throw invalid('context', 'context must have at least one visible character')
    const url = target_url === null || target_url.trim() === '' ? null : target_url.trim()
    if (url !== null && !(/^https?:\/\/[^\s]+$/i.test(url) && URL.canParse(url)))
      throw invalid('target_url', 'target_url must be an http or https address')
    const oid = await resolveStatusCommit(
      hearth,
      requireRepo(hearth.db, repo.id),
      sha.toLowerCase(),
    )
    requireOwnCommit(hearth, caller, oid)
    return write((tx) => {
      requireLive(tx.db, repo.id)
      if (
        !hasContext(tx.db, repo.id, oid, name) &&
        countContexts(tx.db, repo.id, oid) >= MAX_CONTEXTS
      ) {
        throw conflict('limit_reached', `a commit has at most ${MAX_CONTEXTS} contexts`, {
          limit: MAX_CONTEXTS,
        })
      }
      const row = {
        id: typeId('sts', tx.now_ms),
        repo_id: repo.id,
        sha: oid,
        context: name,
        state,
        description: description === null ? null : oneLine(description, 140) || null,
        target_url: url,
        creator_id: caller.id,
        created_at: tx.now,
      }
      insertStatus(tx, row)
      tx.append(
        commitStatusSet,
        { workspace_id: repo.workspace_id, repo_id: repo.id },
        { sha: oid, context: name, state, status: row.id },
      )
      return statusRecord(hearth, row)
    })
  },
})
