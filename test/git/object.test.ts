import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseTag } from '../../src/git/object.ts'
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
