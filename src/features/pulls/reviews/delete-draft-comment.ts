import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { onPull } from '../inputs.ts'
import { requirePull } from '../store-pulls.ts'
import { removeDraft } from './store-drafts.ts'

export const deleteDraftComment = operation({
  name: 'delete_draft_comment',
  summary: 'Throw away a comment of a review that is not sent yet.',
  route: null,
  toolset: 'pulls',
  access: writesRepo('read', { scope: 'pulls:write', whileArchived: true }),
  input: Type.Object({ ...onPull, id: Type.String({ minLength: 1, maxLength: 100 }) }),
  output: Nothing,
  status: 204,

  handler: ({ repo, caller, write }, { number, id }) =>
    write((tx) => {
      if (!removeDraft(tx, requirePull(tx.db, repo.id, number).id, caller.id, id))
        throw notFound(`the draft ${id}`)
      return null
    }),
})
