/** Generated `.gitmodules` files, and what the real git finds wrong with them. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { checkGitmodules } from '../../../src/git/pack/fsck-blobs.ts'
import { random as randomSource } from './history.ts'
import { makePack, commitText, idOf, treeBytes, type MadeEntry } from './packs.ts'
import { discard, git, tryGit } from './real-git.ts'

/** Pieces that a parser of git's configuration syntax may read wrongly. */
const SECTIONS = [
  '[submodule "a"]',
  '[submodule "a"] ',
  '[SubModule "A"]',
  '[submodule.b]',
  '[submodule.a.b]',
  '[submodule "../x"]',
  '[submodule ".."]',
  '[submodule "a/../b"]',
  '[submodule "a\\\\..\\\\b"]',
  '[submodule "a]b"]',
  '[submodule "a\\"b"]',
  '[submodule "a\\.b"]',
  '[submodule ""]',
  '[submodule "x\\/..\\/y"]',
  '[submodule\t"a"]',
  '[ submodule "a"]',
  '[submodule "a" ]',
  '[submodule "a"]]',
  '[submodule]',
  '[core]',
  '[submodule "..\\',
  '[submodule "a\n"]',
  '[submodule..."x"]',
  '[submodule. ".."]',
  '[submodule...]',
  '[submodule.x "../y"]',
  '[x "..',
  '[submodule "a\0/../b"]',
  '[submodule "\\..\\"]',
  '[submodule "a..b"]',
  '[submodule "a/.."]',
] // prettier-ignore
const KEYS = ['url', 'URL', 'path', 'update', 'Update', 'branch', 'ur-l', 'u_rl', '1url', 'x.url']
const ASSIGN = ['=', ' = ', '\t=\t', '==', ' ', '', '= \\\n', '\r=', ' =\\\r\n', '\v=', '=\f']
const VALUES = [
  'https://example.org/x',
  '-u./payload',
  '"-u./payload"',
  '\\-x',
  '!rm',
  '"!rm -rf /"',
  ' "-"x',
  '"" -x',
  '"a" !',
  './../:x',
  '../../:x',
  './../x',
  '../:x',
  '..//x',
  './/x',
  '../../../x',
  '../',
  '././../://x',
  'http::::x',
  'http::https://h/x',
  'https::http://h',
  'https:::x',
  'ftp::ftp:///x',
  'https:///x',
  'https://@/x',
  'https://u@h/x',
  'https://u:p@h/x',
  'https://u:p@/x',
  'http://?a',
  'https://example.org/%0ahost=evil',
  'https://u%0a@h/x',
  'https://u:%0A@h',
  'https://h%0a/x',
  'https://h?%0a',
  'https://h#%0a',
  'git://h/%0ax',
  'git://%0a:x',
  './%0a',
  '%0a./x',
  './a%0a:b',
  '.\\n/x',
  './a\\nb',
  '"https://h/\\nx"',
  'ssh://-oProxy/x',
  'HTTPS://h/%0a',
  'ext::sh -c x',
  'https://h/%00%0a',
  'https://h/%zz%0a',
  'https://h/\0%0a',
  'none',
  'merge',
  'file:///x',
  ':x',
  'https://h:70000/x',
  'http://[::1]/x',
  'ftps://h/%0d',
  'https://a@b@c/x',
  'https://a:b:c@d/%0a',
  '--',
  '- x',
  'x -y',
  '/-x',
  '"',
  '\\',
  '"\\n-x"',
  '\\t-x',
  '\\q',
  '\\"',
  '# -x',
  '; x',
  '\u00e9',
] // prettier-ignore
const ENDINGS = ['\n', '\n', '\n', '\r\n', ' # a comment\\\n', '; x\n', '\\\n', ' \\\n  ', '\r', '']
const NOISE = [
  '',
  '',
  '',
  '\n',
  '# a comment\n',
  '# \\\n',
  '; [submodule "../x"]\n',
  '\t',
  '\xef\xbb\xbf',
  '\xef',
  '=x\n',
  '"\n',
  '\0\n',
] // prettier-ignore

