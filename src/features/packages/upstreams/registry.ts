/** What the protocols of upstreams have in common. */
import { Refusal } from '#lib/errors.ts'
import type { DoorRequest } from '../door/door-request.ts'
import type { Fetched, UpstreamRequest } from './fetch.ts'
import type { Source } from './source.ts'

export type Here = Pick<Source, 'hearth' | 'door'>

/** Whether a decision about access does not say that the target is missing. */
export function isAllowed(decideAccess: () => unknown): boolean {
  try {
    decideAccess()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.code !== 'not_found'
  }
  return true
}

/** A request that an upstream can answer. */
export type UpstreamRead = {
  /** Of the package. */
  readonly name: string
  /** Further names that the address may mean. None of them may be one of the workspace. */
  readonly otherNames?: readonly string[]
  /** Throws 404 for what the upstream does not have. */
  readonly answer: (source: Source) => Promise<Response>
}

export type Registry = {
  /** Sends a request with what the protocol needs besides; plainly by default. */
  readonly send?: (source: Source, request: UpstreamRequest) => Promise<Fetched>
  /** Null for a request that only this forge answers. */
  readonly parse: (door: DoorRequest) => UpstreamRead | null
  /** Whether the workspace owns a name in a way that the tables of packages do not tell. */
  readonly isOwn?: (here: Here, name: string) => boolean
  /** Whether the caller may know of an own name, where that is not the right to read the package. */
  readonly isVisible?: (here: Here, name: string) => boolean
}
