import { afterAll, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  checkBackup,
  directoryPlace,
  listBackups,
  locateBackup,
  manifestName,
  openPlace,
  prune,
  readManifest,
  requireBackup,
  restoreBackup,
  toKeep,
  unfinishedRestore,
  UNFINISHED,
  writeBackup,
  type Place,
  type Source,
} from '#backup'
import { digestOf, encodeManifest, type Manifest } from '#src/backup/manifest.ts'
import { typeId } from '#core/ids.ts'

const root = mkdtempSync(join(tmpdir(), 'hearth-place-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let made = 0
const folder = (): string => join(root, String(++made))
const never = new AbortController().signal
const quiet = () => {}
const START = Date.parse('2026-03-01T12:00:00.000Z')

const FILES: Record<string, Uint8Array> = {
  'hearth.db': new Uint8Array(9_000_000).map((_, i) => (i * 31) % 251),
  'repos/rep_1/objects/pack/pack-a.pack': new TextEncoder().encode('PACK of something'),
  empty: new Uint8Array(),
}

function sources(files = FILES): Source[] {
  const from = folder()
  return Object.entries(files).map(([path, bytes]) => {
    const file = join(from, path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, bytes)
    return { path, file, compress: path === 'hearth.db', immutable: false }
  })
}

let clock = START
async function backUp(
  place: Place,
  from: Source[] = sources(),
  change: { name?: string; folders?: string[] } = {},
): Promise<Manifest> {
  clock += 86_400_000
  const { manifest } = await writeBackup(
    place,
    from,
    {
      id: typeId('bkp', clock),
      name: change.name ?? null,
      made_at: new Date(clock).toISOString(),
      version: '0',
      schema: '0001_floor',
      repositories: 1,
      notes: [],
      folders: change.folders ?? ['repos/rep_1/refs'],
      recipients: [],
      name_key: new Uint8Array(32),
    },
    quiet,
    never,
  )
  return manifest
}

test('files come back with their bytes, rights and times, empty folders too, and no mark is left', async () => {
  const place = directoryPlace(folder())
  const from = sources()
  const packFile = String(from[1]?.file)
  chmodSync(packFile, 0o444)
  utimesSync(packFile, 1_700_000_000, 1_700_000_000)
  const manifest = await backUp(place, from)
  const target = folder()
  await restoreBackup(place, manifest, { target, identities: [] }, quiet, never)
  for (const [path, bytes] of Object.entries(FILES))
    expect(Buffer.compare(readFileSync(join(target, path)), bytes)).toBe(0)
  const pack = statSync(join(target, 'repos/rep_1/objects/pack/pack-a.pack'))
  expect([pack.mode & 0o777, pack.mtimeMs]).toEqual([0o444, 1_700_000_000_000])
  expect([
    statSync(join(target, 'repos/rep_1/refs')).isDirectory(),
    statSync(target).mode & 0o777,
  ]).toEqual([true, 0o700])
  expect(readdirSync(target).sort()).toEqual(['empty', 'hearth.db', 'repos'])
})

test('a target with anything in it is refused and left as it is', async () => {
  const place = directoryPlace(folder())
  const manifest = await backUp(place)
  const target = folder()
  mkdirSync(target)
  writeFileSync(join(target, 'mine'), 'mine')
  await expect(
    restoreBackup(place, manifest, { target, identities: [] }, quiet, never),
  ).rejects.toThrow('is not empty')
  expect(readdirSync(target)).toEqual(['mine'])
})

test('a restore that is stopped leaves its mark and no half file under its name; begun again it goes on', async () => {
  const inner = directoryPlace(folder())
  const manifest = await backUp(inner)
  const stopping = new AbortController()
  let fetched = 0
  const place: Place = {
    ...inner,
    get: async (name) => {
      if (++fetched === 2) stopping.abort(new Error('stopped'))
      return inner.get(name)
    },
  }
  const target = folder()
  await expect(
    restoreBackup(place, manifest, { target, identities: [] }, quiet, stopping.signal),
  ).rejects.toThrow('stopped')
  expect(unfinishedRestore(target)).toEqual({ id: manifest.id, from: inner.address })
  for (const [path, bytes] of Object.entries(FILES))
    if (existsSync(join(target, path))) expect(statSync(join(target, path)).size).toBe(bytes.length)
  const other = await backUp(inner)
  await expect(
    restoreBackup(inner, other, { target, identities: [] }, quiet, never),
  ).rejects.toThrow('another restore')
  await restoreBackup(inner, manifest, { target, identities: [] }, quiet, never)
  expect([
    unfinishedRestore(target),
    existsSync(join(target, UNFINISHED)),
    existsSync(join(target, 'hearth.db')),
  ]).toEqual([null, false, true])
})

test('a damaged part never becomes a file', async () => {
  const path = folder()
  const place = directoryPlace(path)
  const manifest = await backUp(place)
  const [name] = Object.keys(manifest.parts).filter(
    (one) => !one.endsWith('.zst') && (manifest.parts[one]?.[0] ?? 0) > 0,
  )
  writeFileSync(join(path, 'files', name?.slice(0, 2) ?? '', name ?? ''), 'PACK of some-thing')
  const target = folder()
  await expect(
    restoreBackup(place, manifest, { target, identities: [] }, quiet, never),
  ).rejects.toThrow('is damaged')
  expect(existsSync(join(target, 'repos/rep_1/objects/pack/pack-a.pack'))).toBe(false)
  expect(unfinishedRestore(target)?.id).toBe(manifest.id)
  expect(await checkBackup(place, manifest, [], quiet, never)).toEqual([
    expect.stringContaining('pack-a.pack: the part'),
  ])
  // The next backup does not trust it: its size is not what it should be.
  const next = await backUp(place)
  expect(await checkBackup(place, next, [], quiet, never)).toEqual([])
})

test('manifests of strangers cannot write elsewhere, and damaged ones are named', async () => {
  const path = folder()
  const place = directoryPlace(path)
  const good = await backUp(place)
  const [file] = good.content?.files ?? []
  if (!file) throw new Error('no file')
  const { digest: _, ...open } = good
  const put = (manifest: Omit<Manifest, 'digest'>) =>
    place.put(manifestName(good.id), encodeManifest(manifest))
  for (const evil of [
    '../evil',
    '/etc/evil',
    'a/../../evil',
    'a//b',
    './x',
    'C:evil',
    'a\\..\\evil',
    '',
  ]) {
    await put({ ...open, content: { files: [{ ...file, path: evil }], folders: [] } })
    await expect(readManifest(place, good.id)).rejects.toThrow('may be restored')
    await put({ ...open, content: { files: [], folders: [evil] } })
    await expect(readManifest(place, good.id)).rejects.toThrow('may be restored')
  }
  await put({
    ...open,
    content: { files: [{ ...file, parts: ['../../etc/passwd'] }], folders: [] },
  })
  await expect(readManifest(place, good.id)).rejects.toThrow('is damaged')
  await put({ ...open, parts: { '../../etc/passwd': [1, 'a'.repeat(64)] } })
  await expect(readManifest(place, good.id)).rejects.toThrow('no manifest')
  await put({ ...open, format: 2 as 1 })
  await expect(readManifest(place, good.id)).rejects.toThrow('use a newer one')

  const text = new TextDecoder().decode(encodeManifest(open))
  for (const [bytes, words] of [
    [text.slice(0, 300), 'not whole'],
    [text.replace('"repositories":1', '"repositories":2'), 'digest'],
    ['[]', 'no manifest'],
  ] as const) {
    await place.put(manifestName(good.id), new TextEncoder().encode(bytes))
    await expect(requireBackup(place, null)).rejects.toThrow(words)
    expect((await listBackups(place))[0]?.fault).toContain(words)
  }
  expect(digestOf(good)).toBe(good.digest)
})

test('what is kept: the newest, those of days, weeks and months, and those with a name; parts go when nothing names them', async () => {
  const days = Array.from({ length: 70 }, (_, day) => ({
    id: String(day),
    name: day === 3 ? 'kept' : null,
    made_at: new Date(START + day * 86_400_000).toISOString(),
  }))
  const kept = [...toKeep(days, { last: 2, daily: 3, weekly: 3, monthly: 3 })]
    .map(Number)
    .sort((a, b) => a - b)
  // 2026-03-01 is a Sunday; the 70th day is 2026-05-09, a Saturday.
  expect(kept).toEqual([3, 30, 56, 60, 63, 67, 68, 69])
  expect([...toKeep(days, { last: 0, daily: 0, weekly: 0, monthly: 0 })]).toEqual(['69', '3'])

  const path = folder()
  const place = directoryPlace(path)
  const first = await backUp(place)
  const second = await backUp(
    place,
    sources({
      ...FILES,
      'repos/rep_1/objects/pack/pack-a.pack': new TextEncoder().encode('another'),
    }),
  )
  const one = { last: 1, daily: 0, weekly: 0, monthly: 0 }
  // Young parts may belong to a backup that is being made.
  expect(await prune(place, one, { origin: 'here', now_ms: Date.now() })).toEqual({
    removed: [first.id],
    others: 0,
    parts: 0,
    bytes: 0,
  })
  expect(
    (await prune(place, one, { origin: 'here', now_ms: Date.now() + 2 * 86_400_000 })).parts,
  ).toBe(1)
  expect(await checkBackup(place, second, [], quiet, never)).toEqual([])
  // A manifest that cannot be read may name anything.
  writeFileSync(join(path, manifestName(typeId('bkp', clock + 1))), '{')
  writeFileSync(join(path, 'files', 'ab-stray'), 'x')
  expect(
    (await prune(place, one, { origin: 'here', now_ms: Date.now() + 2 * 86_400_000 })).parts,
  ).toBe(0)
})

test('a place says in words what is wrong with it', async () => {
  const file = folder()
  writeFileSync(file, '')
  await expect(backUp(directoryPlace(join(file, 'x')))).rejects.toThrow(file)
  await expect(requireBackup(directoryPlace(folder()), null)).rejects.toThrow('holds no backup')
  expect(() => openPlace('s3://bucket/x', null)).toThrow('s3_access_key')
  expect(() => openPlace('ftp://x/y', null)).toThrow('s3://BUCKET')
  expect(locateBackup('/b/backups/bkp_x.json')).toEqual({ address: '/b', id: 'bkp_x' })
  expect(locateBackup('s3://b/f/backups/bkp_x.json')).toEqual({ address: 's3://b/f', id: 'bkp_x' })
  expect(locateBackup('/data/backups')).toEqual({ address: '/data/backups', id: null })
})
