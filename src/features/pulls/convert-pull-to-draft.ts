import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { updateLink } from '#features/issues/index.ts'
import { conflict } from '#lib/errors.ts'
import { contextOf, subjectOf } from './context.ts'
import { pullUpdated } from './events.ts'
import { onPull } from './inputs.ts'
import { pullRecord } from './record.ts'
import { requireAuthorOr } from './rights.ts'
import { Pull } from './schema.ts'
import { isActive, requirePull, setDraft } from './store.ts'
import { inPull } from './untrusted.ts'

export const convertPullToDraft = operation({
  name: 'convert_pull_to_draft',
  summary: 'Turn an open pull request back into a draft, which cannot be merged. Its author, or write.',
  route: 'POST /repos/{owner}/{name}/pulls/{number}/draft',
  toolset: 'pulls',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Type.Object(onPull),
  output: Pull,
  untrusted: inPull,

  handler: ({ hearth, repo, caller, write }, { number }) =>
    write((tx) => {
      const pull = requirePull(tx.db, repo.id, number)
      requireAuthorOr(hearth, repo, pull, caller, 'write')
      if (!isActive(pull)) throw conflict('not_open', `#${number} is ${pull.status}`, { status: pull.status })
      const context = contextOf(tx.db, repo.id)
      if (pull.status === 'draft') return pullRecord(hearth, pull, context)
      setDraft(tx, pull)
      updateLink(tx, repo.id, number, { status: 'draft' })
      tx.append(pullUpdated, subjectOf(context), { number, issue: pull.issue, changed: ['status'], head: pull.head_sha })
      return pullRecord(hearth, requirePull(tx.db, repo.id, number), context)
    }),
})
