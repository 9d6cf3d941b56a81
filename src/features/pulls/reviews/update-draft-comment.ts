import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, Type } from '#core/schema.ts'
import { manyLines, notBlank, refuseSecrets } from '#features/issues/index.ts'
import { notFound } from '#lib/errors.ts'
import { onPull } from '../inputs.ts'
import { requirePull } from '../store-pulls.ts'
import { setDraftBody } from './store-drafts.ts'

export const updateDraftComment = operation({
  name: 'update_draft_comment',
  summary: 'Change the text of a comment of a review that is not sent yet.',
  route: null,
  toolset: 'pulls',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Type.Object({
    ...onPull,
    id: Type.String({ minLength: 1, maxLength: 100 }),
    body: Type.String({ minLength: 1, maxLength: 65_536 }),
  }),
  output: Type.Object({ id: Id('cmt') }),

  handler: ({ db, repo, caller, write }, { number, id, body }) => {
    const text = manyLines('body', notBlank('body', body))
    refuseSecrets(db, repo.id, 'body', text)
    return write((tx) => {
      if (!setDraftBody(tx, requirePull(tx.db, repo.id, number).id, caller.id, id, text))
        throw notFound(`the draft ${id}`)
      return { id }
    })
  },
})
