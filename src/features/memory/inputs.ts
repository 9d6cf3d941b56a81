/** Inputs of memories. */
import { OneOf, Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { nameOfSecret } from '#lib/secrets/refused-secret.ts'
import { notBlank } from '#features/issues/index.ts'
import { KINDS, MAX_PATHS, MAX_TEXT_CHARS } from './schema.ts'

export const TextInput = Type.String({
  minLength: 1,
  maxLength: MAX_TEXT_CHARS,
  description: 'What to remember: one fact, in words that make sense without this conversation.',
})

export const KindInput = OneOf(KINDS, {
  description: 'fact unless given; gotcha is a trap that others should not fall into.',
})

export const PinnedInput = Type.Boolean({
  description: 'Whether every agent is given it first. People only.',
})

export const PathsInput = Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), {
  maxItems: MAX_PATHS,
  description: 'Files of the default branch that it is about: it shows when they change.',
})

/** The stored form of a text. Throws 422 for one that is blank or holds a secret. */
export function readText(given: string): string {
  const text = notBlank('text', given).trim()
  const secret = nameOfSecret(text)
  if (secret !== null)
    throw invalid('text', `text holds ${secret}: memories are read by everyone, so leave it out`)
  return text
}
