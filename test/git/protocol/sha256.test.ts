/** Clients with SHA-256 repositories hear what is wrong, in every protocol version. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { startHost, type TestHost } from '../support/host.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

let host: TestHost
let work: string
const REASON = 'mismatched object format: server sha1; client sha256'
const ID = 'a'.repeat(64)
const pkt = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text

beforeAll(async () => {
  work = scratch()
  host = await startHost()
  await host.create('one')
  await git(work, 'init', '-q', 'ours')
  await git(join(work, 'ours'), 'commit', '-q', '--allow-empty', '-m', 'First')
  await git(join(work, 'ours'), 'push', '-q', host.remote('one'), 'main')
  await git(work, 'init', '-q', '--object-format=sha256', 'theirs')
  await git(join(work, 'theirs'), 'commit', '-q', '--allow-empty', '-m', 'First')
})

afterAll(async () => {
  await host.close()
  discard(work)
})

async function say(service: string, version: number, body: string): Promise<string> {
  const response = await fetch(`${host.remote('one')}/${service}`, {
    method: 'POST',
    headers: {
      'content-type': `application/x-${service}-request`,
      'git-protocol': `version=${version}`,
    },
    body,
  })
  return await response.text()
}

test('git with such a repository stops at both', async () => {
  const theirs = join(work, 'theirs')
  for (const version of ['0', '1', '2']) {
    const settings = ['-c', `protocol.version=${version}`]
    const fetched = await tryGit(theirs, [...settings, 'fetch', host.remote('one'), 'main'])
    expect(fetched.code).not.toBe(0)
    expect(fetched.err).toMatch(/object format|mismatched algorithms/)
    const pushed = await tryGit(theirs, [...settings, 'push', host.remote('one'), 'main:other'])
    expect(pushed.code).not.toBe(0)
    expect(pushed.err).toContain('hash algorithm')
  }
  expect(host.pushes.length).toBe(1)
})

test('a fetch with such ids or capabilities is refused in these words', async () => {
  for (const version of [0, 1]) {
    expect(await say('git-upload-pack', version, `${pkt(`want ${ID} ofs-delta\n`)}0000`)).toContain(
      REASON,
    )
    const capability = `want ${'a'.repeat(40)} ofs-delta object-format=sha256\n`
    expect(
      await say('git-upload-pack', version, `${pkt(capability)}0000${pkt('done\n')}`),
    ).toContain(REASON)
  }
  const command = pkt('command=fetch\n')
  expect(await say('git-upload-pack', 2, `${command}0001${pkt(`want ${ID}\n`)}0000`)).toContain(
    REASON,
  )
  for (const name of ['fetch', 'ls-refs']) {
    const asked = `${pkt(`command=${name}\n`)}${pkt('object-format=sha256\n')}00010000`
    expect(await say('git-upload-pack', 2, asked)).toContain(REASON)
  }
})

test('a push with such ids or capabilities is refused in these words', async () => {
  const zero = '0'.repeat(64)
  const ids = pkt(`${zero} ${ID} refs/heads/x\0report-status\n`)
  expect(await say('git-receive-pack', 0, `${ids}0000`)).toContain(REASON)
  const [old, next] = ['0'.repeat(40), 'a'.repeat(40)]
  const capability = pkt(`${old} ${next} refs/heads/x\0report-status object-format=sha256`)
  expect(await say('git-receive-pack', 0, `${capability}0000`)).toContain(REASON)
  expect(host.refs.get('one')?.size).toBe(1)
})

test('more push options than allowed are an error of the push', async () => {
  const ours = join(work, 'ours')
  const many = Array.from({ length: 2001 }, (_, i) => ['-o', `option=${i}`]).flat()
  const pushed = await tryGit(ours, ['push', ...many, host.remote('one'), 'main:many'])
  expect(pushed.code).not.toBe(0)
  expect(pushed.err).toContain('a push may have at most 1000 options')
  expect(host.refs.get('one')?.has('refs/heads/many')).toBe(false)
  const few = many.slice(0, 2000)
  expect((await tryGit(ours, ['push', ...few, host.remote('one'), 'main:few'])).code).toBe(0)
  expect(host.pushes.at(-1)?.options.length).toBe(1000)
})
