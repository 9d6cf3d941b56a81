/** The addresses `/packages/<workspace>/<type>/…` of all registries but that of containers. */
import type { ProtocolRoute } from '#core/protocol-routes.ts'
import { RESERVED_SLUGS } from '#core/reserved-names.ts'
import { doorOf } from '../formats/doors.ts'
import { parsePackageType } from '../schema.ts'
import { answerWith, type DoorAddress } from './answer-with.ts'
import { decodePart } from './door-request.ts'

const ADDRESS = /^\/packages\/([^/]+)\/([^/]+)(?:\/(.*))?$/

/** Null for an address that no format answers. */
export function parseDoorAddress(path: string): DoorAddress | null {
  const [, slug = '', typeName = '', rest = ''] = ADDRESS.exec(path) ?? []
  const type = parsePackageType(decodePart(typeName))
  const workspace = decodePart(slug)
  return type === null || RESERVED_SLUGS.has(workspace.toLowerCase())
    ? null
    : { workspace, type, rest }
}

const notFoundText = (path: string): Response =>
  new Response(`${path.slice(0, 200)} is not the address of a registry\n`, {
    status: 404,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  })

/** `/packages/*`. Containers have an address of their own. */
export const packagesRoute: ProtocolRoute = {
  path: '/packages/*',
  handle: (hearth, request) => {
    const address = parseDoorAddress(request.path)
    const door = address === null ? null : doorOf(address.type)
    if (address === null || door === null || door.type === 'container')
      return notFoundText(request.path)
    return answerWith(hearth, door, () => address, request)
  },
}
