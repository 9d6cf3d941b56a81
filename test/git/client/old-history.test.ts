/**
 * History that was made by old or careless programs: an import takes what harms nobody, a push does
 * not; what does harm comes in nowhere.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Ref, RefSnapshot } from '#git'
import { startBackend, type Backend } from '../support/backend.ts'
import { objectsOf } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { outside } from '../support/outside.ts'
import { treeBytes } from '../support/packs.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'
import { complaints, expectSound } from '../support/sound.ts'

let host: TestHost
let work: string
let backend: Backend
const EMPTY: RefSnapshot = { generation: 'nothing', head: 'refs/heads/main', refs: [] }

beforeAll(async () => {
  work = scratch()
  host = await startHost()
  backend = startBackend(work)
})

afterAll(async () => {
  await backend.close()
  // Each was looked at by itself: git complains about what is in them.
  await host.close({ damaged: true })
  discard(work)
})

type Make = {
  readonly blob: string
  readonly tree: string
  put(type: string, data: Uint8Array | string): Promise<string>
}

/**
 * A repository whose branch is what `make` gives, with a good commit on top of it when that is a
 * commit.
 */
async function repository(name: string, make: (with_: Make) => Promise<string>): Promise<string> {
  const path = join(work, name)
  mkdirSync(path)
  await git(path, 'init', '-q', '--bare')
  const put = async (type: string, data: Uint8Array | string): Promise<string> => {
    const { code, out, err } = await tryGit(
      path,
      ['hash-object', '-w', '--literally', '-t', type, '--stdin'],
      { input: data },
    )
    if (code !== 0) throw new Error(err)
    return out.trim()
  }
  const blob = await put('blob', 'hello\n')
  const tree = await put('tree', treeBytes(['100644', 'a', blob]))
  const odd = await make({ blob, tree, put })
  const commit = await put(
    'commit',
    `tree ${tree}\nparent ${odd}\nauthor A <a@b.c> 1700000100 +0000\ncommitter A <a@b.c> 1700000100 +0000\n\nafter\n`,
  )
  await git(path, 'update-ref', 'refs/heads/main', commit)
  return path
}

const commitOf = (tree: string, author: string, committer = author): string =>
  `tree ${tree}\n${author}\n${committer.replace(/^author/, 'committer')}\n\nold\n`
const line = (author: string) => (to: Make) =>
  to.put('commit', commitOf(to.tree, `author ${author}`))
const withTree =
  (...entries: readonly (readonly [string, string])[]) =>
  async (to: Make) =>
    await to.put(
      'commit',
      commitOf(
        await to.put(
          'tree',
          treeBytes(
            ...entries.map(([mode, name]): [string, string, string] => [mode, name, to.blob]),
          ),
        ),
        'author A <a@b.c> 1700000000 +0000',
      ),
    )

/** fsck's message, and a commit that earns it. */
const HARMLESS: readonly [string, (to: Make) => Promise<string>][] = [
  ['badTimezone', line('A <a@b.c> 1200000000 +051800')],
  ['badDate, without a zone', line('A <a@b.c> 1200000000')],
  ['missingSpaceBeforeDate', line('A <a@b.c>1200000000 +0000')],
  ['missingSpaceBeforeEmail', line('A<a@b.c> 1200000000 +0000')],
  ['missingEmail', line('A 1200000000 +0000')],
  ['missingNameBeforeEmail', line('<a@b.c> 1200000000 +0000')],
  ['badName', line('A> <a@b.c> 1200000000 +0000')],
  ['badEmail', line('A <a@b.c 1200000000 +0000')],
  ['badEmail, twice in brackets', line('A <a@<b.c>> 1200000000 +0000')],
  ['badDate', line('A <a@b.c> yesterday +0000')],
  ['zeroPaddedDate', line('A <a@b.c> 0012345678 +0000')],
  ['badDateOverflow', line('A <a@b.c> 18446744073709551616 +0000')],
  [
    'missingAuthor',
    (to) => to.put('commit', `tree ${to.tree}\ncommitter A <a@b.c> 1200000000 +0000\n\nold\n`),
  ],
  [
    'missingCommitter',
    (to) => to.put('commit', `tree ${to.tree}\nauthor A <a@b.c> 1200000000 +0000\n\nold\n`),
  ],
  [
    'multipleAuthors',
    (to) =>
      to.put(
        'commit',
        `tree ${to.tree}\nauthor A <a@b.c> 1 +0000\nauthor B <a@b.c> 2 +0000\ncommitter A <a@b.c> 1200000000 +0000\n\nold\n`,
      ),
  ],
  [
    'nulInCommit',
    (to) =>
      to.put(
        'commit',
        `tree ${to.tree}\nauthor A <a@b.c> 1 +0000\ncommitter A <a@b.c> 1200000000 +0000\n\nold \0 and hidden\n`,
      ),
  ],
  ['badFilemode', withTree(['100640', 'a'], ['100666', 'b'])],
  ['gitattributesSymlink', withTree(['120000', '.gitattributes'])],
  [
    'nullSha1 of a submodule',
    async (to) =>
      await to.put(
        'commit',
        commitOf(
          await to.put('tree', treeBytes(['160000', 'sub', '0'.repeat(40)])),
          'author A <a@b.c> 1700000000 +0000',
        ),
      ),
  ],
]

