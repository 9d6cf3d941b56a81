/**
 * Stands between a runner and the forge. It sees each call with its messages, can hold it while
 * something is killed, and can drop an answer after the forge has done the work.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as messages from '#features/runners/protocol/messages.ts'
import { decode, type Type, type ValueOf } from '#lib/protobuf.ts'

export type Call = {
  /** The last part of the path: `FetchTask`, `UpdateLog`, `FinalizeArtifact`, `PUT`. */
  readonly name: string
  readonly log: ValueOf<typeof messages.UpdateLogRequest> | null
  readonly state: ValueOf<typeof messages.UpdateTaskRequest> | null
  /** Of an answer to `FetchTask`. */
  readonly hasTask: boolean
}

/** What a fault does with a call: nothing, or drop its request or its answer. */
type Verdict = 'pass' | 'drop'

/** Asked before a request goes on (`hasTask` is false then), and before its answer goes back. */
export type Fault = {
  readonly request?: (call: Call) => Promise<Verdict> | Verdict
  readonly answer?: (call: Call) => Promise<Verdict> | Verdict
}

const HOP_HEADERS = ['connection', 'keep-alive', 'transfer-encoding', 'host', 'content-length']

const read = <T>(type: Type<T>, body: Uint8Array): NonNullable<T> => decode(type, body)

const nameOf = (method: string, path: string): string => {
  const last = path.split('?')[0]?.split('/').at(-1) ?? ''
  if (/^[A-Z][A-Za-z]+$/.test(last)) return last
  return method === 'PUT' ? 'PUT' : ''
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

export class Proxy {
  #fault: Fault = {}
  /** The address of the forge. */
  target = ''
  /** The names of calls that went on to the forge. */
  readonly passed = new Set<string>()
  readonly #server = createServer((request, response) => {
    void this.#serve(request, response).catch(() => request.socket.destroy())
  })

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  set(fault: Fault): void {
    this.#fault = fault
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request
    // Dropped is the connection: `destroy` of the response would send an empty answer with status 200.
    const body = await bodyOf(request)
    const name = nameOf(method, url)
    const call: Call = {
      name,
      log: name === 'UpdateLog' ? read(messages.UpdateLogRequest, body) : null,
      state: name === 'UpdateTask' ? read(messages.UpdateTaskRequest, body) : null,
      hasTask: false,
    }
    if ((await this.#fault.request?.(call)) === 'drop') return void request.socket.destroy()
    this.passed.add(name)
    const headers = Object.entries(request.headers).filter(([key]) => !HOP_HEADERS.includes(key))
    const answer = await fetch(`${this.target}${url}`, {
      method,
      headers: headers.map(([key, value]) => [key, String(value)] as [string, string]),
      redirect: 'manual',
      decompress: false,
      ...(method === 'GET' || method === 'HEAD' ? {} : { body: new Uint8Array(body) }),
    })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    const hasTask =
      name === 'FetchTask' && answer.ok && read(messages.FetchTaskResponse, bytes).task !== null
    if ((await this.#fault.answer?.({ ...call, hasTask })) === 'drop')
      return void request.socket.destroy()
    for (const [key, value] of answer.headers)
      if (!HOP_HEADERS.includes(key) && key !== 'set-cookie') response.setHeader(key, value)
    response.setHeader('set-cookie', answer.headers.getSetCookie())
    response.writeHead(answer.status)
    response.end(bytes)
  }
}
