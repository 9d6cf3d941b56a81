/** Answers the requests of a fetch from a bare repository on this machine, without a server. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  createGit,
  readBareRefs,
  type Git,
  type Ref,
  type RefSnapshot,
  type Transport,
  type TransportRequest,
} from '#git'

const STORE = 'exported'

async function snapshotOf(git: Git, directory: string): Promise<RefSnapshot> {
  const { head, refs } = readBareRefs(directory)
  const sorted = [...refs].toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const list: Ref[] = []
  for (const [name, oid] of sorted) list.push({ name, oid, peeled: await peelTag(git, oid) })
  return { generation: 'exported', head, refs: list }
}

/** Tags of tags are rare; a longer chain is none that git made. */
const MAX_TAGS = 32

async function peelTag(git: Git, oid: Ref['oid']): Promise<Ref['oid'] | null> {
  let peeled: Ref['oid'] | null = null
  let tag = await git.readTag(STORE, oid)
  for (let depth = 0; tag && depth < MAX_TAGS; depth++) {
    peeled = tag.object
    tag = await git.readTag(STORE, tag.object)
  }
  return peeled
}

const bodyOf = (bytes: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(bytes)
      controller.close()
    },
  })

/** `run` gets the transport; `tmp` holds a directory for the time. */
export async function withLocalTransport<T>(
  directory: string,
  tmp: string,
  run: (transport: Transport) => Promise<T>,
): Promise<T> {
  const root = mkdtempSync(join(tmp, 'exported-'))
  symlinkSync(resolve(directory), join(root, STORE))
  const git = createGit({ root, tmp: join(root, '.tmp'), log: () => {}, workers: 1 })
  try {
    const snapshot = await snapshotOf(git, directory)
    return await run((request: TransportRequest) => {
      const { pathname, searchParams } = new URL(request.url)
      const version = /version=([012])/.exec(request.headers['git-protocol'] ?? '')?.[1] ?? '0'
      const protocol = Number(version) as 0 | 1 | 2
      const isList = pathname.endsWith('/info/refs')
      const type = isList ? 'advertisement' : 'result'
      const isFetch = isList ? searchParams.get('service') === 'git-upload-pack' : true
      return Promise.resolve({
        status: isFetch ? 200 : 403,
        header: (name: string) =>
          name === 'content-type' ? `application/x-git-upload-pack-${type}` : null,
        url: request.url,
        body: isList
          ? bodyOf(git.advertise('git-upload-pack', snapshot, protocol, { store: STORE }))
          : git.uploadPack(STORE, snapshot, { protocol, body: request.body }),
      })
    })
  } finally {
    await git.close()
    rmSync(root, { recursive: true, force: true })
  }
}
