/**
 * The `object-info` command of version 2: sizes of objects that the namespace may see
 * (gitprotocol-v2).
 */
import { bytesToOid, placesOfIds } from '../object.ts'
import type { NamespaceTips } from '../protocol/fetch-request.ts'
import { FLUSH, pkt } from '../protocol/pkt-line.ts'
import type { VisibleObjects } from '../walk/visible-objects.ts'
import type { OpenStore } from './open-store.ts'
import type { Task } from './task.ts'

/** Returns the whole response; `oids` are raw. Missing and hidden objects get an empty size, as in git. */
export function* objectInfoTask(
  store: OpenStore,
  { names, oids: ids, size }: { names: NamespaceTips; oids: Uint8Array; size: boolean },
): Task<Uint8Array> {
  const parts: Buffer[] = []
  if (size) parts.push(pkt('size\n'))
  // To find either in the caches of the store, all tips are hashed.
  const reach = store.reach(names.tips)
  let visibleObjects: VisibleObjects | null = null
  for (const at of placesOfIds(ids)) {
    const oid = bytesToOid(ids, at)
    const header = store.objects.header(oid)
    let visible = header !== null
    if (header?.type === 'commit') visible = reach.has(store.commits.numberOfRaw(ids, at), true)
    else if (header !== null && !reach.isNamed(oid)) {
      const hidden =
        header.type === 'tag'
          ? oid
          : yield* (visibleObjects ??= store.visible(names.tips)).firstHidden(
              ids.subarray(at, at + 20),
            )
      visible = hidden === null
    }
    parts.push(pkt(size ? `${oid} ${visible ? header!.size : ''}\n` : `${oid}\n`))
  }
  return Buffer.concat([...parts, FLUSH])
}
