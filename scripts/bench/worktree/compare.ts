/** What each side writes of a commit with everything that is no plain file, beside git. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { git } from '../../support/git.ts'

const LARGE_BYTES = 300 * 1024 ** 2

/** A repository whose HEAD has an entry of each kind. */
async function makeOdd(path: string): Promise<string> {
  mkdirSync(path, { recursive: true })
  await git(path, 'init', '-q', '-b', 'main')
  const put = (name: string | Buffer, data: string | Buffer): void =>
    writeFileSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from(name)]), data)
  put('plain.txt', 'plain\n')
  put('run.sh', '#!/bin/sh\n')
  chmodSync(join(path, 'run.sh'), 0o755)
  symlinkSync('plain.txt', join(path, 'link'))
  symlinkSync('nowhere/at/all', join(path, 'dangling'))
  put('windows.txt', 'one\r\ntwo\r\n')
  put('bytes.bin', Buffer.from(Array.from({ length: 256 }, (_, at) => at)))
  put(Buffer.from('name-\xe9-of-bytes', 'latin1'), 'a name that is no UTF-8\n')
  put('ümlaut.txt', 'ü\n')
  put('large.bin', Buffer.alloc(LARGE_BYTES, 'large '))
  await git(path, 'add', '.')
  const zeros = '1'.repeat(40)
  await git(path, 'update-index', '--add', '--cacheinfo', `160000,${zeros},module`)
  await git(path, 'commit', '-q', '-m', 'Odd')
  return (await git(path, 'rev-parse', 'HEAD')).trim()
}

/** Each entry as a line: mode, kind, digest of content. */
function listing(folder: string): Map<string, string> {
  const lines = new Map<string, string>()
  const walk = (at: Buffer): void => {
    for (const name of readdirSync(at, { encoding: 'buffer' })) {
      if (name.toString() === '.git') continue
      const path = Buffer.concat([at, Buffer.from('/'), name])
      const stat = lstatSync(path)
      const shown = path.subarray(folder.length + 1).toString('latin1')
      if (stat.isDirectory()) {
        if (readdirSync(path).length === 0) lines.set(shown, 'folder')
        walk(path)
      } else if (stat.isSymbolicLink()) lines.set(shown, `link to ${readlinkSync(path)}`)
      else {
        const digest = createHash('sha1').update(readFileSync(path)).digest('hex').slice(0, 8)
        lines.set(shown, `${stat.mode & 0o100 ? 'executable' : 'file'} ${stat.size} ${digest}`)
      }
    }
  }
  walk(Buffer.from(folder))
  return lines
}

type Run = (...args: readonly string[]) => Promise<{ readonly rss: number }>

/** The entries that differ from git's, and the memory that it took. */
export async function compareTrees(directory: string, run: Run): Promise<string> {
  const source = join(directory, 'source')
  const commit = await makeOdd(source)
  const bare = join(directory, 'bare.git')
  await git(directory, 'clone', '-q', '--bare', '--no-local', source, bare)
  await git(directory, 'clone', '-q', '--no-local', source, join(directory, 'git'))
  const expected = listing(join(directory, 'git'))
  const said: string[] = []
  for (const side of ['hearth', 'isomorphic']) {
    const { rss } = await run(side, 'checkout', bare, commit, join(directory, side))
    const found = listing(join(directory, `${side}-1`))
    const names = new Set([...expected.keys(), ...found.keys()])
    const wrong = [...names].filter((name) => expected.get(name) !== found.get(name))
    said.push(
      `${side}: ${expected.size - wrong.length} of ${expected.size} as git writes them, ${Math.round(rss)} MiB`,
      ...wrong.map(
        (name) => `  ${name}: ${found.get(name) ?? 'none'}, not ${expected.get(name) ?? 'none'}`,
      ),
    )
  }
  return `${said.join('\n')}\n`
}
