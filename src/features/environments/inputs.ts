/** Inputs of environments. */
import { Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { MAX_NAME_CHARS } from './schema.ts'

const MAX_BRANCHES = 50

export const EnvironmentName = Type.String({
  minLength: 1,
  maxLength: MAX_NAME_CHARS,
  description: 'The name, as jobs write it after environment:. Case does not matter.',
})

export const BranchPatterns = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: MAX_BRANCHES,
  description:
    'Patterns of branches that may deploy, such as main or release/*; refs/tags/v* allows tags. None means all.',
})

/** The stored form of a name. Throws 422. */
export function readEnvironmentName(given: string): string {
  const name = given.trim()
  if (name === '') throw invalid('environment', 'the name of an environment is required')
  if (/\p{Cc}/u.test(name))
    throw invalid('environment', 'the name of an environment has no control characters')
  return name
}
