/** How a registry protocol is spoken. The operations know formats by `format.ts` alone. */
import type { Hearth } from '#core/hearth.ts'
import type { Refusal } from '#lib/errors.ts'
import type { PackageType } from '../schema.ts'
import type { DoorRequest } from './door-request.ts'

export type FormatDoor = {
  readonly type: PackageType
  /** Answers a request below the address of the format. */
  readonly handle: (hearth: Hearth, request: DoorRequest) => Response | Promise<Response>
  /** An error in the words and the form that the clients show. */
  readonly renderRefusal: (refusal: Refusal, request: DoorRequest) => Response
  /** The value of `WWW-Authenticate` of a 401. */
  readonly challenge: (site_url: string, request: DoorRequest) => string
}
