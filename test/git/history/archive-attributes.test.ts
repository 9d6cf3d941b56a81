import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { createGit, type Git } from '#git'
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

setDefaultTimeout(120_000)

const FORMATS =
  '%H %h %T %t %P %p %an %ae %al %ad %aD %at %ai %aI %as %cn %ce %cd %ct %cI %s %f %d %D %n%%%x41 %zz %b %B'
const FILES: Record<string, string> = {
  '.gitattributes': [
    'ignored export-ignore',
    'docs/ export-ignore',
    '/top.txt export-ignore',
    'sub/deep/** export-ignore',
    '*.subst export-subst',
    '*.crlf text eol=crlf',
    '*.auto text=auto eol=crlf',
    '*.lf text eol=lf',
    '*.old crlf=input eol=crlf',
    '*.eol eol=crlf',
    '*.bin -text eol=crlf',
    '*.id ident',
    '*.all export-subst ident eol=crlf',
    '[attr]hidden export-ignore',
    '*.hidden hidden',
    '!*.x export-ignore',
  ].join('\n'),
  ignored: 'x',
  'docs/readme': 'x',
  'sub/docs/readme': 'x',
  'sub/docs.txt': 'x',
  'top.txt': 'x',
  'sub/top.txt': 'x',
  'sub/deep/a/b': 'x',
  'sub/.gitattributes': 'kept -export-ignore\nlocal export-ignore\n',
  'sub/local': 'x',
  'sub/ignored': 'x',
  'only/ignored': 'x',
  'a.hidden': 'x',
  'v.subst': `$Format:${FORMATS}$\n$Format:%H\n no end`,
  'w.subst': 'a $Format:$ b $Format:%h$$Format:%h$ $Id$\n',
  'a.crlf': 'one\ntwo\r\nthree\rfour\n\n',
  'a.auto': 'one\ntwo\n',
  'b.auto': 'one\ntwo\r\n',
  'c.auto': 'one\n\0two\n',
  'd.auto': `one\n${'\x01'.repeat(9)}${'a'.repeat(1000)}\n\x1a`,
  'e.auto': `one\n${'\x01'.repeat(9)}${'a'.repeat(2000)}\n\x1a`,
  'a.lf': 'one\r\ntwo\n',
  'a.old': 'one\ntwo\n',
  'a.eol': 'one\ntwo\n',
  'a.bin': 'one\ntwo\n',
  'a.id': '$Id$ $Id: $ $Id: 1234 $ $Id: two words $ $Id:x\n$ $$Id$ $Idx$ $Id:$ $Id: a',
  'b.id': 'nothing',
  'a.all': '$Id$\n$Format:%h%n%s$\n',
  plain: '$Id$ $Format:%h$\n',
}

let work: string
let source: string
let engine: Git

beforeAll(async () => {
  work = scratch()
  source = join(work, 'source')
  await git(work, 'init', '-q', '-b', 'main', source)
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(source, path)), { recursive: true })
    writeFileSync(join(source, path), Buffer.from(text, 'latin1'))
  }
  symlinkSync('a.subst $Format:%h$', join(source, 'link.subst'))
  await git(source, '-c', 'core.autocrlf=false', 'add', '-f', '.')
  // The bytes of the files are stored as they are.
  for (const path of Object.keys(FILES)) {
    const input = Buffer.from(FILES[path] ?? '', 'latin1')
    const { out } = await tryGit(source, ['hash-object', '-w', '--stdin'], { input })
    await git(source, 'update-index', '--cacheinfo', `100644,${out.trim()},${path}`)
  }
  const message = '\n  A subject: of  two..lines \n and /more/\n\nBody\n\nEnd\n'
  const dates = { GIT_AUTHOR_DATE: '1700000000 -0330', GIT_COMMITTER_DATE: '1700000100 +0530' }
  const first = await git(source, 'commit-tree', '-m', 'root', await git(source, 'write-tree'))
  const made = await tryGit(
    source,
    ['commit-tree', '-p', first, '-F', '-', await git(source, 'write-tree')],
    { input: message, env: dates },
  )
  await git(source, 'update-ref', 'refs/heads/main', made.out.trim())
  await git(source, 'branch', 'side')
  await git(source, 'tag', 'v1')
  await git(source, 'tag', '-a', 'v2', '-m', 'two')
  await git(source, 'update-ref', 'refs/notes/x', 'main')
  await git(source, 'repack', '-adq')
  const root = join(work, 'stores')
  mkdirSync(join(root, 'one', 'objects', 'pack'), { recursive: true })
  const packs = join(source, '.git/objects/pack')
  for (const name of readdirSync(packs))
    cpSync(join(packs, name), join(root, 'one/objects/pack', name)) // prettier-ignore
  engine = createGit({ root, tmp: join(work, 'tmp'), workers: 0 })
})

