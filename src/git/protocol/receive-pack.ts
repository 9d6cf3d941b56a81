/** git-receive-pack over smart HTTP (gitprotocol-pack, "Pushing Data To a Server"). */
import { isUtf8 } from 'node:buffer'
import { refusesWrites } from '#lib/disk.ts'
import { nextTurn } from '#lib/waiting.ts'
import { isOid, ZERO_OID } from '../object.ts'
import {
  GitError,
  type GitOptions,
  type PushCertificate,
  type PushRequest,
  type RefResult,
  type RefUpdate,
} from '../ports.ts'
import type { IngestRequest, IngestResult } from '../tasks/ingest.ts'
import { ingestTargets } from '../tasks/ingest-targets.ts'
import { streamResponse, type ResponseSink } from './response-stream.ts'
import { BodyReader } from './body.ts'
import { FLUSH, KEEP_ALIVE, bandPackets, lineOf, pkt, pktBytes } from './pkt-line.ts'
import { isCertificateStart, readCertificate, type ParsedCertificate } from './push-certificate.ts'
import { requireNoSha256Id, requireSha1Format } from './object-format.ts'
import type { TaskContext } from './pipe-task.ts'
import { isRefName } from './ref-name.ts'
import type { SnapshotView } from './snapshot-view.ts'

/** Commands of one push; with their names a few megabytes at most. */
const MAX_COMMANDS = 100_000
/** What one turn of the event loop reads, or reports. */
const COMMANDS_PER_TURN = 4_000
/** The host moves the refs of an atomic push in one transaction, in which nobody else can write. */
const MAX_ATOMIC_COMMANDS = 2_000
const MAX_OPTIONS = 1000
const BLOCK_BYTES = 1 << 18
/** In a conversation, a part of a block is handed on when nothing follows for so long. */
const BLOCK_IDLE_MS = 20
const KEEP_ALIVE_MS = 5_000
/** Lines of the host that are shown; the rest is counted. */
const MAX_MESSAGE_LINES = 100

export type ReceiveContext = TaskContext & {
  /** Keeps the pack of an applied push. */
  readonly settle: (store: string, pack: string) => void
  /** Removes the pack when no ref moved. */
  readonly withdraw: (store: string, pack: string) => void
  readonly maxPackBytes: number
  readonly oldFaults: NonNullable<GitOptions['oldFaults']>
}

/** The first words are git's (`receive.shallowUpdate`). */
const SHALLOW_UPDATE = 'shallow update not allowed: run git fetch --unshallow, then push again'

type Commands = {
  readonly updates: readonly RefUpdate[]
  readonly features: ReadonlySet<string>
  /** Ref names that are not UTF-8, by index of the update. */
  readonly malformedNames: ReadonlyMap<number, Buffer>
  /** Whether the history of the client ends early. */
  readonly isShallow: boolean
  /** Whose commands `updates` are. */
  readonly certificate: PushCertificate | null
}

const NAME_OFFSET = 82

/** `over` is called once at the end, whatever the outcome. */
export function receivePack(
  context: ReceiveContext,
  store: string,
  view: SnapshotView,
  request: PushRequest,
  over: () => void,
): ReadableStream<Uint8Array> {
  return streamResponse(
    (sink) => answer(context, store, view, request, sink).finally(over),
    request,
  )
}

async function answer(
  context: ReceiveContext,
  store: string,
  view: SnapshotView,
  request: PushRequest,
  sink: ResponseSink,
): Promise<void> {
  const body = new BodyReader(request.body)
  let commands: Commands | null
  try {
    commands = await readCommands(body)
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    await drain(context, request, body)
    sink.put(pkt(`ERR ${error.message}`))
    return
  }
  if (commands !== null)
    await new Receiver(context, store, view, request, commands, body, sink).run()
}

/**
 * Reads what the client still sends, so that it gets to read the response. A client that keeps its
 * side open gets the response meanwhile.
 */
async function drain(
  { maxPackBytes }: ReceiveContext,
  { isConversation }: PushRequest,
  body: BodyReader,
): Promise<void> {
  const drained = body.drain(maxPackBytes)
  if (isConversation) drained.catch(() => {})
  else await drained
}

/** Null for a flush alone, with which clients probe the connection. */
async function readCommands(body: BodyReader): Promise<Commands | null> {
  const commands = new CommandReader()
  let count = 0
  for (;;) {
    const packet = await body.packet()
    if (++count % COMMANDS_PER_TURN === 0) await nextTurn()
    if (packet === null) {
      if (!commands.isEmpty) throw new GitError('invalid', 'the commands do not end in a flush')
      return null
    }
    if (packet.kind !== 'data') return commands.isEmpty ? null : commands
    if (isCertificateStart(packet.data))
      commands.addCertificate(packet.data, await readCertificate(body))
    else commands.add(packet.data)
  }
}

