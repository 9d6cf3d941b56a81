/** Answers one fetch of any protocol version (gitprotocol-pack, gitprotocol-v2): negotiation, boundaries and pack. */
import { BLOB, COMMIT, TREE } from '../pack/entry.ts'
import { PackBuilder } from '../pack/build.ts'
import { planPack } from '../pack/plan.ts'
import { GitError } from '../ports.ts'
import type { FetchRequest, NamespaceTips } from '../protocol/fetch-request.ts'
import { Framer } from '../protocol/framer.ts'
import { Collector } from '../walk/collect.ts'
import { NO_FILTER, parseFilter } from '../walk/filter.ts'
import { peelHex } from '../walk/peel.ts'
import { selectCommits } from '../walk/select-commits.ts'
import { computeShallow } from '../walk/shallow.ts'
import { negotiateV0, negotiateV2 } from './negotiate.ts'
import type { OpenStore } from './open-store.ts'
import { FetchOutput } from './fetch-output.ts'
import type { Task } from './task.ts'

/** The task behind `Git.uploadPack`'s fetch. Errors after the first output go into the stream as git expects them. */
export function* fetchTask(store: OpenStore, request: FetchRequest, names: NamespaceTips): Task<void> {
  store.objects.pin()
  const framer = new Framer(request.band)
  const out = new FetchOutput(framer, request)
  try {
    yield* answer(store, request, names, framer, out)
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    out.fail(error)
  } finally {
    store.objects.unpin()
  }
  yield* out.drain(true)
}

function* answer(store: OpenStore, request: FetchRequest, names: NamespaceTips, framer: Framer, out: FetchOutput): Task<void> {
  store.objects.refresh()
  const filter = request.filter === null ? NO_FILTER : parseFilter(request.filter)
  const reach = store.reach(names.tips)
  const table = store.commits
  const wants = yield* resolveWants(store, request.wants, names)
  const client = request.shallow.map((oid) => table.numberOf(oid)).filter((n) => table.isCommit(n) && reach.has(n, true))

  const deepens = request.depth > 0 || request.deepenSince !== null || request.deepenNot.length > 0
  let cut: ReadonlySet<number> = new Set(client)
  let boundary: { shallow: readonly number[]; unshallow: readonly number[] } | null = null
  if (deepens) {
    const not = request.deepenNot.map((oid) => peelHex(store.objects, oid)).filter((peeled) => peeled?.type === COMMIT)
    const found = computeShallow(table, wants.commits, {
      client,
      depth: request.depth,
      relative: request.deepenRelative,
      since: request.deepenSince,
      not: not.map((peeled) => table.numberOf(peeled!.oid)),
    })
    if (found === null) throw new GitError('invalid', 'no commits selected for shallow requests')
    cut = found.cut
    boundary = found
  }

  const talk = { request, out, store, reach, wants: wants.commits, boundary }
  const haves = request.protocol === 2 ? negotiateV2(talk) : negotiateV0(talk)
  if (haves === null) return
  out.packStarts()

  // The client's side of history ends where it said; what is newly cut binds only what is sent.
  const starts = [...wants.commits]
  for (const commit of boundary?.unshallow ?? []) {
    for (let i = 0; i < table.parentCount(commit); i++) starts.push(table.parent(commit, i))
  }
  // A commit that the client has cut off is one it has; what newly lies behind it comes through `unshallow`.
  const had = boundary === null ? haves : [...haves, ...(haves.length > 0 ? client : boundary.unshallow)]
  const clientCut = new Set(client)
  const selection = selectCommits(table, starts, had, (commit) => cut.has(commit) || clientCut.has(commit))
  const collector = new Collector(store.objects, filter)
  for (const tag of wants.tags) collector.addTag(tag)
  for (const { oid, type } of wants.others) collector.addNamed(oid, type)
  for (const commit of selection.commits) collector.addCommit(table.oids, commit * 20)
  // What the client named itself comes whatever the filter says.
  if (filter.type !== null) for (const oid of request.wants) collector.chosen.addHex(oid)
  const compares = had.length > 0
  // Oldest first, so that what a commit shares with its parents is there before it.
  const order = compares ? [...selection.commits].reverse() : selection.commits
  let steps = 0
  for (const commit of order) {
    const bases = []
    if (compares) {
      for (let i = 0; !cut.has(commit) && i < table.parentCount(commit); i++) {
        const parent = table.parent(commit, i)
        table.load(parent)
        bases.push({ bytes: table.treeOids, at: parent * 20, known: selection.isHidden(parent) })
      }
    }
    collector.addTree(table.treeOids, commit * 20, bases)
    if (++steps % 64 === 0) {
      out.counting('Enumerating objects', collector.chosen.size)
      yield* out.drain(false)
      yield 'pause'
    }
  }
  if (request.includeTag) addTags(collector, names.tags)
  out.counted('Enumerating objects', collector.chosen.size)
  yield* out.drain(false)
  yield* sendPack(store, request, collector, framer, out, request.filter === null && request.thin)
}

