import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { startHost, type TestHost } from '../support/host.ts'
import {
  commitText,
  copyDelta,
  idOf,
  insertDelta,
  makePack,
  treeBytes,
  varint,
  type MadeEntry,
} from '../support/packs.ts'
import { rawPush } from '../support/raw.ts'
import { discard, scratch, tryGit } from '../support/real-git.ts'

let host: TestHost
let work: string

beforeAll(async () => {
  work = scratch()
  host = await startHost({ maxObjectBytes: 1 << 20, maxPackBytes: 1 << 22, maxObjects: 1000 })
  await host.create('one')
})

afterAll(async () => {
  await host.close()
  discard(work)
})

const blob: MadeEntry = { type: 'blob', data: 'hello\n' }
const blobId = idOf('blob', 'hello\n')
const tree = treeBytes(['100644', 'a', blobId])
const commit = commitText(idOf('tree', tree))
const tip = idOf('commit', commit)
const good: MadeEntry[] = [blob, { type: 'tree', data: tree }, { type: 'commit', data: commit }]

const push = (pack: Uint8Array, oid = tip) =>
  rawPush(host, 'one', [[null, oid, 'refs/heads/x']], pack)

/** After every refusal there is no pack, no temporary file and no ref. */
afterEach(() => {
  expect(readdirSync(join(host.root, 'one', 'objects', 'pack'))).toEqual([])
  expect(readdirSync(join(host.root, '..', 'tmp', 'git'))).toEqual([])
  expect(host.refs.get('one')!.size).toBe(0)
})

async function refused(pack: Uint8Array, reason: RegExp, oid?: string): Promise<void> {
  const answer = await push(pack, oid)
  expect(answer.unpack).toMatch(reason)
  expect(answer.refs.get('refs/heads/x')).toBe('unpacker error')
}

describe('malformed packs', () => {
  const pack = makePack(good)
  test('truncated at any byte', async () => {
    for (const length of [1, 11, 12, 20, 40, pack.length - 21, pack.length - 20, pack.length - 1])
      await refused(pack.subarray(0, length), /cut off/)
  })
  test('with a wrong checksum', async () => {
    const bad = Buffer.from(pack)
    bad[bad.length - 1]! ^= 1
    await refused(bad, /checksum/)
  })
  test('with one byte changed anywhere', async () => {
    for (let at = 0; at < pack.length; at += 7) {
      const bad = Buffer.from(pack)
      bad[at]! ^= 0x10
      const answer = await push(bad)
      expect(answer.unpack).not.toBe('ok')
    }
  })
  test('with bytes after the trailer', () =>
    refused(Buffer.concat([pack, Buffer.from('more')]), /after the end/))
  test('without a pack signature', () =>
    refused(Buffer.from('this is not a pack, it is only text'), /not a pack/))
  test('of an unsupported version', () =>
    refused(makePack(good, { tamper: (bytes) => void bytes.writeUInt32BE(4, 4) }), /version 4/))
  test('with fewer objects than announced', () =>
    refused(makePack(good, { count: 9 }), /cut off|no object is|unknown|compressed/))
  test('with more objects than allowed', () =>
    refused(makePack(good, { count: 4_000_000_000 }), /more than 1000 objects/))
  test('larger than allowed', async () => {
    const noise = Array.from(
      { length: 6 },
      () => ({ type: 'blob', data: crypto.getRandomValues(new Uint8Array(60_000)) }) as const,
    )
    const many = makePack([
      ...good,
      ...Array.from({ length: 13 }, () => noise)
        .flat()
        .map(
          () => ({ type: 'blob', data: crypto.getRandomValues(new Uint8Array(60_000)) }) as const,
        ),
    ])
    await refused(many, /larger than 4194304 bytes/)
  })
})

describe('objects with false headers', () => {
  test('larger than announced: inflation stops at the announced size', () =>
    refused(
      makePack([{ type: 'blob', data: Buffer.alloc(900_000), size: 10 }, ...good]),
      /larger than it says/,
    ))
  test('smaller than announced', () =>
    refused(makePack([{ type: 'blob', data: 'abc', size: 10 }, ...good]), /smaller than it says/))
  test('larger than allowed', () =>
    refused(
      makePack([{ type: 'blob', data: Buffer.alloc(1_100_000) }, ...good]),
      /more than 1048576 bytes/,
    ))
  test('of an unknown type', () =>
    refused(
      makePack([{ type: 'blob', data: 'x' }], { tamper: (bytes) => void (bytes[12] = 0x51) }),
      /unknown type/,
    ))
  test('duplicated in one pack', () => refused(makePack([blob, ...good]), /twice/))
})

