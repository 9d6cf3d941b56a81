/**
 * What the API of Docker's daemon does and its client does not: an image gets exactly the
 * configuration that is given, and files of a container are read and written entry by entry.
 */
import { request, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isObject, objectOf, textOf } from '#lib/json-value.ts'
import { parseJsonOrNone } from '#lib/parse-json.ts'
import type { ImageConfig } from '../dockerfile/stage-state.ts'
import { DOCKER_SOCKET } from './docker.ts'

const MAX_ANSWER_BYTES = 64 * 1024
/** Bits of `os.FileMode` of Go. */
const IS_FOLDER = 2 ** 31
const IS_LINK = 2 ** 27

type Call = {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT'
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly type?: string
  readonly body?: AsyncIterable<Uint8Array>
  readonly signal: AbortSignal
}

/** Sends a request and returns the head of its answer. */
function send({ method, path, query, type, body, signal }: Call): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        socketPath: DOCKER_SOCKET,
        path: `${path}?${new URLSearchParams(query).toString()}`,
        method,
        headers: { host: 'docker', ...(type !== undefined && { 'content-type': type }) },
        signal,
      },
      resolve,
    )
    asked.on('error', reject)
    if (body === undefined) asked.end()
    else pipeline(Readable.from(body), asked).catch(reject)
  })
}

async function textOfAnswer(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length
    if (size <= MAX_ANSWER_BYTES) parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

/** The body of an answer of success. Throws an Error with what the daemon says otherwise. */
async function requireText(answer: IncomingMessage): Promise<string> {
  const text = await textOfAnswer(answer)
  if ((answer.statusCode ?? 0) < 300) return text
  const said = parseJsonOrNone(Buffer.from(text))
  throw new Error(isObject(said) ? String(said.message) : `Docker answers ${answer.statusCode}`)
}

const archiveOf = (container: string): string => `/containers/${container}/archive`

/** A file, a folder, or where a link leads to within the container. */
export type Found = { readonly isFolder: boolean; readonly link: string | null }

/** What a container has at a path; null for nothing. The last link is not followed. */
export async function statIn(
  container: string,
  path: string,
  signal: AbortSignal,
): Promise<Found | null> {
  const call = { method: 'HEAD', path: archiveOf(container), query: { path }, signal } as const
  const answer = await send(call)
  answer.resume()
  if (answer.statusCode === 404) return null
  const head = String(answer.headers['x-docker-container-path-stat'] ?? '')
  const { mode, linkTarget } = objectOf(parseJsonOrNone(Buffer.from(head, 'base64')))
  if (answer.statusCode !== 200 || typeof mode !== 'number')
    throw new Error(`Docker cannot read ${path}`)
  const has = (bit: number): boolean => Math.floor(mode / bit) % 2 === 1
  return { isFolder: has(IS_FOLDER), link: has(IS_LINK) ? textOf(linkTarget) : null }
}

/** A tar stream of what a container has at a path. */
export async function readIn(
  container: string,
  path: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const call = { method: 'GET', path: archiveOf(container), query: { path }, signal } as const
  const answer = await send(call)
  if (answer.statusCode !== 200) await requireText(answer)
  return answer
}

/** Writes the entries of a tar stream into a container, with paths from its root. */
export async function writeIn(
  container: string,
  archive: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const answer = await send({
    method: 'PUT',
    path: archiveOf(container),
    query: { path: '/', noOverwriteDirNonDir: '1' },
    type: 'application/x-tar',
    body: archive,
    signal,
  })
  await requireText(answer)
}

/** Makes an image of a container. Returns its id. `name` has a tag; null for no name. */
export async function commitImage(
  container: string,
  config: ImageConfig,
  name: string | null,
  signal: AbortSignal,
): Promise<string> {
  const [repo = '', tag = ''] = name?.split(':') ?? []
  const answer = await send({
    method: 'POST',
    path: '/commit',
    query: { container, ...(name !== null && { repo, tag }) },
    type: 'application/json',
    body: Readable.from([Buffer.from(JSON.stringify(config))]),
    signal,
  })
  const id = textOf(objectOf(parseJsonOrNone(Buffer.from(await requireText(answer)))).Id)
  if (id === null) throw new Error('Docker made no image')
  return id
}
