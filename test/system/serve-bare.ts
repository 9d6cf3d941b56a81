/**
 * Serves plain repositories over smart HTTP through the engine: `bun test/system/serve-bare.ts
 * <directory> [port]`. Every repository below the directory is at its path, for reading and writing
 * by anybody who can reach the address. Meant for trying the engine with tools that bring
 * repositories of their own: refs are read anew for every request, loose objects are packed. Of
 * what a repository's owner sets up, it heeds the hook `update`, and (by the header
 * `x-git-namespace`) gitnamespaces.
 */
import { existsSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  createGit,
  packLooseObjects,
  readBareRefs,
  updateBareRefs,
  type Push,
  type Ref,
  type RefResult,
  type RefSnapshot,
  type RefUpdate,
} from '#git'

const [directory, port] = process.argv.slice(2)
if (!directory) {
  process.stderr.write('usage: serve-bare <directory> [port]\n')
  process.exit(2)
}
const root = resolve(directory)
const tmp = join(root, '.serve-bare')
const stores = join(tmp, `stores-${process.pid}`)
const git = createGit({
  root: stores,
  tmp: join(tmp, 'incoming'),
  log: (level, message, fields) =>
    void (level !== 'info' && process.stderr.write(`${message} ${JSON.stringify(fields ?? {})}\n`)),
})
const snapshots = new Map<string, { readonly key: string; readonly snapshot: RefSnapshot }>()

type Repository = {
  readonly path: string
  readonly store: string
  /** What stands before the names of its refs: `refs/namespaces/<name>/`, or nothing. */
  readonly prefix: string
}

/**
 * Finds a repository as git's own servers do: with or without `.git` at the end, or in a work tree.
 */
function find(name: string, namespace: string): Repository | null {
  if (name.split('/').some((part) => part === '..' || part === '.serve-bare')) return null
  for (const ending of ['/.git', '', '.git']) {
    const path = join(root, name + ending)
    if (!existsSync(join(path, 'HEAD')) || !existsSync(join(path, 'objects'))) continue
    // What is made anew at an old path is another store.
    const { ino, birthtimeMs } = statSync(path)
    const store = new Bun.CryptoHasher('sha1').update(`${path} ${ino} ${birthtimeMs}`).digest('hex')
    if (!existsSync(join(stores, store))) symlinkSync(path, join(stores, store))
    return {
      path,
      store,
      prefix: namespace
        .split('/')
        .filter(Boolean)
        .map((part) => `refs/namespaces/${part}/`)
        .join(''),
    }
  }
  return null
}

/** Refs are read anew for every request: other tools may write the same files. */
async function snapshotOf({ path, store, prefix }: Repository): Promise<RefSnapshot> {
  packLooseObjects(path, join(tmp, 'loose'))
  const { head: own, refs } = readBareRefs(path)
  const head = prefix === '' ? own : headOf(path, prefix)
  const sorted = [...refs]
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, oid]) => [name.slice(prefix.length), oid] as const)
  sorted.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const key = JSON.stringify([head, sorted])
  const have = snapshots.get(store + prefix)
  if (have?.key === key) return have.snapshot
  const list: Ref[] = []
  for (const [ref, oid] of sorted) {
    let peeled: string | null = null
    for (let tag = await git.readTag(store, oid); tag; tag = await git.readTag(store, tag.object))
      peeled = tag.object
    list.push({ name: ref, oid, peeled })
  }
  const snapshot = { generation: key, head, refs: list }
  snapshots.set(store + prefix, { key, snapshot })
  return snapshot
}

/** Where HEAD of a namespace points; it is a file among the refs. */
function headOf(path: string, prefix: string): string {
  const file = join(path, prefix, 'HEAD')
  const target = existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .replace(/^ref: /, '')
    : ''
  return target.startsWith(prefix) ? target.slice(prefix.length) : 'refs/heads/main'
}

/** What the hook `update` says against a move; null when it is for it, or not there. */
function hookSays(
  { path }: Repository,
  { name, old, new: next }: RefUpdate,
): readonly string[] | null {
  const hook = join(path, 'hooks', 'update')
  if (!existsSync(hook) || (statSync(hook).mode & 0o100) === 0) return null
  const zero = '0'.repeat(40)
  const ran = Bun.spawnSync([hook, name, old ?? zero, next ?? zero], {
    cwd: path,
    env: { ...process.env, GIT_DIR: path },
    stderr: 'pipe',
  })
  return ran.exitCode === 0
    ? null
    : [
        ...`${ran.stdout}${ran.stderr}`.split('\n').filter((line) => line !== ''),
        `error: hook declined to update ${name}`,
      ]
}

function apply(repository: Repository, { updates, atomic }: Push): RefResult[] {
  const { path, prefix } = repository
  const said = updates.map((update) => hookSays(repository, update))
  const asked = updates
    .filter((_, i) => said[i] === null)
    .map((update) => ({ ...update, name: prefix + update.name }))
  const whole = atomic && asked.length < updates.length
  const moved = whole
    ? asked.map(() => 'atomic transaction failed')
    : updateBareRefs(path, asked, atomic)
  let at = 0
  return updates.map(({ name }, i) =>
    said[i]
      ? { name, refused: 'hook declined', lines: said[i] }
      : { name, refused: moved[at++] ?? null },
  )
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port ?? 0),
  idleTimeout: 0,
  development: false,
  maxRequestBodySize: 8 * 1024 ** 3,
  async fetch(request) {
    const url = new URL(request.url)
    const match = /^\/(.+)\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(
      decodeURIComponent(url.pathname),
    )
    const repository = match && find(match[1]!, request.headers.get('x-git-namespace') ?? '')
    if (!repository) return new Response('not found\n', { status: 404 })
    const version =
      /(?:^|:)version=([012])/.exec(request.headers.get('git-protocol') ?? '')?.[1] ?? '0'
    const protocol = Number(version) as 0 | 1 | 2
    const headers = {
      expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
      pragma: 'no-cache',
      'cache-control': 'no-cache, max-age=0, must-revalidate',
    }
    const snapshot = await snapshotOf(repository)
    if (match[2] === 'info/refs') {
      const service = url.searchParams.get('service')
      if (service !== 'git-upload-pack' && service !== 'git-receive-pack')
        return new Response('only smart HTTP is served\n', { status: 403 })
      const body = Buffer.from(
        git.advertise(service, snapshot, protocol, { store: repository.store }),
      )
      return new Response(body, {
        headers: { ...headers, 'content-type': `application/x-${service}-advertisement` },
      })
    }
    let body = request.body
    const encoding = request.headers.get('content-encoding') ?? ''
    if (body && (encoding === 'gzip' || encoding === 'x-gzip'))
      body = body.pipeThrough(new DecompressionStream('gzip') as never)
    const asked = { protocol, body, signal: request.signal }
    const { store } = repository
    const answer =
      match[2] === 'git-upload-pack'
        ? git.uploadPack(store, snapshot, asked)
        : git.receivePack(store, snapshot, {
            ...asked,
            apply: async (push) => apply(repository, push),
          })
    return new Response(answer, {
      headers: { ...headers, 'content-type': `application/x-${match[2]}-result` },
    })
  },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    rmSync(stores, { recursive: true, force: true })
    process.exit(0)
  })
}
process.stdout.write(`http://127.0.0.1:${server.port}/\n`)
