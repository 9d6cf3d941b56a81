/**
 * The two ways in which a request says who sees a repository. The record has both, so whoever sends
 * one of its fields back must not be ignored.
 */
import { OneOf } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'

export const Visibility = OneOf(['public', 'private'])

/** What a request asks for; undefined when it says nothing. Throws 422 when the two differ. */
export function wantedPrivacy(input: {
  readonly private?: boolean
  readonly visibility?: 'public' | 'private'
}): boolean | undefined {
  if (input.visibility === undefined) return input.private
  const isPrivate = input.visibility === 'private'
  if (input.private !== undefined && input.private !== isPrivate)
    throw invalid('visibility', 'private and visibility differ: give one of them')
  return isPrivate
}
