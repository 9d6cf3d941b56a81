import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sshHostKeys } from '#lib/ssh/ssh-host-keys.ts'

const data = mkdtempSync(join(tmpdir(), 'hearth-host-keys-'))
afterAll(() => rmSync(data, { recursive: true, force: true }))

const keygen = async (...args: string[]): Promise<string> => {
  const child = Bun.spawn(['ssh-keygen', ...args], { stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if ((await child.exited) !== 0) throw new Error(err)
  return out
}

test('host keys are made once, for the owner alone, as ssh-keygen reads them', async () => {
  const keys = sshHostKeys(data)
  expect(keys.map(({ algorithm }) => algorithm)).toEqual(['ssh-ed25519'])
  const [key] = keys
  const path = join(data, 'secrets', 'ssh_host_ed25519_key')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect((await keygen('-y', '-f', path)).trim()).toBe(key?.line ?? '')
  expect(await keygen('-l', '-f', path)).toContain(` ${key?.fingerprint} `)
  expect(readFileSync(path, 'utf8')).toBe(key?.privateKey ?? '')
  expect(sshHostKeys(data)).toEqual(keys)
})
