/**
 * Registries of the built executable under bad weather: the process is killed in the middle of every
 * kind of upload, connections break there, twenty publish one version at once, and the disk is full.
 * Nothing is listed that is not whole, a layer goes on where it stood, one of twenty wins, and
 * nothing answers 5xx but 503 on the full disk.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, EXECUTABLE, OWNER, requireBuilt, startForge } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { fillDisk } from './package-torment/full-disk.ts'
import { Torment } from './package-torment/torment.ts'
import { below, BYTES, uploadsOf, type Upload } from './package-torment/uploads.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

const PUBLISHERS = 20
const { workspace } = OWNER

/** Sends the beginning of a request and leaves the connection open. */
function beginRequest(url: string, token: string, upload: Upload, share: number) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  const head = [
    `${upload.method} ${upload.path} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${token}`,
    `Content-Type: ${upload.content_type}`,
    `Content-Length: ${upload.body.length}`,
    '',
    '',
  ].join('\r\n')
  const half = upload.body.subarray(0, Math.floor(upload.body.length * share))
  const sent = new Promise<void>((resolve) => {
    socket.write(Buffer.concat([Buffer.from(head), half]), () => resolve())
  })
  return { socket, sent }
}

/** A layer of which the half was sent when the process was killed. */
async function beginLayer(
  torment: Torment,
  layer: Buffer,
): Promise<{ path: string; half: number }> {
  const begun = await torment.ask(`/v2/${workspace}/app/blobs/uploads/`, { method: 'POST' })
  const path = begun.headers.get('location') ?? ''
  const half = layer.length / 2
  const body = new Uint8Array(layer.subarray(0, half))
  const patched = await torment.ask(path, { method: 'PATCH', body })
  torment.check('container: half of a layer', patched.status === 202, patched.status)
  return { path, half }
}

async function endLayer(torment: Torment, layer: Buffer, path: string, half: number) {
  const state = await torment.ask(path)
  const range = state.headers.get('range')
  const stands = Number(/^0-(\d+)$/.exec(range ?? '')?.[1]) + 1
  torment.check(
    'container: the upload is there after the kill',
    state.status === 204 && stands >= half,
    range,
  )
  const early = await torment.ask(path, {
    method: 'PATCH',
    body: 'x',
    headers: { 'content-range': '0-0' },
  })
  torment.check('container: a piece from the start is refused', early.status === 416, early.status)
  const digest = `sha256:${new Bun.CryptoHasher('sha256').update(layer).digest('hex')}`
  const end = await torment.ask(`${path}?digest=${digest}`, {
    method: 'PUT',
    body: new Uint8Array(layer.subarray(stands)),
  })
  torment.check(
    'container: the upload ends with the digest of all',
    end.status === 201,
    await end.text(),
  )
  const pulled = await (await torment.ask(`/v2/${workspace}/app/blobs/${digest}`)).arrayBuffer()
  torment.check('container: the layer is whole', Buffer.from(pulled).equals(layer))
}

const TYPES = ['npm', 'cargo', 'maven', 'nuget', 'rubygems', 'composer', 'pypi', 'generic']

async function killDuringUploads(torment: Torment, restart: () => Promise<void>): Promise<void> {
  const layer = Buffer.alloc(8 * 1024 ** 2, 'layer')
  const { path, half } = await beginLayer(torment, layer)
  const rest = { type: 'container', method: 'PATCH', path, content_type: BYTES }
  const uploads = (await uploadsOf('killed', 'k')).map(below)
  const open = [...uploads, { ...rest, body: layer.subarray(half) }].map((upload) =>
    beginRequest(torment.forge.url, torment.token, upload, 0.6),
  )
  await Promise.all(open.map(({ sent }) => sent))
  // An answer to another request says that the server has read what came before it.
  await torment.listed()
  await restart()
  for (const { socket } of open) socket.destroy()
  const listed = await torment.listed()
  torment.check(
    'nothing is listed after the kill',
    listed.every((name) => !name.includes('killed')),
    listed,
  )
  await endLayer(torment, layer, path, half)
  for (const upload of uploads) {
    const response = await torment.send(upload)
    torment.check(`${upload.type}: published after the kill`, response.ok, await response.text())
  }
  const all = await torment.listed()
  const present = TYPES.filter((type) => all.some((name) => name.startsWith(`${type} `)))
  torment.check('all are listed now', present.length === TYPES.length, all)
}

async function breakUploads(torment: Torment): Promise<void> {
  const before = await torment.listed()
  for (const share of [0.1, 0.5, 0.95]) {
    const open = (await uploadsOf('broken', 'b'))
      .map(below)
      .map((upload) => beginRequest(torment.forge.url, torment.token, upload, share))
    await Promise.all(open.map(({ sent }) => sent))
    for (const { socket } of open) socket.destroy()
  }
  const after = await torment.listed()
  torment.check('broken connections list nothing', after.length === before.length, after)
}

async function publishAtOnce(torment: Torment): Promise<void> {
  const attempts = await Promise.all(
    Array.from({ length: PUBLISHERS }, (_, at) => uploadsOf('race', `text ${at}`)),
  )
  for (const [at, type] of TYPES.entries()) {
    const uploads = attempts.map((all) => below(all[at] as Upload))
    const responses = await Promise.all(uploads.map((upload) => torment.send(upload)))
    const statuses = responses.map(({ status }) => status)
    const won = statuses.filter((status) => status < 300).length
    const lost = statuses.filter((status) => status === 409).length
    torment.check(
      `${type}: one of ${PUBLISHERS} wins`,
      won === 1 && won + lost === PUBLISHERS,
      statuses,
    )
  }
}

await runScript('bun test/system/package-torment.ts [options]', OPTIONS, async ({ executable }) => {
  const directory = mkdtempSync(join(tmpdir(), 'package-torment-'))
  mkdirSync(directory, { recursive: true })
  const log = join(directory, 'log')
  const options = { executable: requireBuilt(executable), data: join(directory, 'data'), log }
  const torment = new Torment(await startForge(options))
  try {
    torment.token = (await claim(torment.forge)).token
    await killDuringUploads(torment, async () => {
      await torment.forge.kill()
      torment.forge = await startForge(options)
    })
    await breakUploads(torment)
    await publishAtOnce(torment)
  } finally {
    await torment.forge.stop()
    const text = await Bun.file(log).text()
    const faults = text.split('\n').filter((line) => line.includes('"level":"error"'))
    torment.check('no error in the log', faults.length === 0, faults.slice(0, 5).join('\n'))
    rmSync(directory, { recursive: true, force: true })
  }
  await fillDisk(torment, executable)
  process.stdout.write(`${torment.failures} failures\n`)
  return torment.failures === 0 ? 0 : 1
})