const certificateAlone = (): GitError =>
  new GitError('invalid', 'protocol error: got both a push certificate and unsigned commands')

class CommandReader implements Commands {
  readonly updates: RefUpdate[] = []
  readonly malformedNames = new Map<number, Buffer>()
  features: ReadonlySet<string> = new Set()
  isShallow = false
  certificate: PushCertificate | null = null

  get isEmpty(): boolean {
    return this.updates.length === 0
  }

  add(data: Buffer): void {
    const line = lineOf(data)
    if (line.startsWith('shallow ')) {
      this.isShallow = true
      return
    }
    if (this.certificate !== null) throw certificateAlone()
    const nul = line.indexOf('\0')
    if (nul >= 0 && this.isEmpty) this.readFeatures(line.slice(nul + 1))
    this.addUpdate(nul >= 0 ? line.slice(0, nul) : line, data)
  }

  /** The features are on the line that begins the certificate. */
  addCertificate(first: Buffer, { certificate, commands }: ParsedCertificate): void {
    if (!this.isEmpty || this.certificate !== null) throw certificateAlone()
    const line = lineOf(first)
    this.readFeatures(line.slice(line.indexOf('\0') + 1))
    this.certificate = certificate
    for (const command of commands) this.addUpdate(command, null)
  }

  private readFeatures(text: string): void {
    this.features = new Set(text.split(' '))
    for (const feature of this.features) requireSha1Format(feature)
  }

  /** `data` are the bytes of the line, which may not be UTF-8. */
  private addUpdate(line: string, data: Buffer | null): void {
    const { updates } = this
    requireNoSha256Id(line)
    const [old, next, name] = [line.slice(0, 40), line.slice(41, 81), line.slice(NAME_OFFSET)]
    if (!isOid(old) || !isOid(next) || line[40] !== ' ' || line[81] !== ' ' || name === '')
      throw new GitError(
        'invalid',
        `protocol error: expected old/new/ref, got '${line.slice(0, 100)}'`,
      )
    if (updates.length >= MAX_COMMANDS)
      throw new GitError('too_large', `a push may move at most ${MAX_COMMANDS} refs`)
    if (updates.length >= MAX_ATOMIC_COMMANDS && this.features.has('atomic'))
      throw new GitError(
        'too_large',
        `an atomic push may move at most ${MAX_ATOMIC_COMMANDS} refs: push fewer, or without --atomic`,
      )
    if (data !== null && name.includes('\ufffd') && !isUtf8(data))
      this.malformedNames.set(updates.length, rawNameOf(data))
    updates.push({ name, old: old === ZERO_OID ? null : old, new: next === ZERO_OID ? null : next })
  }
}

/** The bytes of the ref name of a command, without the features and the line feed behind it. */
function rawNameOf(data: Buffer): Buffer {
  const nul = data.indexOf(0)
  const end = nul >= 0 ? nul : data.at(-1) === 0x0a ? data.length - 1 : data.length
  return data.subarray(NAME_OFFSET, end)
}

class Receiver {
  /** Why commands are refused before the host sees them, by index. */
  private readonly refusals = new Map<number, string>()
  private readonly banded: boolean
  /** Whether the pack has arrived. */
  private received = false
  private spoke = performance.now()

  constructor(
    private readonly context: ReceiveContext,
    private readonly store: string,
    private readonly view: SnapshotView,
    private readonly request: PushRequest,
    private readonly commands: Commands,
    private readonly body: BodyReader,
    private readonly sink: ResponseSink,
  ) {
    this.banded = commands.features.has('side-band-64k')
  }

  async run(): Promise<void> {
    await this.checkNames()
    let options: string[]
    try {
      options = await this.readOptions()
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      await drain(this.context, this.request, this.body)
      await this.report(error.message, null)
      return
    }
    const problem = this.request.problem?.() ?? this.certificateProblem(options)
    if (problem !== null) {
      await drain(this.context, this.request, this.body)
      await this.report(
        null,
        this.commands.updates.map((_, i) => this.refusals.get(i) ?? problem),
      )
      return
    }
    let ingested: IngestResult
    const alive = setInterval(() => this.keepAlive(), KEEP_ALIVE_MS)
    try {
      try {
        ingested = await this.ingest()
      } catch (error) {
        if (error instanceof GitError && error.code === 'aborted') throw error
        await drain(this.context, this.request, this.body)
        if (this.commands.isShallow && error instanceof GitError && error.code === 'missing')
          return await this.report(
            null,
            this.commands.updates.map((_, i) => this.refusals.get(i) ?? SHALLOW_UPDATE),
          )
        // Internal errors are logged; the user is told that the pack is not at fault.
        await this.report(
          error instanceof GitError
            ? error.message
            : refusesWrites(error)
              ? 'the disk of the server is full'
              : 'internal error of the server',
          null,
        )
        return
      }
      await this.apply(ingested, options)
    } finally {
      clearInterval(alive)
    }
  }