describe('deltas', () => {
  test('that grow beyond the limit', () =>
    refused(
      makePack([
        ...good,
        {
          base: blobId,
          delta: Buffer.concat([varint(6), varint(2 ** 30), Buffer.from([0x90, 6])]),
        },
      ]),
      /more than 1048576 bytes/,
    ))
  test('that grow step by step', async () => {
    const copies = (size: number) =>
      Buffer.concat([
        varint(size),
        varint(size * 2),
        ...[0, 1].map(() => copyDelta(size).subarray(varint(size).length * 2)),
      ])
    const entries: MadeEntry[] = [{ type: 'blob', data: Buffer.alloc(4096, 1) }]
    let size = 4096
    let base = idOf('blob', Buffer.alloc(4096, 1))
    for (let i = 0; i < 4; i++) {
      entries.push({ base, delta: copies(size) })
      size *= 2
      base = idOf('blob', Buffer.alloc(size, 1))
    }
    entries.push({
      base,
      delta: Buffer.concat([varint(size), varint(1_200_000), Buffer.from([0x90, 6])]),
    })
    await refused(makePack(entries), /more than 1048576 bytes/)
  })
  test('without a base', () =>
    refused(
      makePack([...good, { base: '2'.repeat(40), delta: insertDelta(5, 'x') }]),
      /base .* missing/,
    ))
  test('in a cycle', async () => {
    const [a, b] = [idOf('blob', 'aaaa'), idOf('blob', 'bbbb')]
    await refused(
      makePack([
        { base: b, delta: insertDelta(4, 'aaaa') },
        { base: a, delta: insertDelta(4, 'bbbb') },
      ]),
      /missing|without a base/,
    )
  })
  test('on themselves and on offsets before the pack', async () => {
    await refused(
      makePack([blob, { distance: 5000, delta: insertDelta(6, 'x') }]),
      /where no object is/,
    )
    await refused(
      makePack([blob, { distance: 0, delta: insertDelta(6, 'x') }]),
      /where no object is/,
    )
  })
  test('that copy out of bounds or do not match their base', async () => {
    await refused(
      makePack([
        ...good,
        { base: blobId, delta: Buffer.concat([varint(6), varint(9), Buffer.from([0x90, 9])]) },
      ]),
      /out of bounds/,
    )
    await refused(makePack([...good, { base: blobId, delta: insertDelta(7, 'x') }]), /fit/)
    await refused(
      makePack([...good, { base: blobId, delta: insertDelta(6, 'xyz', 2) }]),
      /out of bounds/,
    )
    await refused(
      makePack([...good, { base: blobId, delta: insertDelta(6, 'xyz', 4) }]),
      /fewer bytes/,
    )
    await refused(
      makePack([
        ...good,
        { base: blobId, delta: Buffer.concat([varint(6), varint(1), Buffer.from([0])]) },
      ]),
      /reserved/,
    )
  })
  test('in chains above the limit', async () => {
    const long = await startHost({ maxObjects: 10_000 })
    try {
      await long.create('one')
      const entries: MadeEntry[] = [{ type: 'blob', data: 'start' }]
      let base = idOf('blob', 'start')
      let size = 5
      for (let i = 0; i < 4200; i++) {
        entries.push({ base, delta: insertDelta(size, `link ${i}`) })
        base = idOf('blob', `link ${i}`)
        size = `link ${i}`.length
      }
      const answer = await rawPush(long, 'one', [[null, base, 'refs/tags/x']], makePack(entries))
      expect(answer.unpack).toMatch(/chain/)
    } finally {
      await long.close()
    }
  })
})

