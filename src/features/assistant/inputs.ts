import { Type } from '#core/schema.ts'

export const QuestionId = Type.String({ minLength: 1, maxLength: 100 })

/** Answers tell what their person may read, so a token has to reach all that they may be made of. */
export const ANSWER_SCOPES = 'code:read issues:read pulls:read memory:read'
