/**
 * The `object-info` command of version 2: sizes of objects that the namespace may see
 * (gitprotocol-v2).
 */
import { bytesToOid, placesOfIds } from '../object.ts'
import type { NamespaceTips } from '../protocol/fetch-request.ts'
import { FLUSH, pkt } from '../protocol/pkt-line.ts'
import type { OpenStore } from './open-store.ts'
import type { Task } from './task.ts'

/** Returns the whole response; `oids` are raw. Missing and hidden objects get an empty size, as in git. */
export function* objectInfoTask(
  store: OpenStore,
  request: { names: NamespaceTips; oids: Uint8Array; size: boolean },
): Task<Uint8Array> {
  const parts: Buffer[] = []
  if (request.size) parts.push(pkt('size\n'))
  const reach = store.reach(request.names.tips)
  for (const at of placesOfIds(request.oids)) {
    const oid = bytesToOid(request.oids, at)
    const header = store.objects.header(oid)
    let visible = header !== null
    if (header?.type === 'commit') visible = reach.has(store.commits.numberOf(oid), true)
    else if (header !== null && !reach.isNamed(oid)) {
      const hidden =
        header.type === 'tag'
          ? oid
          : yield* store.visible(request.names.tips).firstHidden(Buffer.from(oid, 'hex'))
      visible = hidden === null
    }
    parts.push(pkt(request.size ? `${oid} ${visible ? header!.size : ''}\n` : `${oid}\n`))
  }
  return Buffer.concat([...parts, FLUSH])
}
