/** What `hearth export` writes of a repository is read by another Hearth, record by record. */
import { afterAll, expect, test } from 'bun:test'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { exportRecords } from '#src/commands/export-records.ts'
import { findRepoArchive } from '#src/commands/import-repo.ts'
import { importExportedRepo } from '#features/imports/index.ts'
import { createMilestone } from '#features/issues/milestones/create-milestone.ts'
import { updateIssue } from '#features/issues/update-issue.ts'
import { openLfsObject } from '#features/lfs/open-lfs-object.ts'
import { findWikiRefs } from '#features/wiki/index.ts'
import { getWikiPage } from '#features/wiki/get-wiki-page.ts'
import { setWikiPage } from '#features/wiki/set-wiki-page.ts'
import { findLatestImport } from '#features/imports/store.ts'
import { refsOf, repoByPath } from '#features/repos/index.ts'
import { MINUTE } from '#lib/time.ts'
import { makeForgeWorld } from '../features/imports/forge-fixture.ts'
import { git } from '../git/support/real-git.ts'
import { oidOf, pointerOf } from '../features/lfs/fixture.ts'
import { makeWorld } from '../world.ts'

const never = new AbortController().signal
const source = await makeForgeWorld({ issues: 45, comments: 130 })
const peer = source.standIn('github_api')
afterAll(() => peer.close())
const stem = join(source.work, 'out', 'lamp')
const archive = { git: stem, records: `${stem}.records`, wiki: `${stem}.wiki.git` }
const { repo } = await source.start('github_api', peer.url)
await source.world.jobs()
if (source.ada.kind !== 'user') throw new TypeError('ada is a person')
await source.world.call(setWikiPage, source.ada, {
  repo,
  slug: 'Home',
  title: 'Home',
  body: '# Lamps',
})
await source.world.commit(repo, 'large', {
  '.gitattributes': '*.psd filter=lfs\n',
  'big.psd': pointerOf('large bytes'),
  'gone.psd': pointerOf('never stored'),
})
await source.world.call(updateIssue, source.ada, {
  repo,
  number: 6,
  checks: ['npm test', 'npm run lint'],
  blocked_by: [3, 5],
})
for (const [title, due_on] of [
  ['Third', null],
  ['Fourth', '2027-03-01T00:00:00.000Z'],
] as const) {
  source.world.clock.advance(40)
  await source.world.call(createMilestone, source.ada, { repo, title, due_on })
}
await source.world.write((tx) =>
  tx.db.run("UPDATE pulls SET merge_method = 'squash' WHERE status = 'merged'"),
)
const { heads } = await exportRecords(source.world.hearth, source.ada, repo, archive.records)
const there = repoByPath(source.world.hearth.db, repo)
if (!there) throw new TypeError('the repository is there')
const own = refsOf(source.world.hearth, there.id)
const names = new Set(own.refs.map(({ name }) => name))
const refs = [...own.refs, ...heads.filter(({ name }) => !names.has(name))]
await source.world.hearth.git.exportBare(
  there.store,
  { ...own, refs: refs.toSorted((a, b) => (a.name < b.name ? -1 : 1)) },
  archive.git,
)

const wiki = findWikiRefs(source.world.hearth.db, there.id)
if (!wiki) throw new TypeError('the wiki is there')
await source.world.hearth.git.exportBare(there.store, wiki, archive.wiki)
const oid = oidOf('large bytes')
const folder = join(stem, 'lfs', 'objects', oid.slice(0, 2), oid.slice(2, 4))
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, oid), 'large bytes')

/** Another Hearth with somebody who imports. */
async function makeOther() {
  const other = await makeWorld()
  // The records are of the past.
  other.clock.advance(MINUTE)
  const eva = await other.user('eva')
  await other.workspace('port', { owner: eva })
  const tmp = join(other.data, 'import-tmp')
  mkdirSync(tmp, { recursive: true })
  const take = (
    from: { git: string; records: string; wiki?: string | null },
    name: string,
    signal = never,
  ) =>
    importExportedRepo(
      other.hearth,
      eva,
      { wiki: null, ...from, tmp },
      { workspace: 'port', name },
      signal,
    )
  return { other, eva, take }
}
const { other, eva, take } = await makeOther()

/** Lines without what another Hearth gives anew: ids and addresses. */
const GIVEN_ANEW = new Set([
  ...['id', 'html_url', 'diff_url', 'patch_url', 'download_url', 'zipball_url', 'avatar_url'],
  ...['repo', 'review', 'in_reply_to', 'session', 'blockers', 'mergeable'],
])

