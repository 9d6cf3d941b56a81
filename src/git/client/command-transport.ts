/**
 * A transport over commands, such as those that run over SSH, for a client that asks as over HTTP:
 * each request starts the command of git again. The command first lists its refs, which is all that
 * the first request wants; later requests skip that list, send their body and end their half
 * (gitprotocol-pack, "SSH Transport"). So a command never waits for a client that has all it wants.
 */
import { isAscii } from 'node:buffer'
import { FLUSH, packetLength, pkt } from '../protocol/pkt-line.ts'
import type { Service } from './discover.ts'
import { RemoteError, type Transport, type TransportResponse } from './ports.ts'

/** A running command of git on the machine of the remote. */
export type RunningCommand = {
  readonly output: ReadableStream<Uint8Array>
  /** Resolves when the command takes more. */
  write(bytes: Uint8Array): Promise<void>
  /** Ends the input of the command. */
  end(): void
  /** Why the command failed, in its own words; null when it told nothing. */
  readonly complaint: Promise<string | null>
  stop(): void
}

/** Starts the command of a service. `protocol` is the value of the variable GIT_PROTOCOL. */
export type StartCommand = (service: Service, protocol: string | null) => Promise<RunningCommand>

const SERVICES = ['git-upload-pack', 'git-receive-pack'] as const
const MAX_COMPLAINT = 300

export function commandTransport(start: StartCommand): Transport {
  return async ({ method, url, headers, body, signal }) => {
    const service = SERVICES.find((name) => url.endsWith(name))
    if (!service) throw new RemoteError('unsupported', 'this service is not offered over SSH')
    const command = await start(service, headers['git-protocol'] ?? null)
    const stop = (): void => command.stop()
    signal?.addEventListener('abort', stop, { once: true })
    const done = (): void => signal?.removeEventListener('abort', stop)
    try {
      signal?.throwIfAborted()
      const packets = new PacketSplitter(command)
      const isList = method === 'GET'
      const answer = isList
        ? listOf(service, packets, command, done)
        : await answerTo(packets, command, body, done)
      return responseOf(
        url,
        `application/x-${service}-${isList ? 'advertisement' : 'result'}`,
        answer,
      )
    } catch (error) {
      done()
      command.stop()
      throw error
    }
  }
}

const responseOf = (
  url: string,
  type: string,
  body: ReadableStream<Uint8Array>,
): TransportResponse => ({
  status: 200,
  header: (name) => (name === 'content-type' ? type : null),
  url,
  body,
})

/** The list of refs, with the line that smart HTTP has before it. */
function listOf(
  service: Service,
  packets: PacketSplitter,
  command: RunningCommand,
  done: () => void,
): ReadableStream<Uint8Array> {
  const parts = (async function* () {
    yield Buffer.concat([pkt(`# service=${service}\n`), FLUSH])
    yield* packets.untilFlush()
    // A command that gets no wishes ends without an error.
    await command.write(FLUSH).catch(() => {})
    command.end()
  })()
  return streamOf(parts, () => {
    done()
    command.stop()
  })
}

/** Skips the list of refs, and sends the body while the response is read. */
async function answerTo(
  packets: PacketSplitter,
  command: RunningCommand,
  body: Uint8Array | ReadableStream<Uint8Array> | null,
  done: () => void,
): Promise<ReadableStream<Uint8Array>> {
  for await (const _ of packets.untilFlush());
  const sending = sendBody(command, body)
  // The reader of the response hears of it.
  sending.catch(() => {})
  const parts = (async function* () {
    yield* packets.rest()
    await sending
  })()
  return streamOf(parts, () => {
    done()
    command.stop()
  })
}

async function sendBody(
  command: RunningCommand,
  body: Uint8Array | ReadableStream<Uint8Array> | null,
): Promise<void> {
  if (body instanceof Uint8Array) await command.write(body)
  else if (body !== null) for await (const chunk of body) await command.write(chunk)
  command.end()
}

function streamOf(parts: AsyncGenerator<Uint8Array>, done: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await parts.next()
        if (!next.done) {
          controller.enqueue(next.value)
          return
        }
        controller.close()
      } catch (error) {
        controller.error(error)
      }
      done()
    },
    cancel: done,
  })
}

/** Splits what a command says at the end of its list of refs. */
class PacketSplitter {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  #left: Uint8Array = new Uint8Array()
  #isEmpty = true

  constructor(private readonly command: RunningCommand) {
    this.#reader = command.output.getReader()
  }

  /** The packets up to the first flush packet, and that one. Throws RemoteError when none comes. */
  async *untilFlush(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const head = await this.#take(4)
      const length = packetLength(head, 0)
      if (length < 0 || length === 3)
        throw new RemoteError('unsupported', `this is no git server: ${printable(head)}`)
      yield length > 4 ? Buffer.concat([head, await this.#take(length - 4)]) : head
      if (length === 0) return
    }
  }

  async *rest(): AsyncGenerator<Uint8Array> {
    if (this.#left.length > 0) yield this.#left
    for (;;) {
      const chunk = await this.#reader.read()
      if (chunk.done) break
      this.#isEmpty &&= chunk.value.length === 0
      yield chunk.value
    }
  }

  async #take(length: number): Promise<Uint8Array> {
    while (this.#left.length < length) {
      const chunk = await this.#reader.read()
      if (chunk.done) throw await this.#refusal()
      this.#left = this.#left.length === 0 ? chunk.value : Buffer.concat([this.#left, chunk.value])
      this.#isEmpty = false
    }
    const taken = this.#left.subarray(0, length)
    this.#left = this.#left.subarray(length)
    return taken
  }

  /** A server says on its error output why it runs nothing. */
  async #refusal(): Promise<RemoteError> {
    const complaint = await this.command.complaint
    if (this.#isEmpty && complaint !== null)
      return new RemoteError(
        'missing',
        `the remote says: ${complaint.slice(0, MAX_COMPLAINT)}`,
        404,
      )
    return new RemoteError('invalid', 'the remote ended the connection in the middle')
  }
}

const printable = (bytes: Uint8Array): string =>
  isAscii(bytes) ? JSON.stringify(Buffer.from(bytes).toString('latin1')) : 'bytes'