/** One file from a seed, as text with one byte in each character. */
export function generateGitmodules(seed: number): string {
  const random = randomSource(seed)
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? ''
  let text = random() < 0.05 ? pick(NOISE) : ''
  const sections = 1 + Math.floor(random() * 3)
  for (let i = 0; i < sections; i++) {
    if (random() < 0.95) text += random() < 0.5 ? '[submodule "a"]' : pick(SECTIONS)
    text += random() < 0.3 ? ' ' : random() < 0.9 ? '\n' : pick(ENDINGS)
    const settings = Math.floor(random() * 4)
    for (let j = 0; j < settings; j++) {
      if (random() < 0.1) text += pick(NOISE)
      text += random() < 0.8 ? pick(KEYS.slice(0, 5)) : pick(KEYS)
      text += random() < 0.8 ? ' = ' : pick(ASSIGN)
      text += pick(VALUES)
      if (random() < 0.1) text += pick(VALUES)
      text += random() < 0.7 ? '\n' : pick(ENDINGS)
    }
  }
  if (random() < 0.1) {
    const at = Math.floor(random() * text.length)
    const byte = String.fromCharCode(Math.floor(random() * 256))
    text = text.slice(0, at) + byte + text.slice(at + (random() < 0.5 ? 1 : 0))
  }
  return text
}

/** Returns the message ids of `git fsck --strict` by the id of the blob; only errors. */
export async function judgeGitmodules(
  directory: string,
  blobs: readonly Buffer[],
): Promise<Map<string, Set<string>>> {
  await git(directory, 'init', '--quiet', '--bare', '.')
  const unique = new Map(blobs.map((data) => [idOf('blob', data), data]))
  const trees = [...unique.keys()].map((oid) => treeBytes(['100644', '.gitmodules', oid]))
  const root = treeBytes(
    ...trees.map((tree, i): [string, string, string] => [
      '40000',
      String(i).padStart(6, '0'),
      idOf('tree', tree),
    ]),
  )
  const commit = commitText(idOf('tree', root))
  const entries: MadeEntry[] = [
    ...[...unique.values()].map((data): MadeEntry => ({ type: 'blob', data })),
    ...[...trees, root].map((data): MadeEntry => ({ type: 'tree', data })),
    { type: 'commit', data: commit },
  ]
  const stored = await tryGit(directory, ['index-pack', '--stdin'], { input: makePack(entries) })
  if (stored.code !== 0) throw new Error(stored.err)
  await git(directory, 'update-ref', 'refs/heads/main', idOf('commit', commit))
  const { out, err } = await tryGit(directory, ['fsck', '--strict'])
  const errors = new Map<string, Set<string>>()
  for (const [, oid = '', id = ''] of `${out}\n${err}`.matchAll(
    /^error in blob ([0-9a-f]{40}): (\w+)/gm,
  ))
    errors.set(oid, (errors.get(oid) ?? new Set()).add(id))
  return errors
}

export type GitmodulesDifference = {
  readonly text: string
  /** The message ids of git. */
  readonly git: readonly string[]
  /** The engine's message; null when it accepts the file. */
  readonly engine: string | null
}

/**
 * Git reads memory as signed characters, so its fsck does not skip a byte order mark and takes 0xff
 * for the end, unlike its reading of a checked out file. The engine checks what a checkout reads.
 */
const isReadDifferentlyByFsck = (text: string): boolean =>
  text.startsWith('\xef') || text.includes('\xff')

/** Returns the files on which the engine and `git fsck --strict` disagree. */
export async function findGitmodulesDifferences(
  work: string,
  texts: readonly string[],
): Promise<GitmodulesDifference[]> {
  const directory = mkdtempSync(join(work, 'modules-'))
  const blobs = texts.map((text) => Buffer.from(text, 'latin1'))
  const judged = await judgeGitmodules(directory, blobs)
  discard(directory)
  return texts.flatMap((text, i) => {
    const data = blobs[i] ?? Buffer.alloc(0)
    const expected = [...(judged.get(idOf('blob', data)) ?? [])]
    let engine: string | null = null
    try {
      checkGitmodules(data)
    } catch (error) {
      engine = String(error instanceof Error ? error.message : error)
    }
    if (isReadDifferentlyByFsck(text)) return []
    const agrees =
      engine === null ? expected.length === 0 : expected.includes(engine.split(':', 1)[0] ?? '')
    return agrees ? [] : [{ text, git: expected, engine }]
  })
}
