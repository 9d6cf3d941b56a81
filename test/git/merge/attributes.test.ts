/**
 * What `.gitattributes` does to a merge, held against git, which is given the same lines where a
 * bare repository reads them.
 */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mergeTrees } from '../../../src/git/merge/index.ts'
import { importCommits, Repo, type File } from '../history-fixture.ts'

setDefaultTimeout(120_000)

const repo = new Repo()
afterAll(() => repo.remove())

const ATTRIBUTES = [
  '* text=auto',
  '* text',
  '* -text',
  '* text eol=lf',
  '* text eol=crlf',
  '* -crlf',
  '* crlf=input',
  '* binary',
  '* -merge',
  '* merge',
  '* merge=text',
  '* merge=binary',
  '* merge=union',
  '* merge=unknown',
  '* text=auto eol=crlf merge=union',
  '*.txt merge=union\nother.txt merge=binary',
  '* merge=union\n*.txt !merge',
]

const file = (text: string): File => ({ mode: '100644', data: Buffer.from(text) })
const lf = Array.from({ length: 12 }, (_, n) => `line ${n}\n`).join('')
const crlf = (text: string): string => text.replaceAll('\n', '\r\n')
const at = (text: string, line: number, words: string): string =>
  text.replace(`line ${line}`, words)

/** Base, ours and theirs. */
const CHANGES: Record<string, readonly [string, string, string]> = {
  apart: [lf, at(lf, 1, 'ours'), at(lf, 10, 'theirs')],
  'the same line': [lf, at(lf, 5, 'ours'), at(lf, 5, 'theirs')],
  'apart, with both ends of lines': [crlf(lf), at(crlf(lf), 1, 'ours'), at(crlf(lf), 10, 'theirs')],
  'one changes the ends of lines': [lf, crlf(lf), at(lf, 10, 'theirs')],
  'both change the ends of lines': [lf, crlf(lf), crlf(at(lf, 10, 'theirs'))],
  'one takes them back and changes a line': [
    crlf(lf),
    at(lf, 1, 'ours'),
    at(crlf(lf), 10, 'theirs'),
  ],
  'bytes that are no text': [`${lf}\0`, at(`${lf}\0`, 1, 'ours'), at(`${lf}\0`, 10, 'theirs')],
  'added at the end of both, without a last end of line': [lf, `${lf}ours`, `${lf}theirs`],
}

test.each(ATTRIBUTES)('%j', (attributes) => {
  mkdirSync(join(repo.directory, 'info'), { recursive: true })
  writeFileSync(join(repo.directory, 'info', 'attributes'), `${attributes}\n`)
  const trees = [0, 1, 2].map(
    (side) =>
      new Map(
        Object.entries(CHANGES).flatMap(
          ([name, texts], n) =>
            [
              [`${n}/file.txt`, file(texts[side] ?? name)],
              [`${n}/other.txt`, file(texts[side] ?? name)],
            ] as const,
        ),
      ),
  )
  for (const [n, name] of Object.keys(CHANGES).entries()) {
    // Each change in commits of its own, so that a conflict of one says nothing of the others.
    const only = trees.map(
      (tree) =>
        new Map([
          ['.gitattributes', file(`${attributes}\n`)] as const,
          ...[...tree].filter(([path]) => path.startsWith(`${n}/`)),
        ]),
    )
    const [, ours = '', theirs = ''] = importCommits(
      repo,
      only.map((files, side) => ({ parents: side === 0 ? [] : [0], files, time: side + 1 })),
    )
    const git = repo.run(['merge-tree', '--write-tree', ours, theirs])
    const found = mergeTrees(repo.db, ours, theirs)
    if (git.status === 0)
      expect([name, found]).toEqual([name, { tree: git.stdout.toString().trim() }])
    else expect([name, 'conflicts' in found]).toEqual([name, true])
  }
})
