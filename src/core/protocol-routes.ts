/**
 * Addresses of protocols that are not ours: runners of other forges, their artifacts and caches. A
 * feature lists its routes as extensions; the HTTP server mounts them. Everything else that a
 * client calls is an operation.
 */
import type { Origin } from './audit.ts'
import type { SignedIn } from './caller.ts'
import { extensionPoint } from './extension-points.ts'
import type { Hearth } from './hearth.ts'

export type ProtocolRequest = {
  /** Its body is read with `bytes` or `stream` only, which bound it. */
  readonly request: Pick<Request, 'method' | 'headers' | 'signal'>
  /** Who asks, where the connection says it; nothing that the request carries counts then. */
  readonly as?: SignedIn
  /** The path as it was sent, still percent-encoded. */
  readonly path: string
  /** The text after the question mark; empty without one. */
  readonly query: string
  /** Where the request came from. */
  readonly origin: Origin
  /** Whether nobody between client and server can read it. */
  readonly isPrivate: boolean
  /** The whole body, decompressed. Throws 413 for more bytes. */
  readonly bytes: (maxBytes: number) => Promise<Uint8Array>
  /** The body as it arrives, not decompressed. Throws 413 for more bytes. */
  readonly stream: (maxBytes: number) => AsyncIterable<Uint8Array>
  /** Says that the response waits for something, so that the request does not count as work. */
  readonly wait: () => void
  /** Says that nothing may be sent for minutes, so that the connection is not closed as idle. */
  readonly keepOpen: () => void
}

export type ProtocolRoute = {
  /** As the router has it: `/api/actions/*`. */
  readonly path: string
  readonly handle: (hearth: Hearth, request: ProtocolRequest) => Response | Promise<Response>
}

export const protocolRoutes = extensionPoint<ProtocolRoute>('core.protocol_routes')
