/** The review as a model hands it in. */
import { isValid, OneOf, Type, type Static } from '#core/schema.ts'
import type { ChatTool } from '#features/models/index.ts'

const MAX_COMMENTS = 10

const GivenReview = Type.Object({
  verdict: OneOf(['comment', 'request_changes']),
  summary: Type.String({ minLength: 1, maxLength: 4_000, description: 'Markdown.' }),
  comments: Type.Array(
    Type.Object({
      path: Type.String({ minLength: 1, maxLength: 4_096 }),
      line: Type.Integer({ minimum: 1 }),
      side: Type.Optional(
        OneOf(['new', 'old'], { description: 'old for a removed line; else new.' }),
      ),
      severity: OneOf(['high', 'medium', 'low']),
      body: Type.String({ minLength: 1, maxLength: 4_000, description: 'What is wrong, and why.' }),
      suggestion: Type.Optional(
        Type.String({
          maxLength: 4_000,
          description: 'What the line should become, where that is certain.',
        }),
      ),
    }),
    { maxItems: MAX_COMMENTS },
  ),
})
export type GivenReview = Static<typeof GivenReview>

export const REVIEW_TOOL: ChatTool = {
  type: 'function',
  function: {
    name: 'review',
    description: 'Hands in the review.',
    parameters: GivenReview as unknown as Record<string, unknown>,
  },
}

/** Reads a review; a text says what is wrong with it. */
export function readReview(given: string): GivenReview | string {
  let parsed: unknown
  try {
    parsed = JSON.parse(given)
  } catch {
    return 'the review is not JSON'
  }
  return isValid(GivenReview, parsed)
    ? parsed
    : `the review does not have the shape of the tool: a verdict comment or request_changes, a summary, and at most ${MAX_COMMENTS} comments`
}

const SEVERITIES = { high: 'High', medium: 'Medium', low: 'Low' } as const

/** A comment in Markdown. A suggestion that would end its own block is left out. */
export function commentBody({ severity, body, suggestion, side }: GivenReview['comments'][number]) {
  const text = `**${SEVERITIES[severity]}:** ${body.toWellFormed()}`
  return suggestion === undefined || side === 'old' || suggestion.includes('```')
    ? text
    : `${text}\n\n\`\`\`suggestion\n${suggestion.toWellFormed()}\n\`\`\``
}
