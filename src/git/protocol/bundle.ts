/**
 * Bundles (gitformat-bundle) for clients with `transfer.bundleURI`: a clone downloads the history
 * of one branch as a file and fetches only the rest (gitprotocol-v2, "bundle-uri"). A bundle depends
 * on its commit alone, so it stays valid and cached when refs move on.
 */
import type { PackRequest } from '../client/pack-task.ts'
import { oidsToBytes } from '../object.ts'
import { GitError, type Oid, type ResponseOptions } from '../ports.ts'
import { pipeTask } from './pipe-task.ts'
import { FLUSH, pkt } from './pkt-line.ts'
import { bufferOrStreamResponse } from './response-stream.ts'
import type { ProduceResponse } from './shared-response.ts'
import type { SnapshotView } from './snapshot-view.ts'
import type { UploadAnswer, UploadContext } from './upload-pack.ts'

/** The response to the command `bundle-uri`: one bundle, or none. */
export const bundleList = (uri: string | null): Buffer =>
  uri === null
    ? FLUSH
    : Buffer.concat([
        pkt('bundle.version=1\n'),
        pkt('bundle.mode=all\n'),
        pkt(`bundle.default.uri=${uri}\n`),
        FLUSH,
      ])

/**
 * The bundle of a commit with everything below it, as the ref `name`. Throws GitError `missing` for
 * a commit that the refs do not reach.
 */
export async function bundle(
  context: UploadContext,
  store: string,
  view: SnapshotView,
  tip: { readonly name: string; readonly oid: Oid },
  options: ResponseOptions,
): Promise<UploadAnswer> {
  const { oid, name } = tip
  const { names, snapshot } = view
  const isTip = snapshot.refs.some((ref) => ref.oid === oid)
  const tips = oidsToBytes(snapshot.refs.map((ref) => ref.peeled ?? ref.oid))
  if (!isTip && !(await context.threads.call<boolean>('isReachable', { store, args: [oid, tips] })))
    throw new GitError('missing', `no ref reaches ${oid}`)
  const { responses } = context
  const key = `bundle ${store} ${oid} ${name}`
  const cached = responses.getBytes(key) ?? responses.getFile(key)
  if (cached !== null) return cached
  const request: PackRequest = {
    store,
    names,
    wants: [oid],
    haves: [],
    thin: false,
    ofsDelta: true,
  }
  const produce: ProduceResponse = async (out, signal) => {
    out.put(Buffer.from(`# v2 git bundle\n${oid} ${name}\n\n`))
    await pipeTask(context, 'pack', request, out, signal)
    return true
  }
  if (!responses.has(key)) context.onFullClone?.()
  return await bufferOrStreamResponse(
    (sink) => responses.respond(store, key, sink, produce, { isRepeated: true }),
    options,
  )
}
