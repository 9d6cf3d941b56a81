import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { commentCreated, insertComment, notBlank, refuseSecrets } from '#features/issues/index.ts'
import { conflict } from '#lib/errors.ts'
import { contextOf, subjectOf } from '../pull-context.ts'
import { onPull } from '../inputs.ts'
import { pullRecord } from '../pull-record.ts'
import { requireAuthorOr } from '../permissions.ts'
import { Pull } from '../schema.ts'
import { closeActive } from './settle.ts'
import { isActive, requirePull } from '../store-pulls.ts'
import { inPull } from '../untrusted-texts.ts'

export const closePull = operation({
  name: 'close_pull',
  summary:
    'Close a pull request without merging it, with a comment if you like. Its author, or triage. Its fork is kept for 30 days, and it can be reopened.',
  keywords: [
    'abandon',
    'reject a pull request',
    'decline a merge request',
    'close without merging',
    'discard a change',
  ],
  route: 'POST /v1/repos/{owner}/{name}/pulls/{number}/close',
  toolset: 'pulls',
  listed: 'core',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Type.Object({
    ...onPull,
    comment: Type.Optional(
      Type.String({ maxLength: 65_536, description: 'Why, Markdown; added as a comment.' }),
    ),
  }),
  output: Pull,
  untrusted: inPull,

  handler: ({ hearth, db, repo, caller, write }, { number, comment = '' }) => {
    const body = comment === '' ? null : notBlank('comment', comment)
    if (body !== null) refuseSecrets(db, repo.id, 'comment', body)
    return write((tx) => {
      const pull = requirePull(tx.db, repo.id, number)
      requireAuthorOr(hearth, repo, pull, caller, 'triage')
      if (!isActive(pull))
        throw conflict('already_closed', `#${number} is ${pull.status}`, { status: pull.status })
      const context = contextOf(tx.db, repo.id)
      if (body !== null) {
        const id = insertComment(tx, { repo_id: repo.id, number, author_id: caller.id, body })
        tx.append(commentCreated, subjectOf(context), {
          number,
          comment: id,
          review: null,
          verdict: null,
          path: null,
          line: null,
        })
      }
      closeActive(tx, context, pull, { because: 'asked' })
      return pullRecord(hearth, requirePull(tx.db, repo.id, number), context)
    })
  },
})
