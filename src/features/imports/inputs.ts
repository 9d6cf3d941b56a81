import { mustBe, OneOf, Type } from '#core/schema.ts'
import { PARTS } from './schema.ts'

export const AddressInput = (description?: string) =>
  Type.String({
    minLength: 1,
    maxLength: 2000,
    ...(description === undefined ? {} : { description }),
  })

/** It becomes a header, which has no control characters. */
export const TokenInput = (description?: string) =>
  Type.String({
    minLength: 1,
    maxLength: 2000,
    pattern: '^[^\\x00-\\x1f\\x7f]+$',
    ...mustBe('one line'),
    ...(description === undefined ? {} : { description }),
  })

export const PartsInput = Type.Array(OneOf(PARTS), {
  minItems: 1,
  maxItems: PARTS.length,
  description: 'The default is all but collaborators.',
})