/** Adds annotated tags of objects that are sent (`include-tag`). */
function addTags(collector: Collector, tags: Uint8Array): void {
  for (let at = 0; at < tags.length; at += 40) {
    if (collector.chosen.get(tags, at + 20) >= 0) collector.chosen.add(tags, at)
  }
}

function* sendPack(
  store: OpenStore,
  request: FetchRequest,
  collector: Collector,
  framer: Framer,
  out: FetchOutput,
  thin: boolean,
): Task<void> {
  const parts = planPack(store.objects, collector.chosen)
  const hasher = new Bun.CryptoHasher('sha1')
  const sink = { put: (bytes: Uint8Array, from: number, to: number) => framer.put(bytes, from, to, hasher) }
  const options = { ofsDelta: request.ofsDelta, known: thin ? collector.known : null }
  const builder = new PackBuilder(store.objects, collector.chosen, parts, options, sink)
  const checkAt = { next: 256 }
  for (const _ of builder.run(() => framer.hasReady || builder.done >= checkAt.next)) {
    checkAt.next = builder.done + 256
    out.counting('Sending objects', builder.done)
    yield* out.drain(false)
    yield 'pause'
  }
  const trailer = hasher.digest() as Uint8Array
  framer.put(trailer, 0, 20)
  out.packEnds(builder.total)
}

type Wants = {
  /** Commits, named directly or through tags. */
  readonly commits: readonly number[]
  /** Tag objects on the way. */
  readonly tags: readonly string[]
  readonly others: readonly { readonly oid: string; readonly type: number }[]
}

/** Resolves what the client wants. Throws GitError `missing` for everything that the tips do not reach. */
function* resolveWants(store: OpenStore, oids: readonly string[], names: NamespaceTips): Task<Wants> {
  const reach = store.reach(names.tips)
  const commits: number[] = []
  const tags: string[] = []
  const others: { oid: string; type: number }[] = []
  const unproven: string[] = []
  for (const oid of oids) {
    const peeled = peelHex(store.objects, oid)
    if (peeled === null) throw notOurs(oid)
    if (!reach.isNamed(oid)) {
      // Tags are visible by being tips or on the way from one only.
      if (peeled.tags.length > 0) throw notOurs(oid)
      if (peeled.type === COMMIT) {
        if (!reach.has(store.commits.numberOf(oid), true)) throw notOurs(oid)
      } else unproven.push(oid)
    }
    tags.push(...peeled.tags)
    if (peeled.type === COMMIT) {
      const number = store.commits.numberOf(peeled.oid)
      store.commits.load(number)
      commits.push(number)
    } else if (peeled.type === TREE || peeled.type === BLOB) others.push({ oid: peeled.oid, type: peeled.type })
  }
  if (unproven.length > 0) {
    const hidden = yield* store.visible(names.tips).firstHidden(Buffer.from(unproven.join(''), 'hex'))
    if (hidden !== null) throw notOurs(hidden)
  }
  return { commits: [...new Set(commits)], tags, others }
}

const notOurs = (oid: string) => new GitError('missing', `upload-pack: not our ref ${oid}`)
