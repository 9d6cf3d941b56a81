/** Why somebody whom the proxy names is not signed in, kept while their request is answered. */
import type { Refusal } from '#lib/errors.ts'
import type { Visit } from '../../site.ts'

const refusals = new WeakMap<Request, Refusal>()

export const noteRefusal = (request: Request, refusal: Refusal): void =>
  void refusals.set(request, refusal)

/** What the sign-in page says of it; null when nothing was refused. */
export function refusedByProxy({ request }: Visit): string | null {
  const message = refusals.get(request)?.message
  return message ? `${message[0]?.toUpperCase()}${message.slice(1)}.` : null
}
