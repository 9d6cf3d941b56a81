/** How many entries a page of a list of the registry has. */
import { Refusal } from '#lib/errors.ts'
import type { DoorRequest } from '../../door/door-request.ts'

/** Throws 400 for anything but a number, because an empty list would say that there are no more. */
export function readPageSize(
  { query }: Pick<DoorRequest, 'query'>,
  { usual, max }: { readonly usual: number; readonly max: number },
): number {
  const asked = query.get('n')
  if (asked === null) return usual
  if (!/^\d{1,15}$/.test(asked))
    throw new Refusal('bad_request', `n is a number of entries, not ${asked.slice(0, 100)}`, {
      reason: 'PAGINATION_NUMBER_INVALID',
    })
  return Math.min(Number(asked), max)
}
