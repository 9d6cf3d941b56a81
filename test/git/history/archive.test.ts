import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { archive } from '../../../src/git/history/index.ts'
import { importCommits, randomHistory, Repo, type File } from '../history-fixture.ts'

// Many processes of git on a machine that may be busy.
setDefaultTimeout(120_000)

const folders: string[] = []
const repos: Repo[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  for (const repo of repos) repo.remove()
})

const make = () => {
  const repo = new Repo()
  repos.push(repo)
  return repo
}
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'archive-'))
  folders.push(made)
  return made
}

/** Everything below a folder: mode bits, content or link target, and time. */
function contents(root: string, at = ''): string[] {
  return readdirSync(Buffer.from(join(root, at)), { encoding: 'buffer' })
    .map((name) => name.toString('latin1'))
    .sort()
    .flatMap((name) => {
      const path = at === '' ? name : `${at}/${name}`
      const full = Buffer.from(join(root, path), 'latin1')
      const stat = lstatSync(full)
      if (stat.isDirectory()) return [`${path}/`, ...contents(root, path)]
      if (stat.isSymbolicLink()) return [`${path} -> ${readlinkSync(full)}`]
      return [
        `${path} ${stat.mode & 0o100 ? 'x' : '-'} ${stat.mtimeMs / 1000} ${Bun.hash(readFileSync(full))}`,
      ]
    })
}

const run = (command: string, ...args: string[]) => {
  const done = spawnSync(command, args, { env: { ...process.env, TZ: 'UTC' } })
  if (done.status !== 0) throw new Error(`${command}: ${done.stderr}`)
}

/** A real reader of archives unpacks it. */
function unpack(format: 'zip' | 'tar', data: Uint8Array): string {
  const to = folder()
  const file = join(folder(), `it.${format}`)
  writeFileSync(file, data)
  if (format === 'tar') run('tar', 'xf', file, '-C', to)
  else run('python3', '-c', UNZIP, file, to)
  return to
}

/** Python's zipfile checks sizes and sums; modes and links are not its business. */
const UNZIP = `
import zipfile, sys, os, stat
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
for i in z.infolist():
    name = i.filename.encode('utf-8' if i.flag_bits & 0x800 else 'cp437')
    path = os.path.join(os.fsencode(sys.argv[2]), name)
    mode = i.external_attr >> 16
    if stat.S_ISDIR(mode): os.makedirs(path, exist_ok=True); continue
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if stat.S_ISLNK(mode): os.symlink(z.read(i), path); continue
    with open(path, 'wb') as f: f.write(z.read(i))
    os.chmod(path, mode & 0o777)
    assert i.extra[:2] == b'UT'
    t = int.from_bytes(i.extra[5:9], 'little'); os.utime(path, (t, t))
`

describe.each(['tar', 'zip'] as const)('%s', (format) => {
  const readable = format === 'tar' || Bun.which('python3') !== null

  test.skipIf(!readable)('unpacks to what git archive gives', () => {
    for (const seed of [1, 2, 3]) {
      const repo = make()
      const tip =
        importCommits(repo, randomHistory(seed, { commits: 10, files: 12, oddities: 0.3 })).at(
          -1,
        ) ?? ''
      const data = Buffer.concat([...archive(repo.db, tip, { format, prefix: 'project-1' })])
      const git = repo.run(['archive', '--format=tar', '--prefix=project-1/', tip]).stdout
      const ours = contents(unpack(format, data))
      expect(ours).toEqual(contents(unpack('tar', git)))
      expect(ours.length).toBeGreaterThan(3)
    }
  })

  test.skipIf(!readable)('long names, sub-folders and empty trees', () => {
    const repo = make()
    const file: File = { mode: '100644', data: Buffer.from('text\n') }
    const link: File = { mode: '120000', data: Buffer.from('t'.repeat(150)) }
    const long = `${'d'.repeat(120)}/${'e'.repeat(150)}/${'f'.repeat(120)}`
    const [oid = '', empty = ''] = importCommits(repo, [
      {
        parents: [],
        time: 1_600_000_000,
        files: new Map([
          [long, file],
          ['sub/in/a', file],
          ['sub/b', file],
          ['l', link],
        ]),
      },
      { parents: [], time: 1_600_000_000, files: new Map() },
    ])
    const all = contents(
      unpack(format, Buffer.concat([...archive(repo.db, oid, { format, prefix: '' })])),
    )
    expect(all).toEqual(contents(unpack('tar', repo.run(['archive', '--format=tar', oid]).stdout)))
    const below = contents(
      unpack(
        format,
        Buffer.concat([...archive(repo.db, oid, { format, prefix: 'p', path: 'sub' })]),
      ),
    )
    expect(below).toEqual(
      contents(
        unpack('tar', repo.run(['archive', '--format=tar', '--prefix=p/', oid, 'sub']).stdout),
      ),
    )
    expect(
      contents(
        unpack(format, Buffer.concat([...archive(repo.db, empty, { format, prefix: 'p' })])),
      ),
    ).toEqual(['p/'])
    expect(() => [...archive(repo.db, oid, { format, prefix: '', path: 'nope' })]).toThrow('nope')
    expect(() => [...archive(repo.db, oid, { format, prefix: '../up' })]).toThrow('prefix')
  })
})

test('tar bytes are those of git', () => {
  const repo = make()
  const tip =
    importCommits(repo, randomHistory(7, { commits: 8, files: 10, oddities: 0.3 })).at(-1) ?? ''
  const ours = Buffer.concat([...archive(repo.db, tip, { format: 'tar', prefix: 'p' })])
  expect(ours.equals(repo.run(['archive', '--format=tar', '--prefix=p/', tip]).stdout)).toBe(true)
})