/** What passes everywhere: much old history has it, and git itself makes no fuss of it. */
const USUAL: typeof HARMLESS = [
  ['zeroPaddedFilemode of files', withTree(['0100644', 'a'], ['0120000', 'link'])],
  [
    'zeroPaddedFilemode of directories',
    async (to) =>
      await to.put(
        'commit',
        commitOf(
          await to.put(
            'tree',
            treeBytes([
              '040000',
              'dir',
              await to.put('tree', treeBytes(['0100755', 'deep', to.blob])),
            ]),
          ),
          'author A <a@b.c> 1700000000 +0000',
        ),
      ),
  ],
  ['mode 100664', withTree(['100664', 'a'])],
  [
    'missingTaggerEntry',
    async (to) => {
      const commit = await to.put('commit', commitOf(to.tree, 'author A <a@b.c> 1700000000 +0000'))
      await to.put('tag', `object ${commit}\ntype commit\ntag old\n\nvery old\n`)
      return commit
    },
  ],
]

const HARMFUL: readonly [string, RegExp, (to: Make) => Promise<string>][] = [
  ['.git', /hasDotgit/, withTree(['100644', '.git'])],
  ['.GiT', /hasDotgit/, withTree(['100644', '.GiT'])],
  ['git~1', /hasDotgit/, withTree(['100644', 'git~1'])],
  ['.git with a sign that HFS+ leaves out', /hasDotgit/, withTree(['100644', '.g\u200cit'])],
  ['..', /hasDotdot/, withTree(['100644', '..'])],
  ['.', /hasDot:/, withTree(['100644', '.'])],
  ['a path with a slash', /fullPathname/, withTree(['100644', 'a/../../b'])],
  ['an entry twice', /duplicateEntries/, withTree(['100644', 'a'], ['100755', 'a'])],
  ['entries out of order', /treeNotSorted/, withTree(['100644', 'b'], ['100644', 'a'])],
  ['a mode that is none', /badFilemode/, withTree(['170000', 'a'])],
  ['.gitmodules as a link', /gitmodulesSymlink/, withTree(['120000', '.gitmodules'])],
  [
    'a submodule with an option as address',
    /gitmodulesUrl/,
    async (to) => {
      const modules = await to.put('blob', '[submodule "x"]\n\tpath = x\n\turl = -u./payload\n')
      return await to.put(
        'commit',
        commitOf(
          await to.put('tree', treeBytes(['100644', '.gitmodules', modules])),
          'author A <a@b.c> 1700000000 +0000',
        ),
      )
    },
  ],
]

let serial = 0
const nextName = (): string => `repository-${++serial}`

const fetchInto = (store: string, name: string, apply: (refs: readonly Ref[]) => void) =>
  host.git.fetchFrom(store, outside(), {
    url: `${backend.url}/${name}`,
    local: EMPTY,
    prefixes: ['refs/heads/'],
    apply: async ({ refs }) => apply(refs),
  })

/**
 * Dates that git's versions read differently (before the first or the last bracket), or that their
 * own commit-graph cannot hold.
 */
const DISPUTED = new Set(['badName', 'badEmail, twice in brackets', 'badDateOverflow'])

async function importWhole(what: string, make: (to: Make) => Promise<string>): Promise<string> {
  const name = nextName()
  const path = await repository(name, make)
  await host.create(name)
  let refs: readonly Ref[] = []
  await fetchInto(name, name, (moved) => (refs = moved))
  for (const { name: ref, oid } of refs) host.refs.get(name)!.set(ref, oid)
  expect(refs.map(({ name: ref }) => ref)).toEqual(['refs/heads/main'])
  const tip = refs[0]!.oid
  await host.git.maintain(name, [tip])
  expect(await host.git.verify(name, [tip])).toEqual([])
  // The pages can show it, and history agrees with git's.
  const log = await host.git.log(name, { tips: [tip] })
  expect(log.map(({ oid }) => oid)).toEqual(
    (await git(path, 'log', '--format=%H', 'main')).split('\n'),
  )
  expect(await host.git.listTree(name, log.at(-1)!.oid, '', { recursive: true })).not.toBeNull()
  const copy = join(work, nextName())
  await git(work, 'clone', '-q', '--mirror', host.remote(name), copy)
  expect(await objectsOf(copy)).toEqual(await objectsOf(path))
  // Git complains about such objects themselves, and must not about anything else.
  const said = (await complaints(join(host.root, name), { strict: false })).filter(
    (complaint) => !/^git fsck .*(error|warning) in (commit|tree|tag)/.test(complaint),
  )
  expect(
    said.filter(
      (complaint) => !(DISPUTED.has(what) && complaint.includes('commit date for commit')),
    ),
  ).toEqual([])
  return path
}

