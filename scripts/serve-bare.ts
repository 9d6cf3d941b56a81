/**
 * Serves plain bare repositories over smart HTTP through the engine: `bun scripts/serve-bare.ts <directory> [port]`.
 * Every `<directory>/<name>` that holds a repository is at `http://127.0.0.1:<port>/<name>`, for reading and writing by
 * anybody who can reach the address. Meant for trying the engine with tools that bring repositories of their own.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createGit, packLooseObjects, readBareRefs, updateBareRef, type Push, type Ref, type RefSnapshot } from '#git'

const [directory, port] = process.argv.slice(2)
if (!directory) {
  process.stderr.write('usage: serve-bare <directory> [port]\n')
  process.exit(2)
}
const root = resolve(directory)
const tmp = join(root, '.serve-bare')
const git = createGit({ root, tmp })
const snapshots = new Map<string, { readonly key: string; readonly snapshot: RefSnapshot }>()

/** Refs are read anew for every request: other tools may write the same files. */
async function snapshotOf(name: string): Promise<RefSnapshot> {
  const path = join(root, name)
  packLooseObjects(path, join(tmp, 'loose'))
  const { head, refs } = readBareRefs(path)
  const sorted = [...refs].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const key = JSON.stringify([head, sorted])
  const have = snapshots.get(name)
  if (have?.key === key) return have.snapshot
  const list: Ref[] = []
  for (const [ref, oid] of sorted) {
    let peeled: string | null = null
    for (let tag = await git.tag(name, oid); tag; tag = await git.tag(name, tag.object)) peeled = tag.object
    list.push({ name: ref, oid, peeled })
  }
  const snapshot = { generation: key, head, refs: list }
  snapshots.set(name, { key, snapshot })
  return snapshot
}

async function apply(name: string, push: Push) {
  return push.updates.map((update) => ({ name: update.name, refused: updateBareRef(join(root, name), update) }))
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port ?? 0),
  idleTimeout: 0,
  development: false,
  maxRequestBodySize: 8 * 1024 ** 3,
  async fetch(request) {
    const url = new URL(request.url)
    const match = /^\/([A-Za-z0-9_][\w.-]*)\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(url.pathname)
    if (!match || !existsSync(join(root, match[1]!, 'HEAD'))) return new Response('not found\n', { status: 404 })
    const name = match[1]!
    const version = /(?:^|:)version=([012])/.exec(request.headers.get('git-protocol') ?? '')?.[1] ?? '0'
    const protocol = Number(version) as 0 | 1 | 2
    const headers = { 'cache-control': 'no-cache' }
    const snapshot = await snapshotOf(name)
    if (match[2] === 'info/refs') {
      const service = url.searchParams.get('service')
      if (service !== 'git-upload-pack' && service !== 'git-receive-pack') return new Response('only smart HTTP is served\n', { status: 403 })
      const body = Buffer.from(git.advertise(service, snapshot, protocol))
      return new Response(body, { headers: { ...headers, 'content-type': `application/x-${service}-advertisement` } })
    }
    let body = request.body
    if (body && request.headers.get('content-encoding') === 'gzip') body = body.pipeThrough(new DecompressionStream('gzip') as never)
    const asked = { protocol, body, signal: request.signal }
    const answer =
      match[2] === 'git-upload-pack'
        ? git.uploadPack(name, snapshot, asked)
        : git.receivePack(name, snapshot, { ...asked, apply: (push) => apply(name, push) })
    return new Response(answer, { headers: { ...headers, 'content-type': `application/x-${match[2]}-result` } })
  },
})
process.stdout.write(`http://127.0.0.1:${server.port}/\n`)
