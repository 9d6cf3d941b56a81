import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, OneOf, Type } from '#core/schema.ts'
import { onPull, ShaPrefix } from '../inputs.ts'
import { Review, VERDICTS, type Verdict } from '../schema.ts'
import { inReview } from '../untrusted-texts.ts'
import { writeReview, type ReviewComment } from './write-review.ts'

const LineComment = Type.Object({
  path: Type.String({ minLength: 1, maxLength: 4096 }),
  line: Type.Integer({ minimum: 1, description: 'From 1.' }),
  start_line: Type.Optional(
    Nullable(
      Type.Integer({ minimum: 1, description: 'The first line, for a comment on several.' }),
    ),
  ),
  side: Type.Optional(OneOf(['new', 'old'], { description: 'new unless given.' })),
  body: Type.String({ minLength: 1, maxLength: 65_536, description: 'Markdown.' }),
})

export const reviewPull = operation({
  name: 'review_pull',
  summary:
    "Review a pull request: approve, request_changes or comment, with comments on lines. Never one's own; it counts only with Write.",
  keywords: [
    'approve',
    'request changes',
    'LGTM',
    'give a verdict',
    'reject changes',
    'sign off',
    'submit a review',
  ],
  route: 'POST /repos/{owner}/{name}/pulls/{number}/reviews',
  toolset: 'pulls',
  listed: 'core',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Type.Object({
    ...onPull,
    verdict: OneOf(VERDICTS),
    body: Type.Optional(
      Type.String({
        maxLength: 65_536,
        description: 'Markdown; required unless the verdict is approve.',
      }),
    ),
    comments: Type.Optional(
      Type.Array(LineComment, {
        maxItems: 300,
        description: 'Comments on lines; stored with the review or not at all.',
      }),
    ),
    commit: Type.Optional(ShaPrefix('The head that was looked at; the present one unless given.')),
  }),
  output: Review,
  untrusted: inReview,

  handler: async (context, { number, body = '', comments = [], commit, ...given }) => {
    const lines = comments.map(
      ({ path, line, start_line = null, side, body }): ReviewComment => ({
        path,
        line,
        start_line,
        side: side === 'old' ? 'old' : 'new',
        body,
        commit_sha: null,
      }),
    )
    return writeReview(context, {
      number,
      verdict: given.verdict as Verdict,
      body,
      commit,
      lines,
      drafts: [],
    })
  },
})
