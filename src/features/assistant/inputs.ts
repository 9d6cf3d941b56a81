import { Type } from '#core/schema.ts'

export const QuestionId = Type.String({ minLength: 1, maxLength: 100 })
