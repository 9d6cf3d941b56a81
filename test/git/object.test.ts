import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseCommit, parseTag } from '../../src/git/object.ts'
import { discard, git, scratch, tryGit } from './support/real-git.ts'

const block = (kind: string, text: string): string =>
  `-----BEGIN ${kind}-----\n\n${text}\n-----END ${kind}-----\n`
const pgp = (text: string): string => block('PGP SIGNATURE', text)

/** Messages of tags, with how the part that is signed ends. */
const MESSAGES: Record<string, string> = {
  'no signature': 'Release\n\nNotes\n',
  'one signature': `Release\n\n${pgp('real')}`,
  'a quoted one before it': `Release\n\n${pgp('quoted')}\nas it was\n${pgp('real')}`,
  'one of another kind before it': `Release\n${block('SSH SIGNATURE', 'quoted')}${pgp('real')}`,
  'a line that only mentions it': `Release\nsee -----BEGIN PGP SIGNATURE-----\n${pgp('real')}after\n-----BEGIN`,
  'nothing but a signature': pgp('real'),
  'a signature of PGP by its older name': `Release\n${block('PGP MESSAGE', 'real')}`,
  'a signature of X.509': `Grüße\n${block('SIGNED MESSAGE', 'real')}`,
  'one of SSH': `Release\n${block('SSH SIGNATURE', 'real')}`,
}

let repo: string
beforeAll(async () => {
  repo = scratch()
  await git(repo, 'init', '-q')
  await git(repo, 'commit', '-q', '--allow-empty', '-m', 'one')
})
afterAll(() => discard(repo))

describe('where the signature of a tag begins is where git says', () => {
  test.each(Object.entries(MESSAGES))('%s', async (name, message) => {
    const head = await git(repo, 'rev-parse', 'HEAD')
    const text = `object ${head}\ntype commit\ntag v1\ntagger Ada <ada@example.org> 1700000000 +0000\n\n${message}`
    const { out: oid } = await tryGit(
      repo,
      ['hash-object', '-w', '-t', 'tag', '--stdin', '--literally'],
      { input: text },
    )
    await git(repo, 'update-ref', 'refs/tags/v1', oid.trim())
    const { out: armored } = await tryGit(repo, [
      'for-each-ref',
      '--format=%(contents:signature)',
      'refs/tags/v1',
    ])
    const tag = parseTag(oid.trim(), new TextEncoder().encode(text))
    expect(tag.signature?.armored ?? '').toBe(armored.slice(0, -1))
    expect(`${tag.message}${tag.signature?.armored ?? ''}`).toBe(message)
    if (tag.signature === null) return
    expect(Buffer.from(tag.signature.signed).toString() + tag.signature.armored).toBe(text)

    // What git gives to a program that verifies, as payload.
    if (!tag.signature.armored.includes('PGP')) return
    const [program, payload] = [join(repo, 'verify'), join(repo, 'payload')]
    writeFileSync(program, `#!/bin/sh\ncat > ${payload}\nexit 1\n`)
    chmodSync(program, 0o755)
    await tryGit(repo, ['-c', `gpg.program=${program}`, 'verify-tag', 'v1'])
    expect([name, readFileSync(payload, 'utf8')]).toEqual([
      name,
      Buffer.from(tag.signature.signed).toString(),
    ])
  })
})

describe('a commit that is too large for a page', () => {
  const head = `tree ${'1'.repeat(40)}\nparent ${'2'.repeat(40)}\n`
  const identity = 'A <a@b.c> 1600000000 +0000\n'

  test('has the beginning of its message, cut at a whole character', () => {
    for (const shift of ['', 'x', 'xx']) {
      const message = shift + '✓'.repeat(100_000)
      const data = Buffer.from(`${head}author ${identity}committer ${identity}\n${message}`)
      const commit = parseCommit('3'.repeat(40), data)
      expect(Buffer.byteLength(commit.message)).toBeWithin(65_530, 65_537)
      expect(message.startsWith(commit.message)).toBe(true)
      expect(commit.parents).toEqual(['2'.repeat(40)])
    }
  })

  test('has the beginning of its names, and no signature that cannot be verified', () => {
    const long = 'n'.repeat(5_000_000)
    const signature = `gpgsig ${'s'.repeat(5_000_000)}\n`
    const text = `${head}author ${long} <${long}> 1600000000 +0000\ncommitter ${identity}${signature}\nx\n`
    const commit = parseCommit('3'.repeat(40), Buffer.from(text))
    expect(commit.author).toEqual({
      name: long.slice(0, 1000),
      email: long.slice(0, 1000),
      time: 1_600_000_000,
      zone: '+0000',
    }) // prettier-ignore
    expect([commit.message, commit.signature]).toEqual(['x\n', null])
  })
})
