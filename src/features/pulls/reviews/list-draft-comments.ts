import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, Nullable, OneOf, Time, Type } from '#core/schema.ts'
import { onPull } from '../inputs.ts'
import { requirePull } from '../store-pulls.ts'
import { listDrafts } from './store-drafts.ts'

const DraftComment = Type.Object({
  id: Id('cmt'),
  path: Type.String(),
  line: Type.Integer(),
  start_line: Nullable(Type.Integer()),
  side: OneOf(['new', 'old']),
  commit: Type.String(),
  body: Type.String(),
  created_at: Time,
})

export const listDraftComments = operation({
  name: 'list_draft_comments',
  summary: 'The comments of your review of a pull request that you have not sent yet.',
  route: null,
  toolset: 'pulls',
  access: readsRepoAs('read', { scope: 'pulls:read' }),
  input: Type.Object(onPull),
  output: Type.Array(DraftComment),

  handler: ({ db, repo, caller }, { number }) =>
    listDrafts(db, requirePull(db, repo.id, number).id, caller.id).map(
      ({ id, path, line, start_line, side, commit_sha, body, created_at }) => ({
        id,
        path,
        line,
        start_line,
        side,
        commit: commit_sha,
        body,
        created_at,
      }),
    ),
})
