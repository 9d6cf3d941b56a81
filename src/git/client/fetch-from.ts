/** Fetching from another server, from the first request to refs that have moved. */
import { GitError, type Oid, type Ref } from '../ports.ts'
import { viewOf } from '../protocol/snapshot-view.ts'
import { MISSING, type IngestResult } from '../tasks/ingest.ts'
import { discover, type Client } from './discover.ts'
import { fetchPack } from './fetch-pack.ts'
import type { Known } from './known-task.ts'
import { refsOf } from './list-refs.ts'
import { RemoteError, type Fetched, type FetchFromOptions, type FetchProgress } from './ports.ts'
import { PackTaker, type TakeContext, type Target } from './take-pack.ts'

export type FetchContext = TakeContext & {
  /** The refs moved: the pack stays. */
  readonly settle: (store: string, pack: string) => void
  /** Holds raw ids until the function that it gives is called. */
  readonly hold: (store: string, tips: () => Uint8Array) => () => void
}

/** Commits that are told to the remote at most. */
const MOST_HAVES = 2048

const rawOf = (oids: readonly Oid[]): Buffer => Buffer.from(oids.join(''), 'hex')

/**
 * Fetches what a remote's refs reach and this side lacks. Nothing is visible before all of it is
 * checked, as for a push. Throws RemoteError for what the remote is to blame for, and whatever the
 * transport throws.
 */
export async function fetchFrom(
  context: FetchContext,
  store: string,
  client: Client,
  options: FetchFromOptions,
): Promise<Fetched> {
  const { onProgress = () => {}, signal } = options
  const advertisement = await discover(client, 'git-upload-pack', options)
  const remote = await refsOf(client, advertisement, options)
  onProgress({ kind: 'refs', count: remote.refs.length })
  const chosen = options.choose ? options.choose(remote) : remote.refs
  const asked = [...new Set(chosen.map(({ oid }) => oid))]
  const local = viewOf(options.local).names.tips
  const release = context.hold(store, () => Buffer.concat([local, rawOf(asked)]))
  try {
    const known = await context.threads.call<Known>('known', {
      store,
      tips: local,
      asked,
      ownStore: options.ownStore ?? false,
      limit: MOST_HAVES,
    })
    const present = new Set(known.present)
    const wants = asked.filter((oid) => !present.has(oid))
    const targets = chosen.map(({ name, oid }) => ({ oid, commit: name.startsWith('refs/heads/') }))
    const tips = Buffer.concat([local, rawOf(known.present)])
    const result =
      wants.length === 0
        ? await context.threads.call<IngestResult>('ingest', { store, tips, targets, pack: false })
        : await bring(
            context,
            store,
            client,
            { tips, targets, known, wants, onProgress },
            advertisement,
            options,
          )
    // What a stopped fetch has brought was checked then, but nobody knows whether it was looked at
    // afterwards.
    const unlooked = result.unlooked || (options.ownStore === true && known.haves.length > 0)
    return await hand(context, store, { ...result, unlooked }, { remote, chosen }, options)
  } catch (error) {
    if (signal?.aborted) throw new GitError('aborted', 'the fetch was given up')
    throw error
  } finally {
    release()
  }
}

type Errand = {
  readonly tips: Uint8Array
  readonly targets: readonly Target[]
  readonly known: Known
  readonly wants: readonly Oid[]
  readonly onProgress: (progress: FetchProgress) => void
}

async function bring(
  context: FetchContext,
  store: string,
  client: Client,
  { tips, targets, known, wants, onProgress }: Errand,
  advertisement: Awaited<ReturnType<typeof discover>>,
  options: FetchFromOptions,
): Promise<IngestResult> {
  const taker = new PackTaker(context, store, tips, targets, onProgress)
  try {
    const wish = {
      wants,
      haves: known.haves,
      onProgress: (text: string) => onProgress({ kind: 'remote', text }),
    }
    await fetchPack(client, advertisement, wish, taker, options)
    return await taker.end(options.signal ?? null)
  } catch (error) {
    const reason = await taker.reason(error)
    throw reason instanceof GitError &&
      !(reason instanceof RemoteError) &&
      reason.code !== 'aborted'
      ? new RemoteError(reason.code, `what the remote sent is not taken: ${reason.message}`)
      : reason
  }
}

/** Hands what has come to the host, and keeps the pack or takes it away by what the host says. */
async function hand(
  context: FetchContext,
  store: string,
  result: IngestResult,
  { remote, chosen }: { remote: Fetched['remote']; chosen: readonly Ref[] },
  options: FetchFromOptions,
): Promise<Fetched> {
  const refs: Ref[] = []
  const refused: { name: string; why: string }[] = []
  chosen.forEach((ref, i) => {
    const why = result.verdicts[i] ?? null
    if (why === null) refs.push(ref)
    else refused.push({ name: ref.name, why })
  })
  const lacking = refused.find(({ why }) => why === MISSING)
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
    unlooked: result.unlooked,
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
