/**
 * Every kind of upload meets a full disk: a small file system in memory, with as many bytes free as
 * a round says. An upload either succeeds and is whole, or is refused in words that name the disk,
 * and then nothing of it is listed. Reading goes on, and with room again everything is published.
 */
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, OWNER, requireBuilt, startForge } from '../../../scripts/support/forge.ts'
import type { Torment } from './torment.ts'
import { below, BYTES, uploadsOf, type Upload } from './uploads.ts'

const KIB = 1024
const DISK_MIB = 160
/** Bytes that are free in each round. SQLite's log has room for some writes before it must grow. */
const FREE_BYTES = [0, 8 * KIB, 64 * KIB, 256 * KIB]
const { workspace } = OWNER

/** Null where this process may not mount a file system. */
function mountSmallDisk(): { readonly path: string; readonly unmount: () => void } | null {
  const path = mkdtempSync(join(tmpdir(), 'full-disk-'))
  const options = `size=${DISK_MIB}m`
  const mount = Bun.which('mount')
  const command = ['-t', 'tmpfs', '-o', options, 'hearth', path]
  if (mount === null || Bun.spawnSync([mount, ...command]).exitCode !== 0) {
    rmSync(path, { recursive: true })
    return null
  }
  const unmount = (): void => {
    Bun.spawnSync(['umount', path])
    rmSync(path, { recursive: true })
  }
  return { path, unmount }
}

/** Fills the disk until so many bytes are free. */
function fill(path: string, freeBytes: number): void {
  const { bavail, bsize } = statfsSync(path)
  const bytes = Math.max(0, bavail * bsize - freeBytes)
  try {
    writeFileSync(join(path, 'ballast'), Buffer.alloc(bytes))
  } catch (error) {
    // The forge wrote meanwhile. Then the disk is full as well.
    if ((error as { code?: unknown }).code !== 'ENOSPC') throw error
  }
}

const empty = (path: string): void => rmSync(join(path, 'ballast'), { force: true })

/** Bytes that no archive makes smaller, so that every upload needs room. */
const random = (bytes: number): Buffer => {
  const parts: Buffer[] = []
  for (let at = 0; at * 64 < bytes; at++)
    parts.push(new Bun.CryptoHasher('sha512').update(`${bytes} ${at}`).digest() as Buffer)
  return Buffer.concat(parts).subarray(0, bytes)
}

const digestOf = (bytes: Uint8Array): string =>
  `sha256:${new Bun.CryptoHasher('sha256').update(bytes).digest('hex')}`

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'

/** An image of one layer, in the requests of a client. Returns the first answer that is no success. */
async function pushImage(torment: Torment, name: string): Promise<Response> {
  const layer = random(600 * KIB)
  const config = Buffer.from('{}')
  const images = `/v2/${workspace}/${name}`
  for (const bytes of [layer, config]) {
    const query = `digest=${digestOf(bytes)}`
    const answer = await torment.send({
      ...{ type: 'container', method: 'POST', path: `${images}/blobs/uploads/?${query}` },
      ...{ content_type: BYTES, body: bytes },
    })
    if (!answer.ok) return answer
  }
  const [first, second] = [config, layer].map((bytes) => ({
    mediaType: BYTES,
    digest: digestOf(bytes),
    size: bytes.length,
  }))
  const manifest = { schemaVersion: 2, mediaType: MANIFEST, config: first, layers: [second] }
  return torment.send({
    ...{ type: 'container', method: 'PUT', path: `${images}/manifests/v1`, content_type: MANIFEST },
    body: Buffer.from(JSON.stringify(manifest)),
  })
}

type Attempt = { readonly type: string; readonly send: () => Promise<Response> }

async function attemptsOf(torment: Torment, name: string): Promise<Attempt[]> {
  const large = (upload: Upload): Upload =>
    upload.type === 'generic' ? { ...upload, body: random(600 * KIB) } : upload
  return [
    ...(await uploadsOf(name, name))
      .map(below)
      .map(large)
      .map((upload) => ({ type: upload.type, send: () => torment.send(upload) })),
    { type: 'container', send: () => pushImage(torment, name) },
  ]
}

/** Whether a package of the type is listed under the name of a round. */
async function isListed(torment: Torment, type: string, name: string): Promise<boolean> {
  const listed = await torment.listed()
  return listed.some((one) => one.startsWith(`${type} `) && one.includes(name))
}

async function runRound(torment: Torment, disk: string, name: string, free: number) {
  const attempts = await attemptsOf(torment, name)
  fill(disk, free)
  for (const { type, send } of attempts) {
    const what = `${type}: with ${free / KIB} KiB free`
    const answer = await send()
    const text = await answer.text()
    const isThere = await isListed(torment, type, name)
    if (answer.ok) torment.check(`${what} it is published and listed`, isThere)
    else {
      const isClear = answer.status === 503 && text.includes('disk')
      torment.check(`${what} the answer names the disk`, isClear, `${answer.status} ${text}`)
      torment.check(`${what} nothing is listed`, !isThere)
    }
  }
  const read = await torment.ask(`/packages/${workspace}/generic/before/1.0.0/a.txt`)
  torment.check(`reading goes on with ${free / KIB} KiB free`, read.status === 200, read.status)
  empty(disk)
  // The free space is asked for at most once a second.
  await Bun.sleep(1100)
  for (const { type, send } of attempts) {
    const answer = await send()
    const text = await answer.text()
    torment.check(`${type}: published with room again`, answer.ok, `${answer.status} ${text}`)
    torment.check(`${type}: listed with room again`, await isListed(torment, type, name))
  }
}

/** One forge that keeps a part of its disk free, and one that writes until the disk refuses. */
async function runForge(torment: Torment, executable: string, reserve: string, rounds: number[]) {
  const disk = mountSmallDisk()
  if (disk === null) {
    process.stdout.write('full disk: left out, this process may not mount a file system\n')
    if (process.env.CI) torment.failures++
    return
  }
  const log = `${disk.path}.log`
  try {
    mkdirSync(join(disk.path, 'data'))
    torment.forge = await startForge({
      executable: requireBuilt(executable),
      data: join(disk.path, 'data'),
      log,
      environment: { HEARTH_LIMITS_DISK_RESERVE: reserve },
    })
    torment.token = (await claim(torment.forge)).token
    for (const { send } of await attemptsOf(torment, 'before')) await (await send()).text()
    for (const [at, free] of rounds.entries())
      await runRound(torment, disk.path, `round${at}`, free)
    const status = await torment.forge.stop()
    torment.check('the forge stops as usual', status === 0, status)
  } finally {
    await torment.forge.kill()
    disk.unmount()
    rmSync(log, { force: true })
  }
}

export async function fillDisk(torment: Torment, executable: string): Promise<void> {
  await runForge(torment, executable, '0', FREE_BYTES)
  await runForge(torment, executable, '4M', [1024 * KIB])
}
