/**
 * Adds a comment to a review that is not sent yet. It is visible to its author alone, and stored
 * with the whole review or not at all. Used by the website; API clients keep comments themselves
 * and send them with `review_pull`.
 */
import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, Nullable, OneOf, Type } from '#core/schema.ts'
import { checkLine, manyLines, notBlank, refuseSecrets } from '#features/issues/index.ts'
import { conflict } from '#lib/errors.ts'
import { onPull } from '../inputs.ts'
import { requireActive, requirePull } from '../store-pulls.ts'
import { insertDraft, listDrafts } from './store-drafts.ts'

const MAX_DRAFTS = 300

const LineNumber = Type.Integer({ minimum: 1, maximum: 2147483647 })

export const addDraftComment = operation({
  name: 'add_draft_comment',
  summary:
    'Keep a comment on a line for a review that is sent later; nobody else sees it until then.',
  route: null,
  toolset: 'pulls',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Type.Object({
    ...onPull,
    path: Type.String({ minLength: 1, maxLength: 4096 }),
    line: LineNumber,
    start_line: Type.Optional(Nullable(LineNumber)),
    side: Type.Optional(OneOf(['new', 'old'])),
    body: Type.String({ minLength: 1, maxLength: 65_536 }),
  }),
  output: Type.Object({ id: Id('cmt') }),

  handler: async (
    { hearth, db, repo, caller, write },
    { number, path, line, start_line = null, side = 'new', body },
  ) => {
    const pull = requirePull(db, repo.id, number)
    requireActive(pull)
    const text = manyLines('body', notBlank('body', body))
    refuseSecrets(db, repo.id, 'body', text)
    const place = { path, line, start_line, side: side as 'new' | 'old' }
    const { commit } = await checkLine(hearth, caller, { repo: repo.full_name, number, ...place })
    return write((tx) => {
      if (listDrafts(tx.db, pull.id, caller.id).length >= MAX_DRAFTS)
        throw conflict(
          'limit_reached',
          `a review has at most ${MAX_DRAFTS} comments; send this one first`,
        )
      return {
        id: insertDraft(tx, {
          ...place,
          pull_id: pull.id,
          author_id: caller.id,
          commit_sha: commit,
          body: text,
        }),
      }
    })
  },
})