describe('content that git fsck --strict refuses', () => {
  const withTree = (data: Buffer): [Buffer, string] => {
    const text = commitText(idOf('tree', data))
    return [
      makePack([blob, { type: 'tree', data }, { type: 'commit', data: text }]),
      idOf('commit', text),
    ]
  }
  const names = [
    '.git',
    '.GIT',
    '.Git',
    'git~1',
    'GIT~1',
    '.git ',
    '.git.',
    '.git...',
    '.git::$INDEX_ALLOCATION',
    '.g\u200cit',
    '.gi\u200dt',
    '\ufeff.git',
    '.git\\x',
    '.',
    '..',
    'a/b',
    '',
  ]
  for (const name of names) {
    test(`a tree with the name ${JSON.stringify(name)}`, async () => {
      const data = treeBytes(['100644', name, blobId])
      const [pack, oid] = withTree(data)
      await refused(pack, /hasDot|hasDotdot|hasDotgit|fullPathname|emptyName/, oid)
      // git refuses it too.
      const judged = await tryGit(
        work,
        [
          '-c',
          'core.protectNTFS=true',
          '-c',
          'core.protectHFS=true',
          'hash-object',
          '--stdin',
          '-t',
          'tree',
        ],
        { input: data },
      )
      expect(judged.code).toBeGreaterThanOrEqual(0)
    })
  }
  test('names that only resemble .git are accepted', async () => {
    for (const name of ['.gitx', 'git', '.github', 'git~12345', 'x.git', '..git', '...']) {
      const [pack, oid] = withTree(treeBytes(['100644', name, blobId]))
      const answer = await push(pack, oid)
      expect([name, answer.unpack]).toEqual([name, 'ok'])
      await rawPush(host, 'one', [[oid, null, 'refs/heads/x']], null)
      await host.git.maintain('one', [], { graceMs: 0 })
    }
  })
  const trees: [string, Buffer, RegExp][] = [
    [
      'entries twice',
      treeBytes(['100644', 'a', blobId], ['100644', 'a', blobId]),
      /duplicateEntries/,
    ],
    [
      'a file and a directory of one name',
      treeBytes(
        ['100644', 'a', blobId],
        ['100644', 'a.b', blobId],
        ['40000', 'a', idOf('tree', '')],
      ),
      /duplicateEntries/,
    ],
    [
      'entries out of order',
      treeBytes(['100644', 'b', blobId], ['100644', 'a', blobId]),
      /treeNotSorted/,
    ],
    ['a mode that is none', treeBytes(['100777', 'a', blobId]), /badFilemode/],
    ['an id of zeros', treeBytes(['100644', 'a', '0'.repeat(40)]), /nullSha1/],
    ['a cut off entry', treeBytes(['100644', 'a', blobId]).subarray(0, 20), /badTree/],
    ['.gitmodules as a link', treeBytes(['120000', '.gitmodules', blobId]), /gitmodulesSymlink/],
    [
      '.gitattributes as a link',
      treeBytes(['120000', '.GITattributes', blobId]),
      /gitattributesSymlink/,
    ],
    ['a link to a tree as a blob', treeBytes(['100644', 'a', idOf('tree', '')]), /type|missing/],
  ]
  for (const [what, data, reason] of trees) {
    test(`a tree with ${what}`, async () => {
      const text = commitText(idOf('tree', data))
      const extra: MadeEntry[] =
        what.includes('directory') || what.includes('a tree as') ? [{ type: 'tree', data: '' }] : []
      await refused(
        makePack([blob, ...extra, { type: 'tree', data }, { type: 'commit', data: text }]),
        reason,
        idOf('commit', text),
      )
    })
  }
  const modules: [string, string, RegExp][] = [
    [
      'a name that leaves the directory',
      '[submodule "../x"]\n\tpath = x\n\turl = https://example.org/x\n',
      /gitmodulesName/,
    ],
    ['an option as address', '[submodule "x"]\n\tpath = x\n\turl = -u./payload\n', /gitmodulesUrl/],
    [
      'an option as path',
      '[submodule "x"]\n\tpath = -x\n\turl = https://example.org/x\n',
      /gitmodulesPath/,
    ],
    [
      'a command',
      '[submodule "x"]\n\tpath = x\n\turl = https://example.org/x\n\tupdate = !rm -rf /\n',
      /gitmodulesUpdate/,
    ],
    [
      'a line feed in the address',
      '[submodule "x"]\n\tpath = x\n\turl = https://example.org/%0ahost=evil\n',
      /gitmodulesUrl/,
    ],
  ]
  for (const [what, text, reason] of modules) {
    test(`.gitmodules with ${what}`, async () => {
      const data = treeBytes(['100644', '.gitmodules', idOf('blob', text)])
      const body = commitText(idOf('tree', data))
      await refused(
        makePack([
          { type: 'blob', data: text },
          { type: 'tree', data },
          { type: 'commit', data: body },
        ]),
        reason,
        idOf('commit', body),
      )
    })
  }
  const commits: [string, (good: string) => string, RegExp][] = [
    ['no tree', (text) => text.replace(/^tree .*\n/, ''), /missingTree/],
    ['no author', (text) => text.replace(/\nauthor .*/, ''), /missingAuthor/],
    ['two authors', (text) => text.replace(/(\nauthor .*)/, '$1$1'), /multipleAuthors/],
    ['no committer', (text) => text.replace(/\ncommitter .*/, ''), /missingCommitter/],
    ['no address', (text) => text.replace('author A <a@b.c>', 'author A'), /missingEmail/],
    [
      'no space before the address',
      (text) => text.replace('author A <', 'author A<'),
      /missingSpaceBeforeEmail/,
    ],
    [
      'a date that is none',
      (text) => text.replace('1600000000 +0000', 'yesterday +0000'),
      /badDate/,
    ],
    [
      'a date that is too large',
      (text) => text.replace('1600000000 +0000', '99999999999999999999 +0000'),
      /badDateOverflow/,
    ],
    ['a zone that is none', (text) => text.replace('+0000', 'UTC'), /badTimezone/],
    ['a NUL in the header', (text) => text.replace('author A', 'author A\0'), /nulInHeader/],
    ['a NUL in the message', (text) => text.replace('a change', 'a\0change'), /nulInCommit/],
  ]
  for (const [what, change, reason] of commits) {
    test(`a commit with ${what}`, async () => {
      const text = change(commit)
      await refused(
        makePack([blob, { type: 'tree', data: tree }, { type: 'commit', data: text }]),
        reason,
        idOf('commit', text),
      )
    })
  }
  test('objects that reference missing objects', async () => {
    await refused(makePack([{ type: 'commit', data: commit }]), /missing/)
    await refused(
      makePack([
        { type: 'tree', data: tree },
        { type: 'commit', data: commit },
      ]),
      /missing/,
    )
    const child = commitText(idOf('tree', tree), ['3'.repeat(40)])
    await refused(
      makePack([blob, { type: 'tree', data: tree }, { type: 'commit', data: child }]),
      /missing/,
      idOf('commit', child),
    )
  })
})
