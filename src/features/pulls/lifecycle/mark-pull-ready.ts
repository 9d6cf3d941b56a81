import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { manyLines, notBlank, refuseSecrets, updateLink } from '#features/issues/index.ts'
import { conflict } from '#lib/errors.ts'
import { contextOf, subjectOf } from '../pull-context.ts'
import { pullReady } from '../events.ts'
import { onPull } from '../inputs.ts'
import { pullRecord } from '../pull-record.ts'
import { requestReviews, codeOwners } from '../reviews/reviewers.ts'
import { requireAuthorOr } from '../permissions.ts'
import { Pull } from '../schema.ts'
import { freshStats } from '../changes/stats.ts'
import { isActive, requireActive, requirePull, setPullText, setReady } from '../store-pulls.ts'
import { setApprovalsOutdated } from '../reviews/store-reviews.ts'
import { listTouchedPaths } from '../changes/store-stats.ts'
import { appendPullUpdated } from './append-updated.ts'
import { inPull } from '../untrusted-texts.ts'

export const markPullReady = operation({
  name: 'mark_pull_ready',
  summary:
    'Turn a draft into a pull request that asks for review; the summary becomes its description, and code owners are asked. Its author, or write. On one that is open already only the description changes.',
  keywords: [
    'ready for review',
    'undraft',
    'submit for review',
    'publish a draft',
    'finish a draft',
    'no longer a draft',
  ],
  route: 'POST /v1/repos/{owner}/{name}/pulls/{number}/ready',
  toolset: 'pulls',
  listed: 'core',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Type.Object({
    ...onPull,
    summary: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: 'What was done and why, Markdown.',
    }),
  }),
  output: Pull,
  untrusted: inPull,

  handler: async ({ hearth, db, repo, caller, write }, { number, summary }) => {
    const seen = requirePull(db, repo.id, number)
    requireAuthorOr(hearth, repo, seen, caller, 'write')
    const body = manyLines('summary', notBlank('summary', summary))
    refuseSecrets(db, repo.id, 'summary', body)
    const stats = isActive(seen) ? await freshStats(hearth, seen) : null
    const owners =
      stats && seen.status === 'draft'
        ? await codeOwners(hearth, contextOf(db, repo.id), seen, listTouchedPaths(db, seen.id))
        : null
    return write((tx) => {
      const pull = requirePull(tx.db, repo.id, number)
      const context = contextOf(tx.db, repo.id)
      const about = { number, issue: pull.issue }
      requireActive(pull)
      if (pull.status === 'open') {
        if (pull.body !== body) {
          setPullText(tx, pull, { body })
          appendPullUpdated(tx, context, pull, ['body'])
        }
        return pullRecord(hearth, requirePull(tx.db, repo.id, number), context)
      }
      if (pull.head_sha === null) throw conflict('not_ready', 'nothing has been pushed yet')
      if (pull.head_sha !== seen.head_sha)
        throw conflict('head_moved', `#${number} was pushed to just now; look at it again`)
      if (stats?.commits === 0)
        throw conflict('not_ready', `its head has no commit that ${pull.base_ref} lacks`)
      setReady(tx, pull, body)
      setApprovalsOutdated(tx, pull.id)
      updateLink(tx, repo.id, number, { status: 'open' })
      if (owners) requestReviews(tx, pull, repo, owners, null)
      tx.append(pullReady, subjectOf(context), about)
      return pullRecord(hearth, requirePull(tx.db, repo.id, number), context)
    })
  },
})