afterAll(async () => {
  await engine.close()
  discard(work)
})

const bytesOf = async (answer: Uint8Array | ReadableStream<Uint8Array>): Promise<Buffer> =>
  Buffer.from(await new Response(answer as BodyInit).bytes())

async function refsAt(oid: string) {
  const listed = await git(
    source,
    'for-each-ref',
    '--format=%(refname) %(objectname) %(*objectname)',
  )
  return listed
    .split('\n')
    .map((line) => line.split(' '))
    .map(([name = '', id = '', peeled = '']) => ({ name, oid: id, peeled: peeled || null }))
    .filter((ref) => ref.oid === oid || ref.peeled === oid)
}

const archiveOfGit = (...args: string[]): Buffer =>
  spawnSync('git', ['-C', join(source, '.git'), '--bare', 'archive', '--prefix=p/', ...args]).stdout

test('a tar has the bytes of git archive', async () => {
  const commit = await git(source, 'rev-parse', 'main')
  const refs = await refsAt(commit)
  expect(refs).toHaveLength(5)
  const options = { prefix: 'p', refs, head: 'refs/heads/main' }
  const expected = archiveOfGit('--format=tar', commit)
  const names = (tar: Buffer) => spawnSync('tar', ['t'], { input: tar }).stdout.toString()
  const ours = await bytesOf(await engine.archive('one', commit, { format: 'tar', ...options }))
  expect(names(ours)).toBe(names(expected))
  for (const name of names(expected).split('\n')) {
    if (name === '' || name.endsWith('/')) continue
    const content = (tar: Buffer) =>
      spawnSync('tar', ['xO', name], { input: tar }).stdout.toString('latin1')
    expect([name, content(ours)]).toEqual([name, content(expected)])
  }
  expect(ours.equals(expected)).toBe(true)
})

test('a tar.gz is that tar, compressed', async () => {
  const tree = await git(source, 'rev-parse', 'main^{tree}')
  const packed = await bytesOf(await engine.archive('one', tree, { format: 'tar.gz', prefix: 'p' }))
  const listed = spawnSync('tar', ['tzf', '-'], { input: packed })
  expect(listed.status).toBe(0)
  // A tree has no commit, so the time of its entries differs.
  const plain = await bytesOf(await engine.archive('one', tree, { format: 'tar', prefix: 'p' }))
  expect(gunzipSync(packed).equals(plain)).toBe(true)
})

test('one folder has the attributes of its place in the tree', async () => {
  const commit = await git(source, 'rev-parse', 'main')
  const ours = await bytesOf(
    await engine.archive('one', commit, { format: 'tar', prefix: 'p', path: 'sub' }),
  )
  expect(ours.equals(archiveOfGit('--format=tar', commit, 'sub'))).toBe(true)
})

test('a repository with many objects has longer abbreviations, as in git', async () => {
  const place = join(work, 'many')
  await git(work, 'init', '-q', '--bare', '-b', 'main', place)
  const blobs = Array.from({ length: 20_000 }, (_, at) => `blob\ndata 5\n${10_000 + at}\n`)
  const file = (path: string, text: string) =>
    `M 100644 inline ${path}\ndata ${text.length}\n${text}\n`
  const commit = [
    `commit refs/heads/main\ncommitter a <a@b> 1700000000 +0000\ndata 1\nx\n`,
    file('.gitattributes', '* export-subst'),
    file('id', '$Format:%h %t$'),
  ]
  const input = [...blobs, ...commit, 'done\n'].join('')
  expect(await tryGit(place, ['fast-import', '--quiet', '--done'], { input })).toMatchObject({
    code: 0,
  })
  await git(place, 'repack', '-adq', '--keep-unreachable')
  const packs = join(place, 'objects/pack')
  mkdirSync(join(work, 'stores/many/objects'), { recursive: true })
  cpSync(packs, join(work, 'stores/many/objects/pack'), { recursive: true })
  const head = await git(place, 'rev-parse', 'main')
  const expected = spawnSync('git', ['-C', place, 'archive', '--prefix=p/', head]).stdout
  const ours = await bytesOf(await engine.archive('many', head, { format: 'tar', prefix: 'p' }))
  const shown = (tar: Buffer) => spawnSync('tar', ['xO', 'p/id'], { input: tar }).stdout.toString()
  expect(shown(ours)).toMatch(/^[0-9a-f]{8} [0-9a-f]{8}$/)
  expect(shown(ours)).toBe(shown(expected))
})