describe('what harms nobody', () => {
  for (const [what, make] of HARMLESS) {
    test(`comes in by an import and not by a push: ${what}`, async () => {
      const path = await importWhole(what, make)
      const name = nextName()
      await host.create(name)
      const { code, err } = await tryGit(path, ['push', '-q', host.remote(name), 'refs/heads/main'])
      expect(code).not.toBe(0)
      expect(err).toContain(`remote unpack failed: ${what.split(/[ ,]/)[0]}`)
      expect(host.refs.get(name)!.size).toBe(0)
    })
  }
  for (const [what, make] of USUAL) {
    test(`comes in by both: ${what}`, async () => {
      const path = await importWhole(what, make)
      const name = nextName()
      await host.create(name)
      await git(path, 'push', '-q', host.remote(name), 'refs/heads/main')
      const copy = join(work, nextName())
      await git(work, 'clone', '-q', '--mirror', host.remote(name), copy)
      expect(await objectsOf(copy)).toEqual(await objectsOf(path))
      // What comes later is compared with the trees that are there.
      const clone = join(work, nextName())
      await git(work, 'clone', '-q', path, clone)
      await Bun.write(join(clone, 'later.txt'), 'later\n')
      await git(clone, 'add', '.')
      await git(clone, 'commit', '-qm', 'later')
      await git(clone, 'push', '-q', host.remote(name), 'HEAD:refs/heads/main')
      await git(copy, 'fetch', '-q')
      expect(await git(copy, 'cat-file', '-p', 'main:later.txt')).toBe('later')
      expect(await host.git.verify(name, [await git(clone, 'rev-parse', 'HEAD')])).toEqual([])
    })
  }
})

describe('what does harm comes in neither way', () => {
  for (const [what, reason, make] of HARMFUL) {
    test(what, async () => {
      const name = nextName()
      const path = await repository(name, make)
      await host.create(name)
      let applied = false
      const failure = await fetchInto(name, name, () => (applied = true)).then(
        () => null,
        (error: Error) => error,
      )
      expect(failure?.message).toMatch(reason)
      expect(applied).toBe(false)
      const { code, err } = await tryGit(path, ['push', '-q', host.remote(name), 'refs/heads/main'])
      expect(code).not.toBe(0)
      expect(err).toMatch(reason)
      expect(await host.git.readCommit(name, await git(path, 'rev-parse', 'main'))).toBeNull()
      await expectSound(host.root, [name])
    })
  }
})

describe('the first push into a repository', () => {
  let lenient: TestHost
  beforeAll(async () => void (lenient = await startHost({ oldFaults: 'first_push' })))
  afterAll(() => lenient.close({ damaged: true }))

  test('may hold what an import may hold, and no later push', async () => {
    for (const [what, make] of HARMLESS) {
      const path = await repository(nextName(), make)
      const name = nextName()
      await lenient.create(name)
      const push = (ref: string) =>
        tryGit(path, ['push', '-q', lenient.remote(name), `main:refs/heads/${ref}`])
      expect([what, await push('main')]).toMatchObject([what, { code: 0 }])
      const later = nextName()
      await lenient.create(later)
      const good = await git(path, 'commit-tree', '-m', 'good', 'main^{tree}')
      await git(path, 'push', '-q', lenient.remote(later), `${good}:refs/heads/good`)
      const refused = await tryGit(path, ['push', lenient.remote(later), 'main'])
      expect(refused.err).toContain(`remote unpack failed: ${what.split(/[ ,]/)[0]}`)
    }
  }, 120_000)

  test('may not hold what harms', async () => {
    for (const [what, reason, make] of HARMFUL) {
      const path = await repository(nextName(), make)
      const name = nextName()
      await lenient.create(name)
      const { code, err } = await tryGit(path, ['push', '-q', lenient.remote(name), 'main'])
      expect([what, code, err]).toEqual([what, 1, expect.stringMatching(reason)])
    }
  }, 120_000)
})