function comparable(directory: string, file: string): unknown[] {
  const strip = (value: unknown): unknown => {
    // A review names its comments by their ids.
    if (typeof value === 'string') return value.startsWith('cmt_') ? 'comment' : value
    if (Array.isArray(value)) return value.map(strip)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => !GIVEN_ANEW.has(name))
        .map(([name, of]) => [name, strip(of)]),
    )
  }
  return readFileSync(join(directory, `${file}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => strip(JSON.parse(line)))
}

const MISSING = `the large file gone.psd (${oidOf('never stored').slice(0, 12)}) was left out: it is missing`

const FILES = ['labels', 'milestones', 'issues', 'pulls', 'releases']

test('a round trip brings every record with its number, dates, people and files', async () => {
  expect(findRepoArchive(archive.records)).toEqual(archive)
  expect(findRepoArchive(archive.git)).toEqual(archive)
  expect(await take(archive, 'lamp')).toEqual({ state: 'done_with_errors', errors: [MISSING] })
  const again = join(source.work, 'again.records')
  if (eva.kind !== 'user') throw new TypeError('eva is a person')
  await exportRecords(other.hearth, eva, 'port/lamp', again)
  for (const file of FILES) {
    const wanted = comparable(archive.records, file)
    expect(wanted.length).toBeGreaterThan(0)
    expect([file, comparable(again, file)]).toEqual([file, wanted])
  }
  const files = (directory: string) => {
    const { stdout } = Bun.spawnSync(['ls', join(directory, 'files')])
    return stdout.toString()
  }
  expect(files(again)).toBe(files(archive.records))
  const row = repoByPath(other.hearth.db, 'port/lamp')
  const here = new Map(refsOf(other.hearth, row?.id ?? '').refs.map(({ name, oid }) => [name, oid]))
  for (const { name, oid } of own.refs) expect([name, here.get(name)]).toEqual([name, oid])
  expect(other.events('issue.opened')).toEqual([])
  expect(comparable(again, 'pulls')).toContainEqual(
    expect.objectContaining({ status: 'merged', merge_method: 'squash' }),
  )
  const [first, sixth] = [1, 6].map((number) =>
    comparable(again, 'issues').find((one) => (one as { number: number }).number === number),
  )
  expect(first).toMatchObject({
    lock_reason: 'too heated',
    reactions_by: [{ content: '+1' }, { content: 'rocket' }],
  })
  expect(sixth).toMatchObject({ checks: ['npm test', 'npm run lint'], blocked_by: [3, 5] })
  expect((await other.call(getWikiPage, eva, { repo: 'port/lamp', slug: 'Home' })).body).toContain(
    '# Lamps',
  )
  expect(await other.call(openLfsObject, eva, { repo: 'port/lamp', oid })).toEqual({
    oid,
    size: 'large bytes'.length,
  })
})

const CUT_AT = ['code', 'labels', 'issues', 'pulls', 'comments'] as const
test.each(CUT_AT)(
  'an import that is cut off at %s goes on, and nothing comes twice',
  async (at) => {
    const second = await makeOther()
    const { db } = second.other.hearth
    const cut = new AbortController()
    const running = second.take(archive, 'lamp', cut.signal).catch((error: Error) => error)
    const isThere = () =>
      db.one(
        "SELECT 1 FROM import_steps WHERE name = ? AND (name = 'code' OR state <> 'waiting')",
        at,
      )
    while (isThere() === null) await new Promise((resolve) => setImmediate(resolve))
    cut.abort()
    await running
    expect((await second.take(archive, 'lamp')).errors).toEqual([MISSING])
    const again = join(source.work, `cut-${at}.records`)
    if (second.eva.kind !== 'user') throw new TypeError('eva is a person')
    await exportRecords(second.other.hearth, second.eva, 'port/lamp', again)
    for (const file of FILES)
      expect([file, comparable(again, file)]).toEqual([file, comparable(archive.records, file)])
  },
)

test('a name that exists is refused', async () => {
  expect(await take(archive, 'lamp').catch((error: Error) => error.message)).toContain(
    'exists already',
  )
})

/** A copy of the records with something changed. */
async function hostile(name: string, change: (directory: string) => void) {
  const records = join(source.work, `${name}.records`)
  cpSync(archive.records, records, { recursive: true })
  change(records)
  return take({ git: archive.git, records }, name).then(
    (result) => result,
    (error: Error) => ({ state: 'refused', errors: [error.message] }),
  )
}

test('hostile files are refused or left out, and lead nowhere else', async () => {
  const line = (value: unknown) => `${JSON.stringify(value)}\n`
  const format = await hostile('format', (directory) =>
    writeFileSync(join(directory, 'repository.json'), line({ format: 'hearth-records/9' })),
  )
  expect(format).toMatchObject({ state: 'refused' })
  expect(format.errors[0]).toContain('hearth-records/9')
  const broken = await hostile('broken', (directory) =>
    appendFileSync(join(directory, 'issues.jsonl'), '{"number": '),
  )
  expect(broken.errors.join()).toContain('is not JSON')
  const long = await hostile('long', (directory) =>
    appendFileSync(join(directory, 'labels.jsonl'), `"${'x'.repeat(65 << 20)}"\n`),
  )
  expect(long.errors.join()).toContain('too long')
  const many = await hostile('many', (directory) =>
    appendFileSync(
      join(directory, 'labels.jsonl'),
      `${JSON.stringify(Array(2_100_000).fill(0))}\n`,
    ),
  )
  expect(many.errors.join()).toContain('too many values')
  const odd = await hostile('odd', (directory) => {
    appendFileSync(
      join(directory, 'issues.jsonl'),
      line({ number: -1, title: 'Less' }) + line([1]) + line('text') + line({ kind: 'unknown' }),
    )
    // Ids of others, and a file outside of the records.
    appendFileSync(
      join(directory, 'releases.jsonl'),
      line({
        id: '../../x',
        tag_name: 'v9.9',
        target: 'main',
        assets: [{ id: '1', name: 'passwd', sha256: '../../../../etc/passwd', size_in_bytes: 1 }],
      }),
    )
    mkdirSync(join(directory, 'files'), { recursive: true })
  })
  expect(odd.state).toBe('done_with_errors')
  expect(odd.errors.join()).toContain('without a number')
  expect(odd.errors.join()).toContain('the file passwd was left out')
})

test('links among the files of records lead to nothing on this machine', async () => {
  const private_file = join(source.work, 'private.key')
  writeFileSync(private_file, 'the key of this machine')
  const digest = 'a'.repeat(64)
  const release = JSON.stringify({
    id: 'x',
    tag_name: 'v8.8',
    target: 'main',
    assets: [{ id: '1', name: 'taken', sha256: digest, size_in_bytes: 1 }],
  })
  const addTo = (directory: string) =>
    appendFileSync(join(directory, 'releases.jsonl'), `${release}\n`)
  const asFile = await hostile('linked', (directory) => {
    addTo(directory)
    mkdirSync(join(directory, 'files'), { recursive: true })
    symlinkSync(private_file, join(directory, 'files', digest))
  })
  const elsewhere = join(source.work, 'elsewhere')
  mkdirSync(elsewhere)
  writeFileSync(join(elsewhere, digest), 'a private file')
  const asFolder = await hostile('folder', (directory) => {
    addTo(directory)
    rmSync(join(directory, 'files'), { recursive: true, force: true })
    symlinkSync(elsewhere, join(directory, 'files'))
  })
  for (const { errors } of [asFile, asFolder])
    expect(errors.join()).toContain('the file taken was left out')
  const { db } = other.hearth
  expect(db.one("SELECT 1 FROM release_assets WHERE name = 'taken'")).toBeNull()
})

test('the code must be there, and only whole commits of it come', async () => {
  const empty = join(source.work, 'empty')
  await git(source.work, 'init', '-q', '--bare', 'empty')
  const none = await take({ git: empty, records: archive.records }, 'empty').catch(
    (error: Error) => error,
  )
  expect(none).toMatchObject({ state: 'done_with_errors' })
  const damaged = join(source.work, 'damaged')
  cpSync(archive.git, damaged, { recursive: true })
  Bun.spawnSync(['sh', '-c', `truncate -s 100 ${damaged}/objects/pack/*.pack`])
  await take({ git: damaged, records: archive.records }, 'damaged').catch(() => null)
  const row = repoByPath(other.hearth.db, 'port/damaged')
  expect(findLatestImport(other.hearth.db, row?.id ?? '')?.state).toBe('failed')
  expect(refsOf(other.hearth, row?.id ?? '').refs).toEqual([])
  rmSync(damaged, { recursive: true })
})