  private async readOptions(): Promise<string[]> {
    const options: string[] = []
    if (!this.commands.features.has('push-options')) return options
    for (;;) {
      const packet = await this.body.packet()
      if (packet === null || packet.kind !== 'data') return options
      if (options.length >= MAX_OPTIONS)
        throw new GitError('too_large', `a push may have at most ${MAX_OPTIONS} options`)
      options.push(lineOf(packet.data))
    }
  }

  /** Why the certificate is refused; null when it is not, or when there is none. */
  private certificateProblem(options: readonly string[]): string | null {
    const { certificate } = this.commands
    if (certificate === null) return null
    const sent = [options, certificate.options].map((list) => list.join('\n'))
    if (sent[0] !== sent[1]) return 'the push options are not those of the push certificate'
    const { certificateProblem } = this.request
    return certificateProblem
      ? certificateProblem(certificate)
      : 'signed pushes are not supported here: push with --no-signed'
  }

  private async checkNames(): Promise<void> {
    const seen = new Set<string>()
    for (const [i, { name, old, new: next }] of this.commands.updates.entries()) {
      if (i % COMMANDS_PER_TURN === COMMANDS_PER_TURN - 1) await nextTurn()
      if (this.commands.malformedNames.has(i))
        this.refusals.set(i, 'the name is not UTF-8: rename the ref and push again')
      else if (!isRefName(name) || !name.startsWith('refs/')) this.refusals.set(i, 'funny refname')
      else if (seen.has(name)) this.refusals.set(i, 'multiple updates for ref are not allowed')
      else if (old === null && next === null)
        this.refusals.set(i, 'no object to delete and none to create')
      seen.add(name)
    }
  }

  /** People move in by pushing, so the first push may hold what an import may hold. */
  private get acceptsOldFaults(): boolean {
    const { oldFaults } = this.context
    const isFirst = this.view.snapshot.refs.length === 0
    return oldFaults === 'always' || (oldFaults === 'first_push' && isFirst)
  }

  /** Sends the pack to a thread, block by block. */
  private async ingest(): Promise<IngestResult> {
    const { updates } = this.commands
    const targets = updates.flatMap(({ name, new: oid }) => (oid === null ? [] : [{ name, oid }]))
    const pack = targets.length > 0 && (await this.body.hasMore())
    const ended = Promise.withResolvers<null>()
    const handle = this.context.threads.start<IngestResult>(
      'ingest',
      {
        store: this.store,
        tips: this.view.names.tips,
        targets: ingestTargets(targets),
        pack,
        imported: this.acceptsOldFaults,
        tellsEnd: this.request.isConversation ?? false,
      } satisfies IngestRequest,
      (_, taken) => {
        ended.resolve(null)
        taken()
      },
    )
    this.sink.onCancel(() => {
      handle.cancel((late) => {
        if (late.pack !== null) this.context.withdraw(this.store, late.pack)
      })
      void this.body.cancel()
    })
    // Only the work at the end needs a permit, so a slow upload holds none.
    let leave = () => {}
    if (pack) {
      try {
        const failed = handle.result.then(() => null)
        failed.catch(() => {})
        await this.sendPack(handle, Promise.race([ended.promise, failed]))
        this.received = true
        leave = await this.context.acquire(this.request.signal)
        await handle.input(null)
      } catch (error) {
        // The error of the task is more precise than the failed input. A truncated body has only
        // its own error.
        handle.cancel()
        leave()
        throw await handle.result.then(
          () => error,
          (failure) =>
            failure instanceof GitError && failure.code === 'aborted' ? error : failure,
        )
      }
    }
    const result = await handle.result.finally(() => leave())
    let at = 0
    updates.forEach((update, i) => {
      if (update.new === null) return
      const verdict = result.targetErrors[at++] ?? null
      if (verdict !== null && !this.refusals.has(i)) this.refusals.set(i, verdict)
    })
    return result
  }

