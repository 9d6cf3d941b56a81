/**
 * Files of a forge that a disk, or somebody, has damaged: what it says, what it leaves alone, and
 * how it is mended.
 */
import { afterAll, expect, test } from 'bun:test'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hearth as command } from '../system/drill/run.ts'
import { claim, startForge, type ForgeProcess } from '../../scripts/support/forge.ts'
import { git, runGit, withToken } from '../../scripts/support/git.ts'
import { EXECUTABLE, requireExecutable } from './forge.ts'

await requireExecutable()
const root = mkdtempSync(join(tmpdir(), 'hearth-damage-'))
const running = new Set<ForgeProcess>()
afterAll(async () => {
  for (const forge of running) await forge.kill()
  rmSync(root, { recursive: true, force: true })
})

async function serve(data: string): Promise<ForgeProcess> {
  const forge = await startForge({ executable: EXECUTABLE, data, log: join(root, 'log') })
  running.add(forge)
  return forge
}

const data = join(root, 'data')
const clone = join(root, 'clone')
let headers: Record<string, string> = {}
let token = ''
const post = async (forge: ForgeProcess, path: string, body: object) =>
  (
    await fetch(`${forge.url}/api/v1/repos${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
  ).status
const remote = (forge: ForgeProcess) => withToken(`${forge.url}/acme/site.git`, token)
const ISSUES = 12

test('a forge that is killed leaves a log, and what is cut off of it or added to it takes no more than itself', async () => {
  const forge = await serve(data)
  ;({ token } = await claim(forge))
  headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  expect(await post(forge, '', { workspace: 'acme', name: 'site' })).toBe(200)
  mkdirSync(clone)
  await git(clone, 'init', '-q', '-b', 'main')
  writeFileSync(join(clone, 'a.txt'), 'line\n'.repeat(5000))
  await git(clone, 'add', '.')
  await git(clone, 'commit', '-q', '-m', 'one')
  await git(clone, 'push', '-q', remote(forge), 'main')
  for (let n = 1; n <= ISSUES; n++)
    expect(await post(forge, '/acme/site/issues', { title: `Issue ${n}` })).toBe(200)
  await forge.kill()

  const issues = async (name: string, damage: (wal: string) => void): Promise<number> => {
    const copy = join(root, name)
    cpSync(data, copy, { recursive: true })
    damage(join(copy, 'hearth.db-wal'))
    const again = await serve(copy)
    const answer = await fetch(`${again.url}/api/v1/repos/acme/site/issues?per_page=100`, {
      headers,
    })
    expect(answer.status).toBe(200)
    const numbers = ((await answer.json()) as { number: number }[])
      .map(({ number }) => number)
      .sort((a, b) => a - b)
    // None is missing before the last.
    expect(numbers).toEqual(numbers.map((_, at) => at + 1))
    expect(await post(again, '/acme/site/issues', { title: 'after' })).toBe(200)
    expect(await again.stop()).toBe(0)
    const { out } = await command(EXECUTABLE, ['doctor', '--data', copy])
    for (const part of ['database', 'audit log', 'git stores'])
      expect(out).toContain(`${part}: sound\n`)
    return numbers.length
  }
  expect(
    await issues('added', (wal) =>
      appendFileSync(wal, crypto.getRandomValues(new Uint8Array(10_000))),
    ),
  ).toBe(ISSUES)
  // What a disk lost that had said it was written is lost; nothing before it is.
  expect(
    await issues('cut', (wal) => truncateSync(wal, statSync(wal).size - 5000)),
  ).toBeGreaterThan(ISSUES - 4)
}, 120_000)

test('a database that is cut off, emptied or written over is not served, and stays as it is', async () => {
  const damages: Record<string, (file: string) => void> = {
    cut: (file) => truncateSync(file, 100_000),
    over: (file) => writeFileSync(file, crypto.getRandomValues(new Uint8Array(50_000))),
    middle: (file) => writeFileSync(file, readFileSync(file).fill(0xa5, 0, 4096)),
  }
  for (const [name, damage] of Object.entries(damages)) {
    const torn = join(root, `torn-${name}`)
    mkdirSync(torn)
    const file = join(torn, 'hearth.db')
    copyFileSync(join(data, 'hearth.db'), file)
    copyFileSync(join(root, 'added', 'hearth.db'), file)
    damage(file)
    const before = readFileSync(file)
    const { status, error } = await command(EXECUTABLE, [
      'serve',
      '--listen',
      '127.0.0.1:0',
      '--data',
      torn,
    ])
    expect([name, status, error]).toEqual([
      name,
      1,
      expect.stringMatching(
        /^hearth: .*hearth\.db is damaged .*keep the file, and restore a backup[^\n]*\n$/,
      ),
    ])
    expect(Buffer.compare(readFileSync(file), before)).toBe(0)
    // Nor is anything else made of it.
    expect(existsSync(join(torn, 'backups'))).toBe(false)
  }
}, 120_000)

test('a damaged pack is named with its repositories, reading what is in it fails in words, and a push or a restore mends it', async () => {
  const whole = join(root, 'added')
  const place = join(root, 'place')
  expect(
    (await command(EXECUTABLE, ['backup', 'create', '--data', whole, '--to', place])).status,
  ).toBe(0)
  const packs = join(whole, 'repos', readdirSync(join(whole, 'repos'))[0] ?? '', 'objects', 'pack')
  const pack = join(packs, readdirSync(packs).find((name) => name.endsWith('.pack')) ?? '')
  const bytes = readFileSync(pack)
  for (let at = 12; at < bytes.length - 20; at += 40) bytes[at] = (bytes[at] ?? 0) ^ 0xff
  chmodSync(pack, 0o644)
  writeFileSync(pack, bytes)

  const forge = await serve(whole)
  const failed = await runGit(root, ['clone', '-q', remote(forge), 'broken'])
  expect(failed.status).not.toBe(0)
  expect(failed.error).not.toContain('    at ')
  const page = await fetch(`${forge.url}/api/repos/acme/site/contents?path=a.txt&ref=main`, {
    headers,
  })
  expect(page.status).toBeGreaterThanOrEqual(400)
  // Everything else goes on.
  expect(await post(forge, '/acme/site/issues', { title: 'still here' })).toBe(200)
  expect((await fetch(`${forge.url}/livez`)).status).toBe(200)
  expect(await forge.stop()).toBe(0)

  const looked = await command(EXECUTABLE, ['doctor', '--data', whole])
  expect(looked.status).toBe(1)
  expect(looked.out).toContain(/(pack-\w+)\.pack$/.exec(pack)?.[1] ?? 'none')
  expect(looked.out).toMatch(
    /Cloning or reading acme\/site may fail\. Objects do not heal: restore a backup; or .*put the files of this pack elsewhere, run hearth doctor --fix, and push/,
  )

  const restored = join(root, 'restored')
  expect((await command(EXECUTABLE, ['backup', 'restore', place, '--data', restored])).status).toBe(
    0,
  )
  expect((await command(EXECUTABLE, ['doctor', '--data', restored])).out).toContain(
    'git stores: sound\n',
  )

  // Without a backup: the pack is put away, the branch goes back to nothing, and a clone brings all
  // of it again.
  for (const ending of ['pack', 'idx', 'rev', 'bitmap'])
    rmSync(pack.replace(/pack$/, ending), { force: true })
  await command(EXECUTABLE, ['doctor', '--fix', '--data', whole])
  const mended = await serve(whole)
  await git(clone, 'push', '-q', remote(mended), 'main')
  await git(root, 'clone', '-q', remote(mended), 'whole')
  expect(readFileSync(join(root, 'whole', 'a.txt'), 'utf8')).toBe('line\n'.repeat(5000))
  expect(await mended.stop()).toBe(0)
  expect((await command(EXECUTABLE, ['doctor', '--data', whole])).out).toContain(
    'git stores: sound\n',
  )
}, 120_000)
