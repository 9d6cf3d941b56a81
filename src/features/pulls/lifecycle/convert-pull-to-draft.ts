import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { updateLink } from '#features/issues/index.ts'
import { contextOf } from '../pull-context.ts'
import { onPull } from '../inputs.ts'
import { pullRecord } from '../pull-record.ts'
import { requireAuthorOr } from '../permissions.ts'
import { Pull } from '../schema.ts'
import { requireActive, requirePull, setDraft } from '../store-pulls.ts'
import { appendPullUpdated } from './append-updated.ts'
import { inPull } from '../untrusted-texts.ts'

export const convertPullToDraft = operation({
  name: 'convert_pull_to_draft',
  summary:
    'Turn an open pull request back into a draft, which cannot be merged. Its author, or write.',
  keywords: ['back to draft', 'work in progress', 'WIP', 'not ready'],
  route: 'POST /repos/{owner}/{name}/pulls/{number}/draft',
  toolset: 'pulls',
  listed: 'default',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Type.Object(onPull),
  output: Pull,
  untrusted: inPull,

  handler: ({ hearth, repo, caller, write }, { number }) =>
    write((tx) => {
      const pull = requirePull(tx.db, repo.id, number)
      requireAuthorOr(hearth, repo, pull, caller, 'write')
      requireActive(pull)
      const context = contextOf(tx.db, repo.id)
      if (pull.status === 'draft') return pullRecord(hearth, pull, context)
      setDraft(tx, pull)
      updateLink(tx, repo.id, number, { status: 'draft' })
      appendPullUpdated(tx, context, pull, ['status'])
      return pullRecord(hearth, requirePull(tx.db, repo.id, number), context)
    }),
})
