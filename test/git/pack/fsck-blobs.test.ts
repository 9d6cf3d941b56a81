import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { GitError } from '../../../src/git/ports.ts'
import { checkGitmodules } from '../../../src/git/pack/fsck-blobs.ts'
import { findGitmodulesDifferences, generateGitmodules } from '../support/gitmodules.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { commitText, idOf, makePack, treeBytes, type MadeEntry } from '../support/packs.ts'
import { rawPush } from '../support/raw.ts'
import { discard, scratch } from '../support/real-git.ts'

const files: readonly [what: string, text: string][] = [
  ['a dotted section', '[submodule.a]\n\turl = -u./payload\n'],
  ['`..` as the name', '[submodule ".."]\n\turl = https://example.org/x\n'],
  ['a comment that ends in a backslash', '# x \\\n[submodule "../x"]\n\turl = a\n'],
  ['a bracket in the name', '[submodule "a]b"]\n\turl = -x\n'],
  ['two sections on a line', '[core] a = b\n[core][submodule "a"] url = -x\n'],
  ['a URL without a host', '[submodule "a"]\n\turl = http::::x\n'],
  ['a relative URL that replaces the host', '[submodule "a"]\n\turl = ./../:x\n'],
  ['a key without a value', '[submodule "../a"]\n\turl\n'],
  ['a syntax error behind a fault', '[submodule "a"]\n\turl = -x\n=\n'],
  ['a fault behind a syntax error', '=\n[submodule "a"]\n\turl = -x\n'],
]

let work: string
beforeAll(() => void (work = scratch()))
afterAll(() => discard(work))

describe('checkGitmodules', () => {
  test('agrees with git on the files that were once accepted', async () => {
    expect(
      await findGitmodulesDifferences(
        work,
        files.map(([, text]) => text),
      ),
    ).toEqual([])
  })

  test('agrees with git on generated files', async () => {
    const texts = Array.from({ length: 800 }, (_, seed) => generateGitmodules(seed))
    expect(await findGitmodulesDifferences(work, texts)).toEqual([])
    const refused = texts.filter((text) => {
      try {
        return void checkGitmodules(Buffer.from(text, 'latin1'))
      } catch (error) {
        return error instanceof GitError
      }
    })
    expect(refused.length).toBeGreaterThan(100)
    expect(refused.length).toBeLessThan(700)
  }, 120_000)

  test('reads on behind a byte order mark, as a checkout does', () => {
    expect(() => checkGitmodules(Buffer.from('\ufeff[submodule "a"]\n\tupdate = !x\n'))).toThrow(
      /gitmodulesUpdate/,
    )
  })

  test('refuses a file that is too large to parse', () => {
    expect(() => checkGitmodules(Buffer.alloc((4 << 20) + 1, '\n'))).toThrow(/gitmodulesLarge/)
  })
})

describe('a blob that is in the store', () => {
  let host: TestHost
  beforeAll(async () => void (host = await startHost()))
  afterAll(() => host.close())

  test('is checked when a later push names it .gitmodules', async () => {
    await host.create('one')
    const text = '[submodule "../x"]\n\turl = https://example.org/x\n'
    const oid = idOf('blob', text)
    const commitOf = (name: string): { tree: Buffer; commit: string } => {
      const tree = treeBytes(['100644', name, oid])
      return { tree, commit: commitText(idOf('tree', tree)) }
    }
    const first = commitOf('notes')
    const entries = ({ tree, commit }: ReturnType<typeof commitOf>): MadeEntry[] => [
      { type: 'tree', data: tree },
      { type: 'commit', data: commit },
    ]
    const push = (made: ReturnType<typeof commitOf>, blobs: MadeEntry[], ref: string) =>
      rawPush(
        host,
        'one',
        [[null, idOf('commit', made.commit), ref]],
        makePack([...blobs, ...entries(made)]),
      ) // prettier-ignore
    expect((await push(first, [{ type: 'blob', data: text }], 'refs/heads/a')).unpack).toBe('ok')
    expect((await push(commitOf('.gitmodules'), [], 'refs/heads/b')).unpack).toMatch(
      /gitmodulesName/,
    )
  })
})
