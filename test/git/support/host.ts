/**
 * A small host of the engine for tests: refs in memory, smart HTTP on a free port of the loopback.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expectSound } from './sound.ts'
import {
  createGit,
  type Git,
  type GitOptions,
  type Push,
  type Ref,
  type RefResult,
  type RefSnapshot,
  type RefUpdate,
} from '#git'

export type TestHost = {
  readonly git: Git
  readonly root: string
  readonly url: string
  /** Refs by namespace; a namespace is `store` or `store@fork`. */
  readonly refs: Map<string, Map<string, string>>
  readonly pushes: Push[]
  /** May refuse commands; by default all are taken. */
  judge: (update: RefUpdate) => string | null
  /** Waited for while a push is being applied, before any ref moves. */
  before: () => Promise<void>
  snapshot(namespace: string): Promise<RefSnapshot>
  create(namespace: string): Promise<void>
  remote(namespace: string): string
  /** Replaces the refs of a namespace, as a mirror does. */
  setRefs(namespace: string, refs: Iterable<readonly [string, string]>): void
  /** Ends it. What the tests made of its stores must be sound then, unless they damaged them. */
  close(options?: { readonly damaged?: boolean }): Promise<void>
}

const storeOf = (namespace: string): string => namespace.split('@')[0]!

export async function startHost(options: Partial<GitOptions> = {}): Promise<TestHost> {
  const base = mkdtempSync(join(tmpdir(), 'hearth-git-'))
  const git = createGit({
    root: join(base, 'objects'),
    tmp: join(base, 'tmp'),
    workers: 1,
    version: '1.2.3',
    ...options,
  })
  const refs = new Map<string, Map<string, string>>()
  const pushes: Push[] = []
  const snapshots = new Map<string, RefSnapshot>()
  let generation = 0

  const snapshot = async (namespace: string): Promise<RefSnapshot> => {
    const have = snapshots.get(namespace)
    if (have) return have
    const list: Ref[] = []
    for (const [name, oid] of [...(refs.get(namespace) ?? [])].sort(([a], [b]) =>
      a < b ? -1 : 1,
    )) {
      const tag = await git.readTag(storeOf(namespace), oid)
      let peeled: string | null = null
      for (let next = tag; next; next = await git.readTag(storeOf(namespace), next.object))
        peeled = next.object
      list.push({ name, oid, peeled })
    }
    const made: RefSnapshot = {
      generation: String(++generation),
      head: 'refs/heads/main',
      refs: list,
    }
    snapshots.set(namespace, made)
    return made
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    maxRequestBodySize: 4 * 1024 ** 3,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      const match = /^\/([^/]+)\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(pathname)
      if (!match) return new Response('not found', { status: 404 })
      const namespace = match[1]!
      const version = /version=(\d)/.exec(request.headers.get('git-protocol') ?? '')?.[1]
      const protocol = version === '2' ? 2 : version === '1' ? 1 : 0
      const shown = await snapshot(namespace)
      if (match[2] === 'info/refs') {
        const service = searchParams.get('service') as 'git-upload-pack'
        return new Response(
          Buffer.from(git.advertise(service, shown, protocol, { store: storeOf(namespace) })),
          {
            headers: { 'content-type': `application/x-${service}-advertisement` },
          },
        )
      }
      let body = request.body
      if (body && request.headers.get('content-encoding') === 'gzip')
        body = body.pipeThrough(new DecompressionStream('gzip') as never)
      const asked =
        match[2] === 'git-upload-pack' &&
        body === request.body &&
        Number(request.headers.get('content-length') ?? Infinity) < 2000
          ? await request.bytes()
          : null
      const listed = asked && git.listRefs(shown, protocol, asked)
      if (listed)
        return new Response(Buffer.from(listed), {
          headers: { 'content-type': `application/x-${match[2]}-result` },
        })
      const packed =
        match[2] === 'git-upload-pack' && options.mainThreadFetchMs
          ? (asked ?? (await new Response(body).bytes()))
          : null
      const now =
        packed && git.uploadPackSync(storeOf(namespace), shown, { protocol, body: packed })
      if (now)
        return new Response(now instanceof Uint8Array ? Buffer.from(now) : Bun.file(now.path), {
          headers: { 'content-type': `application/x-${match[2]}-result` },
        })
      const answer =
        match[2] === 'git-upload-pack'
          ? await git.uploadPackOrFile(storeOf(namespace), shown, {
              protocol,
              body: packed ?? asked ?? body,
              signal: request.signal,
            })
          : git.receivePack(storeOf(namespace), shown, {
              protocol,
              body,
              signal: request.signal,
              apply: (push) => apply(namespace, push),
            })
      return new Response(
        'path' in answer ? Bun.file(answer.path) : (answer as ReadableStream<Uint8Array>),
        { headers: { 'content-type': `application/x-${match[2]}-result` } },
      )
    },
  })

  const host: TestHost = {
    git,
    root: join(base, 'objects'),
    url: `http://127.0.0.1:${server.port}`,
    refs,
    pushes,
    judge: () => null,
    before: async () => {},
    snapshot,
    async create(namespace) {
      await git.createStore(storeOf(namespace))
      refs.set(namespace, new Map())
      snapshots.delete(namespace)
    },
    setRefs(namespace, all) {
      refs.set(namespace, new Map(all))
      snapshots.delete(namespace)
    },
    remote: (namespace) => `http://127.0.0.1:${server.port}/${namespace}`,
    async close({ damaged = false } = {}) {
      await server.stop(true)
      await git.close()
      try {
        if (!damaged) await expectSound(join(base, 'objects'))
      } finally {
        rmSync(base, { recursive: true, force: true })
      }
    },
  }

  async function apply(namespace: string, push: Push): Promise<RefResult[]> {
    pushes.push(push)
    await host.before()
    const table = refs.get(namespace)!
    const results = push.updates.map((update) => {
      const current = table.get(update.name) ?? null
      return {
        name: update.name,
        refused: current !== update.old ? 'stale info' : host.judge(update),
      }
    })
    const refused = push.atomic && results.some((result) => result.refused !== null)
    for (const [i, update] of push.updates.entries()) {
      if (refused || results[i]!.refused !== null) continue
      if (update.new === null) table.delete(update.name)
      else table.set(update.name, update.new)
    }
    snapshots.delete(namespace)
    return refused
      ? results.map((result) => ({ ...result, refused: result.refused ?? 'atomic push failure' }))
      : results
  }
  return host
}
