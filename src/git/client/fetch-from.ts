/** Fetches from another server, from the first request to the moved refs. */
import { oidsToBytes } from '../object.ts'
import { GitError, type Oid, type Ref } from '../ports.ts'
import { MISSING_OBJECTS, type IngestRequest, type IngestResult } from '../tasks/ingest.ts'
import { ingestTargets, type IngestTargets } from '../tasks/ingest-targets.ts'
import { discover, type Client } from './discover.ts'
import { fetchPack } from './fetch-pack.ts'
import type { FindHavesRequest, FindHavesResult } from './find-haves-task.ts'
import { readRefs } from './list-refs.ts'
import {
  RemoteError,
  type FetchResult,
  type FetchFromOptions,
  type FetchProgress,
} from './ports.ts'
import { PackIngestion, type IngestContext } from './pack-ingestion.ts'

export type FetchContext = IngestContext & {
  /** Keeps the pack when refs moved. */
  readonly settle: (store: string, pack: string) => void
  /** Leases raw ids until the returned function is called. */
  readonly hold: (store: string, tips: () => Uint8Array) => () => void
}

/** The maximum number of commits in `have` lines. */
const MAX_HAVES = 2048

/**
 * Fetches what a remote's refs reach and this side lacks. As for a push, nothing is visible before
 * all of it is checked. Throws RemoteError for faults of the remote, and the errors of the
 * transport.
 */
export async function fetchFrom(
  context: FetchContext,
  store: string,
  client: Client,
  /** Raw ids of the local refs. */
  local: Uint8Array,
  options: FetchFromOptions,
): Promise<FetchResult> {
  const { onProgress = () => {}, signal } = options
  const advertisement = await discover(client, 'git-upload-pack', options)
  const remote = await readRefs(client, advertisement, options)
  onProgress({ kind: 'refs', count: remote.refs.length })
  const chosen = options.selectRefs ? options.selectRefs(remote) : remote.refs
  const asked = [...new Set(chosen.map(({ oid }) => oid))]
  const release = context.hold(store, () => Buffer.concat([local, oidsToBytes(asked)]))
  try {
    const known = await context.threads.call<FindHavesResult>('known', {
      store,
      tips: local,
      remoteOids: asked,
      ownStore: options.ownStore ?? false,
      limit: MAX_HAVES,
    } satisfies FindHavesRequest)
    const present = new Set(known.present)
    const wants = asked.filter((oid) => !present.has(oid))
    const targets = ingestTargets(chosen)
    const tips = Buffer.concat([local, oidsToBytes(known.present)])
    const result =
      wants.length === 0
        ? await context.threads.call<IngestResult>('ingest', {
            store,
            tips,
            targets,
            pack: false,
          } satisfies IngestRequest)
        : await receiveRemotePack(
            context,
            store,
            client,
            { tips, targets, known, wants, onProgress },
            advertisement,
            options,
          )
    // An interrupted fetch has checked its objects, but it may not have scanned them.
    const unscanned = result.unscanned || (options.ownStore === true && known.haves.length > 0)
    return await applyFetch(context, store, { ...result, unscanned }, { remote, chosen }, options)
  } catch (error) {
    if (signal?.aborted) throw new GitError('aborted', 'the fetch was given up')
    throw error
  } finally {
    release()
  }
}

type PackTransfer = {
  readonly tips: Uint8Array
  readonly targets: IngestTargets
  readonly known: FindHavesResult
  readonly wants: readonly Oid[]
  readonly onProgress: (progress: FetchProgress) => void
}

async function receiveRemotePack(
  context: FetchContext,
  store: string,
  client: Client,
  { tips, targets, known, wants, onProgress }: PackTransfer,
  advertisement: Awaited<ReturnType<typeof discover>>,
  options: FetchFromOptions,
): Promise<IngestResult> {
  const taker = new PackIngestion(context, store, tips, targets, onProgress)
  try {
    const wish = {
      wants,
      haves: known.haves,
      shallow: known.shallow,
      onProgress: (text: string) => onProgress({ kind: 'remote', text }),
    }
    await fetchPack(client, advertisement, wish, taker, options)
    return await taker.end(options.signal ?? null)
  } catch (error) {
    const reason = await taker.findCause(error)
    throw reason instanceof GitError &&
      !(reason instanceof RemoteError) &&
      reason.code !== 'aborted'
      ? new RemoteError(reason.code, `what the remote sent is not taken: ${reason.message}`)
      : reason
  }
}

/** Passes the result to the host, and keeps or removes the pack by its answer. */
async function applyFetch(
  context: FetchContext,
  store: string,
  result: IngestResult,
  { remote, chosen }: { remote: FetchResult['remote']; chosen: readonly Ref[] },
  options: FetchFromOptions,
): Promise<FetchResult> {
  const refs: Ref[] = []
  const refused: { name: string; why: string }[] = []
  chosen.forEach((ref, i) => {
    const why = result.targetErrors[i] ?? null
    if (why === null) refs.push(ref)
    else refused.push({ name: ref.name, why })
  })
  const lacking = refused.find(({ why }) => why === MISSING_OBJECTS)
  if (lacking) {
    if (result.pack !== null) context.withdraw(store, result.pack)
    throw new RemoteError(
      'missing',
      `the remote did not send what ${lacking.name.slice(0, 200)} points at`,
    )
  }
  const fetched = {
    remote,
    refs,
    refused,
    bytes: result.bytes,
    objects: result.objects,
    unscanned: result.unscanned,
  }
  let keeps = true
  try {
    keeps = (await options.apply(fetched)) !== false
  } finally {
    if (result.pack !== null) {
      if (keeps) context.settle(store, result.pack)
      else context.withdraw(store, result.pack)
    }
  }
  return fetched
}
