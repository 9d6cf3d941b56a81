/**
 * Builds the pack of a push: the objects that the remote lacks (gitprotocol-pack, "Pushing Data To
 * a Server").
 */
import { oidsToBytes } from '../object.ts'
import { COMMIT } from '../pack/entry-header.ts'
import type { Oid } from '../ports.ts'
import type { FetchRequest, NamespaceTips } from '../protocol/fetch-request.ts'
import { Framer } from '../protocol/framer.ts'
import { resolveWants, sendPack } from '../tasks/fetch.ts'
import { FetchOutput } from '../tasks/fetch-output.ts'
import type { OpenStore } from '../tasks/open-store.ts'
import { selectObjects } from '../tasks/select-objects.ts'
import type { Task } from '../tasks/task.ts'
import { NO_FILTER } from '../walk/object-filter.ts'
import { peelHex } from '../walk/peel.ts'

export type PackRequest = {
  readonly store: string
  readonly names: NamespaceTips
  readonly wants: readonly Oid[]
  /** What the remote has; ids that the namespace does not reach are ignored. */
  readonly haves: readonly Oid[]
  readonly thin: boolean
  readonly ofsDelta: boolean
}

const BARE: Omit<FetchRequest, 'wants' | 'thin' | 'ofsDelta'> = {
  protocol: 0,
  negotiation: [],
  done: true,
  waitForDone: false,
  progress: false,
  includeTag: false,
  band: 'none',
  sidebandAll: false,
  multiAck: 'none',
  noDone: false,
  shallow: new Uint8Array(0),
  depth: 0,
  deepenRelative: false,
  deepenSince: null,
  deepenNot: [],
  filter: null,
  wantedRefs: new Uint8Array(0),
}

/**
 * Yields the bytes of the pack. Throws GitError `missing` for a want that the namespace does not
 * reach.
 */
export function* packTask(
  store: OpenStore,
  { names, wants, haves, thin, ofsDelta }: PackRequest,
): Task<void> {
  store.objects.pin()
  try {
    store.objects.refresh()
    const ids = oidsToBytes(wants)
    const request: FetchRequest = { ...BARE, wants: ids, thin, ofsDelta }
    const framer = new Framer('none')
    const out = new FetchOutput(framer, request)
    const resolved = yield* resolveWants(store, ids, names)
    const reach = store.reach(names.tips)
    const known: number[] = []
    for (const oid of new Set(haves)) {
      if (store.objects.header(oid) === null) continue
      const peeled = peelHex(store.objects, oid)
      if (peeled === null || peeled.type !== COMMIT) continue
      const number = store.commits.numberOf(peeled.oid)
      if (reach.has(number, true)) known.push(number)
    }
    const plan = {
      store,
      request,
      names,
      wants: resolved,
      haves: known,
      boundary: null,
      client: [],
      cut: new Set<number>(),
      filter: NO_FILTER,
      out,
    }
    const selected = yield* selectObjects(plan)
    yield* sendPack(store, request, selected, framer, out)
    yield* out.drain(true)
  } finally {
    store.objects.unpin()
  }
}