  /** Hands the pack on. In a conversation `ended` says that it is complete, or rejects. */
  private async sendPack(
    handle: { input(block: Uint8Array): Promise<void> },
    ended: Promise<null>,
  ): Promise<void> {
    ended.catch(() => {})
    for (;;) {
      const block = this.request.isConversation
        ? await Promise.race([this.body.block(BLOCK_BYTES, BLOCK_IDLE_MS), ended])
        : await this.body.block(BLOCK_BYTES)
      if (block === null) return
      await handle.input(block)
    }
  }

  private async apply(ingested: IngestResult, options: readonly string[]): Promise<void> {
    const { updates, features } = this.commands
    const atomic = features.has('atomic')
    if (atomic && this.refusals.size > 0) {
      updates.forEach((_, i) => {
        if (!this.refusals.has(i)) this.refusals.set(i, 'atomic push failure')
      })
    }
    const asked = updates.filter((_, i) => !this.refusals.has(i))
    let results: readonly RefResult[] = []
    try {
      if (asked.length > 0)
        results = await this.request.apply({
          updates: asked,
          options,
          atomic,
          packBytes: ingested.bytes,
          unscanned: ingested.unscanned,
          certificate: this.commands.certificate,
        })
    } catch (error) {
      // Refs may have moved before the host failed. So the pack stays, and maintenance drops it if
      // it is unused.
      if (ingested.pack !== null) this.context.settle(this.store, ingested.pack)
      throw error
    }
    const byName = new Map(results.map((result) => [result.name, result.refused]))
    const verdicts = updates.map(({ name }, i) => {
      const refusal = this.refusals.get(i)
      if (refusal !== undefined) return refusal
      const answer = byName.get(name)
      return answer === undefined ? 'not handled' : answer
    })
    if (ingested.pack !== null) {
      if (verdicts.some((verdict) => verdict === null))
        this.context.settle(this.store, ingested.pack)
      else this.context.withdraw(this.store, ingested.pack)
    }
    this.tell(results.flatMap(({ lines = [] }) => lines))
    await this.report(null, verdicts)
  }

  /** Shows lines to the user, if the client has a side band. */
  private tell(lines: readonly string[]): void {
    if (!this.banded || lines.length === 0) return
    for (const line of lines.slice(0, MAX_MESSAGE_LINES))
      this.sink.put(bandPackets(2, Buffer.from(`${clean(line)}\n`)))
    if (lines.length > MAX_MESSAGE_LINES)
      this.sink.put(bandPackets(2, Buffer.from(`and ${lines.length - MAX_MESSAGE_LINES} more\n`)))
  }

  /** Sends report-status; `unpack` is the fault of the pack, or null. */
  private async report(
    unpack: string | null,
    verdicts: readonly (string | null)[] | null,
  ): Promise<void> {
    const { features, updates, malformedNames } = this.commands
    if (features.has('report-status') || features.has('report-status-v2')) {
      let parts = [pkt(`unpack ${unpack === null ? 'ok' : clean(unpack)}\n`)]
      for (const [i, { name }] of updates.entries()) {
        const verdict =
          verdicts === null ? (this.refusals.get(i) ?? 'unpacker error') : verdicts[i]!
        parts.push(reportLine(malformedNames.get(i) ?? Buffer.from(name), verdict))
        if (i % COMMANDS_PER_TURN !== COMMANDS_PER_TURN - 1) continue
        this.putReport(Buffer.concat(parts))
        parts = []
        await nextTurn()
      }
      this.putReport(Buffer.concat([...parts, FLUSH]))
    } else if (this.banded && unpack !== null)
      this.sink.put(bandPackets(2, Buffer.from(`error: ${clean(unpack)}\n`)))
    if (this.banded) this.sink.put(FLUSH)
  }

  private putReport(bytes: Buffer): void {
    this.sink.put(this.banded ? bandPackets(1, bytes) : bytes)
  }

  /** Sends keep-alives to a client that waits for the result. */
  private keepAlive(): void {
    if (
      !this.banded ||
      !(this.received || this.body.isOver) ||
      performance.now() - this.spoke < KEEP_ALIVE_MS
    )
      return
    this.spoke = performance.now()
    this.sink.put(KEEP_ALIVE)
  }
}

/** One line of the report. The name has the bytes of the command, by which the client finds its ref. */
const reportLine = (name: Uint8Array, refusal: string | null): Buffer =>
  pktBytes(
    Buffer.concat([
      Buffer.from(refusal === null ? 'ok ' : 'ng '),
      name,
      Buffer.from(refusal === null ? '\n' : ` ${clean(refusal)}\n`),
    ]),
  )

const clean = (text: string): string => text.replace(/[\r\n\0]+/g, ' ').slice(0, 900)
