/**
 * Pushes to another server (gitprotocol-pack, "Pushing Data To a Server"). receive-pack has
 * versions 0 and 1.
 */
import { ZERO_OID } from '../object.ts'
import { GitError } from '../ports.ts'
import { streamResponse, recyclingSink } from '../protocol/response-stream.ts'
import type { NamespaceTips } from '../protocol/fetch-request.ts'
import { FLUSH, lineOf, parsePackets, pkt } from '../protocol/pkt-line.ts'
import { pipeTask, type TaskContext } from '../protocol/pipe-task.ts'
import { isRefName } from '../protocol/ref-name.ts'
import { sanitizeLine, demultiplex, type ResponseReader } from './response-reader.ts'
import { discover, type Advertisement, type Client } from './discover.ts'
import { postToService } from './list-refs.ts'
import type { PackRequest } from './pack-task.ts'
import { RemoteError, type PushCommand, type PushReport, type PushToOptions } from './ports.ts'

/** A report has one line per ref; 100,000 fit. */
const MAX_REPORT_BYTES = 64 << 20

/**
 * Sends commands to a remote with the objects that it lacks. Throws GitError `unsupported` for what
 * the remote cannot do, `missing` for an object that the local refs do not reach, and RemoteError
 * for faults of the remote.
 */
export async function pushTo(
  context: TaskContext,
  store: string,
  client: Client,
  names: NamespaceTips,
  options: PushToOptions,
): Promise<PushReport> {
  const advertisement = await discover(client, 'git-receive-pack', options)
  const remote = advertisement.refs
  if (remote === null)
    throw new RemoteError(
      'unsupported',
      'the remote answers a push in a version of git’s protocol that knows none',
    )
  const commands = options.commands(remote)
  for (const { name } of commands)
    if (!isRefName(name))
      throw new GitError('invalid', `"${name.slice(0, 100)}" is not a valid ref name`)
  if (commands.length === 0) return { remote, results: [] }
  const words = chooseCapabilities(client, advertisement, commands, options)
  const head = encodeCommands(commands, words, options)
  const wants = commands.flatMap((command) => (command.new === null ? [] : [command.new]))
  const { capabilities } = advertisement
  const { signal } = options
  const haves = remote.refs.map(({ oid }) => oid)
  const body =
    wants.length === 0
      ? head
      : streamResponse(async (sink) => {
          sink.put(head)
          const args = {
            store,
            names,
            wants,
            haves,
            thin: !capabilities.has('no-thin'),
            ofsDelta: capabilities.has('ofs-delta'),
          } satisfies PackRequest
          await pipeTask(context, 'pack', args, recyclingSink(sink), signal)
        }, signal && { signal })
  let failure: unknown = null
  const answer = await postToService(
    client,
    advertisement,
    'git-receive-pack',
    body instanceof Uint8Array ? body : observeErrors(body, (error) => (failure = error)),
    options,
  ).catch((error: unknown) => {
    // An error of packing is the cause of the failed request.
    throw failure ?? error
  })
  try {
    return { remote, results: await readReport(answer, words, commands, options) }
  } finally {
    await answer.cancel()
  }
}

/** Calls `onError` with the error that ends a stream. */
function observeErrors(
  stream: ReadableStream<Uint8Array>,
  onError: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          onError(error)
          throw error
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

function chooseCapabilities(
  client: Client,
  { capabilities }: Advertisement,
  commands: readonly PushCommand[],
  options: PushToOptions,
): string[] {
  const report = ['report-status-v2', 'report-status'].find((word) => capabilities.has(word))
  if (report === undefined)
    throw new RemoteError('unsupported', 'the remote does not say what becomes of a push')
  if (options.atomic && !capabilities.has('atomic'))
    throw new RemoteError('unsupported', 'the remote cannot move refs all or none')
  if (commands.some((command) => command.new === null) && !capabilities.has('delete-refs'))
    throw new RemoteError('unsupported', 'the remote does not let refs be deleted')
  const words = [report]
  if (capabilities.has('side-band-64k')) words.push('side-band-64k')
  if (options.atomic) words.push('atomic')
  if (options.options && options.options.length > 0 && capabilities.has('push-options'))
    words.push('push-options')
  if (capabilities.has('object-format')) words.push('object-format=sha1')
  if (capabilities.has('agent')) words.push(`agent=${client.agent}`)
  return words
}

function encodeCommands(
  commands: readonly PushCommand[],
  words: readonly string[],
  options: PushToOptions,
): Buffer {
  const lines = commands.map(({ name, old, new: to }, i) =>
    pkt(`${old ?? ZERO_OID} ${to ?? ZERO_OID} ${name}${i === 0 ? `\0 ${words.join(' ')}` : ''}`),
  )
  const texts = words.includes('push-options')
    ? [...(options.options ?? []).map((text) => pkt(text.replace(/[\r\n\0]+/g, ' '))), FLUSH]
    : []
  return Buffer.concat([...lines, FLUSH, ...texts])
}

/** Reads report-status; with side bands its packets are nested in those of band 1. */
async function readReport(
  answer: ResponseReader,
  words: readonly string[],
  commands: readonly PushCommand[],
  options: PushToOptions,
): Promise<PushReport['results']> {
  const parts: Uint8Array[] = []
  let size = 0
  const banded = words.includes('side-band-64k')
  for (;;) {
    const packet = banded ? await answer.packet() : null
    if (banded && (packet === null || packet.kind !== 'data')) break
    const part =
      packet?.kind === 'data'
        ? demultiplex(packet.data, options.onProgress ?? (() => {}))
        : await answer.readRaw()
    if (part === null) {
      if (banded) continue
      break
    }
    size += part.length
    if (size > MAX_REPORT_BYTES)
      throw new RemoteError('too_large', 'the remote’s report is too long')
    parts.push(Buffer.from(part))
  }
  const lines = parsePackets(Buffer.concat(parts)).flatMap((packet) =>
    packet.kind === 'data' ? [lineOf(packet.data)] : [],
  )
  const [unpack = ''] = lines
  if (unpack.startsWith('ERR '))
    throw new RemoteError(
      'invalid',
      `the remote says: ${sanitizeLine(Buffer.from(unpack.slice(4)))}`,
    )
  if (!unpack.startsWith('unpack '))
    throw new RemoteError('corrupt', 'the remote does not say what became of the push')
  if (unpack !== 'unpack ok')
    throw new RemoteError(
      'invalid',
      `the remote did not take the objects: ${sanitizeLine(Buffer.from(unpack.slice('unpack '.length)))}`,
    )
  const verdicts = new Map<string, string | null>()
  for (const line of lines.slice(1)) {
    const [whole = '', word, name = ''] = /^(ok|ng) (\S+) ?/.exec(line) ?? []
    const why = line.slice(whole.length)
    if (word !== undefined)
      verdicts.set(name, word === 'ok' ? null : sanitizeLine(Buffer.from(why)) || 'refused')
  }
  return commands.map(({ name }) => {
    const verdict = verdicts.get(name)
    return {
      name,
      refused: verdict === undefined ? 'the remote said nothing about this ref' : verdict,
    }
  })
}
