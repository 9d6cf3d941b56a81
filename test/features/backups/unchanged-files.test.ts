/**
 * The engine maps indexes, reverse indexes, bitmaps and commit-graphs. A mapped file that became
 * shorter would end the process (SIGBUS), so whoever replaces one does so by a rename.
 */
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { directoryPlace, listBackups, restoreBackup } from '#backup'
import { createBackup } from '#features/backups/create-backup.ts'
import { deleteBranch } from '#features/repos/branches/delete-branch.ts'
import { repoByPath, listTipsOfStore } from '#features/repos/index.ts'
import { exportWorkspace, importWorkspace, requireArchive } from '#features/transfer/index.ts'
import { snapshotStore } from '#git'
import { makeWorld } from '../../world.ts'
import { backupSettings, folder } from './forge.ts'

const MAPPED = /\/(?:pack-[0-9a-f]+\.(?:idx|rev|bitmap|pack)|commit-graph)$/

const filesBelow = (root: string): string[] =>
  existsSync(root)
    ? readdirSync(root, { recursive: true })
        .map((name) => join(root, String(name)))
        .filter((path) => MAPPED.test(path))
    : []

const hashOf = (fd: number): string => {
  const bytes = Buffer.alloc(fstatSync(fd).size)
  readSync(fd, bytes, 0, bytes.length, 0)
  return createHash('sha256').update(bytes).digest('hex')
}

/** Keeps every file open that was ever there, as a thread of the engine might. */
class OpenFiles {
  readonly #files = new Map<number, { path: string; fd: number; hash: string }>()

  constructor(private readonly roots: readonly string[]) {}

  look(): void {
    for (const path of this.roots.flatMap(filesBelow)) {
      const fd = openSync(path, 'r')
      const { ino } = fstatSync(fd)
      if (this.#files.has(ino)) closeSync(fd)
      else this.#files.set(ino, { path, fd, hash: hashOf(fd) })
    }
  }

  get count(): number {
    return this.#files.size
  }

  /** Those that are not what they were. */
  changed(): string[] {
    return [...this.#files.values()]
      .filter(({ fd, hash }) => hashOf(fd) !== hash)
      .map(({ path }) => path)
  }

  close(): void {
    for (const { fd } of this.#files.values()) closeSync(fd)
  }
}

test('no file that a thread may have mapped is ever written again', async () => {
  const place = join(folder(), 'backups')
  const world = await makeWorld(backupSettings({ to: place }))
  const ada = await world.user('ada', { site_admin: true })
  await world.workspace('acme', { owner: ada })
  await world.repo('acme/site')
  const { store = '' } = repoByPath(world.hearth.db, 'acme/site') ?? {}
  const target = join(folder(), 'restored')
  const open = new OpenFiles([join(world.data, 'repos'), target])
  try {
    for (let round = 0; round < 2; round++) {
      for (let commit = 0; commit < 5; commit++) {
        const name = `${round}-${commit}`
        await world.commit('acme/site', 'main', { [`${name}.txt`]: `${name}\n`.repeat(50) })
        await world.commit('acme/site', `topic-${name}`, { 'topic.txt': name })
        open.look()
      }
      await world.call(deleteBranch, ada, { repo: 'acme/site', branch: `topic-${round}-1` })
      const tips = listTipsOfStore(world.hearth.db, store)
      await world.hearth.git.maintain(store, tips, { graceMs: round % 2 === 0 ? 0 : 3_600_000 })
      open.look()
      await world.call(createBackup, ada, {})
      await world.jobs()
      open.look()
    }
    // Snapshots are hard links to the same files, and are changed as little.
    const snapshot = join(folder(), 'snapshot')
    snapshotStore(join(world.data, 'repos', store), snapshot)
    const at = directoryPlace(join(folder(), 'archive'))
    const never = new AbortController().signal
    await exportWorkspace(world.hearth, 'acme', at, () => {}, never)
    const here = await makeWorld()
    await here.user('ada')
    await importWorkspace(
      here.hearth,
      at,
      await requireArchive(at),
      { as: null, owner: 'ada', people: new Map(), identities: [], maxRows: null },
      () => {},
      never,
    )
    const backups = directoryPlace(place)
    const newest = (await listBackups(backups)).at(-1)?.manifest
    if (!newest) throw new Error('there is no backup')
    await restoreBackup(backups, newest, { target, identities: [] }, () => {}, never)
    open.look()
    // A second restore into it is refused, and changes nothing.
    await expect(
      restoreBackup(backups, newest, { target, identities: [] }, () => {}, never),
    ).rejects.toThrow()
    await world.hearth.git.maintain(store, listTipsOfStore(world.hearth.db, store), { graceMs: 0 })
    open.look()
    expect(open.count).toBeGreaterThan(30)
    expect(open.changed()).toEqual([])
  } finally {
    open.close()
  }
}, 120_000)
